"""`ragsql down`: stops the private cluster."""

from __future__ import annotations

import click

from ragsql.settings import Settings


@click.command()
@click.pass_obj
def down(settings: Settings) -> None:
    """Stop the private cluster; its data stays."""
    from ragsql.cluster import Cluster

    cluster = Cluster(settings.home_dir)
    if cluster.stop():
        click.echo(f"Stopped the private cluster in {cluster.home}.", err=True)
    else:
        click.echo(f"The private cluster in {cluster.home} does not run.", err=True)
