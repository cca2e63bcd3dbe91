"""`ragsql doctor`: says what works, what does not, and what to do next."""

import importlib
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import click
import psycopg
from psycopg.conninfo import conninfo_to_dict
from rich.table import Table
from rich.text import Text

from ragsql.connection import PG_VARIABLES, configured_dsn, connect, describe, resolve_dsn
from ragsql.loading.names import without_controls
from ragsql.loading.store import schema_problem
from ragsql.output import format_option, show, write_rows
from ragsql.settings import Settings

COLUMNS = ("name", "status", "detail", "next_step")
_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


class Check(NamedTuple):
    """One finding, as rag.check: status is ok, warn or fail."""

    name: str
    status: str
    detail: str
    next_step: str | None = None


@click.command()
@format_option
@click.pass_obj
def doctor(settings: Settings, output_format: str) -> None:
    """Check the server, its extensions, the engine, the model and the migrations.

    Each line is ok, warn or fail, with the next step. Exit status 1 when any fails.
    """
    checks = list(_checks(settings))
    if output_format == "table":
        _print(checks)
    else:
        write_rows([check._asdict() for check in checks], COLUMNS, output_format)
    if any(check.status == "fail" for check in checks):
        raise click.exceptions.Exit(1)


def _checks(settings: Settings) -> Iterator[Check]:
    yield _check_engine()
    try:
        connection = _connect(settings)
    except click.ClickException as error:
        yield _failure("connection", error.message, f"chosen by {_reason(settings)}")
        return
    with connection:
        yield _check_server(settings, connection)
        compared = list(_guarded("migrations", lambda: _check_migrations(settings)))
        yield from compared
        for check in _guarded("doctor", lambda: _ask_server(connection)):
            if not (compared and check.name == "migrations"):
                yield check


def _connect(settings: Settings) -> psycopg.Connection:
    try:
        conninfo_to_dict(resolve_dsn(settings))
    except psycopg.ProgrammingError:  # the message repeats the string, password and all
        raise click.ClickException(
            "the connection string cannot be read\n"
            "Hint: write it as postgresql://user@host/database or host=... dbname=..."
        ) from None
    return connect(settings)


def _failure(name: str, message: str, more: str = "") -> Check:
    """Make a fail line of a message whose last line may be the hint."""
    text, _, hint = message.partition("\nHint: ")
    detail = " ".join(text.split())
    return Check(name, "fail", f"{detail} ({more})" if more else detail, hint or None)


def _guarded(name: str, look: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    try:
        yield from look()
    except click.ClickException as error:
        yield _failure(name, error.message)
    except psycopg.Error as error:
        yield _failure(name, describe(error))


def _check_engine() -> Check:
    """Import the engine here, where it needs no server; the server's own copy is asked later."""
    try:
        engine = importlib.import_module("ragsql_engine")
        importlib.import_module("ragsql_engine.session")
    except ImportError as error:
        step = "install the ragsql package again, with the Python that plpython3u links"
        return Check("client engine", "fail", f"ragsql_engine cannot be imported: {error}", step)
    return Check("client engine", "ok", f"ragsql_engine, API {engine.API}")


def _reason(settings: Settings) -> str:
    if settings.dsn:
        return "--dsn or RAGSQL_DSN"
    if configured_dsn(settings) is not None:
        return "the environment (" + ", ".join(PG_VARIABLES) + ")"
    return f"default: the private cluster in {settings.home_dir}"


def _check_server(settings: Settings, connection: psycopg.Connection) -> Check:
    info = connection.info
    version = info.parameter_status("server_version") or "of unknown version"
    where = f'database "{info.dbname}" at {info.host}:{info.port} as "{info.user}"'
    return Check(
        "connection", "ok", f"PostgreSQL {version}, {where}, chosen by {_reason(settings)}"
    )


def _check_migrations(settings: Settings) -> Iterator[Check]:
    from ragsql.migration import MigrationError, status

    try:
        current, head = status(resolve_dsn(settings))
    except MigrationError as error:
        if error.sqlstate != "42501":
            raise
        return  # a role that may not read the version table: the server's own row says the revision
    if current == head:
        yield Check("migrations", "ok", f"current: {current}")
    else:
        found = f"the database is at {current or 'none'}, the newest revision is {head}"
        yield Check("migrations", "fail", found, "run `ragsql migrate upgrade`")


def _ask_server(connection: psycopg.Connection) -> Iterator[Check]:
    problem = schema_problem(connection, "doctor")
    if problem is not None:
        raise problem
    rows = connection.execute("select name, status, detail, next_step from rag.doctor()").fetchall()
    for row in rows:
        yield Check(*row)


def _print(checks: list[Check]) -> None:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(max_width=32 if sys.stdout.isatty() else None, overflow="fold")
    grid.add_column(overflow="fold")
    for check in checks:
        detail = without_controls(" ".join(check.detail.split()))
        status = Text(check.status, style=_STYLES.get(check.status, ""))
        grid.add_row(status, Text(without_controls(check.name)), Text(detail))
        if check.next_step and check.status != "ok":
            grid.add_row("", "", Text(f"-> {without_controls(check.next_step)}"))
    show(grid)
