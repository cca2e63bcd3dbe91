"""How large a stretch of text is: in characters, in words, or in the tokens of a model."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable
from typing import Protocol

from ragsql_engine.tokens import TokenWindow

# A tokenizer is given this many characters at a time: its answer takes a hundred bytes a token.
_BLOCK = 1 << 17
_SPACE = re.compile(r"\s")


class Measure(Protocol):
    """Measures stretches of one text. Each method takes constant or log time."""

    def count(self, start: int, end: int) -> int:
        """Units in text[start:end]; one that is cut counts where it begins."""

    def reach(self, start: int, size: int) -> int:
        """The farthest end such that text[start:end] has at most `size` units."""

    def back(self, end: int, size: int) -> int:
        """The earliest start such that text[start:end] has at most `size` units."""


class CharacterMeasure:
    """Counts code points."""

    def __init__(self, text: str) -> None:
        self._length = len(text)

    def count(self, start: int, end: int) -> int:
        return end - start

    def reach(self, start: int, size: int) -> int:
        return min(start + size, self._length)

    def back(self, end: int, size: int) -> int:
        return max(end - size, 0)


class UnitMeasure:
    """Counts units by the offsets at which they begin, given in rising order."""

    def __init__(self, text: str, starts: "array[int]") -> None:
        self._length, self._starts = len(text), starts

    def count(self, start: int, end: int) -> int:
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def reach(self, start: int, size: int) -> int:
        index = bisect_left(self._starts, start) + size
        return self._starts[index] if index < len(self._starts) else self._length

    def back(self, end: int, size: int) -> int:
        index = bisect_left(self._starts, end) - size
        return self._starts[max(index, 0)] if self._starts else 0


def token_measure(text: str, window: TokenWindow, pause: Callable[[], None]) -> UnitMeasure:
    """Counts tokens, tokenising the text once.

    Exact between white space; elsewhere a tokenizer may divide a part of a word differently than
    the whole word, so what must not be exceeded is counted again.
    """
    starts = array("q")
    for begin, end in _blocks(text):
        pause()
        starts.extend(begin + offset for offset in window.token_starts(text[begin:end]))
    return UnitMeasure(text, starts)


def _blocks(text: str) -> list[tuple[int, int]]:
    """Parts of about `_BLOCK` characters that end at white space where there is any near."""
    blocks, start = [], 0
    while start < len(text):
        space = _SPACE.search(text, start + _BLOCK, start + 2 * _BLOCK)
        end = space.start() if space else min(start + 2 * _BLOCK, len(text))
        blocks.append((start, end))
        start = end
    return blocks
