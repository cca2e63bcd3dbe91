"""`ragsql model`: which embedding models there are, and which a collection is searched by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from ragsql.connection import friendly_errors
from ragsql.loading.names import one_line
from ragsql.output import format_option, write_rows
from ragsql.registering import option_values, place_endpoints, session
from ragsql.settings import Settings
from ragsql.steps import Steps

PROVIDERS = ("fastembed", "openai", "external")

_SHOWN = ("name", "provider", "dimensions", "metric", "revision", "is_default", "collections")
_LIST = """
select m.*, array(select c.name from rag.collection c where c.model = m.name order by c.name)
            as collections
from rag.model m
order by m.name
"""
_ADD = "select rag.add_model(name => %s, provider => %s, dimensions => %s, options => %s)"


@click.group(cls=Steps)
def model() -> None:
    """List, add, use and drop embedding models."""


@model.command("list")
@format_option
@click.pass_obj
def list_models(settings: Settings, output_format: str) -> None:
    """Print the registered models, and which collections are searched by each.

    You are shown the models and collections that your database role may know of; json, jsonl and
    csv hold every column of rag.model.
    """
    with session(settings, "add_model") as connection, friendly_errors():
        cursor = connection.cursor(row_factory=dict_row)
        cursor.execute(_LIST)
        rows = cursor.fetchall()
        columns = [column.name for column in cursor.description or ()]
    if not rows:
        click.echo("No model: `ragsql up` or `ragsql model add` registers one.", err=True)
    if output_format == "table":
        shown = [{**row, "collections": ", ".join(row["collections"])} for row in rows]
        write_rows(shown, [column for column in _SHOWN if column in columns], "table")
    else:
        write_rows(rows, columns, output_format)


_ADD_HELP = """Register a model; for fastembed, fetch its files first.

fastembed: NAME is one of fastembed's; its files are fetched into the folder of the models, which
must be this machine's. openai: any endpoint that speaks OpenAI's embeddings API, in order of
preference; a superuser has to allow its host, and the variable of its key, with rag.allow_http.
external: vectors come with the calls (rag.ingest_chunks, query_vector).

To register a model again changes its options, as far as its stored vectors allow. Options are
those of rag.add_model; with --url also model (its name at the endpoint), style
(openai or azure), api_version, send_dimensions, input_type, timeout.

\\b
Example: ragsql model add BAAI/bge-small-en-v1.5 --default
Example: ragsql model add nomic-embed-text --provider openai --dimensions 768 \\
             --url http://127.0.0.1:11434/v1 --option query_prefix='search_query: '
