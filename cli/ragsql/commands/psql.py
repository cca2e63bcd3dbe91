"""`ragsql psql`: opens psql on the server in use."""

from __future__ import annotations

import os
import shutil
import sys

import click

from ragsql.connection import FROM_ENVIRONMENT, resolve_dsn
from ragsql.settings import Settings


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[PSQL_ARGUMENTS]...")
@click.pass_obj
def psql(settings: Settings, arguments: tuple[str, ...]) -> None:
    """Open psql on the server in use; everything after `psql` goes to psql.

    \b
    Example: ragsql psql -c "select * from rag.whoami()"
    """
    from ragsql.server import installations

    target = resolve_dsn(settings)
    program = next(
        (str(one.bindir / "psql") for one in installations() if (one.bindir / "psql").exists()),
        shutil.which("psql"),
    )
    if program is None:
        raise click.ClickException(
            "psql is not installed.\nHint: run `make setup`, or install postgresql-client."
        )
    where = [] if target == FROM_ENVIRONMENT else ["--dbname", target]
    sys.stdout.flush()
    os.execv(program, [program, *where, *arguments])
