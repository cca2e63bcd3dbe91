"""Long rows of nodes that are made one by one, and names fit for a heading path."""

from array import array
from collections.abc import Callable, Sequence
from typing import overload

from ragsql_engine.chunking.nodes import Node
from ragsql_engine.chunking.strings import one_line

LONGEST_LABEL = 80  # characters
DEEPEST = 50  # levels; what lies deeper is a leaf
PAUSE_MASK = 8191  # work is interruptible every so many units, a power of two less one


class NodeList(Sequence[Node]):
    """`count` nodes, each made by `make(index)` whenever it is asked for.

    A document of 50 MB can have millions of members: as objects they would take gigabytes.
    """

    def __init__(self, count: int, make: Callable[[int], Node]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Node: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Node]: ...

    def __getitem__(self, index: int | slice) -> Node | Sequence[Node]:
        if isinstance(index, slice):
            return [self._make(each) for each in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        return self._make(index % self._count)


def offsets(text: str) -> "array[int]":
    """An empty array for offsets into `text`, no wider than needed."""
    return array("i" if len(text) < 2**31 else "q")


def label(name: str) -> str:
    """`name` as one element of a heading path."""
    return one_line(name, LONGEST_LABEL)


def line_number(text: str, offset: int) -> int:
    """The physical line, from 1, of the character at `offset`; LF, CR LF and lone CR end lines."""
    breaks = text.count("\n", 0, offset) + text.count("\r", 0, offset)
    return 1 + breaks - text.count("\r\n", 0, offset + 1)