"""


@model.command("add", help=_ADD_HELP.replace("\\b", "\b"))
@click.argument("name")
@click.option("--provider", type=click.Choice(PROVIDERS), default="fastembed", show_default=True)
@click.option(
    "--dimensions",
    type=click.IntRange(1, 16000),
    help="Length of its vectors.  [fastembed: as the model has it]",
)
@click.option("--url", "urls", multiple=True, help="Base of an endpoint; can be repeated.")
@click.option(
    "--key-variable",
    metavar="VARIABLE",
    help="Environment variable of the server that holds the key; never the key itself.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    callback=option_values,
    help="An option of rag.add_model; can be repeated.",
)
@click.option("--default", "is_default", is_flag=True, help="New collections get this model.")
@click.option(
    "--models",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    envvar="RAGSQL_MODELS",
    show_envvar=True,
    help="Folder of the models.  [default: the server's, where it is on this machine]",
)
@click.pass_obj
def add(
    settings: Settings,
    name: str,
    provider: str,
    dimensions: int | None,
    urls: tuple[str, ...],
    key_variable: str | None,
    options: dict[str, Any],
    is_default: bool,
    models: Path | None,
) -> None:
    if key_variable is not None:
        options["key_variable"] = key_variable
    place_endpoints(provider, "openai", urls, options)
    if is_default:
        options["is_default"] = True
    if provider != "fastembed" and dimensions is None:
        raise click.UsageError(
            f"With the provider {provider} nobody here knows the model's dimensions: give "
            "--dimensions N."
        )
    with session(settings, "add_model") as connection:
        if provider == "fastembed":
            dimensions, known = _fetch(settings, connection, name, dimensions, models)
            options = {**known, **options}
        with friendly_errors(), connection.transaction():
            connection.execute(_ADD, (name, provider, dimensions, json.dumps(options)))
    click.echo(
        f"Registered {name}, {provider}, {dimensions} dimensions. "
        f"To search a collection by it: ragsql model use COLLECTION {name}",
        err=True,
    )


def _fetch(
    settings: Settings,
    connection: psycopg.Connection,
    name: str,
    dimensions: int | None,
    models: Path | None,
) -> tuple[int, dict[str, Any]]:
    """Provide the files of a model; its dimensions, and what rag.add_model has to know."""
    from ragsql.fastembed_models import fetch_model, server_models

    folder = models or server_models(settings, connection)
    fetched = fetch_model(folder, name, dimensions)
    click.echo(f"Its files are in {fetched.directory} ({fetched.reason}).", err=True)
    return fetched.known.dimensions, fetched.options


@model.command("drop")
@click.argument("name")
@click.pass_obj
def drop(settings: Settings, name: str) -> None:
    """Remove a model that no collection uses, with its index.

    Its files stay in the folder of the models.
    """
    with session(settings, "drop_model") as connection, friendly_errors():
        connection.execute("select rag.drop_model(%s)", (name,))
        connection.commit()
    click.echo(f"Dropped {name}.", err=True)


_USE_HELP = """Search COLLECTION by MODEL from now on, without a gap.

The vectors under MODEL are made first, while searches go on with the former model; then one
statement changes over. Documents that come meanwhile get both. The former vectors are kept, so the
same command takes it back at once, until rag.release_model frees them. MODEL none: no semantic
search.

The work is done here, by claims as `ragsql worker` makes them (it may meet passages of other jobs
first); with --no-work this only waits for workers elsewhere. Ctrl-C stops after the claims in hand;
the same command goes on from there.
"""


@model.command("use", help=_USE_HELP)
@click.argument("collection")
@click.argument("name", metavar="MODEL")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    help="Connections that embed at once.",
)
@click.option("--no-work", is_flag=True, help="Wait for workers elsewhere, and embed nothing here.")
@click.option(
    "--allow-failed",
    is_flag=True,
    help="Change over though some passages were given up; searches by meaning miss them.",
)
@click.option(
    "--patience",
    type=click.FloatRange(1),
    default=360.0,
    show_default=True,
    help="Seconds without any progress after which it gives up.",
)
@click.pass_obj
def use(
    settings: Settings,
    collection: str,
    name: str,
    workers: int,
    no_work: bool,
    allow_failed: bool,
    patience: float,
) -> None:
    from ragsql.work.switching import make_vectors

    with session(settings, "model_progress") as connection, friendly_errors():
        connection.autocommit = True
        connection.execute("set default_transaction_isolation to 'read committed'")
        before = connection.execute(
            "select model from rag.collection where name = %s", (collection,)
        ).fetchone()
        if name != "none":
            number = 0 if no_work else workers
            make_vectors(settings, connection, collection, name, number, patience, allow_failed)
        connection.execute("select rag.set_model(%s, %s, %s)", (collection, name, allow_failed))
    shown = one_line(collection)
    click.echo(f"{shown} is searched by {name} now.", err=True)
    if before is not None and before[0] not in (name, "none"):
        kept = f"The vectors under {before[0]} are kept in step: to go back, ragsql model use"
        free = f"to free them, {one_line(_release(collection, before[0]))}"
        click.echo(f"{kept} {shown} {before[0]}; {free}.", err=True)


def _release(collection: str, name: str) -> str:
    """The statement that frees the vectors under a model."""
    arguments = sql.Literal(collection), sql.Literal(name)
    return sql.SQL("select rag.release_model({}, {})").format(*arguments).as_string().strip()
