"""Prose: sections and paragraphs, which are cut at line and sentence ends where they must be."""

import re
from collections.abc import Sequence
from functools import partial

from ragsql_engine.chunking.headings import Heading, find_headings
from ragsql_engine.chunking.nodes import Hints, Node, Parts
from ragsql_engine.chunking.sections import Entry, nodes_of
from ragsql_engine.chunking.strings import after_space, trimmed
from ragsql_engine.visibility import is_visible

_NEWLINE = r"(?:\r\n|\r|\n)"
_BLANK_LINES = re.compile(rf"{_NEWLINE}[^\S\r\n]*+{_NEWLINE}\s*+")
_LINE_END = re.compile(rf"{_NEWLINE}\s*+")

_ENDS = frozenset(".?!:;…。！？؟۔")
# In a paragraph that is broken to a width, at least this share of the lines goes on in lower case.
_WRAPPED_SHARE = 1 / 4


def parse(text: str, hints: Hints) -> Sequence[Node]:
    """Sections, where plain text has headings, and in them a node for each paragraph."""
    headings = find_headings(text)
    if not headings:
        return _paragraphs(text, 0, len(text))
    nodes = _paragraphs(text, 0, headings[0].start)
    stops = [*(heading.start for heading in headings[1:]), len(text)]
    return nodes + nodes_of(
        _section(text, heading, stop) for heading, stop in zip(headings, stops, strict=True)
    )


def _section(text: str, heading: Heading, stop: int) -> Entry:
    start, end = trimmed(text, heading.start, stop)
    says = is_visible(text, heading.end, stop)
    parts = partial(_parts, text, heading, stop)
    return Entry(heading.level, heading.name, start, end, says, "prose", parts)


def _parts(text: str, heading: Heading, stop: int) -> list[Node]:
    own = Node(heading.start, heading.end, "heading")
    return [own, *_paragraphs(text, heading.end, stop)]


def _paragraphs(text: str, start: int, stop: int) -> list[Node]:
    """Text between blank lines. Its parts are its lines."""
    nodes, start = [], after_space(text, start, stop)
    for gap in _BLANK_LINES.finditer(text, start, stop):
        end = trimmed(text, start, gap.start())[1]
        if start < end:
            nodes.append(_paragraph(text, start, end))
        start = gap.end()
    end = trimmed(text, start, stop)[1]
    if start < end:
        nodes.append(_paragraph(text, start, end))
    return nodes


def _paragraph(text: str, start: int, end: int) -> Node:
    return Node(start, end, parts=partial(_lines, text, start, end))


def _lines(text: str, start: int, end: int) -> Parts:
    """Lines that stand for themselves: none that goes on in lower case, or within a sentence."""
    breaks = [gap.span() for gap in _LINE_END.finditer(text, start, end)]
    going_on = sum(text[after].islower() for _, after in breaks)
    is_wrapped = going_on > _WRAPPED_SHARE * len(breaks)
    lines = []
    for before, after in breaks:
        if text[after].islower():
            continue
        while text[before - 1].isspace():
            before -= 1
        if is_wrapped and text[before - 1] not in _ENDS:
            continue
        lines.append(Node(start, before))
        start = after
    lines.append(Node(start, end))
    return lines if len(lines) > 1 else ()
