"""From the bytes that a parser counts to the code points that everything else counts."""

from itertools import accumulate
from typing import Protocol

_STEP = 128  # bytes between two counts that are kept


class Offsets(Protocol):
    """Maps an offset in the UTF-8 of a text to one in code points."""

    def at(self, byte: int) -> int:
        """The code point that begins at `byte`."""


class AsciiOffsets:
    """A byte is a character."""

    def at(self, byte: int) -> int:
        """The code point that begins at `byte`."""
        return byte


class Utf8Offsets:
    """Counts of code points are kept every 128 bytes; looking one up takes constant time."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        starts = range(0, len(data), _STEP)
        counts = (self._count(start, start + _STEP) for start in starts)
        self._before = [0, *accumulate(counts)]

    def _count(self, start: int, end: int) -> int:
        # Bytes left over from a character that began before `start` are dropped; the lead byte of
        # one that goes on after `end` counts.
        piece = self._data[start:end]
        return len(piece) - _continuations(piece)

    def at(self, byte: int) -> int:
        """The code point that begins at `byte`."""
        step = byte // _STEP
        return self._before[step] + self._count(step * _STEP, byte)


_CONTINUATION = bytes(range(0x80, 0xC0))


def _continuations(piece: bytes) -> int:
    return len(piece) - len(piece.translate(None, _CONTINUATION))


def offsets(text: str, data: bytes) -> Offsets:
    """The map for `text` and `data`, its UTF-8. Building it takes linear time."""
    return AsciiOffsets() if len(text) == len(data) else Utf8Offsets(data)
