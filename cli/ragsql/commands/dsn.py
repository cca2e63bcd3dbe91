"""`ragsql dsn`: prints the connection string."""

from __future__ import annotations

import click

from ragsql.connection import configured_dsn
from ragsql.settings import Settings


@click.command()
@click.pass_obj
def dsn(settings: Settings) -> None:
    """Print the connection string of the server in use, and start nothing.

    \b
    Example: psql "$(ragsql dsn)" -c "select * from rag.search('rotate keys')"
    """
    from ragsql.cluster import Cluster

    click.echo(configured_dsn(settings) or Cluster(settings.home_dir).dsn)
