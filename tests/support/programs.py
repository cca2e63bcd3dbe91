"""Commands that run beside a test, as processes of their own."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PROGRAM = "from ragsql.main import main; main()"
PATIENCE = 60.0  # seconds; a bound against hanging, not a promise of speed


class Program:
    """A running `ragsql` command, whose lines on standard error are read as they come."""

    def __init__(self, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *map(str, arguments)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._ended = False
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """Everything said so far."""
        return "\n".join(self.lines)

    def wait_for_line(self, part: str, count: int = 1) -> str:
        """The line that holds `part` for the `count`th time; fails when the program ends first."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._with(part)) >= count or self._ended, PATIENCE)
            found = self._with(part)
        assert len(found) >= count, f"no line with {part!r} in:\n{self.text}"
        return found[count - 1]

    def wait(self) -> int:
        """The exit status, once it has ended by itself."""
        status = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return status

    def stop(self) -> int:
        """Ask it to end, as a service manager does; the exit status."""
        self.process.terminate()
        return self.wait()

    def kill(self) -> None:
        """End it without a warning."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def _with(self, part: str) -> list[str]:
        return [line for line in self.lines if part in line]

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._changed:
                self.lines.append(line.rstrip("\n"))
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()


@contextmanager
def running(*arguments: object) -> Iterator[Program]:
    """A command that is killed at the end, should it still run."""
    program = Program(*arguments)
    try:
        yield program
    finally:
        if program.process.poll() is None:
            program.kill()
