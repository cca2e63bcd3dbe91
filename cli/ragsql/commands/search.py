"""`ragsql search`: asks a question and prints ranked, cited passages."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click
import psycopg
from psycopg import sql
from psycopg.rows import dict_row
from rich.padding import Padding
from rich.text import Text

from ragsql.connection import connect, friendly_errors, warnings_told
from ragsql.loading.names import without_controls
from ragsql.loading.store import schema_problem
from ragsql.named_values import named_values
from ragsql.output import format_option, show, write_rows
from ragsql.settings import Settings

_INDENT = (0, 0, 0, 4)
_WIDTH = 240  # characters of an excerpt

STRATEGIES = ("hybrid", "semantic", "bm25", "fuzzy")

# Options of the command that are arguments of the functions.
_OWN = frozenset({"query", "collections", "top_k", "skip", "strategy", "filter", "rerank", "token"})
_ARGUMENTS = "select proargnames from pg_catalog.pg_proc where oid = 'rag.search'::regproc"

_SEARCH = "select * from rag.search({})"
_EXPLAIN = "select * from rag.explain_search({})"


def _check_query(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if not value.strip():
        raise click.BadParameter("The question is blank.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise click.BadParameter("The question is not valid UTF-8.") from None
    return value


def _check_options(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    return named_values(values, "fusion=convex")


@click.command()
@click.argument("query", callback=_check_query)
@click.option(
    "--collection",
    "collections",
    multiple=True,
    help="Search only here; can be repeated.  [default: all you may read]",
)
@click.option("--top-k", type=click.IntRange(1), default=10, show_default=True)
@click.option("--skip", type=click.IntRange(0), default=0, help="Leave out the first ones.")
@click.option(
    "--strategy",
    type=click.Choice(STRATEGIES),
    help="[default: what the collections say, else hybrid]",
)
@click.option("--filter", "filter_", metavar="JSON", help="What documents' attributes contain.")
@click.option("--rerank", metavar="NAME", help="Let a reranker order the candidates: default, ...")
@click.option(
    "-o",
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_check_options,
    help="Any other argument of rag.search, such as fusion=convex, correct_typos=true, "
    "max_per_document=1, as_of=2026-01-31; can be repeated.",
)
@click.option("--explain", is_flag=True, help="Tell how the search goes, instead of its hits.")
@format_option
@click.pass_obj
def search(
    settings: Settings,
    query: str,
    collections: tuple[str, ...],
    top_k: int,
    skip: int,
    strategy: str | None,
    filter_: str | None,
    rerank: str | None,
    options: dict[str, str],
    explain: bool,
    output_format: str,
) -> None:
    """Print the passages that answer QUERY best, each with its citation.

    The same rows as: select * from rag.search('...'). You are shown what your database role
    may read.
    """
    arguments = {
        "query": query,
        "collections": list(collections) or None,
        "top_k": top_k,
        "skip": skip,
        "strategy": strategy,
        "filter": filter_,
        "rerank": rerank,
    } | options
    with connect(settings) as connection, friendly_errors(), warnings_told(connection):
        connection.execute("set client_encoding to 'UTF8'")
        problem = schema_problem(connection, "search")
        if problem is not None:
            raise problem
        _check_names(connection, options)
        notice = _privilege_notice(connection)
        if output_format == "table" and not explain:
            arguments.setdefault("highlight", "true")
        given = {name: value for name, value in arguments.items() if value is not None}
        call = sql.SQL(", ").join(
            sql.SQL("{} => {}").format(sql.Identifier(name), sql.Placeholder(name))
            for name in given
        )
        cursor = connection.cursor(row_factory=dict_row)
        cursor.execute(sql.SQL(_EXPLAIN if explain else _SEARCH).format(call), given)
        rows = cursor.fetchall()
        columns = [column.name for column in cursor.description or ()]
    if notice:
        click.echo(notice, err=True)
    if explain:
        _print_steps(rows, columns, output_format)
        return
    if not rows:
        click.echo("No passage found among those you may read.", err=True)
    if output_format == "table":
        _print_hits(rows)
    else:
        write_rows(rows, columns, output_format)


def _check_names(connection: psycopg.Connection, options: Mapping[str, str]) -> None:
    row = connection.execute(_ARGUMENTS).fetchone()
    known = sorted(set(row[0] if row else ()) - _OWN)
    for name in options:
        if name not in known:
            raise click.UsageError(f"-o {name}: known are {', '.join(known)}.")


def _print_steps(
    rows: Sequence[dict[str, Any]], columns: Sequence[str], output_format: str
) -> None:
    if output_format == "table":
        shown = [
            {
                "step": row["step"],
                "route": row["route"],
                "why": row["why"],
                "passages": row["passages"],
                "ms": None if row["milliseconds"] is None else f"{row['milliseconds']:.1f}",
                "rank": row["rank"],
                "passage": _passage(row),
                "score": None if row["score"] is None else f"{row['score']:.4f}",
                "share": None if row["share"] is None else f"{row['share']:.0%}",
            }
            for row in rows
        ]
        write_rows(shown, list(shown[0]), "table")
    else:
        write_rows(rows, columns, output_format)


def _privilege_notice(connection: psycopg.Connection) -> str | None:
    row = connection.execute("select identity, sees_everything from rag.whoami()").fetchone()
    if row is None or not row[1]:
        return None
    return f"Note: you are {row[0]}, which bypasses access rules; others may see less."


def _passage(row: Mapping[str, Any]) -> str | None:
    """The passage that a row is about, as a citation begins."""
    if row["document_id"] is None:
        return None
    return f"{row['document_id']}/{row['chunk_index']}"


def _print_hits(rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        head = Text(f"{row['rank']:>2}  {row['score']:.4f}  ")
        head.append(without_controls(_place(row)), style="bold cyan")
        title = " ".join(str(row["title"] or "").split())
        if title:
            head.append(f"  {without_controls(title)}", style="bold")
        shown, start = row["content"], row["start_offset"] or 0
        if row["expanded"] is not None:
            shown, start = row["expanded"], row["expanded_start"]
        spans = [(first - start, past - start) for first, past in row["matches"] or ()]
        width = len(shown) if row["expanded"] is not None else _WIDTH
        body = Text()
        for text, is_match in excerpt(shown, spans, width):
            body.append(without_controls(text), style="bold yellow" if is_match else "")
        citation = Text(without_controls(row["citation"] or ""), style="dim")
        show(head, Padding(body, _INDENT), Padding(citation, _INDENT), "")
    for note in _notes(rows):
        click.echo(note, err=True)


def _place(row: dict[str, Any]) -> str:
    """Write where a passage is: source:first-last line."""
    source = str(row["source"] or row["document_id"])
    first, last = row["start_line"], row["end_line"]
    if first is None:
        return source
    return f"{source}:{first}" if last in (None, first) else f"{source}:{first}-{last}"


def _notes(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return what the server says about the whole result: a correction, what it went without."""
    notes = []
    corrected = next((row["corrected_query"] for row in rows if row["corrected_query"]), None)
    if corrected:
        notes.append(f"Looked for: {without_controls(corrected)}")
    degraded = sorted({note for row in rows for note in row["degraded"] or ()})
    if degraded:
        notes.append(f"Without: {', '.join(degraded)}")
    return notes


