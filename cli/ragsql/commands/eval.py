"""`ragsql eval`: how well searches answer the questions of a dataset."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import psycopg

from ragsql.commands.search import STRATEGIES
from ragsql.connection import connect, friendly_errors, warnings_told
from ragsql.evaluation import folder as folders
from ragsql.evaluation import measuring, storing, sweep
from ragsql.evaluation.plotting import ENDINGS, plot
from ragsql.loading.names import one_line
from ragsql.loading.store import schema_problem
from ragsql.named_values import named_values
from ragsql.output import format_option, write_rows
from ragsql.settings import Settings

_MAKE = "select rag.create_collection(%s)"


def _settings(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, Any]:
    named = named_values(values, "rrf_k=20")
    return {name: sweep.value_of(text) for name, text in named.items()}


def _sweep(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> sweep.Sweep | None:
    if value is None:
        return None
    try:
        return sweep.parse(value)
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is not NAME=VALUE,VALUE, such as chunk_size=100,200,400."
        ) from None


def _picture(
    _context: click.Context, _parameter: click.Parameter, value: Path | None
) -> Path | None:
    if value is not None and value.suffix.lower() not in ENDINGS:
        raise click.BadParameter(f"ends neither in {' nor in '.join(ENDINGS)}.")
    return value


_HELP = """Measure how well searches answer the questions of DATASET, and compare with the last run.

DATASET is the name of one that rag.add_dataset keeps, or a folder laid out as BEIR has it:
corpus.jsonl (_id, title, text), queries.jsonl (_id, text), qrels.tsv (query-id, corpus-id, score).
A folder is kept as the dataset NAME, and its texts are loaded first, each as one passage, into the
collection "eval NAME"; what is there already stays. With --collection nothing is loaded.

A row for each stage of each strategy: the legs, recall (what is among the first of any leg),
fusion, rerank, and result, which is what a search returns.

With --sweep each value is measured, and no run is kept. A setting of collections, such as
chunk_size, cuts the folder's documents (those of documents.jsonl, where there is one) once for
each value, in collections that are gone afterwards; any other is an argument of rag.search.

\b
Exit status: 0 measured, 1 a result is worse than in the last run by more than --tolerance, 2 wrong
usage, 3 migrations are missing.

