"""Runs the embedder until it is told to stop."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click
import uvicorn

from ragsql.embedder.app import create_app
from ragsql.embedder.listening import Listener
from ragsql.embedder.pool import Pool
from ragsql.server import ServerUser, check_readable, python_path

_PATIENCE = 10  # seconds that requests in work have at the end
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Server(uvicorn.Server):
    """uvicorn, which first says goodbye to the database."""

    def __init__(self, config: uvicorn.Config, leave: Callable[[], None]) -> None:
        super().__init__(config)
        self._leave = leave

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End after the requests in work."""
        self._leave()
        await super().shutdown(sockets=sockets)


def say(line: str) -> None:
    """A line for the operator, on standard error."""
    click.echo(line, err=True)


def serve(pool: Pool, listener: Listener, leave: Callable[[], None]) -> None:
    """Serves until SIGTERM or SIGINT; `leave` is called before requests are refused."""
    config = uvicorn.Config(
        create_app(pool, say),
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_PATIENCE,
    )

    server = _Server(config, leave)

    def end(_number: int, _frame: FrameType | None) -> None:
        """Heed a signal that comes before uvicorn does, and the one that it raises again."""
        server.should_exit = True

    try:
        with _signals(end):
            server.run(sockets=[listener.socket])
    finally:
        _close(pool)


@contextmanager
def stoppable() -> Iterator[None]:
    """While it starts, SIGTERM unwinds as Ctrl-C does, so that no socket is left."""
    with _signals(_stop):
        yield


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


@contextmanager
def _signals(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


def _close(pool: Pool) -> None:
    """End the runners; one that is stuck in a long batch is not waited for."""
    closing = threading.Thread(target=pool.close, daemon=True)
    closing.start()
    closing.join(_PATIENCE)


def become(user: ServerUser, models: Path) -> None:
    """Go on as the server's user for good, where this is root.

    So the socket is that user's, and what parses requests has no more rights than the server.
    Raises ClusterError where that user cannot read the models or this program.
    """
    if not user.is_other:
        return
    check_readable(user, [models, *python_path()])
    os.setgroups([])
    os.setgid(user.gid)
    os.setuid(user.uid)
    os.environ.update(HOME=user.home, USER=user.name, LOGNAME=user.name)
