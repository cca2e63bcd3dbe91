"""Tables in Markdown: what is one, its header, and its rows as nodes."""

import re
from functools import partial

from ragsql_engine.chunking.node_lists import NodeList, offsets
from ragsql_engine.chunking.nodes import Node, Parts
from ragsql_engine.chunking.strings import one_line, trimmed

_MOST_HEADER_LINES = 10
_LINE = re.compile(r"[^\r\n]++")
_SEPARATOR = re.compile(r"\s*+\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*\|?\s*+")

Span = tuple[int, int]


def header_start(text: str, start: int, end: int) -> int:
    """Where the rows begin that end the paragraph `start`..`end`; `end` where there are none.

    They belong to a table that follows at once: Markdown knows headers of one row, but tables
    written by programs may have several.
    """
    first = end
    lines = list(_LINE.finditer(text, max(start, end - 4096), end))
    for line in reversed(lines[-_MOST_HEADER_LINES:]):
        if not _is_row(line[0]):
            break
        first = line.start()
    return first


def table(text: str, start: int, end: int) -> Node:
    """The node of a table; its header is the context of what lies inside it."""
    header = _header(text, start, end)
    context = "" if header is None else one_line(text[start : header[0]])
    return Node(start, end, "table", partial(_rows, text, start, end), context=context)


def runs_of_rows(text: str, start: int, end: int) -> list[Span]:
    """The lines of a paragraph that are rows of a table without a header, two or more together."""
    runs: list[Span] = []
    first, last, count = start, start, 0
    for line in _LINE.finditer(text, start, end):
        if _is_row(line[0]):
            first, last, count = line.start() if not count else first, line.end(), count + 1
            continue
        if count > 1:
            runs.append((first, last))
        count = 0
    if count > 1:
        runs.append((first, last))
    return runs


def _is_row(line: str) -> bool:
    return " | " in line or line.lstrip().startswith("|")


def _header(text: str, start: int, end: int) -> Span | None:
    """Where the line between header and rows stands; None in a table without it."""
    for count, line in enumerate(_LINE.finditer(text, start, end)):
        if count > _MOST_HEADER_LINES:
            break
        if count and _SEPARATOR.fullmatch(line[0]):
            return line.span()
    return None


def _rows(text: str, start: int, end: int) -> Parts:
    """The header, then each row."""
    starts, ends = offsets(text), offsets(text)
    at, header = start, _header(text, start, end)
    if header is not None:
        starts.append(start)
        at = trimmed(text, start, header[1])[1]
        ends.append(at)
    for line in _LINE.finditer(text, at, end):
        first, last = trimmed(text, *line.span())
        if first < last:
            starts.append(first)
            ends.append(last)
    if len(starts) < 2:
        return ()
    return NodeList(len(starts), lambda index: Node(starts[index], ends[index], "table"))
