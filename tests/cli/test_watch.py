"""What those who wait for the queue see of it, and when they give up."""

from __future__ import annotations

import contextlib
import itertools
import threading

import psycopg

from ragsql.settings import Settings
from ragsql.work.crew import Crew
from ragsql.work.overseer import Overseer, supervise
from ragsql.work.watch import Job, Watch
from support.stub import Stub


def test_a_reason_that_comes_and_goes_is_no_progress(stub: Stub) -> None:
    errors = itertools.cycle([None, "it rests"])

    class Pausing:
        def look(self, _connection: psycopg.Connection) -> list[Job]:
            return [Job(1, "embed", "c", "queued", 5, 0, 5, 0, next(errors))]

    settings, stop = Settings(dsn=stub.database.dsn), threading.Event()
    too_late = threading.Timer(10, stop.set)
    too_late.start()
    with contextlib.closing(Overseer(settings, Pausing())) as overseer:
        crew = Crew(settings, 0, 1, stop, print)
        problem = supervise(overseer, crew, stop, poll=0.05, patience=1)
    too_late.cancel()
    assert problem is not None
    assert problem.startswith("5 passages cannot be embedded now: it rests\n")


def test_an_end_is_told_once_and_then_forgotten(stub: Stub) -> None:
    watch = Watch()
    assert watch.look(stub.root) == []
    first = stub.passages("a", ["one"])
    (job,) = watch.look(stub.root)
    assert (job.job_id, job.total, job.waiting) == (first, 1, 1)
    stub.work()
    assert watch.look(stub.root) == []
    assert (watch.ended, watch.failed) == (1, 0)
    second = stub.passages("b", ["two"])
    stub.work()
    # it ended long after the first, which is not asked for from then on
    stub.run(
        "update rag_internal.job set finished_at = finished_at + interval '2 hours' "
        "where job_id = %s",
        second,
    )
    for _ in range(3):
        assert watch.look(stub.root) == []
    assert watch.ended == 2
    third = stub.passages("c", ["three"])
    assert [job.job_id for job in watch.look(stub.root)] == [third]
    stub.work()
    assert watch.look(stub.root) == []
    assert watch.ended == 3
