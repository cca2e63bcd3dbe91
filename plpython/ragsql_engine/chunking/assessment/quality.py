"""How well a text is cut: counts that add up over documents.

A fence, table or list is whole where some chunk holds all of it. The structures are found here
anew, line by line, so that the measure does not share the mistakes of what made the chunks.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ragsql_engine.chunking.assessment.document_type import detect_document_type
from ragsql_engine.chunking.language.sentences import sentence_ends
from ragsql_engine.chunking.measures import UnitMeasure
from ragsql_engine.chunking.rulers.word import words_of
from ragsql_engine.chunking.strategies import Plan

Range = tuple[int, int]

# Kinds of chunks that consist of sentences.
_PROSE = frozenset({"prose", "list", "quote", "clause", "heading"})
_WHITE_SPACE = [chr(code) for code in range(0x3001) if chr(code).isspace()]
_LONGEST_HEADING = 200

# A line without white space and quote marks at its beginning.
_LINE = re.compile(r"[^\s>][^\n]*+")
_FENCE = re.compile(r"(?:`{3,}+(?=[^`\n]*+(?:\n|\Z))|~{3,}+)")
_FENCE_END = re.compile(r"^[ \t>]*+(`{3,}+|~{3,}+)[ \t]*+$", re.MULTILINE)
_ITEM = re.compile(r"(?:([-*+•])|(\d{1,9})([.)]))(?:[ \t]++|$)", re.MULTILINE)
_RULE = re.compile(r"(?:[-\s]{3,}+|[*\s]{3,}+|[_\s]{3,}+)\Z")
_DELIMITER_ROW = re.compile(r"[\s|:\-]++\Z")
_ENDS_LIST = re.compile(r"#{1,6}(?:\s|\Z)|```|~~~")
# What begins after the line end where a chunk ends: a list item, quote, heading, table or fence.
_NEW_BLOCK = re.compile(r"[^\S\n]*+\n\s*+(?:[-*+•>#|`~<=]|\d{1,9}[.)]\s)")
_LINE_END = re.compile(r"[^\S\n]*+(?:\n|\Z)")
_HEADING = re.compile(r"\s*+(?:#{1,6}\s|=++\s*+\Z|-++\s*+\Z)")


class Structures(NamedTuple):
    """Offsets of what should stay whole in a Markdown text, white space at the ends excluded."""

    fences: list[Range]
    tables: list[Range]
    lists: list[Range]


def measure(
    text: str,
    spans: Sequence[Range],
    kinds: Sequence[str],
    size_of: Callable[[int, int], int],
    chunk_size: int,
    markdown: bool = False,
) -> dict[str, int]:
    """Counts over the chunks `spans` of a text; they may overlap and stand in any order.

    `kinds` goes with `spans`; `size_of` measures a span in the unit of `chunk_size`.

    - split_fences, split_tables, cut_lists: of Markdown, 0 for other texts. Those that some chunk
      touches and none holds whole. An unclosed fence does not count.
    - cut_sentences: chunks of prose that end inside a sentence and not where a block ends.
    - within_size: chunks from half to one and a half times `chunk_size`.
    - characters_covered, characters_total: without white space.
    """
    lines = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
    found = structures(lines) if markdown else Structures([], [], [])
    cover = _Cover(spans)
    sizes = [size_of(start, end) for start, end in spans]
    total, covered = _count_characters(text, cover)
    return {
        "chunks": len(spans),
        "split_fences": sum(map(cover.splits, found.fences)),
        "split_tables": sum(map(cover.splits, found.tables)),
        "cut_lists": sum(map(cover.splits, found.lists)),
        "cut_sentences": _count_cut_sentences(lines, spans, kinds),
        "within_size": sum(chunk_size <= 2 * size <= 3 * chunk_size for size in sizes),
        "characters_covered": covered,
        "characters_total": total,
    }


def count_document(
    text: str,
    spans: Sequence[Range],
    kinds: Sequence[str],
    token_counts: Sequence[int | None],
    plan: Plan,
    capacity: int | None,
) -> dict[str, int]:
    """`measure` of chunks made by `plan`; `capacity` is what the model reads, in tokens.

    A chunk that fills at least half of the model's window is as large as it was asked to be.
    """
    tokens = dict(zip(spans, token_counts, strict=True))
    size, unit = plan.chunk_size, plan.strategy.unit
    words = UnitMeasure(text, words_of(text)[0]) if unit == "words" else None

    def size_of(start: int, end: int) -> int:
        read = tokens[start, end] or 0
        found = words.count(start, end) if words else end - start
        found = read if unit == "tokens" else found
        limited = capacity is not None and capacity <= 2 * read
        return size if limited and found < size else found

    is_markdown = plan.strategy.reads_front_matter or detect_document_type(text) == "markdown"
    return measure(text, spans, kinds, size_of, size, is_markdown)


class _Cover:
    """Answers which parts of a text lie within one span."""

    def __init__(self, spans: Sequence[Range]) -> None:
        self._ordered = sorted(spans)
        self._starts = [start for start, _ in self._ordered]
        self._reach = list(accumulate((end for _, end in self._ordered), max))

    def splits(self, part: Range) -> bool:
        """Whether some span touches the part, but none holds all of it."""
        start, end = part
        touching = bisect_left(self._starts, end)
        if not touching or self._reach[touching - 1] <= start:
            return False
        holding = bisect_right(self._starts, start)
        return not holding or self._reach[holding - 1] < end

    def union(self) -> Iterator[Range]:
        """The covered parts, in order, none touching the next."""
        begin = end = 0
        for start, stop in self._ordered:
            if start > end:
                if begin < end:
                    yield begin, end
                begin = start
            end = max(end, stop)
        if begin < end:
            yield begin, end


def _count_characters(text: str, cover: _Cover) -> tuple[int, int]:
    """Characters that are no white space: in the text, and in some chunk."""
    spaces = [space for space in _WHITE_SPACE if space in text]

    def count(start: int, end: int) -> int:
        return end - start - sum(text.count(space, start, end) for space in spaces)

    return count(0, len(text)), sum(count(start, end) for start, end in cover.union())


def _count_cut_sentences(text: str, spans: Sequence[Range], kinds: Sequence[str]) -> int:
    if _PROSE.isdisjoint(kinds):
        return 0
    ends = set(sentence_ends(text))
    cut = 0
    for (start, end), kind in zip(spans, kinds, strict=False):
        end = start + len(text[start:end].rstrip())
        if kind in _PROSE and start < end and end not in ends:
            cut += not _ends_block(text, end)
    return cut


def _ends_block(text: str, end: int) -> bool:
    """Whether another block begins after `end`, or a heading ends there."""
    if _NEW_BLOCK.match(text, end):
        return True
    if not _LINE_END.match(text, end):
        return False
    line = text.rfind("\n", max(end - _LONGEST_HEADING, 0), end) + 1
    if not line and end > _LONGEST_HEADING:
        return False
    return _HEADING.match(text, line, end) is not None


def structures(text: str) -> Structures:
    """The closed fences, the tables and the outermost lists of a Markdown text with LF line ends."""
    scan = _Scan(text)
    line = _LINE.search(text)
    while line is not None:
        line = _LINE.search(text, scan.read(line.start(), line.end()))
    scan.finish()
    return Structures(scan.fences, scan.tables, scan.lists)


class _Scan:
    """Reads lines in order, remembering the table and the list they may belong to."""

    def __init__(self, text: str) -> None:
        self.fences: list[Range] = []
        self.tables: list[Range] = []
        self.lists: list[Range] = []
        self._text = text
        self._after = 0  # the end of the line before
        self._table: Range | None = None
        self._has_delimiter = False
        self._list: Range | None = None
        self._indent, self._marker = 0, ""

    def read(self, start: int, end: int) -> int:
        """Take in the line that is visible from `start` to `end`; where to read on."""
        text = self._text
        is_apart = text.count("\n", self._after, start) > 1 or not self._after
        item = _ITEM.match(text, start, end)
        if item and _RULE.match(text, start, end):
            item = None
        self._read_list(start, end, item, is_apart)
        self._read_row(start, end, is_apart)
        self._after = end
        inner = item.end() if item else start
        fence = _FENCE.match(text, inner) if text[inner : inner + 1] in ("`", "~") else None
        return self._skip_fence(inner, end, fence.group()) if fence else end

    def finish(self) -> None:
        """Close what is open at the end of the text."""
        self._close_table()
        self._close_list()

    def _skip_fence(self, start: int, end: int, opening: str) -> int:
        for closing in _FENCE_END.finditer(self._text, end):
            if closing[1].startswith(opening):
                self.fences.append((start, closing.end(1)))
                if self._list:
                    self._list = self._list[0], closing.end(1)
                self._after = closing.end()
                return closing.end()
        return len(self._text)

    def _read_row(self, start: int, end: int, is_apart: bool) -> None:
        if is_apart or self._text.find("|", start, end) < 0:
            self._close_table()
        if self._text.find("|", start, end) < 0:
            return
        stop = self._trimmed(start, end)
        if self._table is None:
            self._table = start, stop
            return
        self._table = self._table[0], stop
        if _DELIMITER_ROW.match(self._text, start, end):
            self._has_delimiter |= self._text.find("-", start, end) >= 0

    def _close_table(self) -> None:
        if self._table and self._has_delimiter:
            self.tables.append(self._table)
        self._table, self._has_delimiter = None, False

    def _read_list(self, start: int, end: int, item: re.Match[str] | None, is_apart: bool) -> None:
        if self._list is None and item is None:
            return
        line = self._text.rfind("\n", 0, start) + 1
        indent = start - line + 3 * self._text.count("\t", line, start)
        if self._list is not None and self._goes_on(start, end, item, indent, is_apart):
            self._list = self._list[0], self._trimmed(start, end)
            return
        self._close_list()
        # a number other than 1 inside a paragraph is no list: "in\n1998. Then"
        if item and (is_apart or item[1] or item[2] == "1" or self._follows_block(start)):
            self._list = start, self._trimmed(start, end)
            self._indent, self._marker = indent, item[1] or item[3]

    def _goes_on(
        self, start: int, end: int, item: re.Match[str] | None, indent: int, is_apart: bool
    ) -> bool:
        if indent > self._indent + 1:
            return True
        if item:
            return (item[1] or item[3]) == self._marker
        if is_apart:
            return False
        text = self._text  # a line that only continues a paragraph
        return not (_ENDS_LIST.match(text, start, end) or _RULE.match(text, start, end))

    def _follows_block(self, start: int) -> bool:
        """Whether the line before is a heading or the like, which no line continues."""
        before = self._text.rfind("\n", 0, max(self._after - 1, 0)) + 1
        return _ENDS_LIST.match(self._text, before, self._after) is not None

    def _close_list(self) -> None:
        if self._list is not None:
            self.lists.append(self._list)
        self._list = None

    def _trimmed(self, start: int, end: int) -> int:
        return start + len(self._text[start:end].rstrip())
