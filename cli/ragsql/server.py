"""The installed PostgreSQL servers, and the user that the private cluster runs as."""

from __future__ import annotations

import importlib.util
import os
import pwd
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

MAJORS = range(15, 19)
"""Supported major versions of PostgreSQL."""

_ROOT = Path("/usr/lib/postgresql")
_SHARE = Path("/usr/share/postgresql")
_KEPT_VARIABLES = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ")
_ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class ClusterError(click.ClickException):
    """The private cluster cannot do what was asked; the message ends with the next step."""


@dataclass(frozen=True)
class Installation:
    """One installed major version of PostgreSQL."""

    major: int
    bindir: Path

    @property
    def missing(self) -> list[str]:
        """Names of the parts that ragsql needs and that are not there."""
        extensions = _SHARE / str(self.major) / "extension"
        parts = {
            "initdb": self.bindir / "initdb",
            "plpython3u": self.bindir.parent / "lib/plpython3.so",
            "vector": extensions / "vector.control",
            "pg_trgm": extensions / "pg_trgm.control",
        }
        return [name for name, file in parts.items() if not file.exists()]


def installations(root: Path = _ROOT) -> list[Installation]:
    """Supported majors that are installed below `root`, newest first."""
    found = [Installation(major, root / str(major) / "bin") for major in MAJORS]
    return [one for one in reversed(found) if (one.bindir / "postgres").exists()]


def choose_installation(existing: int | None, wanted: int | None, data: Path) -> Installation:
    """The server for a cluster in `data`.

    `existing` is the major version that made the data directory (None: there is none yet) and
    `wanted` the one that the user asked for. Raises ClusterError when the two do not fit.
    """
    found = {one.major: one for one in installations()}
    names = ", ".join(str(major) for major in found) or "none"
    if existing is not None:
        return _installation_for_data(existing, wanted, data, found)
    candidates = [one for one in found.values() if wanted in (None, one.major)]
    for one in candidates:
        if not one.missing:
            return one
    lacks = "; ".join(f"{one.major} lacks {', '.join(one.missing)}" for one in candidates)
    raise ClusterError(
        f"No PostgreSQL {wanted or 'server'} with PL/Python, pgvector and pg_trgm is installed"
        f" ({lacks or f'installed: {names}'}).\n"
        "Hint: run `make setup` in the ragsql checkout."
    )


def _installation_for_data(
    existing: int, wanted: int | None, data: Path, found: Mapping[int, Installation]
) -> Installation:
    if wanted not in (None, existing):
        raise ClusterError(
            f"The data directory {data} was made by PostgreSQL {existing}, not {wanted}.\n"
            f"Hint: unset RAGSQL_PG_MAJOR to use {existing}, or set RAGSQL_HOME to another folder."
        )
    if existing not in found:
        raise ClusterError(
            f"The data directory {data} was made by PostgreSQL {existing}, which is not installed "
            f"(installed: {', '.join(str(major) for major in found) or 'none'}).\n"
            f"Hint: install PostgreSQL {existing}, or set RAGSQL_HOME to another folder and load "
            "the documents there."
        )
    return found[existing]


@dataclass(frozen=True)
class ServerUser:
    """The operating system's user that the server programs run as."""

    name: str
    uid: int
    gid: int
    home: str

    @property
    def is_other(self) -> bool:
        """Whether programs must change to this user first."""
        return self.uid != os.geteuid()

    def run(
        self,
        argv: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        text: str | None = None,
        folder: Path = Path("/"),
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program as this user in `folder`, without raising when it fails.

        Its output is captured; `text` is its input.
        """
        environment = dict(base_environment(self) if env is None else env)
        return subprocess.run(
            [str(argument) for argument in argv],
            env=environment,
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
            user=self.uid if self.is_other else None,
            group=self.gid if self.is_other else None,
            extra_groups=[] if self.is_other else None,
        )


def server_user() -> ServerUser:
    """`postgres` for root, because initdb refuses root; else the user that runs this."""
    if os.geteuid() != 0:
        entry = pwd.getpwuid(os.geteuid())
    else:
        try:
            entry = pwd.getpwnam("postgres")
        except KeyError:
            raise ClusterError(
                "There is no user `postgres` to run the server as.\n"
                "Hint: run `make setup`, which installs PostgreSQL and with it that user."
            ) from None
    return ServerUser(entry.pw_name, entry.pw_uid, entry.pw_gid, entry.pw_dir)


def base_environment(user: ServerUser) -> dict[str, str]:
    """The few variables a server program needs, so that the caller's others (tokens, PG*) stay
    out of a process that runs code for every database user."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    kept.update({k: v for k, v in os.environ.items() if k.startswith("OPENBLAS_")})
    return {**kept, "HOME": user.home, "USER": user.name, "LOGNAME": user.name}


def python_path() -> list[Path]:
    """Folders that PL/Python must search: the engine's and the virtual environment's."""
    spec = importlib.util.find_spec("ragsql_engine")
    if spec is None or spec.origin is None:
        raise ClusterError("The package ragsql_engine is not installed.\nHint: run `make setup`.")
    folders = [Path(spec.origin).resolve().parent.parent]
    folders += [Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")]
    return list(dict.fromkeys(folders))


def server_environment(user: ServerUser, models: Path) -> dict[str, str]:
    """The environment of the server, and so of PL/Python in every backend."""
    return {
        **base_environment(user),
        **_ONE_THREAD,
        "PYTHONPATH": os.pathsep.join(str(folder) for folder in python_path()),
        "PYTHONDONTWRITEBYTECODE": "1",  # the server writes nothing into a checkout
        "RAGSQL_MODELS": str(models),
        "HF_HUB_OFFLINE": "1",  # a query never waits for a model hub
        "ORT_DISABLE_TELEMETRY": "1",  # what is asked is nobody else's business
    }


_CHECK = """
for path in "$@"; do
    if [ -d "$path" ]; then [ -x "$path" ] || { echo "$path"; exit 1; }
    else [ -r "$path" ] || { echo "$path"; exit 1; }
    fi
done
"""


def check_readable(user: ServerUser, paths: Sequence[Path]) -> None:
    """Raises ClusterError, naming the folder to open, when `user` cannot read one of `paths`."""
    if not user.is_other:
        return
    chain: dict[Path, None] = {}
    for path in paths:
        chain.update(dict.fromkeys(reversed(path.parents)))
        chain[path] = None
    result = user.run(["/bin/sh", "-c", _CHECK, "check", *chain])
    if result.returncode != 0:
        blocked = Path(result.stdout.strip())
        right = "x" if blocked.is_dir() else "r"
        raise ClusterError(
            f"The server's user `{user.name}` cannot read {blocked}.\n"
            f"Hint: run `chmod a+{right} {blocked}`, or keep the checkout in a folder that "
            f"`{user.name}` can enter."
        )
