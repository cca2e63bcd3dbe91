"""The blocks of a Markdown text, as pulldown-cmark finds them, with offsets in characters."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pyromark

from ragsql_engine.chunking.node_lists import PAUSE_MASK, offsets

DEEPEST_LIST = 16  # lists in lists; what lies deeper is text of its item

_PARSER = pyromark.Markdown(
    options=pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES
)
PARAGRAPH, HEADING, RULE, FOOTNOTE, CODE, HTML, QUOTE, TABLE, LIST, ITEM = range(10)
_TAGS = {
    "Paragraph": PARAGRAPH,
    "Heading": HEADING,
    "FootnoteDefinition": FOOTNOTE,
    "CodeBlock": CODE,
    "HtmlBlock": HTML,
    "BlockQuote": QUOTE,
    "Table": TABLE,
    "List": LIST,
    "Item": ITEM,
}

# What is longer is no heading, but a paragraph that a line of dashes or equals signs follows.
_LONGEST_HEADING = 300  # characters
_ANCHOR = re.compile(r"\s*+\{#[^{}\s]{1,100}\}\s*+\Z")

# The parser knows it as a line end, but not after a fence or inside a comment.
_LONE_CR = re.compile(r"\r(?!\n)")

# Each line is asked for the quotes of the line before, so these must not be thousands.
_MANY_QUOTES = re.compile(r">(?:[^>\r\n]{0,12}>){31}")
_MARKERS = re.compile(r"(?:\A|(?<=[\r\n]))(?>(?:[ \t]*+(?:[>*+-]|\d{1,9}[.)])){32,})")


class Blocks:
    """Blocks in the order of their starts, as arrays: a document of 50 MB may have a million.

    A block is `text[starts[i]:ends[i]]`, which may end with white space. `tags` says what it is,
    `nexts` which is the first after it that is not inside it: lists hold items, and items what
    they have besides text of their own that is no paragraph. `headings` are those at the top,
    with level and title.
    """

    def __init__(self, text: str) -> None:
        self.starts, self.ends = offsets(text), offsets(text)
        self.tags, self.nexts = bytearray(), offsets(text)
        self.headings: dict[int, tuple[int, str]] = {}
        self._open: list[int] = []

    def __len__(self) -> int:
        return len(self.starts)

    def siblings(self, first: int, stop: int) -> Iterator[int]:
        """Each block from `first` on, without those inside it."""
        while first < stop:
            yield first
            first = self.nexts[first]

    def add(self, tag: int, start: int, end: int) -> bool:
        """Take in a block that begins at or after the last one; whether it may hold others."""
        block = len(self.starts)
        self.close(start)
        self.starts.append(start)
        self.ends.append(end)
        self.tags.append(tag)
        self.nexts.append(block + 1)
        if tag < LIST or len(self._open) >= 2 * DEEPEST_LIST:
            return False
        self._open.append(block)
        return True

    def close(self, start: int | None = None) -> None:
        """Nothing more is in the blocks that end before `start`; in any, without it."""
        while self._open and (start is None or self.ends[self._open[-1]] <= start):
            self.nexts[self._open.pop()] = len(self.starts)

    @property
    def at_top(self) -> bool:
        """Whether the last block is in no other."""
        return not self._open

    def entitle(self, level: int, title: str) -> None:
        """Make the last block a heading of `level`; a paragraph where no heading is so long."""
        block = len(self.starts) - 1
        if len(title) <= _LONGEST_HEADING:
            self.headings[block] = level, _ANCHOR.sub("", title)
        else:
            self.tags[block] = PARAGRAPH

    def count_in_characters(self, source: str, start: int) -> None:
        """Change offsets into the UTF-8 of `source` to those of characters, plus `start`."""
        starts, ends = self.starts, self.ends
        if source.isascii():
            if start:
                for block in range(len(starts)):
                    starts[block] += start
                    ends[block] += start
            return
        data, before, at = source.encode(), 0, start
        for block, begin in enumerate(starts):
            at += len(data[before:begin].decode())
            starts[block], before = at, begin
            ends[block] = at + len(data[begin : ends[block]].decode())


def read(text: str, start: int, pause: Callable[[], None]) -> Blocks:
    """The blocks of `text[start:]`.

    What is in none is white space, the markers of items, text in tight items, and definitions of
    link references.
    """
    source = text[start:]
    if _MANY_QUOTES.search(source):
        source = _MARKERS.sub(lambda found: "x" * len(found[0]), source)
    if "\r" in source:
        source = _LONE_CR.sub("\n", source)
    blocks = Blocks(text)
    level, inside = 0, 0
    title: list[str] = []
    for count, (event, span) in enumerate(_PARSER.events_with_range(source)):
        if not count & PAUSE_MASK:
            pause()
        begin = span["start"]
        if begin < inside:
            if level:
                title.append(_written(event))
            continue
        if level:
            blocks.entitle(level, "".join(title))
            title.clear()
        tag, level = _tag(event)
        if tag is None or blocks.add(tag, begin, span["end"]):
            continue
        inside = span["end"]
        level = level if blocks.at_top else 0
    if level:
        blocks.entitle(level, "".join(title))
    blocks.close()
    blocks.count_in_characters(source, start)
    return blocks


def _tag(event: Any) -> tuple[int | None, int]:
    """The tag of what an event begins, and its level where that is a heading."""
    if event == "Rule":
        return RULE, 0
    begun = event.get("Start") if isinstance(event, dict) else None
    if begun is None:
        return None, 0
    if isinstance(begun, str):
        return _TAGS.get(begun), 0
    name, details = next(iter(begun.items()))
    return _TAGS.get(name), int(details["level"][1:]) if name == "Heading" else 0


def _written(event: Any) -> str:
    """What a reader sees of an event inside a heading."""
    if isinstance(event, str):
        return " " if event in ("SoftBreak", "HardBreak") else ""
    written: str = event.get("Text") or event.get("Code") or ""
    return written
