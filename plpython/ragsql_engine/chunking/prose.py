"""Prose: paragraphs, which are cut at sentence ends where they must be."""

import re
from collections.abc import Sequence

from ragsql_engine.chunking.nodes import Hints, Node

_NEWLINE = r"(?:\r\n|\r|\n)"
_BLANK_LINES = re.compile(rf"{_NEWLINE}[^\S\r\n]*+{_NEWLINE}\s*+")
_EDGE = re.compile(r"\s*+")


def parse(text: str, hints: Hints) -> Sequence[Node]:
    """One leaf for each paragraph: text between blank lines."""
    nodes, start = [], _after_space(text, 0)
    for gap in _BLANK_LINES.finditer(text, start):
        end = start + len(text[start : gap.start()].rstrip())
        if start < end:
            nodes.append(Node(start, end))
        start = gap.end()
    end = start + len(text[start:].rstrip())
    if start < end:
        nodes.append(Node(start, end))
    return nodes


def _after_space(text: str, position: int) -> int:
    edge = _EDGE.match(text, position)
    return edge.end() if edge else position
