"""`ragsql up`: makes, starts and migrates the private cluster, and gives it a model."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click

from ragsql.connection import configured_dsn, friendly_errors
from ragsql.settings import Settings

if TYPE_CHECKING:
    from ragsql.cluster import Cluster
    from ragsql.models import ModelChoice


@click.command()
@click.option(
    "--env",
    "variables",
    metavar="NAME",
    multiple=True,
    help="Environment variable to start the server with, such as the one that holds the key of an "
    "HTTP model; can be repeated.",
)
@click.pass_obj
def up(settings: Settings, variables: tuple[str, ...]) -> None:
    """Make the private cluster if absent, start it, migrate it and give it a model."""
    from ragsql.cluster import Cluster

    if settings.dsn:
        raise click.UsageError(
            "`ragsql up` is for the private cluster. For an existing server, unset RAGSQL_DSN and "
            "run `ragsql --dsn DSN migrate upgrade`."
        )
    missing = [name for name in variables if name not in os.environ]
    if missing:
        raise click.UsageError(f"not set in this environment: {', '.join(missing)}")
    environment = {name: os.environ[name] for name in variables}
    cluster = Cluster(settings.home_dir, major=settings.pg_major, environment=environment)
    if variables and cluster.is_running:
        raise click.ClickException(
            "The server runs already, with the environment it was started in.\n"
            "Hint: `ragsql down`, then this command again."
        )
    with cluster.lock(), friendly_errors():
        _start(cluster)
        _migrate(cluster.dsn)
        click.echo(_provide_model(cluster, settings.model), err=True)
    click.echo("Ready: connect with `ragsql psql`, stop with `ragsql down`.", err=True)
    if configured_dsn(settings):
        click.echo("Note: a PG* variable names another server; other commands use that.", err=True)


def _start(cluster: Cluster) -> None:
    if cluster.create():
        click.echo(
            f"Made a private PostgreSQL {cluster.installation.major} cluster in {cluster.home}.",
            err=True,
        )
    if cluster.start():
        click.echo(f"Started it on the socket in {cluster.socket_dir}.", err=True)


def _migrate(dsn: str) -> None:
    from ragsql import migration

    before, head = migration.status(dsn)
    if before != head:
        migration.upgrade(dsn)
        click.echo(f"Migrated from {before or 'nothing'} to {head}.", err=True)


def _provide_model(cluster: Cluster, wanted: str | None) -> str:
    """Fetches and registers the model; returns the line that says which one it is."""
    import psycopg

    from ragsql.models import KNOWN, ensure_model

    if wanted is None:
        with psycopg.connect(cluster.dsn) as connection:
            row = connection.execute("select name from rag.model where is_default").fetchone()
        wanted = row[0] if row else None
        if wanted is not None and wanted not in KNOWN:
            return f"Model: {wanted} (the database's own default)."
    choice = ensure_model(cluster.models, wanted)
    register_model(cluster.dsn, choice)
    return f"Model: {choice.name} ({choice.reason}). To change it: RAGSQL_MODEL=NAME ragsql up."


def register_model(dsn: str, choice: ModelChoice) -> None:
    """Makes `choice` known to the database, and its default; safe to repeat."""
    import psycopg

    with psycopg.connect(dsn) as connection:
        connection.execute(
            "select rag.add_model(name => %s, provider => %s, dimensions => %s, options => %s)",
            [choice.name, "fastembed", choice.known.dimensions, json.dumps(choice.options)],
        )
