"""Ctrl-C and SIGTERM as a wish: what is in work is finished first."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType

import psycopg

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def interrupts(
    stop: threading.Event, connections: Callable[[], Iterable[psycopg.Connection]], message: str
) -> Iterator[None]:
    """Turn the first signal into ``stop`` and a line on standard error, while the block runs.

    A further signal cancels the statements of ``connections()``, which rolls them back.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    line = f"\n{message}\n".encode()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        if not stop.is_set():
            stop.set()
            os.write(2, line)  # no buffer and no lock: the handler may have interrupted both
            return
        for connection in connections():
            with contextlib.suppress(psycopg.Error):
                connection.cancel()

    before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
