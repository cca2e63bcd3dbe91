"""Which server a command talks to, and how its errors are shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import psycopg

    from ragsql.settings import Settings

PG_VARIABLES = ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE")
"""libpq's variables that name a server or a database; PGUSER alone names neither."""

FROM_ENVIRONMENT = "postgresql://"
"""The empty connection URI: libpq takes every part of it from the environment."""


def configured_dsn(settings: Settings) -> str | None:
    """The server that the user named: --dsn, RAGSQL_DSN, then the PG* variables; else None."""
    if settings.dsn:
        return settings.dsn
    if any(os.environ.get(name) for name in PG_VARIABLES):
        return FROM_ENVIRONMENT
    return None


def resolve_dsn(settings: Settings) -> str:
    """The server to use: the one that the user named, else the private cluster.

    Raises click.ClickException when it comes to the private cluster and that does not run.
    """
    named = configured_dsn(settings)
    if named is not None:
        return named
    from ragsql.cluster import Cluster

    cluster = Cluster(settings.home_dir)
    if not cluster.is_running:
        raise click.ClickException(
            f"No server: the private cluster in {cluster.home} does not run.\n"
            "Hint: run `ragsql up`; or, where it lives elsewhere, go to the folder that holds its "
            ".ragsql, or set RAGSQL_HOME; or name another server with --dsn, RAGSQL_DSN or PGHOST."
        )
    return cluster.dsn


def connect(settings: Settings) -> psycopg.Connection:
    """Opens a connection (autocommit off) to the server that `resolve_dsn` chooses."""
    import psycopg

    with friendly_errors():
        return psycopg.connect(resolve_dsn(settings), application_name="ragsql")


@contextmanager
def friendly_errors() -> Iterator[None]:
    """Turns a database error into message, detail and hint, without a traceback."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise click.ClickException(describe(error)) from error


@contextmanager
def warnings_told(
    connection: psycopg.Connection, say: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Passes on what the server warns of while the block runs; to standard error without `say`."""
    from ragsql.loading.names import one_line

    def tell(diagnostic: psycopg.errors.Diagnostic) -> None:
        if diagnostic.severity_nonlocalized != "WARNING" or not diagnostic.message_primary:
            return
        lines = [f"Warning: {one_line(diagnostic.message_primary)}"]
        if diagnostic.message_hint:
            lines.append(f"Hint: {one_line(diagnostic.message_hint)}")
        for line in lines:
            (say or _to_standard_error)(line)

    connection.add_notice_handler(tell)
    try:
        yield
    finally:
        connection.remove_notice_handler(tell)


def _to_standard_error(line: str) -> None:
    click.echo(line, err=True)


def describe(error: psycopg.Error) -> str:
    """The lines that a person needs of a database error, the next step last."""
    import psycopg

    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
        # libpq repeats what it could not parse, a password perhaps
        return (
            "The connection string cannot be read.\n"
            "Hint: write postgresql://user@host/database or host=... dbname=... user=..."
        )
    if error.diag.message_primary is None:
        lines = [str(error).strip() or type(error).__name__]
        if "does not exist" in lines[0]:
            lines.append("Hint: create that role or database, or name another one.")
        elif error.sqlstate is None:
            lines.append("Hint: check that the server runs and that --dsn names it.")
        return "\n".join(lines)
    lines = [error.diag.message_primary]
    if error.diag.message_detail:
        lines.append(f"Detail: {error.diag.message_detail}")
    hint = error.diag.message_hint or _HINTS.get(error.sqlstate or "")
    if hint:
        lines.append(f"Hint: {hint}")
    return "\n".join(lines)


_HINTS = {
    "42501": "searching needs the role rag_reader, loading rag_writer, administration rag_admin.",
    "3F000": "run `ragsql migrate upgrade` to create the schema.",
    "42P01": "run `ragsql migrate status` to see whether the schema is current.",
    "42883": "run `ragsql migrate status` to see whether the schema is current.",
}
