"""How far the jobs are: lines for those that end, a bar on a terminal."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta

import psycopg
from psycopg.rows import dict_row

from ragsql.loading.names import one_line
from ragsql.work.display import Display

OPEN = ("queued", "running")

_IDLE = "waiting for work"
_SLACK = timedelta(minutes=1)  # an end is seen when it is committed, not when it happened
_LISTED = 10  # jobs that are named one by one: a load makes one for each file

_JOBS = """
select job_id, kind, collection, status, total, done, waiting, failed, error, finished_at
from rag.job_status
where status in ('queued', 'running') or job_id = any (%(known)s) or finished_at > %(since)s
order by job_id
"""


@dataclass(frozen=True)
class Job:
    """A row of rag.job_status. total = done + waiting + failed, in passages."""

    job_id: int
    kind: str
    collection: str | None
    status: str
    total: int
    done: int
    waiting: int
    failed: int
    error: str | None
    finished_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether something of it is still to come."""
        return self.status in OPEN

    @property
    def name(self) -> str:
        """What to call it."""
        return f"Job {self.job_id}"

    @property
    def line(self) -> str:
        """What to tell of a job that has ended."""
        name = f"{self.name} ({one_line(self.collection or 'no collection')})"
        if self.status == "done":
            return f"{name}: done, {passages(self.total)}."
        if self.status == "cancelled":
            return f"{name}: cancelled after {self.done} of {passages(self.total)}."
        return (
            f"{name}: {self.failed} of {passages(self.total)} could not be embedded "
            f"({self.reason}). rag.dead_letter lists them; select rag.retry_job({self.job_id}) "
            "tries them again."
        )

    @property
    def reason(self) -> str:
        """The last error, on one line."""
        return one_line(self.error or "no reason given")[:300]


class Watch(Display):
    """Asks for the jobs now and then; ``ended`` counts those whose end it saw."""

    def __init__(self) -> None:
        super().__init__(_IDLE)
        self.ended = 0
        self.failed = 0
        self._open: set[int] = set()
        self._told: set[int] = set()
        self._since: datetime | None = None

    def look(self, connection: psycopg.Connection) -> list[Job]:
        """The jobs that are open, after telling of those that have ended since the last look."""
        if self._since is None:
            row = connection.execute("select clock_timestamp()").fetchone()
            self._since = row[0] if row else None
        cursor = connection.cursor(row_factory=dict_row)
        cursor.execute(_JOBS, {"known": list(self._open), "since": self._since})
        jobs = [Job(**row) for row in cursor]
        self._tell([job for job in jobs if not job.is_open and job.job_id not in self._told])
        self._forget(jobs)
        still = [job for job in jobs if job.is_open]
        self._open = {job.job_id for job in still}
        self._show(still)
        return still

    def _tell(self, ended: list[Job]) -> None:
        """A line for each job, but one for all that went well where they are many."""
        done = [job for job in ended if job.status == "done"]
        if len(done) > _LISTED:
            self.say(f"{len(done)} jobs: done, {passages(sum(job.total for job in done))}.")
        for job in ended:
            if job.status != "done" or len(done) <= _LISTED:
                self.say(job.line)
            self._told.add(job.job_id)
            self.ended += 1
            self.failed += job.failed

    def _forget(self, jobs: list[Job]) -> None:
        """Ask no more for what ended long ago, or a worker would ask for more from day to day."""
        ends = [job.finished_at for job in jobs if job.finished_at is not None]
        if ends and self._since is not None:
            self._since = max(self._since, max(ends) - _SLACK)
        self._told &= {job.job_id for job in jobs}

    def _show(self, jobs: list[Job]) -> None:
        total, waiting = sum(job.total for job in jobs), sum(job.waiting for job in jobs)
        if not jobs:
            self.move(_IDLE)
            return
        named = f"{len(jobs)} jobs" if len(jobs) > 1 else f"job {jobs[0].job_id}"
        self.move(f"{named}, {passages(waiting)} left", total, total - waiting)


class Stall:
    """Tells since when nothing has moved."""

    def __init__(self) -> None:
        self._seen: object = None
        self._at = time.monotonic()

    def seconds(self, state: object) -> float:
        """Seconds for which ``state`` has been the same."""
        if state != self._seen:
            self._seen, self._at = state, time.monotonic()
        return time.monotonic() - self._at


def passages(number: int) -> str:
    """The number with its noun."""
    return f"{number} passage{'' if number == 1 else 's'}"