def excerpt(
    content: str, spans: Sequence[tuple[int, int]], width: int = _WIDTH
) -> list[tuple[str, bool]]:
    """Cut the window of about ``width`` characters that holds most of what matched.

    spans: [start, end) of the matches, in order. Returns pieces of text, and whether each is a
    match. White space is folded; ``…`` marks where text was left out.
    """
    start, end = _window(content, spans, width)
    pieces: list[tuple[str, bool]] = []
    at = start
    for first, past in spans:
        if start <= first and past <= end:
            pieces += [(content[at:first], False), (content[first:past], True)]
            at = past
    pieces.append((content[at:end], False))
    folded = [(re.sub(r"\s+", " ", text), is_match) for text, is_match in pieces if text]
    if start > 0:
        folded.insert(0, ("… ", False))
    if end < len(content):
        folded.append((" …", False))
    return folded


def _window(content: str, spans: Sequence[tuple[int, int]], width: int) -> tuple[int, int]:
    """Where the window begins and ends: at white space, if there is some near."""
    if len(content) <= width:
        return 0, len(content)
    best, most = 0, 0
    for number, (first, _) in enumerate(spans):
        inside = {
            content[one:past].lower() for one, past in spans[number:] if past <= first + width - 40
        }
        if len(inside) > most:
            best, most = first, len(inside)
    start = max(0, min(best - 40, len(content) - width))
    end = min(start + width, len(content))
    if start > 0 and (space := content.find(" ", start, min(start + 40, end))) >= 0:
        start = space + 1
    if end < len(content) and (space := content.rfind(" ", end - 40, end)) > start:
        end = space
    return start, end
