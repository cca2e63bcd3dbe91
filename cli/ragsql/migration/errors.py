"""The one error that migrations raise for what can be expected to go wrong."""

from __future__ import annotations

import click
import psycopg


class MigrationError(click.ClickException):
    """A migration that was refused or stopped; nothing is half applied.

    `sqlstate` says what kind of failure it was; the message ends with the next step.
    """

    def __init__(self, message: str, *, sqlstate: str, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\nHint: {hint}")
        self.sqlstate = sqlstate
        self.hint = hint


def describe(error: BaseException | None) -> str:
    """Message, detail and hint of a server error on lines of their own."""
    if not isinstance(error, psycopg.Error) or error.diag.message_primary is None:
        return str(error)
    lines = [error.diag.message_primary]
    if error.diag.message_detail:
        lines.append(f"Detail: {error.diag.message_detail}")
    if error.diag.message_hint:
        lines.append(f"Hint: {error.diag.message_hint}")
    return "\n".join(lines)


def line_of(error: BaseException | None, sql: str) -> int | None:
    """1-based line of `sql` that the server points at, where it points anywhere."""
    position = error.diag.statement_position if isinstance(error, psycopg.Error) else None
    return None if position is None else sql.count("\n", 0, int(position) - 1) + 1
