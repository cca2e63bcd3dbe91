"""Nodes of a text whose lines say by a level (indentation, headers) what belongs to what."""

from collections.abc import Callable, Sequence
from functools import partial

from ragsql_engine.chunking.node_lists import DEEPEST, NodeList, offsets
from ragsql_engine.chunking.nodes import Node, Parts

Path = tuple[str, ...]
# Wider levels count the same, so that they fit an array.
HIGHEST_LEVEL = 1_000_000


class Outline:
    """Entries in the order of the text; one belongs to the last before it of a lower level.

    Kept as arrays, because a document of 50 MB may have millions of lines. `starts` are where the
    node of an entry begins (with the comments over it), `owns` where its own text does, `stops`
    where that ends, `nexts` the first entry after all that belong to it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts, self.owns, self.stops = offsets(text), offsets(text), offsets(text)
        self.levels, self.nexts = offsets(text), offsets(text)
        self._open = offsets(text)
        # A byte order mark belongs to what follows.
        self._pending = 0 if text.startswith("\ufeff") else None
        self._pending_stop = 1
        self.name: Callable[[int, int], str | None] = lambda entry, place: None
        """What the `place`th child `entry` adds to the heading path of its parent."""

    def add(self, level: int, own: int, stop: int) -> None:
        """An entry with its text at `own`..`stop`, and what was postponed before it."""
        entry, level = len(self.owns), min(level, HIGHEST_LEVEL)
        while self._open and self.levels[self._open[-1]] >= level:
            self.nexts[self._open.pop()] = entry
        self._open.append(entry)
        self.starts.append(own if self._pending is None else self._pending)
        self.owns.append(own)
        self.stops.append(stop)
        self.levels.append(level)
        self.nexts.append(-1)
        self._pending = None

    def postpone(self, start: int, stop: int) -> None:
        """A comment at `start`..`stop`, which goes with the entry that follows."""
        self._pending = start if self._pending is None else self._pending
        self._pending_stop = stop

    def extend(self, start: int, stop: int) -> None:
        """More of the last entry, at `start`..`stop`; an entry of its own where there is none."""
        if not self.stops:
            self.add(0, start, stop)
        self.stops[-1] = stop
        self._pending = None

    def close(self) -> None:
        """No more entries follow."""
        if self._pending is not None:
            self.extend(self._pending, self._pending_stop)
        for entry in self._open:
            self.nexts[entry] = len(self.owns)
        del self._open[:]

    def roots(self) -> Sequence[Node]:
        """The nodes at the top."""
        return self._nodes(self._siblings(0, len(self.owns)), None, (), 0)

    def children(self, entry: int) -> Sequence[int]:
        return self._siblings(entry + 1, self.nexts[entry])

    def _siblings(self, first: int, stop: int) -> Sequence[int]:
        siblings = offsets(self.text)
        while first < stop:
            siblings.append(first)
            first = self.nexts[first]
        return siblings

    def _nodes(
        self, entries: Sequence[int], start: int | None, path: Path, depth: int
    ) -> Sequence[Node]:
        """Nodes of siblings; the first begins at `start`, where their parent does."""

        def make(place: int) -> Node:
            entry = entries[place]
            begin = start if start is not None and place == 0 else self.starts[entry]
            name = self.name(entry, place)
            return self._node(entry, begin, path if name is None else (*path, name), depth)

        return NodeList(len(entries), make)

    def _node(self, entry: int, start: int, path: Path, depth: int) -> Node:
        """The node of an entry; of the one thing in it where that has parts and no siblings."""
        end = self.stops[self.nexts[entry] - 1]
        while depth < DEEPEST and self._holds_one_branch(entry):
            entry, depth = entry + 1, depth + 1
            name = self.name(entry, 0)
            path = path if name is None else (*path, name)
        one_child = entry + 1 < self.nexts[entry] == self.nexts[entry + 1]
        if depth >= DEEPEST or one_child or entry + 1 == self.nexts[entry]:
            return Node(start, end, "data", path=path or None)
        parts = partial(self._parts, entry, start, path, depth + 1)
        return Node(start, end, "data", parts, path or None)

    def _holds_one_branch(self, entry: int) -> bool:
        child, stop = entry + 1, self.nexts[entry]
        return child + 1 < stop == self.nexts[child]

    def _parts(self, entry: int, start: int, path: Path, depth: int) -> Parts:
        return self._nodes(self.children(entry), start, path, depth)
