"""One setting, several values, side by side."""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import click
import psycopg
from psycopg import sql

from ragsql.connection import friendly_errors
from ragsql.evaluation.folder import Folder
from ragsql.evaluation.measuring import Plan, Row, evaluate, keep_dataset
from ragsql.evaluation.storing import store

CUTTING = (
    "chunk_size",
    "overlap",
    "min_chunk_size",
    "strategy",
    "min_value",
    "title_weight",
    "heading_weight",
    "text_config",
    "model",
)
"""Settings of a collection: for each value the documents are stored once more."""

_DROP_COLLECTION = "select rag.drop_collection(%s)"
_DROP_DATASET = "select rag.drop_dataset(%s)"


class Cut(NamedTuple):
    """What a value of a setting makes of the documents."""

    value: Any
    collection: str
    passages: int


@dataclass(frozen=True, slots=True)
class Sweep:
    """A setting and the values that it takes."""

    name: str
    values: tuple[Any, ...]

    @property
    def cuts(self) -> bool:
        """Whether each value needs the documents anew."""
        return self.name in CUTTING


def parse(text: str) -> Sweep:
    """Read NAME=VALUE,VALUE; a value is JSON where it can be, else text.

    Raises ValueError for anything else.
    """
    name, equals, values = text.partition("=")
    if not equals or not name.isidentifier() or not all(values.split(",")):
        raise ValueError(text)
    return Sweep(name, tuple(value_of(value) for value in dict.fromkeys(values.split(","))))


def value_of(text: str) -> Any:
    """What a value is on the command line: JSON, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


@contextlib.contextmanager
def cut_side_by_side(
    connections: Sequence[psycopg.Connection],
    folder: Folder,
    sweep: Sweep,
    options: Mapping[str, Any],
) -> Iterator[tuple[str, list[Cut]]]:
    """The name of a dataset, and a collection for each value.

    All of them are gone afterwards. options: other settings of the collections.
    """
    connection = connections[0]
    mark = f"{folder.name} {secrets.token_hex(4)}"
    made: list[str] = []
    found: list[Cut] = []
    try:
        for value in sweep.values:
            name = f"{mark} {sweep.name}={value}"
            made.append(name)
            settings = {**options, sweep.name: value}
            click.echo(f"Storing {folder.name} with {sweep.name} {value} ...", err=True)
            with friendly_errors():
                with connection.transaction():
                    _create(connection, name, settings)
                passages = store(connections, name, folder.documents, whole=True)
                found.append(Cut(value, name, passages))
        with friendly_errors(), connection.transaction():
            keep_dataset(connection, mark, folder, made)
        yield mark, found
    finally:
        connection.rollback()  # of what failed; a measure leaves nothing behind
        _remove(connection, _DROP_DATASET, mark)
        for name in made:
            _remove(connection, _DROP_COLLECTION, name)


def _create(connection: psycopg.Connection, name: str, settings: Mapping[str, Any]) -> None:
    arguments = [
        sql.SQL("{} => {}").format(sql.Identifier(key), sql.Literal(value))
        for key, value in settings.items()
    ]
    statement = sql.SQL("select rag.create_collection({}, {})")
    connection.execute(statement.format(sql.Literal(name), sql.SQL(", ").join(arguments)))


def _remove(connection: psycopg.Connection, statement: str, name: str) -> None:
    """Remove what may never have been made."""
    with contextlib.suppress(psycopg.errors.NoDataFound), connection.transaction():
        connection.execute(statement, (name,))


def measure_cuts(
    connection: psycopg.Connection,
    dataset: str,
    found: Sequence[Cut],
    plan: Plan,
) -> list[Row]:
    """The results of each strategy for each value, with the value and its number of passages."""
    return [
        {"value": cut.value, "passages": cut.passages, **row}
        for cut in found
        for row in evaluate(connection, dataset, replace(plan, collections=[cut.collection]))
        if row["stage"] == "result"
    ]


def measure_settings(
    connection: psycopg.Connection, dataset: str, sweep: Sweep, plan: Plan
) -> list[Row]:
    """The results of each strategy for each value of an argument of rag.search."""
    return [
        {"value": value, **row}
        for value in sweep.values
        for row in evaluate(
            connection, dataset, replace(plan, settings={**plan.settings, sweep.name: value})
        )
        if row["stage"] == "result"
    ]
