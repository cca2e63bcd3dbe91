"""The text of a clause as nodes: paragraphs, and the items by letter in them."""

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from ragsql_engine.chunking.clauses.labels import HAN_NUMERALS, values
from ragsql_engine.chunking.markdown.parts import leaves
from ragsql_engine.chunking.nodes import Node, Parts
from ragsql_engine.chunking.strings import LONGEST_NAME, one_line, trimmed

_DEEPEST = 6  # items in items
_LONGEST_INTRODUCTION = 1000  # characters before the first item

_S = r"[^\S\r\n]"
_ABJAD = "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ"
_MARKER = (
    rf"(?:[-*•]{_S}{{1,9}})?(?:\*\*|__)?(?:(?P<open>[(（]){_S}?(?P<inside>[a-z]{{1,2}}|[ivxlc]{{1,7}}"
    rf"|[A-Z]{{1,2}}|[IVXLC]{{1,7}}|\d{{1,2}}|[{HAN_NUMERALS}]{{1,3}}|[{_ABJAD}]){_S}?[)）]"
    rf"|(?P<before>[a-zA-Z]|[ivx]{{1,5}}|\d{{1,2}}|[{_ABJAD}])(?:[.)](?=[\s*_])|{_S}?[-–](?={_S})))"
)
_FIRST_ITEM = re.compile(rf"[ \t\xa0\u3000*_]*+{_MARKER}")
_ITEM = re.compile(rf"(?<=[\r\n]){_S}{{0,40}}+{_MARKER}")
_BLANK_LINES = re.compile(rf"(?>\r\n?|\n){_S}*+[\r\n]\s*+")
_LINE = re.compile(r"[^\r\n]*+")


class _Item(NamedTuple):
    start: int
    depth: int


def paragraphs(text: str, start: int, end: int, kind: str) -> list[Node]:
    """Leaves of `start`..`end` between blank lines; rows of tables in them are tables."""
    nodes, at = [], start
    for gap in _BLANK_LINES.finditer(text, start, end):
        nodes += leaves(text, at, gap.start(), kind)
        at = gap.end()
    return nodes + leaves(text, at, end, kind)


def body(text: str, start: int, text_at: int, end: int) -> list[Node]:
    """The nodes of a clause at `start`..`end`, whose label ends before `text_at`.

    Items are in the items that hold them: (i) in (a).
    """
    items = _items(text, text_at, end)
    first = items[0].start if items else end
    return paragraphs(text, start, first, "clause") + _nodes(text, items, end)


def introduction(text: str, start: int, text_at: int, end: int) -> str:
    """What the items of a clause go on from: "The Supplier shall:"; "" without items."""
    end = min(end, start + _LONGEST_INTRODUCTION)
    items = _items(text, text_at, end)
    if not items:
        return ""
    first = items[0].start
    return one_line(text[max(start, first - LONGEST_NAME) : first])


def _items(text: str, start: int, end: int) -> list[_Item]:
    """The lines that begin items: the first of a kind, and those whose letters go on."""
    items: list[_Item] = []
    open_items: list[tuple[str, int]] = []
    first = _FIRST_ITEM.match(text, start, end)
    found = [first] if first else []
    for marker in (*found, *_ITEM.finditer(text, start, end)):
        if _take(open_items, _meanings(marker)):
            items.append(_Item(trimmed(text, *marker.span())[0], len(open_items) - 1))
    return items


def _meanings(marker: re.Match[str]) -> list[tuple[str, int]]:
    """The kinds of item a marker may be of, and its place among them: i is roman or a letter."""
    sign = marker["inside"] or marker["before"]
    bracket = "(" if marker["open"] else ")"
    if sign in _ABJAD:
        return [(f"{bracket}abjad", _ABJAD.index(sign) + 1)]
    if not sign.isascii() or sign.isdecimal():
        return [(f"{bracket}1", value) for value in values(sign)]
    case = "A" if sign.isupper() else "a"
    meanings = []
    if len(sign) < 3:
        place = 0
        for letter in sign.lower():
            place = place * 26 + ord(letter) - ord("a") + 1
        meanings.append((f"{bracket}{case}", place))
    roman = values(sign.upper())
    if roman and not set(sign.upper()) - set("IVXLC"):
        meanings.append((f"{bracket}roman {case}", roman[0]))
    return meanings


def _take(open_items: list[tuple[str, int]], meanings: Sequence[tuple[str, int]]) -> bool:
    """Put an item in its place among those that are open; whether it has one."""
    for depth in range(len(open_items) - 1, -1, -1):
        kind, place = open_items[depth]
        if (kind, place + 1) in meanings:
            open_items[depth:] = [(kind, place + 1)]
            return True
    firsts = [kind for kind, place in meanings if place == 1]
    kinds = [kind for kind, _ in open_items]
    for kind in firsts:
        if kind not in kinds and len(open_items) < _DEEPEST:
            open_items.append((kind, 1))
            return True
    for kind in firsts:
        if kind in kinds:
            open_items[kinds.index(kind) :] = [(kind, 1)]
            return True
    return False


def _nodes(text: str, items: Sequence[_Item], end: int) -> list[Node]:
    """The nodes of items, of which the first is among the shallowest."""
    nodes: list[Node] = []
    first = 0
    while first < len(items):
        stop = first + 1
        while stop < len(items) and items[stop].depth > items[first].depth:
            stop += 1
        start = items[first].start
        last = trimmed(text, start, items[stop].start if stop < len(items) else end)[1]
        inside = items[first + 1 : stop]
        context = ""
        if inside and (line := _LINE.match(text, start, min(last, start + 4 * LONGEST_NAME))):
            context = one_line(line[0])
        parts = partial(_parts, text, inside, start, last)
        nodes.append(Node(start, last, "clause", parts, context=context))
        first = stop
    return nodes


def _parts(text: str, inside: Sequence[_Item], start: int, end: int) -> Parts:
    first = inside[0].start if inside else end
    nodes = paragraphs(text, start, first, "clause") + _nodes(text, inside, end)
    return nodes if len(nodes) > 1 else ()
