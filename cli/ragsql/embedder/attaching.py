"""Tells a database where the embedder is, and takes that back at the end."""

from __future__ import annotations

import re

import click
import psycopg

from ragsql.connection import connect, describe, friendly_errors
from ragsql.loading.store import schema_problem
from ragsql.settings import Settings

_ATTACH = """
insert into rag_internal.setting (name, value) values ('embedder', %s)
on conflict (name) do update set value = excluded.value
"""
_DETACH = "delete from rag_internal.setting where name = 'embedder' and value = %s"


def attach(settings: Settings, url: str) -> str:
    """Makes the embedder at `url` run all fastembed models of the database; returns its name.

    Raises click.ClickException where the role may not, for it decides who sees every text.
    """
    if re.search(r"[\s,]", url):  # it is a setting's word, parted by these
        raise click.ClickException(
            "The path of the socket holds a blank or a comma, which the setting cannot.\n"
            "Hint: name another one with --socket."
        )
    with connect(settings) as connection:
        problem = schema_problem(connection, "embed")
        if problem is not None:
            raise problem
        try:
            with connection.transaction():
                connection.execute(_ATTACH, (url,))
        except psycopg.errors.InsufficientPrivilege as error:
            raise click.ClickException(
                f'Role "{connection.info.user}" may not attach an embedder.\n'
                "Hint: only a superuser of the database may, since an embedder sees every text; "
                "name one with --dsn."
            ) from error
        except psycopg.Error as error:
            raise click.ClickException(describe(error)) from error
        return connection.info.dbname


def detach(settings: Settings, url: str) -> bool:
    """Removes the setting if it still names `url`; True when it did."""
    with friendly_errors(), connect(settings) as connection:
        return connection.execute(_DETACH, (url,)).rowcount > 0
