"""The socket that the embedder listens on: a file of this machine, or loopback."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import click

from ragsql.cluster import SOCKET_LIMIT

_BACKLOG = 512  # sessions that connect at the same moment


@dataclass(frozen=True)
class Listener:
    """A listening socket, its address as the setting `embedder` has it, and its file if any."""

    socket: socket.socket
    url: str
    path: Path | None = None


@contextmanager
def listen_unix(path: Path, mode: int) -> Iterator[Listener]:
    """Listens on a socket file of that mode, which is removed at the end.

    Raises click.ClickException where somebody else listens there or the path cannot be used.
    """
    path = path.absolute()
    if len(os.fsencode(path)) > SOCKET_LIMIT:
        raise click.ClickException(
            f"The path of the socket is longer than {SOCKET_LIMIT} bytes: {path}\n"
            "Hint: name a shorter one with --socket."
        )
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with server:
        with _alone(path.parent):
            _remove_dead(path)
            _bind(server, path, mode)
        mine = path.lstat().st_ino
        try:
            server.listen(_BACKLOG)
            yield Listener(server, f"unix:{path}", path)
        finally:
            with suppress(OSError):
                if path.lstat().st_ino == mine:
                    path.unlink()


@contextmanager
def listen_loopback(host: str, port: int) -> Iterator[Listener]:
    """Listens on a port of a loopback address; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        server = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        hint = "choose another --port"
        if error.errno == errno.EADDRINUSE:
            hint = "another embedder may run already; stop it, or choose another --port"
        raise click.ClickException(
            f"Port {port} of {host} cannot be used: {error.strerror}\nHint: {hint}."
        ) from error
    with server:
        name = f"[{host}]" if family == socket.AF_INET6 else host
        yield Listener(server, f"http://{name}:{server.getsockname()[1]}")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Holds a lock on the folder, so that of two starts at once none removes the other's file."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise click.ClickException(
            f"The folder of the socket cannot be used: {error.strerror}: {folder}\n"
            "Hint: make it, or name another socket with --socket."
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _remove_dead(path: Path) -> None:
    """Remove the socket that a killed process left; refuse one that is answered."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(status.st_mode):
        raise click.ClickException(
            f"{path} is there and is no socket.\nHint: name another one with --socket."
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(2)
        try:
            probe.connect(str(path))
        except (TimeoutError, BlockingIOError):
            pass  # a full queue: somebody listens
        except OSError:
            path.unlink(missing_ok=True)
            return
    raise click.ClickException(
        f"Somebody serves {path} already.\n"
        "Hint: one embedder is enough for all sessions; stop that one first, or use another "
        "--socket."
    )


def _bind(server: socket.socket, path: Path, mode: int) -> None:
    before = os.umask(0o777 & ~mode)
    try:
        server.bind(str(path))
    except OSError as error:
        raise click.ClickException(
            f"The socket cannot be made: {error.strerror}: {path}\n"
            "Hint: choose a folder that the server's user may write in, with --socket."
        ) from error
    finally:
        os.umask(before)
