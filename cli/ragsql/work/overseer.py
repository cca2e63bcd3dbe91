"""Looks how far the jobs are while others work, and says when it makes no sense to go on."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

import click
import psycopg

from ragsql.connection import describe
from ragsql.loading.store import schema_problem
from ragsql.settings import Settings
from ragsql.work.crew import Crew, open_session
from ragsql.work.watch import Job, Stall, Watch, passages

_NOTICED = 15.0  # seconds without progress after which the reason is told
_REPEATED = 300.0  # seconds after which it is told again
_SHARE = 10  # looking takes a tenth of the time at most, however many jobs there are
_LONGEST_POLL = 2.0  # seconds; ends of jobs are told soon, however seldom the queue is asked


class Overseer:
    """The connection that looks how far the jobs are; opened again when it is lost."""

    def __init__(self, settings: Settings, watch: Watch) -> None:
        self._settings = settings
        self._watch = watch
        self._connection: psycopg.Connection | None = open_session(settings)
        problem = schema_problem(self._connection, "claim_job")
        if problem is not None:
            self.close()
            raise problem

    def look(self) -> list[Job] | None:
        """The open jobs; None while the server does not answer."""
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
    is_over: Callable[[list[Job]], bool],
) -> str | None:
    """Watch until ``stop``, or with ``patience`` until ``is_over``; None when that is well.

    Otherwise why it gave up: for ``patience`` seconds nothing has moved.
    """
    stall = Stall()
    pause = min(poll, _LONGEST_POLL)
    while not stop.wait(pause):
        began = time.monotonic()
        jobs = overseer.look()
        pause = max(min(poll, _LONGEST_POLL), _SHARE * (time.monotonic() - began))
        if jobs is not None and patience is not None and is_over(jobs):
            return None
        still = stall.seconds((crew.passages, jobs))
        for job in jobs or ():
            if job.error and still > _NOTICED:
                crew.say_once(f"Job {job.job_id} waits: {job.reason}", _REPEATED)
        if patience is not None and still > patience:
            return _stalled(jobs)
    return None


def _stalled(jobs: list[Job] | None) -> str:
    """Why it gives up, with the next step."""
    if jobs is None:
        return "The server does not answer.\nHint: run this again when it does; nothing is lost."
    left = passages(sum(job.waiting for job in jobs))
    reason = next((f": {job.reason}" for job in jobs if job.error), "")
    return (
        f"{left} cannot be embedded now{reason}\n"
        "Hint: `ragsql doctor` says what a model lacks; run this again when it is there."
    )
