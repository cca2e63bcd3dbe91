"""What a load tells its user: progress, the files to look at, one summary line."""

import time
import uuid
from collections import Counter
from types import TracebackType
from typing import Self

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from ragsql.loading.store import FileResult

_ORDER = ("created", "updated", "unchanged", "empty", "binary", "too_large", "skipped", "failed")
_WARNINGS = frozenset({"empty", "binary", "too_large", "skipped"})
_LISTED = 20  # lines of one kind of warning; the log has them all
_EVERY = 10.0  # seconds between two lines that say how far it is, where there is no bar


class Report:
    """Counts results; shows a bar on a terminal, and lines for what was not loaded.

    ``waiting`` counts documents whose vectors are still to come, through jobs ``job_ids``.

    Everything goes to standard error. The bar counts bytes, since work grows with them; its
    text counts files and chunks.
    """

    def __init__(self, files: int, size: int, *, dry_run: bool = False) -> None:
        self.outcomes: Counter[str] = Counter()
        self.chunks = 0
        self.waiting = 0
        self.job_ids: set[int] = set()
        self.nul_replaced = 0
        self.surrogates_replaced = 0
        self.guessed = 0
        self.with_warning = 0
        self._dry_run = dry_run
        self._files = files
        self._started = self._told = time.monotonic()
        self._console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task: TaskID = self._progress.add_task(f"0/{files} files", total=max(size, 1))

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def add(self, result: FileResult) -> None:
        """Count one result, move the bar, and print a line if it needs a look."""
        self.outcomes[result.outcome] += 1
        self.chunks += result.chunks
        if (document := result.document) is not None:
            self.nul_replaced += document.nul_replaced
            self.surrogates_replaced += document.surrogates_replaced
            self.guessed += document.guessed
        self.with_warning += result.warned
        if result.job_id is not None:
            self.waiting += 1
            self.job_ids.add(result.job_id)
        if result.outcome == "failed" or result.outcome in _WARNINGS:
            self._show(result)
        elif result.warned and self.with_warning <= _LISTED:
            self.say(f"warning: {result.source}: {result.detail}")
        reached = f"{self.outcomes.total()}/{self._files} files, {self.chunks} chunks"
        self._progress.update(self._task, advance=result.size, description=reached)
        if self._progress.disable and not self.complete and time.monotonic() - self._told >= _EVERY:
            self._told = time.monotonic()
            self.say(f"{reached} ...")

    def _show(self, result: FileResult) -> None:
        count = self.outcomes[result.outcome]
        word = result.outcome.replace("_", " ")
        if result.outcome == "failed" or count <= _LISTED:
            self.say(f"{word}: {result.source}: {result.detail}")
        elif count == _LISTED + 1:
            self.say(f"{word}: more, not listed here")

    def say(self, line: str) -> None:
        """Print a line to standard error without disturbing the bar."""
        if self._progress.live.is_started and not self._progress.disable:
            self._console.print(line)
        else:
            click.echo(line, err=True)

    @property
    def complete(self) -> bool:
        """Whether every file has a result."""
        return self.outcomes.total() >= self._files

    @property
    def failed(self) -> int:
        """Number of files that failed."""
        return self.outcomes["failed"]

    @property
    def warned(self) -> int:
        """Number of files that were not loaded though nothing went wrong, or with a warning."""
        return sum(self.outcomes[outcome] for outcome in _WARNINGS) + self.with_warning

    def summary(self, run_id: uuid.UUID | None = None) -> str:
        """Return the one line that closes a run."""
        total = self.outcomes.total()
        counted = ", ".join(
            f"{self.outcomes[outcome]} {outcome.replace('_', ' ')}"
            for outcome in (*_ORDER, "to load")
            if self.outcomes[outcome]
        )
        parts = [f"{total} file{'s' if total != 1 else ''}: {counted or 'nothing done'}"]
        if self.guessed:
            parts.append(f"encoding guessed for {self.guessed}")
        if self.nul_replaced:
            parts.append(f"{self.nul_replaced} NUL replaced")
        if self.surrogates_replaced:
            parts.append(f"{self.surrogates_replaced} lone surrogates replaced")
        if self.with_warning:
            parts.append(f"{self.with_warning} with a warning")
        if self._dry_run:
            return "; ".join([*parts, "dry run, nothing stored"])
        parts.append(f"{self.chunks} chunks in {_duration(time.monotonic() - self._started)}")
        return "; ".join([*parts, f"run {run_id}"])


def _duration(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
