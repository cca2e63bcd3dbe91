"""The private cluster: a PostgreSQL server of ragsql's own, reached by a unix socket only."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import socket
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from ragsql import memory
from ragsql.server import (
    ClusterError,
    Installation,
    ServerUser,
    check_readable,
    choose_installation,
    python_path,
    server_environment,
    server_user,
)

PORT = 5432
DATABASE = "ragsql"
SUPERUSER = "postgres"
SOCKET_LIMIT = 107
"""Longest path, in bytes, that the kernel takes for a unix socket."""

_SHORT_FOLDERS = Path("/tmp")  # not TMPDIR: the address must not depend on the caller's shell
_START_SECONDS = 60
_INITDB_OPTIONS = (
    *("--username", SUPERUSER, "--encoding", "UTF8", "--locale", "C.UTF-8", "--data-checksums"),
    # trust is safe here: the socket's folder is open to its owner alone, and nothing listens
    # on the network.
    *("--auth-local", "trust", "--auth-host", "reject"),
)
_WAIT = ("--wait", "--timeout", str(_START_SECONDS))
_RELATIVE = ("--pgdata", "data", "--log", "log/server.log")  # pg_ctl hands them to a shell
_NOT_OURS = 0o077
_INCLUDE = """
# Written by `ragsql up` before each start.
include_if_exists = 'ragsql.conf'
"""


class Cluster:
    """The private cluster in `home`, made and started on demand.

    home: holds data/, run/ (the socket), log/ and models/. major: the version for a new
    cluster (None: the newest installed one that is complete). options: further server settings.
    models: folder of the model files, where it is not home/models.
    """

    def __init__(
        self,
        home: Path,
        *,
        major: int | None = None,
        options: Mapping[str, str] | None = None,
        models: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.home = home.resolve()
        self.data = self.home / "data"
        self.log = self.home / "log" / "server.log"
        self.models = (models or self.home / "models").resolve()
        self._major = major
        self._options = dict(options or {})
        self._environment = dict(environment or {})

    @property
    def socket_dir(self) -> Path:
        """Folder of the socket: home/run, or a short one where that path is unfit.

        It is unfit when it is too long, or holds a comma: libpq would see two hosts.
        """
        folder = self.home / "run"
        path = os.fsencode(_socket_file(folder))
        if len(path) <= SOCKET_LIMIT and b"," not in path:
            return folder
        digest = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]
        return _SHORT_FOLDERS / f"ragsql-{digest}"

    @property
    def dsn(self) -> str:
        """libpq URI of the database; needs no running server."""
        host = quote(str(self.socket_dir), safe="/")
        return f"postgresql:///{DATABASE}?host={host}&port={PORT}&user={SUPERUSER}"

    @property
    def is_running(self) -> bool:
        """Whether something listens on the socket. A socket file outlives a crash, so connect."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(2)
            try:
                probe.connect(str(_socket_file(self.socket_dir)))
            except (TimeoutError, BlockingIOError):
                return True  # a full queue: somebody listens
            except OSError:
                return False
        return True

    @property
    def data_major(self) -> int | None:
        """Major version that made the data directory, None where there is none."""
        try:
            return int((self.data / "PG_VERSION").read_text())
        except FileNotFoundError:
            if self.data.is_dir() and any(self.data.iterdir()):
                raise ClusterError(
                    f"{self.data} holds files, but no PG_VERSION: it is not a whole cluster.\n"
                    "Hint: restore it from a backup, or move it away; `ragsql up` makes a new one."
                ) from None
            return None
        except PermissionError as error:
            raise self._of_somebody_else() from error

    @property
    def installation(self) -> Installation:
        """The server programs for this cluster; raises ClusterError where none fit."""
        return choose_installation(self.data_major, self._major, self.data)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the cluster's file lock, so that two `ragsql up` do not make it twice."""
        try:
            _open_folder(self.home)
            file = (self.home / "lock").open("w")
        except PermissionError as error:
            raise self._of_somebody_else() from error
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def create(self) -> bool:
        """Makes the data directory unless it exists; True when it was made just now."""
        installation, user = self.installation, server_user()
        for folder in (self.home, self.models):
            _open_folder(folder)
        check_readable(user, [self.home])
        if self.data_major is not None:
            return False
        fresh = self.home / "data.new"  # renamed at the end: a killed initdb leaves no cluster
        _own_folder(fresh, user)
        _require(user.run(["/bin/sh", "-c", 'rm -rf -- "$1"/* "$1"/.[!.]*', "clean", fresh]))
        _require(user.run([installation.bindir / "initdb", "--pgdata", fresh, *_INITDB_OPTIONS]))
        append: list[str | Path] = ["/bin/sh", "-c", 'cat >> "$1/postgresql.conf"', "append", fresh]
        _require(user.run(append, text=_INCLUDE))
        fresh.rename(self.data)
        return True

    def start(self) -> bool:
        """Starts the server and makes the database; True when it was started just now."""
        installation, user = self.installation, server_user()
        check_readable(user, [*self._read_by_server(), self.models])
        started = False
        if not self.is_running:
            _own_folder(self.log.parent, user)
            _own_folder(self.socket_dir, user)
            self._write_configuration(user)
            self._launch(installation, user)
            started = True
        self._make_database()
        return started

    def stop(self) -> bool:
        """Stops the server, ending its sessions; True when it ran."""
        if self.data_major is None:
            return False
        installation, user = self.installation, server_user()
        pg_ctl: list[str | Path] = [installation.bindir / "pg_ctl", "--pgdata", self.data]
        if user.run([*pg_ctl, "status"]).returncode != 0:
            return False
        _require(user.run([*pg_ctl, "stop", "--mode", "fast", *_WAIT]))
        return True

    def _of_somebody_else(self) -> ClusterError:
        return ClusterError(
            f"The folder {self.home} belongs to another user.\n"
            "Hint: run this as that user, or set RAGSQL_HOME to a folder of your own."
        )

    def _read_by_server(self) -> list[Path]:
        spec = importlib.util.find_spec("ragsql_engine")
        origin = [Path(spec.origin).resolve()] if spec and spec.origin else []
        return [*python_path(), *origin]

    def _configuration(self) -> str:
        chosen = {
            "listen_addresses": "",
            "port": str(PORT),
            "unix_socket_directories": _quote(self.socket_dir),  # a list
            "unix_socket_permissions": "0700",
            "log_line_prefix": "%m [%p] %q%u@%d ",
            "jit": "off",  # retrieval is many short statements: compiling them costs more
            **memory.settings_for(memory.available_memory(), memory.shared_memory_size()),
            **self._options,
        }
        lines = [f"{name} = '{_escape(value)}'" for name, value in chosen.items()]
        return "\n".join(["# Written by `ragsql up`; changes here are lost.", *lines, ""])

    def _write_configuration(self, user: ServerUser) -> None:
        # As the server's user: root never writes into a folder that others may alter.
        script = 'umask 077 && cat > "$1.new" && mv -f "$1.new" "$1"'
        file = self.data / "ragsql.conf"
        _require(user.run(["/bin/sh", "-c", script, "write", file], text=self._configuration()))

    def _launch(self, installation: Installation, user: ServerUser) -> None:
        result = user.run(
            [installation.bindir / "pg_ctl", "start", *_RELATIVE, *_WAIT],
            env={**self._environment, **server_environment(user, self.models)},
            folder=self.home,
        )
        if result.returncode != 0:
            raise ClusterError(
                f"The server did not start: {result.stderr.strip()}\n{self._log_tail()}"
                f"Hint: read {self.log}."
            )

    def _log_tail(self) -> str:
        try:
            lines = self.log.read_text(errors="replace").splitlines()[-8:]
        except OSError:
            return ""
        return "".join(f"    {line}\n" for line in lines)

    def _make_database(self) -> None:
        import psycopg

        maintenance = self.dsn.replace(f"///{DATABASE}?", "///postgres?", 1)
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                connection = psycopg.connect(maintenance, autocommit=True)
                break
            except psycopg.OperationalError as error:  # still recovering from a crash
                if time.monotonic() > deadline:
                    raise ClusterError(f"{error}\nHint: read {self.log}.") from error
                time.sleep(0.2)
        with connection:
            found = connection.execute(
                "select from pg_database where datname = %s", [DATABASE]
            ).fetchone()
            if found is None:
                connection.execute(f"create database {DATABASE}")


def _socket_file(folder: Path) -> Path:
    return folder / f".s.PGSQL.{PORT}"


def _open_folder(folder: Path) -> None:
    """Makes a folder that the server's user can read, whatever the caller's umask."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
        folder.chmod(0o755)


def _own_folder(folder: Path, user: ServerUser) -> None:
    """Makes a folder that only the server's user can enter, or checks that it is one."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        pass
    else:
        os.chown(folder, user.uid, user.gid)
    status = folder.lstat()
    private = stat.S_ISDIR(status.st_mode) and not status.st_mode & _NOT_OURS
    if status.st_uid != user.uid or not private:
        raise ClusterError(
            f"{folder} does not belong to `{user.name}` alone.\n"
            "Hint: remove it if it is yours, or set RAGSQL_HOME to another folder."
        )


def _quote(folder: Path) -> str:
    return '"' + str(folder).replace('"', '""') + '"'


def _escape(value: str) -> str:
    return value.replace("'", "''")


def _require(result: subprocess.CompletedProcess[str]) -> None:
    if result.returncode != 0:
        message = (result.stderr or result.stdout).strip()
        raise ClusterError(f"{Path(result.args[0]).name} failed: {message}")
