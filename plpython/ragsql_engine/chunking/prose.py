"""Prose: paragraphs, which are cut at line ends and sentence ends where they must be."""

import re
from collections.abc import Sequence
from functools import partial

from ragsql_engine.chunking.nodes import Hints, Node, Parts
from ragsql_engine.chunking.strings import after_space

_NEWLINE = r"(?:\r\n|\r|\n)"
_BLANK_LINES = re.compile(rf"{_NEWLINE}[^\S\r\n]*+{_NEWLINE}\s*+")
_LINE_END = re.compile(rf"{_NEWLINE}\s*+")

_ENDS = frozenset(".?!:;…。！？؟۔")
# In a paragraph that is broken to a width, at least this share of the lines goes on in lower case.
_WRAPPED_SHARE = 1 / 4


def parse(text: str, hints: Hints) -> Sequence[Node]:
    """One node for each paragraph: text between blank lines. Its parts are its lines."""
    nodes, start = [], after_space(text, 0, len(text))
    for gap in _BLANK_LINES.finditer(text, start):
        end = start + len(text[start : gap.start()].rstrip())
        if start < end:
            nodes.append(_paragraph(text, start, end))
        start = gap.end()
    end = start + len(text[start:].rstrip())
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
