"""What registers models and rerankers: options, endpoints, and the session for it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import click
import psycopg

from ragsql.connection import connect, friendly_errors, warnings_told
from ragsql.loading.store import schema_problem
from ragsql.named_values import named_values
from ragsql.settings import Settings

# Options that are text, whatever they look like; the others are read as JSON.
_TEXTS = frozenset(
    "revision metric query_prefix passage_prefix storage quantization long_input "
    "model key_variable style api_version scores".split()
)
_OF_ENDPOINTS = frozenset(
    "model key_variable style api_version send_dimensions input_type timeout".split()
)


def option_values(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, Any]:
    """What NAME=VALUE says: JSON, but where the option is a text."""
    options: dict[str, Any] = dict(named_values(values, "ef_search=200"))
    for name, text in options.items():
        if name not in _TEXTS:
            with contextlib.suppress(ValueError):
                options[name] = json.loads(text)
    return options


def place_endpoints(
    provider: str, remote: str, urls: tuple[str, ...], options: dict[str, Any]
) -> None:
    """Put the URLs, and the options that belong to an endpoint, where SQL wants them.

    `remote` is the provider that has endpoints.
    """
    shared = {key: options.pop(key) for key in sorted(_OF_ENDPOINTS & options.keys())}
    if provider != remote:
        if urls or shared:
            what = "--url" if urls else next(iter(shared))
            raise click.UsageError(f"{what} belongs to endpoints: give --provider {remote}.")
        return
    if urls:
        options["endpoints"] = [{"url": url, **shared} for url in urls]
    elif "endpoints" not in options:
        raise click.UsageError(
            "Where is the endpoint? Give --url, such as --url http://127.0.0.1:11434/v1."
        )


@contextlib.contextmanager
def session(settings: Settings, function: str) -> Iterator[psycopg.Connection]:
    """A connection to a schema that has the function."""
    with contextlib.closing(connect(settings)) as connection:
        with friendly_errors():
            connection.execute("set client_encoding to 'UTF8'")
            connection.commit()
            problem = schema_problem(connection, function)
        if problem is not None:
            raise problem
        with warnings_told(connection):
            yield connection
