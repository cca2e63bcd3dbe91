"""`ragsql dsn`: prints the connection string."""

from __future__ import annotations

import click

from ragsql.connection import configured_dsn, friendly_errors
from ragsql.settings import Settings


@click.command()
@click.option("--user", metavar="ROLE", help="Connect as this role.  [default: as configured]")
@click.pass_obj
def dsn(settings: Settings, user: str | None) -> None:
    """Print the connection string of the server in use, and start nothing.

    \b
    Example: psql "$(ragsql dsn)" -c "select * from rag.search('rotate keys')"
    """
    from ragsql.cluster import Cluster

    found = configured_dsn(settings) or Cluster(settings.home_dir).dsn
    if user is not None:
        from psycopg.conninfo import make_conninfo

        with friendly_errors():
            found = make_conninfo(found, user=user)
    click.echo(found)
