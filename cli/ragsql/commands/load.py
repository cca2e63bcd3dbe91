"""`ragsql load`: reads documents from files into a collection."""

import contextlib
import os
import threading
import uuid

import click
import psycopg

from ragsql.connection import connect, friendly_errors, warnings_told
from ragsql.loading.closing import merge_index, tell_of_jobs
from ragsql.loading.names import one_line, without_controls
from ragsql.loading.prepare import DEFAULT_MAX_BYTES, Document, ReadOptions, Refused, prepare
from ragsql.loading.report import Report
from ragsql.loading.run import load_files
from ragsql.loading.store import Chunking, FileResult, RunStopped, Store, Target, schema_problem
from ragsql.loading.walk import EXTENSIONS, FoundFile, PassedOver, walk
from ragsql.output import write_rows
from ragsql.settings import Settings

_MOST_JOBS = 4
_FILES_PER_JOB = 4  # fewer than that would not repay loading the model once more
_BULK = 1000  # passages after which the lexical index is worth merging


def _check_encoding(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> str | None:
    if value is not None:
        try:
            with contextlib.suppress(UnicodeError):  # what these bytes mean does not matter
                b"text".decode(value)
        except (LookupError, ValueError):
            raise click.BadParameter(f"{value!r} is no text encoding that Python knows.") from None
    return value


def _check_text(
    _context: click.Context, parameter: click.Parameter, value: str | tuple[str, ...]
) -> str | tuple[str, ...]:
    for text in (value,) if isinstance(value, str) else value:
        if not text.strip():
            raise click.BadParameter("must not be blank.")
        if not text.isascii() and without_controls(text) != text:
            raise click.BadParameter("holds characters that are not text.")
    return value


def _endings(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    endings = [value.removeprefix("*").lstrip(".").lower() for value in values]
    for value, ending in zip(values, endings, strict=True):
        if not ending or set(ending) & set("/*?[], "):
            raise click.BadParameter(
                f"{value!r} is no file ending; for example: --ext .py --ext .go"
            )
    return tuple(f".{ending}" for ending in endings)


_HELP = """Load the documents below DIR (or one file) into a collection.

Files ending in .md, .markdown or .txt are read, capital letters too; --ext adds endings, such
as .py or .yaml (with --strategy auto each is cut by its own structure). Hidden files and
folders (a leading dot) are left out. Symbolic links are not followed unless asked for;
then each real file is read once.

A document's source is its path below DIR; loading again updates what has changed, judged
by content, and skips the rest, so an interrupted load is resumed by the same command.
A file that is gone from DIR stays in the collection until rag.delete_document removes it.
What happened to each file is in rag.ingest_log.

\b
Exit status: 0 all loaded, 1 a file failed (with --strict also: one was empty, binary, too
large or skipped) or the load was stopped, 2 wrong usage, 3 migrations are missing.
"""


@click.command(help=_HELP)
@click.argument("directory", metavar="DIR", type=click.Path(exists=True))
@click.option("--collection", required=True, callback=_check_text, help="Made where missing.")
@click.option("--tag", "tags", multiple=True, callback=_check_text, help="Can be repeated.")
@click.option("--ext", "endings", multiple=True, callback=_endings, help="Can be repeated.")
@click.option(
    "--strategy",
    help="How to cut these documents, whatever the collection says; one that is made keeps it.",
)
@click.option("--chunk-size", type=click.IntRange(1), help="In the unit of the strategy.")
@click.option("--overlap", type=click.IntRange(0), help="In the unit of the strategy.")
@click.option("--dry-run", is_flag=True, help="Show what would be loaded; needs no server.")
@click.option(
    "--encoding",
    callback=_check_encoding,
    help="Encoding of all files without a byte order mark.  [default: UTF-8, else a guess]",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    help=f"Connections at once, each with a model of about 270 MB on the server unless an "
    f"embedder is attached.  "
    f"[default: one per core, at most {_MOST_JOBS}]",
)
@click.option(
    "--max-bytes",
    type=click.IntRange(1),
    default=DEFAULT_MAX_BYTES,
    show_default=True,
    help="Larger files are not loaded.",
)
@click.option(
    "--embed",
    type=click.Choice(("now", "later")),
    default="now",
    show_default=True,
    help="later: store the texts, found by their words at once, and leave their vectors to "
    "`ragsql worker`.",
)
@click.option("--follow-links", is_flag=True, help="Follow symbolic links, out of DIR too.")
@click.option("--strict", is_flag=True, help="Refuse guessed encodings; exit 1 on any warning.")
@click.pass_obj
def load(
    settings: Settings,
    directory: str,
    collection: str,
    tags: tuple[str, ...],
    endings: tuple[str, ...],
    strategy: str | None,
    chunk_size: int | None,
    overlap: int | None,
    dry_run: bool,
    encoding: str | None,
    jobs: int | None,
    max_bytes: int,
    embed: str,
    follow_links: bool,
    strict: bool,
) -> None:
    extensions = (*EXTENSIONS, *endings)
    files, passed = walk(directory, follow_links=follow_links, extensions=extensions)
    if not files and not passed:
        found = "is not a file" if os.path.isfile(directory) else "holds no file"
        raise click.ClickException(
            f"No file to load: {one_line(directory)} {found} that ends in "
            f"{', '.join(extensions)} and is not hidden.\n"
            "Hint: --ext adds an ending; convert what is no text first."
        )
    options = ReadOptions(encoding, max_bytes, refuse_guess=strict)
    if dry_run:
        report = _show(files, passed, options)
    else:
        chunking = Chunking(strategy, chunk_size, overlap)
        target = Target(collection, tags, uuid.uuid4(), chunking, embed == "later")
        report = _load(settings, files, passed, options, target, jobs)
    if report.failed or (strict and report.warned):
        raise click.exceptions.Exit(1)


def _show(files: list[FoundFile], passed: list[PassedOver], options: ReadOptions) -> Report:
    """List what would be loaded, without a server."""
    report = Report(len(files) + len(passed), sum(file.size for file in files), dry_run=True)
    rows = []
    with report:
        for item in passed:
            report.add(FileResult(item.source, item.outcome, detail=item.reason))
        for file in files:
            prepared = prepare(file, options)
            if isinstance(prepared, Refused):
                report.add(
                    FileResult(file.source, prepared.outcome, file.size, detail=prepared.reason)
                )
                continue
            report.add(FileResult(file.source, "to load", file.size, document=prepared))
            rows.append(_row(prepared))
    write_rows(rows, ("path", "size", "encoding", "title"), "table")
    report.say(report.summary())
    return report


def _row(document: Document) -> dict[str, object]:
    guess = " (guessed)" if document.guessed else ""
    return {
        "path": document.source,
        "size": document.size,
        "encoding": document.encoding + guess,
        "title": document.title,
    }


def _load(
    settings: Settings,
    files: list[FoundFile],
    passed: list[PassedOver],
    options: ReadOptions,
    target: Target,
    jobs: int | None,
) -> Report:
    stop = threading.Event()
    with contextlib.ExitStack() as stack:
        connections = _connect(settings, stack, _number_of_jobs(jobs, len(files)))
        _prepare_collection(connections[0], target)
        stores = [Store(connection, target, stop) for connection in connections]
        report = Report(len(files) + len(passed), sum(file.size for file in files))
        problem = None
        with report:
            try:
                for item in passed:
                    report.add(stores[0].refuse(Refused(item.source, item.outcome, item.reason)))
                load_files(files, options, stores, stop, report.add)
            except RunStopped as error:
                problem = str(error)
        if report.chunks >= _BULK and problem is None and not stop.is_set():
            merge_index(connections[0], report)
        report.say(report.summary(target.run_id))
        if report.job_ids:
            tell_of_jobs(connections[0], report)
    if problem is not None:
        raise click.ClickException(problem)
    if stop.is_set() and not report.complete:
        raise click.ClickException(
            "Stopped before the end; load again to go on, files that are stored are skipped."
        )
    return report


def _connect(
    settings: Settings, stack: contextlib.ExitStack, number: int
) -> list[psycopg.Connection]:
    """Open connections: one is needed, the others are taken as far as the server has room."""
    connections: list[psycopg.Connection] = []
    for _ in range(number):
        try:
            connection = stack.enter_context(contextlib.closing(connect(settings)))
        except click.ClickException:
            if not connections:
                raise
            click.echo(f"Going on with {len(connections)} of {number} connections.", err=True)
            break
        with friendly_errors():
            connection.execute("set client_encoding to 'UTF8'")
            connection.commit()
            problem = None if connections else schema_problem(connection, "ingest")
        if problem is not None:
            raise problem
        connections.append(connection)
    return connections


def _prepare_collection(connection: psycopg.Connection, target: Target) -> None:
    """Make a missing collection with the strategy asked for, so that a later load keeps to it.

    What cannot work fails here, once, and not with every file.
    """
    chunking = target.chunking
    if chunking.strategy is None:
        return
    settings = (chunking.strategy, chunking.chunk_size, chunking.overlap)
    with friendly_errors(), warnings_told(connection), connection.transaction():
        connection.execute(
            "select from rag.chunk_text('settings', strategy => %s, chunk_size => %s, overlap => %s)",
            settings,
        )
        known = connection.execute(
            "select from rag.collection where name = %s", (target.collection,)
        ).fetchone()
        if known is None:
            # another load may be making it
            with contextlib.suppress(psycopg.errors.DuplicateObject), connection.transaction():
                connection.execute(
                    "select rag.create_collection(%s, strategy => %s, chunk_size => %s, "
                    "overlap => %s)",
                    (target.collection, *settings),
                )


def _number_of_jobs(asked: int | None, files: int) -> int:
    if asked is not None:
        return max(1, min(asked, files))
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, min(cores, _MOST_JOBS, files // _FILES_PER_JOB))
