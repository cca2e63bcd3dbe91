"""Looks how far the jobs are while others work, and says when it makes no sense to go on."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from typing import Protocol

import click
import psycopg

from ragsql.connection import describe
from ragsql.loading.store import schema_problem
from ragsql.settings import Settings
from ragsql.work.crew import Crew, open_session
from ragsql.work.watch import Stall, passages

_NOTICED = 15.0  # seconds without progress after which the reason is told
_REPEATED = 300.0  # seconds after which it is told again
_SHARE = 10  # looking takes a tenth of the time at most, however many jobs there are
_LONGEST_POLL = 2.0  # seconds; ends of jobs are told soon, however seldom the queue is asked


class Pending(Protocol):
    """Something that passages wait in; ``error``: what kept them from their vectors last."""

    @property
    def name(self) -> str: ...
    @property
    def waiting(self) -> int: ...
    @property
    def error(self) -> str | None: ...
    @property
    def reason(self) -> str: ...


class Looking(Protocol):
    """Who asks what is pending, and shows it; nothing is when the work is over."""

    def look(self, connection: psycopg.Connection) -> Sequence[Pending]: ...


class Overseer:
    """The connection that looks how far the work is; opened again when it is lost."""

    def __init__(self, settings: Settings, watch: Looking) -> None:
        self._settings = settings
        self._watch = watch
        self._connection: psycopg.Connection | None = open_session(settings)
        problem = schema_problem(self._connection, "claim_job")
        if problem is not None:
            self.close()
            raise problem

    def look(self) -> Sequence[Pending] | None:
        """What is pending; None while the server does not answer."""
        try:
            if self._connection is None:
                self._connection = open_session(self._settings)
            return self._watch.look(self._connection)
        except click.ClickException:
            return None
        except psycopg.Error as error:
            if self._connection is not None and not self._connection.closed:
                raise click.ClickException(describe(error)) from error
            self.close()
            return None

    def last_look(self) -> None:
        """Tell of the jobs that have just ended; at the end nobody is there to wait for."""
        with contextlib.suppress(click.ClickException):
            self.look()

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def supervise(
    overseer: Overseer,
    crew: Crew,
    stop: threading.Event,
    poll: float,
    patience: float | None,
) -> str | None:
    """Watch until ``stop``, or with ``patience`` until nothing is pending; None when that is well.

    Otherwise why it gave up: for ``patience`` seconds nothing has moved.
    """
    stall = Stall()
    reason = ""
    pause = min(poll, _LONGEST_POLL)
    while not stop.wait(pause):
        began = time.monotonic()
        pending = overseer.look()
        pause = max(min(poll, _LONGEST_POLL), _SHARE * (time.monotonic() - began))
        if pending is not None and patience is not None and not pending:
            return None
        # not the error, which comes and goes with the pauses of a model
        still = stall.seconds((crew.passages, [(one.name, one.waiting) for one in pending or ()]))
        for one in pending or ():
            if not one.error:
                continue
            reason = f": {one.reason}"
            if still > _NOTICED:
                crew.say_once(f"{one.name} waits{reason}", _REPEATED)
        if patience is not None and still > patience:
            return _stalled(pending, reason)
    return None


def _stalled(pending: Sequence[Pending] | None, reason: str) -> str:
    """Why it gives up, with the next step."""
    if pending is None:
        return "The server does not answer.\nHint: run this again when it does; nothing is lost."
    left = passages(sum(one.waiting for one in pending))
    return (
        f"{left} cannot be embedded now{reason}\n"
        "Hint: `ragsql doctor` says what a model lacks; run this again when it is there."
    )
