"""`ragsql reranker`: which cross-encoders there are to order passages by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import psycopg
from psycopg.rows import dict_row

from ragsql.connection import friendly_errors
from ragsql.output import format_option, write_rows
from ragsql.registering import option_values, place_endpoints, session
from ragsql.settings import Settings
from ragsql.steps import Steps

PROVIDERS = ("fastembed", "http")

_SHOWN = ("name", "provider", "max_tokens", "scores", "revision", "is_default")
_ADD = "select rag.add_reranker(name => %s, provider => %s, options => %s)"


@click.group(cls=Steps)
def reranker() -> None:
    """List, add and drop rerankers."""


@reranker.command("list")
@format_option
@click.pass_obj
def list_rerankers(settings: Settings, output_format: str) -> None:
    """Print the registered rerankers."""
    with session(settings, "add_reranker") as connection, friendly_errors():
        cursor = connection.cursor(row_factory=dict_row)
        cursor.execute("select * from rag.reranker order by name")
        rows = cursor.fetchall()
        columns = [column.name for column in cursor.description or ()]
    if not rows:
        click.echo("No reranker: `ragsql reranker add` registers one.", err=True)
    shown = [column for column in _SHOWN if column in columns]
    write_rows(rows, shown if output_format == "table" else columns, output_format)


_ADD_HELP = """Register a reranker; for fastembed, fetch its files first.

fastembed: NAME is one of fastembed's cross-encoders, whose files are fetched into the folder of the
models, which must be this machine's; or a folder of your own there, with tokenizer.json,
tokenizer_config.json and model.onnx. http: an endpoint of the kind of Jina, Cohere or
text-embeddings-inference (style tei), in order of preference; a superuser has to allow its host,
and the variable of its key, with rag.allow_http.

The first one registered is the default. Options are those of rag.add_reranker; with --url also
model (its name at the endpoint), style (jina, cohere or tei) and timeout.

\\b
Example: ragsql reranker add Xenova/ms-marco-MiniLM-L-6-v2
Example: ragsql reranker add judge --provider http --url http://127.0.0.1:8080 --option style=tei
"""


@reranker.command("add", help=_ADD_HELP.replace("\\b", "\b"))
@click.argument("name")
@click.option("--provider", type=click.Choice(PROVIDERS), default="fastembed", show_default=True)
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
    help="An option of rag.add_reranker; can be repeated.",
)
@click.option("--default", "is_default", is_flag=True, help="Searches that name none take it.")
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
    urls: tuple[str, ...],
    key_variable: str | None,
    options: dict[str, Any],
    is_default: bool,
    models: Path | None,
) -> None:
    if key_variable is not None:
        options["key_variable"] = key_variable
    if is_default:
        options["is_default"] = True
    place_endpoints(provider, "http", urls, options)
    with session(settings, "add_reranker") as connection:
        if provider == "fastembed":
            options = {**_fetch(settings, connection, name, models), **options}
        with friendly_errors(), connection.transaction():
            connection.execute(_ADD, (name, provider, json.dumps(options)))
    click.echo(f"Registered {name}, {provider}.", err=True)


def _fetch(
    settings: Settings, connection: psycopg.Connection, name: str, models: Path | None
) -> dict[str, Any]:
    """Provide the files of a reranker; what rag.add_reranker has to know of them."""
    from ragsql.fastembed_models import ensure_reranker, server_models

    folder = models or server_models(settings, connection)
    directory, reason, revision = ensure_reranker(folder, name)
    click.echo(f"Its files are in {directory} ({reason}).", err=True)
    return {"revision": revision} if revision else {}


@reranker.command("drop")
@click.argument("name")
@click.pass_obj
def drop(settings: Settings, name: str) -> None:
    """Remove a reranker.

    Its files stay in the folder of the models.
    """
    with session(settings, "drop_reranker") as connection, friendly_errors():
        connection.execute("select rag.drop_reranker(%s)", (name,))
        connection.commit()
    click.echo(f"Dropped {name}.", err=True)
