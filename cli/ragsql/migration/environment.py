"""Where the revisions are, and alembic's configuration for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from ragsql.migration.errors import MigrationError

PACKAGE = Path(__file__).resolve().parent.parent


def migrations_folder() -> Path:
    """The folder of the Alembic environment: in the wheel, else in the checkout."""
    for folder in (PACKAGE / "_migrations", PACKAGE.parent.parent / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise MigrationError(
        "The migrations folder is missing from this installation.",
        sqlstate="55000",
        hint="install ragsql again from its wheel or checkout.",
    )


def configuration(folder: Path, **attributes: Any) -> Config:
    """alembic's Config for the environment in `folder`; `attributes` reach env.py."""
    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("prepend_sys_path", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("file_template", "%%(rev)s")
    config.attributes.update(attributes, versions=folder / "versions")
    return config


class Chain:
    """The revisions of an environment, oldest first. There are no branches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        script = ScriptDirectory.from_config(configuration(folder))
        try:
            walk = list(script.walk_revisions())
            self.revisions = [step.revision for step in reversed(walk)]
            self.head = script.get_current_head()
        except CommandError as error:
            raise MigrationError(str(error), sqlstate="55000") from error

    def resolve(self, name: str) -> str | None:
        """The revision that `name` stands for (a full id, head or base); None is base."""
        if name == "base":
            return None
        if name == "head":
            return self.head
        if name not in self.revisions:
            known = ", ".join(["base", *self.revisions])
            raise MigrationError(
                f"There is no revision {name}.",
                sqlstate="22023",
                hint=f"choose one of: {known}, or head.",
            )
        return name

    def position(self, revision: str | None) -> int:
        """How many revisions are applied when the database is at `revision`.

        Raises MigrationError for a revision that this installation does not have.
        """
        if revision is None:
            return 0
        if revision not in self.revisions:
            raise MigrationError(
                f"The database is at revision {revision}, which this ragsql does not know.",
                sqlstate="55000",
                hint="the database was migrated by a newer ragsql: update this one.",
            )
        return self.revisions.index(revision) + 1
