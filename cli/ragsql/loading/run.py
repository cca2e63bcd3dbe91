"""Loading many files: several connections, a clean end, one result per file."""

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from ragsql.interrupts import interrupts
from ragsql.loading.prepare import Document, ReadOptions, prepare
from ragsql.loading.store import FileResult, RunInterrupted, Store
from ragsql.loading.walk import FoundFile

_STOPPING = "Finishing the files in work; interrupt again to cancel them."


@dataclass(slots=True)
class _Shared:
    """What the threads of one run share; both queues and the event lock themselves."""

    stop: threading.Event
    files: queue.SimpleQueue[FoundFile] = field(default_factory=queue.SimpleQueue)
    results: queue.SimpleQueue[FileResult | Exception | None] = field(
        default_factory=queue.SimpleQueue
    )


def load_files(
    files: list[FoundFile],
    options: ReadOptions,
    stores: list[Store],
    stop: threading.Event,
    report: Callable[[FileResult], None],
) -> None:
    """Load files with one thread per store and report each result in the caller's thread.

    An interrupt sets ``stop``: the files in work are finished, no other is begun. A second
    interrupt cancels their statements, which rolls them back.

    Raises:
        RunStopped: an error that concerns every file; what was reported before is stored.
    """
    shared = _Shared(stop)
    for file in files:
        shared.files.put(file)
    threads = [
        threading.Thread(target=_work, args=(store, options, shared), daemon=True)
        for store in stores
    ]
    problem: Exception | None = None
    with interrupts(stop, lambda: [store.connection for store in stores], _STOPPING):
        for thread in threads:
            thread.start()
        running = len(threads)
        while running:
            item = shared.results.get()
            if item is None:
                running -= 1
            elif isinstance(item, FileResult):
                report(item)
            else:
                problem = problem or item
    if problem is not None:
        raise problem


def _work(store: Store, options: ReadOptions, shared: _Shared) -> None:
    try:
        while not shared.stop.is_set():
            try:
                file = shared.files.get_nowait()
            except queue.Empty:
                break
            shared.results.put(_load_one(store, file, options))
    except RunInterrupted:
        pass
    except Exception as error:  # noqa: BLE001 - raised again in the main thread
        shared.stop.set()
        shared.results.put(error)
    finally:
        shared.results.put(None)


def _load_one(store: Store, file: FoundFile, options: ReadOptions) -> FileResult:
    prepared = prepare(file, options)
    if isinstance(prepared, Document):
        return store.save(prepared)
    return store.refuse(prepared, file.size)
