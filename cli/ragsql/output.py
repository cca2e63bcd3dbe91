"""Rows on standard output as table, json, jsonl or csv: the one place that formats data."""

import csv
import datetime
import decimal
import io
import json
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ragsql.loading.names import without_controls

_UNWRAPPED = 100_000  # columns of a pipe or a file

FORMATS = ("table", "json", "jsonl", "csv")

Row = Mapping[str, object]

format_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="How the rows are printed; json, jsonl and csv hold every column.",
)


def write_rows(rows: Sequence[Row], columns: Sequence[str], output_format: str) -> None:
    """Print rows to standard output.

    Values keep their kind in json and jsonl (uuid and time as text). In csv a missing value is
    an empty field, and lists and objects are JSON.
    """
    if output_format == "table":
        _write_table(rows, columns)
        return
    _tolerate_narrow_encodings()
    if output_format == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_csv_value(row[column]) for column in columns] for row in rows)
        return
    chosen = [{column: row[column] for column in columns} for row in rows]
    if output_format == "json":
        click.echo(_json(chosen, indent=2))
    else:
        for row in chosen:
            click.echo(_json(row))


def show(*parts: RenderableType) -> None:
    """Print for people: styled and wrapped on a terminal, plain unwrapped lines elsewhere."""
    _tolerate_narrow_encodings()
    console = Console(highlight=False, markup=False, emoji=False)
    if console.is_terminal:
        console.print(*parts, sep="\n")
        return
    console = Console(highlight=False, markup=False, emoji=False, width=_UNWRAPPED)
    with console.capture() as capture:
        console.print(*parts, sep="\n")
    for line in capture.get().split("\n")[:-1]:
        click.echo(line.rstrip())


def _write_table(rows: Sequence[Row], columns: Sequence[str]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        numeric = bool(rows) and all(
            isinstance(row[column], int | float | decimal.Decimal) for row in rows
        )
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row[column])) for column in columns))
    show(table)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return without_controls(_csv_value(value)).replace("\n", " ")


def _csv_value(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _json(value) if isinstance(value, list | dict) else str(value)


def _json(value: object, indent: int | None = None) -> str:
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    return json.dumps(
        value, ensure_ascii=not encoding.startswith("utf"), indent=indent, default=_json_default
    )


def _json_default(value: object) -> object:
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    raise TypeError(f"no JSON form for {type(value).__name__}")


def _tolerate_narrow_encodings() -> None:
    """Let a terminal that is not UTF-8 show an escape where it has no such character."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
