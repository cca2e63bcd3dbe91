"""YAML as nodes by indentation, also where templates keep it from being valid YAML.

Nothing is evaluated: flow style, anchors and tags are text. Comments and the control lines of
templates go with the entry that follows.
"""

import re
from collections.abc import Sequence

from ragsql_engine.chunking.data.outline import Outline
from ragsql_engine.chunking.data.text_lines import content_lines
from ragsql_engine.chunking.node_lists import label
from ragsql_engine.chunking.nodes import Hints, Node

KEY = re.compile(
    r'(?:"((?:[^"\\\r\n]|\\[^\r\n]){0,500})"'
    r"|'([^'\r\n]{0,500})'"
    r"|([^\s\"'{}\[\],#|>@`%][^:\r\n]*+(?:(?>:(?=\S)[^:\r\n]*+)){0,40}+))"
    r"[ \t]{0,40}:(?=\s|\Z)"
)
_LONGEST_KEY = 200  # characters; what is longer is a sentence
_ITEM = re.compile(r"-(?:[^\S\r\n]++|(?=[\r\n]|\Z))")
# What stands between a key or dash and a block scalar: tag, anchor, indicator, comment.
_BLOCK = re.compile(
    r"[^\S\r\n]*+(?:[!&][^\s]{0,99}+[^\S\r\n]++){0,2}[|>][-+1-9]{0,2}+[^\S\r\n]*+(?:#[^\r\n]*+)?\Z"
)
_BEFORE_ENTRY = ("#", "%", "{{", "{%", "{#")
_DOCUMENT_LEVEL = -1
_MOST_ITEMS_IN_LINE = 50
# What names an item or document, best first.
_NAMES = ("name", "title", "id", "key")
_NAMING = re.compile(rf"([\"']?)({'|'.join(_NAMES)}|kind|metadata)\1:[^\S\r\n]*+([^\r\n]{{0,99}}+)")
_MOST_ENTRIES_ASKED = 12
_LONGEST_NAME = 60
_COMMENT = re.compile(r"(?:^|\s)#")


def parse(text: str, hints: Hints) -> Sequence[Node]:
    """The documents of a YAML text, one node each."""
    outline = Outline(text)
    block: int | None = None  # the indentation of what a block scalar belongs to
    for start, end, indent in content_lines(text, hints.pause):
        if block is not None and indent > block:
            outline.extend(start, end)
            continue
        block = None
        if indent == 0 and _starts_document(text, start, end):
            outline.add(_DOCUMENT_LEVEL, start, end)
        elif text.startswith(_BEFORE_ENTRY, start):
            outline.postpone(start, end)
        else:
            if not outline.owns:
                outline.add(_DOCUMENT_LEVEL, start, start)
            block = _add_line(outline, start, end, indent)
    outline.close()
    outline.name = _Names(outline).name
    return outline.roots()


def _starts_document(text: str, start: int, end: int) -> bool:
    return text.startswith("---", start) and (end == start + 3 or text[start + 3].isspace())


def _add_line(outline: Outline, start: int, end: int, indent: int) -> int | None:
    """Add the entries of a line; the indentation over a block scalar, where one begins here."""
    text, before = outline.text, len(outline.owns)
    over = indent
    while start < end and text[start] == "-":
        item = _ITEM.match(text, start, end)
        if item is None or len(outline.owns) - before >= _MOST_ITEMS_IN_LINE:
            break
        outline.add(2 * indent + 1, start, end)
        over, indent, start = indent, indent + item.end() - start, item.end()
    key = KEY.match(text, start, end)
    if key and key.end() - start <= _LONGEST_KEY:
        outline.add(2 * indent, start, end)
        over, start = indent, key.end() + 1
    elif len(outline.owns) == before:
        outline.extend(start, end)
        return None
    return over if start < end and _BLOCK.match(text, start, end) else None


class _Names:
    """Names the entries of an outline for the heading path."""

    def __init__(self, outline: Outline) -> None:
        self._outline, self._text = outline, outline.text
        self._several = outline.levels.count(_DOCUMENT_LEVEL) > 1

    def name(self, entry: int, place: int) -> str | None:
        level = self._outline.levels[entry]
        if level == _DOCUMENT_LEVEL:
            return self._document(entry, place)
        if level % 2:
            name = self._resource(entry) or self._given(entry)
            return f"[{place}] {name}" if name else f"[{place}]"
        key = KEY.match(self._text, self._outline.owns[entry])
        return (label(key[key.lastindex or 0]) or '""') if key else None

    def _document(self, entry: int, place: int) -> str | None:
        resource = self._resource(entry)
        if resource or not self._several:
            return resource
        name = self._given(entry)
        return f"document {place + 1} {name}" if name else f"document {place + 1}"

    def _resource(self, entry: int) -> str | None:
        """The kind and name of a Kubernetes object."""
        kind, metadata = None, None
        for key, value, child in self._naming(entry):
            kind = value if key == "kind" else kind
            metadata = child if key == "metadata" else metadata
        if not kind or metadata is None:
            return None
        name = next((value for key, value, _ in self._naming(metadata) if key == "name"), None)
        return label(f"{kind} {name}") if name else None

    def _given(self, entry: int) -> str | None:
        found = {key: value for key, value, _ in self._naming(entry) if value}
        return next((label(found[key]) for key in _NAMES if key in found), None)

    def _naming(self, entry: int) -> list[tuple[str, str | None, int]]:
        """Key, short value and entry of what may name `entry`, among the first things in it."""
        owns, nexts = self._outline.owns, self._outline.nexts
        child, found = entry + 1, []
        for _ in range(_MOST_ENTRIES_ASKED):
            if child >= nexts[entry]:
                break
            if match := _NAMING.match(self._text, owns[child]):
                found.append((match[2], _scalar(match[3]), child))
            child = nexts[child]
        return found


def _scalar(value: str) -> str | None:
    """A short scalar without comment and quotation marks."""
    if comment := _COMMENT.search(value):
        value = value[: comment.start()]
    value = value.strip()
    if value[:1] in ("", *"{[&*|>!") or len(value) > _LONGEST_NAME:
        return None
    return value.strip("\"'") or None