\b
Example: ragsql eval ./cranfield --set fusion=convex
Example: ragsql eval ./cranfield --sweep chunk_size=50,100,200 --strategy hybrid --plot size.svg
"""


@click.command("eval", help=_HELP)
@click.argument("dataset")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    type=click.Choice(STRATEGIES),
    help="Can be repeated.  [default: all]",
)
@click.option(
    "--set",
    "settings_given",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_settings,
    help="An argument of rag.search; can be repeated.",
)
@click.option(
    "--collection",
    "collections",
    multiple=True,
    help="Where the questions are asked; can be repeated.  [default: those of the dataset]",
)
@click.option(
    "--top-k",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="Hits of a search.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1),
    default=0.01,
    show_default=True,
    help="How much less than in the last run a measure may be.",
)
@click.option("--no-save", is_flag=True, help="Do not keep the run for the next one.")
@click.option(
    "--sweep", "swept", metavar="NAME=VALUE,...", callback=_sweep, help="Measure each value."
)
@click.option(
    "--plot",
    "picture",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=_picture,
    help="Draw the curves of --sweep into this file, .png or .svg; needs ragsql[plot].",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    help="Connections that load a folder.",
)
@format_option
@click.pass_obj
def evaluate(
    settings: Settings,
    dataset: str,
    strategies: tuple[str, ...],
    settings_given: dict[str, Any],
    collections: tuple[str, ...],
    top_k: int,
    tolerance: float,
    no_save: bool,
    swept: sweep.Sweep | None,
    picture: Path | None,
    jobs: int,
    output_format: str,
) -> None:
    if picture is not None and swept is None:
        raise click.UsageError("--plot draws the curves of --sweep: give both.")
    options = {name: settings_given.pop(name) for name in sweep.CUTTING if name in settings_given}
    _check_cutting(dataset, swept, options)
    save = swept is None and not no_save
    plan = measuring.Plan(strategies, settings_given, collections, top_k, save)
    with _sessions(settings, jobs) as connections, friendly_errors():
        if swept is None:
            name = _dataset(connections, dataset, collections)
            rows = measuring.evaluate(connections[0], name, plan)
        else:
            name, rows = _measure_values(connections, dataset, swept, options, plan)
        connections[0].commit()
    if swept is not None:
        _print_sweep(rows, swept.name, output_format)
        if picture is not None:
            plot(rows, swept.name, name, picture)
            click.echo(f"Drawn into {picture}.", err=True)
        return
    _print_stages(rows, output_format)
    worse = measuring.drops(rows, tolerance)
    for line in worse:
        click.echo(line, err=True)
    if worse:
        raise click.exceptions.Exit(1)


eval = evaluate  # main finds a verb by its name


def _check_cutting(dataset: str, swept: sweep.Sweep | None, options: dict[str, Any]) -> None:
    """Refuse what would need documents to be stored anew where that is not done."""
    if swept is not None and swept.cuts:
        if not folders.is_folder(dataset):
            raise click.UsageError(
                f"{swept.name} cuts documents anew: give the folder that holds them."
            )
    elif options:
        raise click.UsageError(
            f"{next(iter(options))} is a setting of collections: only a --sweep of one cuts anew."
        )


def _measure_values(
    connections: Sequence[psycopg.Connection],
    dataset: str,
    swept: sweep.Sweep,
    options: dict[str, Any],
    plan: measuring.Plan,
) -> tuple[str, list[measuring.Row]]:
    """The name of the dataset, and the results for each value."""
    if not swept.cuts:
        name = _dataset(connections, dataset, plan.collections)
        return name, sweep.measure_settings(connections[0], name, swept, plan)
    folder = folders.read(Path(dataset), whole=True)
    with sweep.cut_side_by_side(connections, folder, swept, options) as (name, found):
        return folder.name, sweep.measure_cuts(connections[0], name, found, plan)


@contextlib.contextmanager
def _sessions(settings: Settings, number: int) -> Iterator[list[psycopg.Connection]]:
    """Connections to a schema that can evaluate."""
    with contextlib.ExitStack() as stack:
        connections: list[psycopg.Connection] = []
        for _ in range(number):
            connection = stack.enter_context(contextlib.closing(connect(settings)))
            with friendly_errors():
                connection.execute("set client_encoding to 'UTF8'")
                connection.commit()
                problem = None if connections else schema_problem(connection, "evaluate")
            if problem is not None:
                raise problem
            stack.enter_context(warnings_told(connection))
            connections.append(connection)
        yield connections


def _dataset(
    connections: Sequence[psycopg.Connection], dataset: str, collections: Sequence[str]
) -> str:
    """The name of a dataset; a folder is brought into the database first."""
    if not folders.is_folder(dataset):
        if dataset.startswith((".", "/")):
            raise click.UsageError(f"{dataset} is no folder with queries.jsonl and qrels.tsv.")
        return dataset
    connection = connections[0]
    folder = folders.read(Path(dataset), corpus=not collections)
    if not collections:
        collections = [f"eval {folder.name}"]
        with contextlib.suppress(psycopg.errors.DuplicateObject), connection.transaction():
            connection.execute(_MAKE, collections)
        made = storing.store(connections, collections[0], folder.documents, whole=False)
        if made:
            where = one_line(collections[0])
            click.echo(
                f'Stored {made} passages in the collection "{where}". It stays, for the next time, '
                "and your searches of all collections find it; rag.drop_collection removes it.",
                err=True,
            )
    measuring.keep_dataset(connection, folder.name, folder, collections)
    connection.commit()
    return folder.name


def _print_stages(rows: Sequence[measuring.Row], output_format: str) -> None:
    if output_format != "table":
        write_rows(rows, list(rows[0]), output_format)
        return
    shown = [
        {
            "strategy": row["strategy"],
            "stage": row["stage"],
            **{label: _number(row[name]) for name, label in measuring.MEASURES.items()},
            "change": _signed(measuring.change(row, "ndcg_10")),
        }
        for row in rows
    ]
    write_rows(shown, list(shown[0]), "table")
    first = rows[0]
    before = first["last"]
    click.echo(
        f"{first['queries']} questions with an answer; change of nDCG@10 since "
        + (f"the run of {before['evaluated_at'][:16]}." if before else "the last run: none yet."),
        err=True,
    )


def _print_sweep(rows: Sequence[measuring.Row], name: str, output_format: str) -> None:
    columns = [column for column in rows[0] if column not in ("last", "stage")]
    if output_format != "table":
        write_rows(rows, columns, output_format)
        return
    shown = [
        {
            name: row["value"],
            **({"passages": row["passages"]} if "passages" in row else {}),
            "strategy": row["strategy"],
            **{label: _number(row[key]) for key, label in measuring.MEASURES.items()},
        }
        for row in rows
    ]
    write_rows(shown, list(shown[0]), "table")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.4f}"
