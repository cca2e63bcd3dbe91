"""Settings of the command line, read from options and from `RAGSQL_*` variables."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT_HOME = Path("/var/lib/ragsql")
"""Where root keeps its private cluster: the server's user cannot enter /root."""

LOCAL_HOME = ".ragsql"


class Settings(BaseSettings):
    """What the environment and the global options say; an empty variable counts as unset."""

    model_config = SettingsConfigDict(env_prefix="RAGSQL_", env_ignore_empty=True, extra="ignore")

    dsn: str | None = None
    """libpq connection string or URI of an existing server."""

    home: Path | None = None
    """Folder of the private cluster and of the model files."""

    model: str | None = None
    """Name of the embedding model that `ragsql up` provides and makes the default."""

    pg_major: int | None = None
    """Major version of PostgreSQL for a new private cluster."""

    @property
    def home_dir(self) -> Path:
        """`RAGSQL_HOME`, else ./.ragsql where that exists, else the user's data folder.

        Always free of symbolic links, because the server's user may be unable to enter the
        folder that a link lies in.
        """
        if self.home is not None:
            return self.home.expanduser().resolve()
        local = Path.cwd() / LOCAL_HOME
        if local.is_dir():
            return local.resolve()
        if os.geteuid() == 0:
            return ROOT_HOME
        return Path(platformdirs.user_data_dir("ragsql", appauthor=False)).resolve()
