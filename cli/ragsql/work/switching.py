"""Making a collection's vectors under a further model, before it is searched by them."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass

import click
import psycopg
from psycopg.rows import class_row

from ragsql.interrupts import interrupts
from ragsql.loading.names import one_line
from ragsql.settings import Settings
from ragsql.work.crew import STOPPING, Crew
from ragsql.work.display import Display
from ragsql.work.overseer import Overseer, supervise
from ragsql.work.watch import passages

_EVERY = 30.0  # seconds between two lines that say how far it is, where there is no bar

_PROGRESS = """
select model, passages, embedded, waiting, failed from rag.model_progress(%s, %s)
"""
# The job that was made last is likely the one that makes these vectors.
_REASON = """
select error from rag.job_status
where collection = %s and status in ('queued', 'running') and error is not null
order by created_at desc
limit 1
"""


@dataclass(frozen=True)
class Progress:
    """A row of rag.model_progress: passages = embedded + waiting + failed."""

    model: str
    passages: int
    embedded: int
    waiting: int
    failed: int
    error: str | None = None

    @property
    def name(self) -> str:
        """What the vectors are for."""
        return f"Model {one_line(self.model)}"

    @property
    def reason(self) -> str:
        """Why nothing moves, on one line."""
        return one_line(self.error or "no reason given")[:300]


class ModelWatch(Display):
    """Asks how far the vectors of a collection are under one model."""

    def __init__(self, collection: str, model: str) -> None:
        super().__init__(f"model {one_line(model)}")
        self._asked = (collection, model)
        self._last: Progress | None = None
        self._told = time.monotonic()

    def progress(self, connection: psycopg.Connection) -> Progress:
        """How far they are; raises psycopg.Error where the collection is not the caller's."""
        cursor = connection.cursor(row_factory=class_row(Progress))
        found = cursor.execute(_PROGRESS, self._asked).fetchone()
        return found or Progress(self._asked[1], 0, 0, 0, 0)

    def look(self, connection: psycopg.Connection) -> list[Progress]:
        """What still waits: one row, or none."""
        now = self.progress(connection)
        stands, self._last = now == self._last, now
        self.move(f"{passages(now.waiting)} left", now.passages, now.passages - now.waiting)
        if not now.waiting:
            return []
        if not self.has_bar and not stands and time.monotonic() - self._told >= _EVERY:
            self._told = time.monotonic()
            self.say(f"{now.embedded} of {passages(now.passages)} ...")
        return [self._with_reason(connection, now) if stands else now]

    def _with_reason(self, connection: psycopg.Connection, now: Progress) -> Progress:
        row = connection.execute(_REASON, self._asked[:1]).fetchone()
        counts = (now.passages, now.embedded, now.waiting, now.failed)
        return Progress(now.model, *counts, row[0] if row else None)


def make_vectors(
    settings: Settings,
    connection: psycopg.Connection,
    collection: str,
    model: str,
    workers: int,
    patience: float,
    allow_failed: bool,
) -> None:
    """Have the collection's missing vectors made, here or elsewhere, until none waits.

    Raises:
        click.ClickException: nothing moved for ``patience`` seconds, it was interrupted, or
            passages were given up and ``allow_failed`` is not set.
        psycopg.Error: the collection or the model is unknown, or not the caller's to change.
    """
    watch = ModelWatch(collection, model)
    if allow_failed and not watch.progress(connection).waiting:
        return  # to prepare would begin again with what was given up
    connection.execute("select rag.prepare_model(%s, %s)", (collection, model))
    if _is_external(connection, model):
        return  # nobody makes them but the caller, whom rag.set_model tells so
    now = watch.progress(connection)
    if now.waiting:
        _work(settings, watch, now, workers, patience)
        now = watch.progress(connection)
    if now.waiting:
        raise click.ClickException(
            "Stopped before the end.\nHint: run this again to go on; what is embedded stays."
        )
    if now.failed and not allow_failed:
        raise click.ClickException(
            f"{now.failed} of {passages(now.passages)} could not be embedded under "
            f"{one_line(model)}: rag.dead_letter says why.\n"
            "Hint: run this again to try them again; --allow-failed goes without."
        )


def _work(
    settings: Settings, watch: ModelWatch, now: Progress, workers: int, patience: float
) -> None:
    """Work or wait until nothing waits, or until an interrupt."""
    stop = threading.Event()
    crew = Crew(settings, workers, 1.0, stop, watch.say)
    how = "embedding here" if workers else "waiting for workers elsewhere"
    watch.say(
        f"Making the vectors under {one_line(now.model)}, {now.waiting} of "
        f"{passages(now.passages)}: {how}."
    )
    with (
        interrupts(stop, lambda: crew.connections, STOPPING),
        contextlib.closing(Overseer(settings, watch)) as overseer,
        watch.shown(),
        crew,
    ):
        problem = supervise(overseer, crew, stop, 1.0, patience)
    problem = crew.problem or problem
    if problem is not None:
        raise click.ClickException(problem)


def _is_external(connection: psycopg.Connection, model: str) -> bool:
    row = connection.execute("select provider from rag.model where name = %s", (model,)).fetchone()
    return row is not None and row[0] == "external"
