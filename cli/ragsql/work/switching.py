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
from ragsql.work.watch import Job, Watch


def prepare(connection: psycopg.Connection, collection: str, name: str) -> int | None:
    """Have the missing vectors made; the job, None where there is none or nobody makes it."""
    row = connection.execute("select rag.prepare_model(%s, %s)", (collection, name)).fetchone()
    provider = connection.execute(
        "select provider from rag.model where name = %s", (name,)
    ).fetchone()
    if row is None or row[0] is None or (provider is not None and provider[0] == "external"):
        return None
    return int(row[0])


def wait(
    settings: Settings,
    connection: psycopg.Connection,
    job_id: int,
    workers: int,
    patience: float,
    allow_failed: bool,
) -> None:
    """Work or wait until the job has ended; raises click.ClickException unless it is done."""

    def is_over(open_jobs: list[Job]) -> bool:
        return all(job.job_id != job_id for job in open_jobs)

    watch = Watch()
    stop = threading.Event()
    crew = Crew(settings, workers, 1.0, stop, watch.say)
    how = "embedding here" if workers else "waiting for workers elsewhere"
    watch.say(f"Job {job_id} makes the vectors: {how}.")
    with (
        interrupts(stop, lambda: crew.connections, STOPPING),
        contextlib.closing(Overseer(settings, watch)) as overseer,
        watch.shown(),
        crew,
    ):
        problem = supervise(overseer, crew, stop, 1.0, patience, is_over)
    problem = crew.problem or problem
    if problem is None:
        problem = _verdict(connection, job_id, allow_failed)
    if problem is not None:
        raise click.ClickException(problem)


def _verdict(connection: psycopg.Connection, job_id: int, allow_failed: bool) -> str | None:
    row = connection.execute(
        "select status, failed from rag.job_status where job_id = %s", (job_id,)
    ).fetchone()
    status, failed = row or ("done", 0)
    if status == "done" or (status == "failed" and allow_failed):
        return None
    if status == "failed":
        return (
            f"{failed} passages could not be embedded: rag.dead_letter says why.\n"
            f"Hint: select rag.retry_job({job_id}) tries them again; --allow-failed goes without."
        )
    if status == "cancelled":
        return f"Job {job_id} was cancelled.\nHint: run this again to begin anew."
    return "Stopped before the end.\nHint: run this again to go on; what is embedded stays."
