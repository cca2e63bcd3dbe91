"""`ragsql migrate`: bring the schema of a database to a revision."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ragsql.connection import friendly_errors, resolve_dsn
from ragsql.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ragsql.settings import Settings

PENDING = 3
"""Exit code of `status` when revisions are pending."""


def waiting(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of the commands that change a database."""
    for option in (
        click.option(
            "--lock-timeout",
            type=click.FloatRange(min=0.001),
            default=10.0,
            show_default=True,
            envvar="RAGSQL_LOCK_TIMEOUT",
            help="Seconds that a revision waits for a lock before it gives up.",
        ),
        click.option(
            "--wait",
            type=click.FloatRange(min=0.001),
            default=None,
            help="Seconds to wait for another migration; without it, as long as that takes.",
        ),
    ):
        command = option(command)
    return command


@click.group(cls=Steps)
def migrate() -> None:
    """Bring the schema of a database to a revision.

    A migrating role must be a superuser, since PL/Python functions can be created by one only.
    `ragsql migrate sql` writes the SQL for an administrator instead.
    """


@migrate.command()
@click.argument("revision", default="head")
@waiting
@click.option(
    "--extension-schema",
    default="public",
    show_default=True,
    help="Schema for extensions that are missing; those that exist are used where they are.",
)
@click.pass_obj
def upgrade(
    settings: Settings,
    revision: str,
    wait: float | None,
    lock_timeout: float,
    extension_schema: str,
) -> None:
    """Apply the pending revisions up to REVISION (default: head).

    Each revision is one transaction. A second upgrade started meanwhile waits for the first.
    """
    from ragsql import migration

    with friendly_errors():
        migration.upgrade(
            resolve_dsn(settings),
            revision,
            wait=wait,
            lock_timeout=lock_timeout,
            extension_schema=extension_schema,
        )


@migrate.command()
@click.argument("revision")
@waiting
@click.option("--yes", is_flag=True, help="Do not ask; the data of what is dropped is lost.")
@click.pass_obj
def downgrade(
    settings: Settings, revision: str, wait: float | None, lock_timeout: float, yes: bool
) -> None:
    """Take revisions back down to REVISION; "base" removes everything.

    The data in what is dropped is lost. Roles stay, since they belong to the whole cluster.
    Extensions that an upgrade created are dropped at base, unless other objects use them.
    """
    from ragsql import migration

    dsn = resolve_dsn(settings)
    with friendly_errors():
        if not yes:
            _confirm(revision, migration.status(dsn).current)
        migration.downgrade(dsn, revision, wait=wait, lock_timeout=lock_timeout)


@migrate.command()
@click.pass_obj
def status(settings: Settings) -> None:
    """Print the current and the newest revision; exit 3 when revisions are pending."""
    from ragsql import migration

    with friendly_errors():
        found = migration.status(resolve_dsn(settings))
    click.echo(f"current {found.current or 'base'}")
    click.echo(f"head    {found.head or 'base'}")
    if found.current != found.head:
        click.echo("Revisions are pending: run `ragsql migrate upgrade`.", err=True)
        raise SystemExit(PENDING)


@migrate.command()
@click.argument("span", metavar="[FROM:TO]", default="base:head")
@click.option(
    "--extension-schema",
    "schemas",
    multiple=True,
    metavar="[NAME=]SCHEMA",
    help="Schema of all extensions, or of the one named; may be repeated.  [default: public]",
)
@click.option(
    "--lock-timeout",
    type=click.FloatRange(min=0.001),
    default=10.0,
    show_default=True,
    envvar="RAGSQL_LOCK_TIMEOUT",
    help="Seconds that a revision waits for a lock before it gives up.",
)
def sql(span: str, schemas: tuple[str, ...], lock_timeout: float) -> None:
    """Print complete SQL for an administrator, from base to head or for FROM:TO.

    Run it with: psql -X -v ON_ERROR_STOP=1 -f FILE. Needs no server.
    """
    from ragsql import migration
    from ragsql.migration.preflight import EXTENSIONS

    chosen = {item.name: "public" for item in EXTENSIONS}
    for text in schemas:
        name, equals, schema = text.rpartition("=")
        if equals and name not in chosen:
            known = ", ".join(chosen)
            raise click.BadParameter(f"{name} is none of the extensions {known}.")
        for one in [name] if equals else list(chosen):
            chosen[one] = schema
    click.echo(migration.offline_sql(span, extension_schemas=chosen, lock_timeout=lock_timeout))


def _confirm(revision: str, current: str | None) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError(
            "A downgrade loses the data in what it drops; say --yes to do it without being asked."
        )
    click.confirm(
        f"Take the database from {current or 'base'} back to {revision}? Data will be lost.",
        abort=True,
        err=True,
    )
