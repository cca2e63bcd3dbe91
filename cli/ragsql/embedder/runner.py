"""One model run at a time, batch by batch, fair to short and to long requests."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

from ragsql.embedder.errors import ApiError

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_WAITING = 256
"""Requests that may wait for one model; pools of a hundred sessions ask at once."""

_URGENT_IN_A_ROW = 8  # after so many urgent batches one of the others, so that these do not starve


class _Job(Generic[Item, Result]):
    """A request in work: the batches that are left, and the results so far."""

    def __init__(self, batches: Iterable[Sequence[Item]]) -> None:
        self.batches = deque(batches)
        self.results: list[Result] = []
        self.future: Future[list[Result]] = Future()


class Runner(Generic[Item, Result]):
    """A thread that runs a model for many requests.

    Between two batches it turns to the next request, urgent ones first, so a question waits for
    one batch at most and not for a whole document. `run` gets a batch and gives a result for
    each of its items, in order.
    """

    def __init__(self, run: Callable[[Sequence[Item]], Sequence[Result]], name: str) -> None:
        self._run = run
        self._urgent: deque[_Job[Item, Result]] = deque()
        self._others: deque[_Job[Item, Result]] = deque()
        self._in_a_row = 0
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, batches: Iterable[Sequence[Item]], *, urgent: bool) -> Future[list[Result]]:
        """Queue a request; its results come in the order of the batches.

        Cancelling the future leaves out the batches that were not begun. Raises ApiError (429)
        when too many requests wait.
        """
        job: _Job[Item, Result] = _Job(batches)
        if not job.batches:
            job.future.set_result([])
            return job.future
        with self._changed:
            if self._closed:
                raise ApiError(503, "stopping", "the embedder is stopping", retry_after=1)
            if len(self._urgent) + len(self._others) >= MOST_WAITING:
                raise ApiError(
                    429, "queue_full", f"{MOST_WAITING} requests wait already", retry_after=1
                )
            (self._urgent if urgent else self._others).append(job)
            self._changed.notify()
        return job.future

    def close(self) -> None:
        """Take no more requests, and end the thread once those that wait are done."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            job, queue = taken
            if job.future.cancelled():
                continue
            try:
                job.results += self._run(job.batches.popleft())
            except Exception as error:  # noqa: BLE001 - the request's, not the thread's
                if job.future.set_running_or_notify_cancel():
                    job.future.set_exception(error)
                continue
            if job.batches:
                with self._changed:
                    queue.append(job)
            elif job.future.set_running_or_notify_cancel():
                job.future.set_result(job.results)

    def _take(self) -> tuple[_Job[Item, Result], deque[_Job[Item, Result]]] | None:
        """The request whose turn it is, and its queue; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._urgent or self._others or self._closed)
            if not (self._urgent or self._others):
                return None
            starving = self._others and self._in_a_row >= _URGENT_IN_A_ROW
            if self._urgent and not starving:
                self._in_a_row += 1
                return self._urgent.popleft(), self._urgent
            self._in_a_row = 0
            return self._others.popleft(), self._others
