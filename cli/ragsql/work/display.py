"""What a command shows while others work: lines on standard error, on a terminal a bar below."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn


class Display:
    """Lines, and a bar that shows only on a terminal."""

    def __init__(self, description: str) -> None:
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
        self._bar: TaskID = self._progress.add_task(description, total=None)

    @property
    def has_bar(self) -> bool:
        """Whether standard error is a terminal."""
        return not self._progress.disable

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Show the bar while the block runs."""
        with self._progress:
            yield

    def say(self, line: str) -> None:
        """Print a line to standard error without disturbing the bar."""
        if self._progress.live.is_started and self.has_bar:
            self._console.print(line)
        else:
            click.echo(line, err=True)

    def move(self, description: str, total: int | None = None, completed: int = 0) -> None:
        """Move the bar; without a total it tells only that something goes on."""
        if total is None:
            self._progress.update(self._bar, description=description, total=None)
        else:
            self._progress.update(
                self._bar, description=description, total=max(total, 1), completed=completed
            )
