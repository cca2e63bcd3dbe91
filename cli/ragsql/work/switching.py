"""Making a collection's vectors under a further model, before it is searched by them."""

from __future__ import annotations

import contextlib
import threading

import click
import psycopg

from ragsql.interrupts import interrupts
from ragsql.settings import Settings
from ragsql.work.crew import STOPPING, Crew
from ragsql.work.overseer import Overseer, supervise
from ragsql.work.watch import OPEN, Job, Watch, passages

_OPEN = """
select job_id from rag.job_status
where collection = %s and status in ('queued', 'running') order by job_id
"""
_ENDED = "select job_id, status, failed from rag.job_status where job_id = any (%s)"


def prepare(connection: psycopg.Connection, collection: str, name: str) -> list[int]:
    """Have the missing vectors made; the jobs that do, none where nobody makes them.

    What an earlier call asked for is in that call's job, so all open ones of the collection count.
    """
    connection.execute("select rag.prepare_model(%s, %s)", (collection, name))
    provider = connection.execute(
        "select provider from rag.model where name = %s", (name,)
    ).fetchone()
    if provider is not None and provider[0] == "external":
        return []
    return [int(row[0]) for row in connection.execute(_OPEN, (collection,))]


def wait(
    settings: Settings,
    connection: psycopg.Connection,
    job_ids: list[int],
    workers: int,
    patience: float,
    allow_failed: bool,
) -> None:
    """Work or wait until the jobs have ended; raises click.ClickException unless they are done."""

    def is_over(open_jobs: list[Job]) -> bool:
        return not any(job.job_id in job_ids for job in open_jobs)

    watch = Watch()
    stop = threading.Event()
    crew = Crew(settings, workers, 1.0, stop, watch.say)
    how = "embedding here" if workers else "waiting for workers elsewhere"
    named = ", ".join(f"job {job_id}" for job_id in job_ids)
    watch.say(f"Making the vectors ({named}): {how}.")
    with (
        interrupts(stop, lambda: crew.connections, STOPPING),
        contextlib.closing(Overseer(settings, watch)) as overseer,
        watch.shown(),
        crew,
    ):
        problem = supervise(overseer, crew, stop, 1.0, patience, is_over)
    problem = crew.problem or problem
    if problem is None:
        problem = _verdict(connection, job_ids, allow_failed)
    if problem is not None:
        raise click.ClickException(problem)


def _verdict(connection: psycopg.Connection, job_ids: list[int], allow_failed: bool) -> str | None:
    """Why the collection cannot be changed over yet, with the next step; None where it can."""
    for job_id, status, failed in connection.execute(_ENDED, (job_ids,)).fetchall():
        if status in OPEN:
            return "Stopped before the end.\nHint: run this again to go on; what is embedded stays."
        if status == "cancelled":
            return f"Job {job_id} was cancelled.\nHint: run this again to begin anew."
        if status == "failed" and not allow_failed:
            return (
                f"{passages(failed)} could not be embedded: rag.dead_letter says why.\n"
                f"Hint: select rag.retry_job({job_id}) tries again; --allow-failed goes without."
            )
    return None
