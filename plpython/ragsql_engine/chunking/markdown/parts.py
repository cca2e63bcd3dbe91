"""Nodes of Markdown blocks: lists by item, tables by row, code and quotes by group of lines."""

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from ragsql_engine.chunking.markdown.blocks import CODE, HTML, LIST, PARAGRAPH, QUOTE, TABLE, Blocks
from ragsql_engine.chunking.markdown.tables import Span, header_start, runs_of_rows, table
from ragsql_engine.chunking.nodes import Node, Parts
from ragsql_engine.chunking.strings import LONGEST_NAME, one_line, trimmed

KINDS = {CODE: "code", HTML: "html", QUOTE: "quote", TABLE: "table", LIST: "list"}
"""Kinds by the tag of a block; all else is prose."""

_LINE = re.compile(r"[^\r\n]*+")
_BLANK_LINES = re.compile(r"(?>\r\n?|\n)(?:[ \t]*+(?>\r\n?|\n))+")
# The sign of a blank line in a quote goes with the group before it.
_AFTER_BLANK_QUOTES = re.compile(r"(?<=[\r\n])[ \t]*+>[> \t]*+(?:\r\n?|\n)")
_MARKER = re.compile(r"\s*+(?:[-+*]|\d{1,9}[.)])\s*+")


class Section(NamedTuple):
    """Some neighbouring blocks: those from `first` on before `stop`, and what is inside them."""

    blocks: Blocks
    first: int
    stop: int


def row(text: str, section: Section, start: int, end: int, plain: str = "prose") -> list[Node]:
    """Nodes that fill `start`..`end`: those of the blocks, and leaves of the text between them.

    `plain` is the kind of those leaves and of paragraphs.
    """
    nodes: list[Node] = []
    blocks, at, taken = section.blocks, start, False
    for block in blocks.siblings(section.first, section.stop):
        begin, stop = max(blocks.starts[block], at), min(blocks.ends[block], end)
        is_paragraph = blocks.tags[block] == PARAGRAPH
        if begin > at:
            if taken or (is_paragraph and _MARKER.fullmatch(text, at, begin)):
                begin = at
            else:
                nodes += leaves(text, at, begin, plain)
        taken = is_paragraph and block + 1 < section.stop and _table_follows(text, blocks, block)
        if taken:
            stop = header_start(text, begin, stop)
        nodes += _nodes(text, blocks, block, (begin, stop), plain, nodes)
        at = max(at, stop)
    return nodes + leaves(text, at, end, plain)


def _table_follows(text: str, blocks: Blocks, paragraph: int) -> bool:
    """Whether a table follows a paragraph at once."""
    if blocks.tags[paragraph + 1] != TABLE:
        return False
    return not text[blocks.ends[paragraph] : blocks.starts[paragraph + 1]].strip(" \t")


def _nodes(
    text: str, blocks: Blocks, block: int, span: Span, plain: str, before: Sequence[Node]
) -> list[Node]:
    """The nodes of a block at `span`, which follows the nodes `before`."""
    kind = KINDS.get(blocks.tags[block])
    if kind is None:
        return leaves(text, *span, plain)
    start, end = trimmed(text, *span)
    if start >= end:
        return []
    if kind == "table":
        return [table(text, start, end)]
    if kind == "list":
        context = "" if plain == "list" else _introduction(text, before)
        return [_list(text, Section(blocks, block + 1, blocks.nexts[block]), start, end, context)]
    parts, context = partial(_groups, text, start, end, kind), ""
    if kind == "code" and text.startswith(("```", "~~~"), start):
        context = _first_line(text, start, end)
    return [Node(start, end, kind, parts, context=context)]


def leaves(text: str, start: int, end: int, kind: str) -> list[Node]:
    """The nodes of a paragraph; rows in it are a table all the same."""
    start, end = trimmed(text, start, end)
    if start >= end:
        return []
    if text.find("|", start, end) < 0:
        return [Node(start, end, kind)]
    nodes, at = [], start
    for first, last in runs_of_rows(text, start, end):
        nodes += _leaf(text, at, first, kind)
        nodes.append(table(text, *trimmed(text, first, last)))
        at = last
    return nodes + _leaf(text, at, end, kind)


def _leaf(text: str, start: int, end: int, kind: str) -> list[Node]:
    start, end = trimmed(text, start, end)
    return [Node(start, end, kind)] if start < end else []


def _introduction(text: str, before: Sequence[Node]) -> str:
    """What a list is a list of, where the paragraph before it says so with a colon."""
    if not before or before[-1].kind != "prose" or text[before[-1].end - 1] not in ":\uff1a":
        return ""
    start, end = before[-1].start, before[-1].end
    if end - start <= LONGEST_NAME:
        return one_line(text[start:end])
    return one_line(text[end - LONGEST_NAME : end].split(maxsplit=1)[-1])


def _list(text: str, items: Section, start: int, end: int, context: str) -> Node:
    if items.first < items.stop == items.blocks.nexts[items.first]:  # its only item is all of it
        context = one_line(f"{context} {_first_line(text, start, end)}")
    return Node(start, end, "list", partial(_items, text, items, start, end), context=context)


def _items(text: str, items: Section, start: int, end: int) -> Parts:
    nodes: list[Node] = []
    blocks, at = items.blocks, start
    for item in blocks.siblings(items.first, items.stop):
        begin, stop = max(blocks.starts[item], at), min(blocks.ends[item], end)
        nodes += _leaf(text, at, begin, "list")
        first, last = trimmed(text, begin, stop)
        if first < last:
            inside = Section(blocks, item + 1, blocks.nexts[item])
            parts = partial(_item, text, inside, first, last)
            context = _first_line(text, first, last)
            nodes.append(Node(first, last, "list", parts, context=context))
        at = max(at, stop)
    return _smaller(nodes + _leaf(text, at, end, "list"), start, end)


def _item(text: str, inside: Section, start: int, end: int) -> Parts:
    return _smaller(row(text, inside, start, end, "list"), start, end)


def _smaller(nodes: list[Node], start: int, end: int) -> Parts:
    """Parts of a node at `start`..`end`: those of the one node that fills it, where one does."""
    if len(nodes) == 1 and (nodes[0].start, nodes[0].end) == (start, end):
        return nodes[0].parts()
    return nodes


def _groups(text: str, start: int, end: int, kind: str) -> Parts:
    """Lines of code, or of a quote, between blank ones."""
    if kind == "html":
        return ()
    blank = _AFTER_BLANK_QUOTES if kind == "quote" else _BLANK_LINES
    nodes: list[Node] = []
    at = start
    for gap in blank.finditer(text, start, end):
        nodes += _leaf(text, at, gap.end(), kind)
        at = gap.end()
    nodes += _leaf(text, at, end, kind)
    return nodes if len(nodes) > 1 else ()


def _first_line(text: str, start: int, end: int) -> str:
    line = _LINE.match(text, start, min(end, start + 4 * LONGEST_NAME))
    return one_line(line[0]) if line else ""
