"""`ragsql psql`: opens psql on the server in use."""

from __future__ import annotations

import os
import shutil
import sys

import click

from ragsql.connection import friendly_errors, resolve_dsn
from ragsql.settings import Settings


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[PSQL_ARGUMENTS]...")
@click.pass_obj
def psql(settings: Settings, arguments: tuple[str, ...]) -> None:
    """Open psql on the server in use; everything after `psql` goes to psql.

    Its own options win: -U bob connects as bob, -d other to another database.

    \b
    Example: ragsql psql -U bob -c "select * from rag.whoami()"
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
    sys.stdout.flush()
    os.execve(program, [program, *arguments], os.environ | _environment(target))


def _environment(target: str) -> dict[str, str]:
    """The connection string as libpq's variables, which options of psql override."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    with friendly_errors():
        given = {key: str(value) for key, value in conninfo_to_dict(target).items()}
    variables = {
        option.keyword.decode(): option.envvar.decode()
        for option in psycopg.pq.Conninfo.get_defaults()
        if option.envvar
    }
    without = given.keys() - variables.keys()
    if without:
        raise click.ClickException(
            f"psql cannot be given {', '.join(sorted(without))} in this way.\n"
            "Hint: call psql with the connection string yourself."
        )
    return {variables[key]: value for key, value in given.items()}
