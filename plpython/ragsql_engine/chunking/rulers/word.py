"""Passages of a fixed number of words.

A word is a run of characters without white space. Scripts written without spaces are counted as
word processors do, one ideograph or kana a word. A run longer than `LONGEST_WORD` (encoded data,
Thai, minified code) counts one word for each piece of that length, so that a passage has at most
size * LONGEST_WORD characters besides the white space between words.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.chunking import clusters
from ragsql_engine.chunking.node_lists import offsets

Offsets = NDArray[np.int64]

# WordPiece tokenizers read a longer run as one unknown token.
LONGEST_WORD = 100

# Hiragana, katakana and its extensions, ideographs of all planes, halfwidth katakana.
_IDEOGRAPHS = (
    *((0x3041, 0x3096), (0x309D, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF)),
    *((0xF900, 0xFAFF), (0xFF66, 0xFF9D), (0x20000, 0x3FFFF)),
)
_IDEOGRAPH = "".join(f"{chr(first)}-{chr(last)}" for first, last in _IDEOGRAPHS)
# What stays with the ideograph before it: marks, variation selectors, closing punctuation.
_FOLLOWERS = (
    r"\u0300-\u036f\u3099\u309a\uff9e\uff9f\ufe00-\ufe0f\U000e0100-\U000e01ef"
    r"\u3001\u3002\u3009\u300b\u300d\u300f\u3011\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f"
)
# What a code point is. `str.isspace` and `str.split` know the same white space.
_WHITE, _OTHER, _IDEOGRAPHIC = 0, 1, 2
_SORTS = np.full(0x110000, _OTHER, np.uint8)
_SORTS[[code for code in range(0x3001) if chr(code).isspace()]] = _WHITE
for _first, _last in _IDEOGRAPHS:
    _SORTS[_first : _last + 1] = _IDEOGRAPHIC
_NONE = np.array([], np.int64)
_BLOCK = 1 << 16  # characters looked at together: what a processor keeps at hand

_PIECE = re.compile(f"[{_IDEOGRAPH}][{_FOLLOWERS}]{{0,8}}|[^{_IDEOGRAPH}]{{1,{LONGEST_WORD}}}")


class WordRuler:
    """Measures in words; passages begin and end at words."""

    def __init__(self, text: str, size: int, overlap: int) -> None:
        self._size, self._overlap = size, overlap
        self._starts, self._ends = words_of(text)
        self.begin, self.end = self._starts[0], self._ends[-1]

    def far_end(self, start: int) -> int:
        last = min(self._word_at(start) + self._size, len(self._ends)) - 1
        return self._ends[last]

    def floor(self, text: str, start: int, position: int) -> int:
        index = bisect_right(self._ends, position) - 1
        if index >= 0 and self._ends[index] > start:
            return self._ends[index]
        return clusters.floor(text, start, position)

    def start_before(self, position: int) -> int:
        return self._starts[max(self._word_at(position), 0)]

    def resume(self, end: int) -> int:
        if self._inside_word(end):
            return end
        index = bisect_left(self._starts, end)
        return self._starts[index] if index < len(self._starts) else end

    def next_start(self, start: int, end: int) -> int:
        if self._inside_word(end):
            return end
        first, following = self._word_at(start), bisect_left(self._starts, end)
        # A passage that the model's window made smaller keeps the share of its overlap.
        overlap = self._overlap * (following - first) // self._size
        if overlap == 0:
            return self.resume(end)
        return self._starts[following - overlap]

    def _word_at(self, position: int) -> int:
        """The index of the last word that begins at or before `position`."""
        return bisect_right(self._starts, position) - 1

    def _inside_word(self, position: int) -> bool:
        index = self._word_at(position)
        return self._starts[index] < position < self._ends[index]


def words_of(text: str) -> "tuple[array[int], array[int]]":
    """Where the words of a text begin and end."""
    run_starts, run_ends, ideographs = _runs(text)
    to_cut = run_ends - run_starts > LONGEST_WORD
    if len(ideographs):
        to_cut |= np.searchsorted(ideographs, run_ends) > np.searchsorted(ideographs, run_starts)
    starts, ends = offsets(text), offsets(text)
    run_starts, run_ends = run_starts.astype(starts.typecode), run_ends.astype(starts.typecode)
    done = 0
    for index in np.flatnonzero(to_cut).tolist():
        starts.frombytes(run_starts[done:index].tobytes())
        ends.frombytes(run_ends[done:index].tobytes())
        for start, end in _pieces(text, int(run_starts[index]), int(run_ends[index])):
            starts.append(start)
            ends.append(end)
        done = index + 1
    starts.frombytes(run_starts[done:].tobytes())
    ends.frombytes(run_ends[done:].tobytes())
    return starts, ends


def _runs(text: str) -> tuple[Offsets, Offsets, Offsets]:
    """Where the runs of characters without white space begin and end; where ideographs are."""
    borders, ideographs, inside = [_NONE], [_NONE], False
    for begin in range(0, len(text), _BLOCK):
        visible, found = _look_at(text[begin : begin + _BLOCK])
        ideographs.append(found + begin)
        changes = np.flatnonzero(visible[1:] != visible[:-1]) + (begin + 1)
        if visible[0] != inside:
            changes = np.concatenate(([begin], changes))
        inside = bool(visible[-1])
        borders.append(changes)
    if inside:
        borders.append(np.array([len(text)]))
    edges = np.concatenate(borders)
    return edges[0::2], edges[1::2], np.concatenate(ideographs)


def _look_at(block: str) -> tuple[NDArray[np.bool_], Offsets]:
    """Which characters are no white space, as `str.split` sees it; where ideographs are."""
    if block.isascii():
        codes = np.frombuffer(block.encode("ascii"), np.uint8)
    else:
        codes = np.frombuffer(block.encode("utf-32-le", "surrogatepass"), np.uint32)
    visible = codes > ord(" ")
    odd = np.flatnonzero((codes < 9) | ((codes > 13) & (codes < 28)) | (codes > 0x84))
    sorts = _SORTS[codes[odd]]
    visible[odd] = sorts != _WHITE
    return visible, odd[sorts == _IDEOGRAPHIC]


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        piece = _PIECE.match(text, start, end)
        cut = piece.end() if piece else end
        if cut < end:
            cut = clusters.floor(text, start, cut)
        yield start, cut
        start = cut
