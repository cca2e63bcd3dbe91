"""Running models batch by batch, fair to short and to long requests."""

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
    """A request in work: the batches that are to come, and the results of the others."""

    def __init__(self, batches: Iterable[Sequence[Item]]) -> None:
        self.batches = deque(enumerate(batches))
        self.future: Future[list[Result]] = Future()
        self._results: list[Sequence[Result]] = [()] * len(self.batches)
        self._left = len(self.batches)
        self._lock = threading.Lock()

    @property
    def is_wanted(self) -> bool:
        """Whether somebody waits for the rest of it."""
        return bool(self.batches) and not self.future.done()

    def put(self, index: int, results: Sequence[Result]) -> None:
        """Keep the results of a batch; the last one answers the request."""
        with self._lock:
            self._results[index] = results
            self._left -= 1
            if self._left == 0 and self.future.set_running_or_notify_cancel():
                self.future.set_result([one for batch in self._results for one in batch])

    def fail(self, error: Exception) -> None:
        """Answer the request with its first error."""
        with self._lock:
            if not self.future.done() and self.future.set_running_or_notify_cancel():
                self.future.set_exception(error)


class Runner(Generic[Item, Result]):
    """Threads that run a model for many requests, a batch each.

    One thread to a batch does more than all threads to one: small matrices do not repay sharing,
    and onnxruntime's threads spin while they wait for each other. After a batch a thread turns to
    the next request, urgent ones first, so a question waits for one batch at most and not for a
    whole document. `run` gets a batch and gives a result for each of its items, in order; it is
    called by several threads at once.
    """

    def __init__(
        self, run: Callable[[Sequence[Item]], Sequence[Result]], name: str, threads: int = 1
    ) -> None:
        self._run = run
        self._urgent: deque[_Job[Item, Result]] = deque()
        self._others: deque[_Job[Item, Result]] = deque()
        self._in_a_row = 0
        self._closed = False
        self._changed = threading.Condition()
        self._threads = [
            threading.Thread(target=self._work, name=name, daemon=True) for _ in range(threads)
        ]
        for thread in self._threads:
            thread.start()

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
            self._changed.notify_all()
        return job.future

    def close(self) -> None:
        """Take no more requests, and end the threads once those that wait are done."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            job, index, batch = taken
            try:
                job.put(index, self._run(batch))
            except Exception as error:  # noqa: BLE001 - the request's, not the thread's
                job.fail(error)

    def _take(self) -> tuple[_Job[Item, Result], int, Sequence[Item]] | None:
        """A batch of the request whose turn it is; None at the end."""
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._urgent or self._others or self._closed)
                if not (self._urgent or self._others):
                    return None
                queue = self._next()
                job = queue.popleft()
                if not job.is_wanted:
                    continue
                index, batch = job.batches.popleft()
                if job.batches:
                    queue.append(job)
                return job, index, batch

    def _next(self) -> deque[_Job[Item, Result]]:
        """The queue whose turn it is."""
        starving = self._others and self._in_a_row >= _URGENT_IN_A_ROW
        if self._urgent and not starving:
            self._in_a_row += 1
            return self._urgent
        self._in_a_row = 0
        return self._others
