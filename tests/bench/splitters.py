"""The splitters that ragsql's strategies are compared with."""

import importlib
import re
from collections.abc import Callable, Iterator, Sequence

from bench.scores import Passage, Range

Splitter = Callable[[str], Sequence[Passage]]

# The recursive character splitter of LangChain, with the separators of the report. A separator is
# kept at the beginning of what follows it; passages are stripped.
SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")


def split_recursively(
    text: str, size: int, shared: int, separators: Sequence[str] = SEPARATORS
) -> Iterator[Range]:
    """Passages of at most `size` characters, the one beginning up to `shared` in the one before."""

    def recurse(start: int, end: int, level: int) -> Iterator[Range]:
        while separators[level] and text.find(separators[level], start, end) < 0:
            level += 1
        small: list[Range] = []
        for piece in _pieces(text, start, end, separators[level]):
            if piece.end - piece.start < size or level + 1 == len(separators):
                small.append(piece)
                continue
            yield from _merged(small, size, shared)
            small = []
            yield from recurse(piece.start, piece.end, level + 1)
        yield from _merged(small, size, shared)

    for start, end in recurse(0, len(text), 0):
        content = text[start:end]
        if content.strip():
            lead = len(content) - len(content.lstrip())
            yield Range(start + lead, start + lead + len(content.strip()))


def _pieces(text: str, start: int, end: int, separator: str) -> Iterator[Range]:
    if not separator:
        yield from (Range(at, at + 1) for at in range(start, end))
        return
    for match in re.compile(re.escape(separator)).finditer(text, start, end):
        if match.start() > start:
            yield Range(start, match.start())
            start = match.start()
    yield Range(start, end)


def _merged(pieces: Sequence[Range], size: int, shared: int) -> Iterator[Range]:
    """Joins neighbours up to `size`, then goes back by whole pieces of at most `shared` in all."""
    first = 0
    for index, piece in enumerate(pieces):
        length, added = piece.start - pieces[first].start, piece.end - piece.start
        if length + added > size and index > first:
            yield Range(pieces[first].start, piece.start)
            while length > shared or (length + added > size and length > 0):
                length -= pieces[first].end - pieces[first].start
                first += 1
    if first < len(pieces):
        yield Range(pieces[first].start, pieces[-1].end)


def recursive(size: int, shared: int) -> Splitter:
    """The recursive splitter; what it cuts is what it embeds."""

    def split(text: str) -> list[Passage]:
        return [Passage(s, e, text[s:e]) for s, e in split_recursively(text, size, shared)]

    return split


def text_splitter(size: int, shared: int) -> Splitter | None:
    """semantic-text-splitter's TextSplitter, where it is installed."""
    try:
        library = importlib.import_module("semantic_text_splitter")
    except ImportError:
        return None
    splitter = library.TextSplitter(size, overlap=shared)

    def split(text: str) -> list[Passage]:
        return [Passage(at, at + len(c), c) for at, c in splitter.chunk_indices(text)]

    return split
