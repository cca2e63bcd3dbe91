"""`ragsql search`: asks a question and prints ranked, cited passages."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import click
import psycopg
from psycopg.rows import dict_row
from rich.padding import Padding
from rich.text import Text

from ragsql.connection import connect, friendly_errors, warnings_told
from ragsql.loading.names import without_controls
from ragsql.loading.store import schema_problem
from ragsql.output import format_option, show, write_rows
from ragsql.settings import Settings

_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|e)$")

_INDENT = (0, 0, 0, 4)

STRATEGIES = ("hybrid", "semantic", "bm25", "fuzzy")

_SEARCH = """
select * from rag.search(%s, collections => %s::text[], top_k => %s, strategy => %s)
"""


def _check_query(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if not value.strip():
        raise click.BadParameter("The question is blank.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise click.BadParameter("The question is not valid UTF-8.") from None
    return value


@click.command()
@click.argument("query", callback=_check_query)
@click.option(
    "--collection",
    "collections",
    multiple=True,
    help="Search only here; can be repeated.  [default: all you may read]",
)
@click.option("--top-k", type=click.IntRange(1), default=10, show_default=True)
@click.option("--strategy", type=click.Choice(STRATEGIES), default="hybrid", show_default=True)
@format_option
@click.pass_obj
def search(
    settings: Settings,
    query: str,
    collections: tuple[str, ...],
    top_k: int,
    strategy: str,
    output_format: str,
) -> None:
    """Print the passages that answer QUERY best, each with its citation.

    The same rows as: select * from rag.search('...'). You are shown what your database role
    may read.
    """
    with connect(settings) as connection, friendly_errors(), warnings_told(connection):
        connection.execute("set client_encoding to 'UTF8'")
        problem = schema_problem(connection, "search")
        if problem is not None:
            raise problem
        notice = _privilege_notice(connection)
        cursor = connection.cursor(row_factory=dict_row)
        cursor.execute(_SEARCH, (query, list(collections) or None, top_k, strategy))
        rows = cursor.fetchall()
        columns = [column.name for column in cursor.description or ()]
    if notice:
        click.echo(notice, err=True)
    if not rows:
        click.echo("No passage found among those you may read.", err=True)
    if output_format == "table":
        _print_hits(rows, query)
    else:
        write_rows(rows, columns, output_format)


def _privilege_notice(connection: psycopg.Connection) -> str | None:
    row = connection.execute("select identity, sees_everything from rag.whoami()").fetchone()
    if row is None or not row[1]:
        return None
    return f"Note: you are {row[0]}, which bypasses access rules; others may see less."


def _print_hits(rows: Sequence[dict[str, Any]], query: str) -> None:
    pattern = query_pattern(query)
    for row in rows:
        head = Text(f"{row['rank']:>2}  {row['score']:.4f}  ")
        head.append(without_controls(_place(row)), style="bold cyan")
        title = " ".join(str(row["title"] or "").split())
        if title:
            head.append(f"  {without_controls(title)}", style="bold")
        body = Text(without_controls(excerpt(row["content"], pattern)))
        if pattern is not None:
            body.highlight_regex(pattern, style="bold yellow")
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
        notes.append(f"Corrected, in the fuzzy leg: {without_controls(corrected)}")
    degraded = sorted({note for row in rows for note in row["degraded"] or ()})
    if degraded:
        notes.append(f"Without: {', '.join(degraded)}")
    return notes


def query_pattern(query: str) -> re.Pattern[str] | None:
    """Return a pattern for the words of a query and their inflected forms; None without words.

    It only marks words for the eye; what matches is the server's business.
    """
    words = {word.lower() for word in _WORD.findall(query)}
    telling = {word for word in words if len(word) > 2} or words
    stems = sorted((_ENDING.sub("", word) for word in telling), key=lambda stem: (-len(stem), stem))
    if not stems:
        return None
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, stems))})\w*", re.IGNORECASE)


def excerpt(content: str, pattern: re.Pattern[str] | None, width: int = 240) -> str:
    """Cut the window of ``width`` characters that holds most of the words searched for.

    White space is folded; ``…`` marks where text was left out.
    """
    text = " ".join(content.split())
    if len(text) <= width:
        return text
    start = _best_start(text, pattern, width)
    end = min(start + width, len(text))
    if start > 0 and (space := text.find(" ", start, end)) >= 0:
        start = space + 1
    if end < len(text) and (space := text.rfind(" ", start, end)) > start:
        end = space
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")


def _best_start(text: str, pattern: re.Pattern[str] | None, width: int) -> int:
    found = list(_matches(text, pattern))
    best, best_count = 0, 0
    for index, (position, _) in enumerate(found):
        inside = {word for start, word in found[index:] if start < position + width - 40}
        if len(inside) > best_count:
            best, best_count = position, len(inside)
    return max(0, min(best - 40, len(text) - width))


def _matches(text: str, pattern: re.Pattern[str] | None) -> Iterator[tuple[int, str]]:
    for match in pattern.finditer(text) if pattern else ():
        yield match.start(), match[0].lower()
