"""From a tree of nodes to passages: the one place that knows about sizes.

What does not fit is taken apart, small neighbours are put together: the split-then-merge of cAST
(arXiv 2506.15655), over any structure, with headings and context kept. Two rules beyond it were
measured (docs/chunking.md): neighbours are put together only up to a share of the size, and a
text that is too large is cut into pieces of about equal length instead of full ones and a rest.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ragsql_engine.chunking.clusters import word_end
from ragsql_engine.chunking.language.sentences import phrase_end, sentence_ends
from ragsql_engine.chunking.measures import Measure
from ragsql_engine.chunking.nodes import Node, Parts
from ragsql_engine.chunking.pieces import Piece
from ragsql_engine.chunking.strings import trimmed

# Leaves of these kinds are cut at line ends, the others at sentence ends.
LINE_KINDS = frozenset({"code", "data", "table", "html", "front_matter"})
# Pieces of these kinds may repeat the end of the piece before: whole sentences, or whole lines.
_PROSE_KINDS = frozenset({"prose", "quote"})
_OVERLAPPING_LINE_KINDS = frozenset({"code", "data"})

# Neighbouring blocks are put together up to this share of the size. Statements, members, rows and
# items say little by themselves, so of these all that fits is put together.
_MERGED_SHARE = 0.5
# A smaller share left before something large goes into the first piece of that.
_LEADING_SHARE = 0.2
_LEADING_KINDS = frozenset({"prose", "code", "data"})
_FULLY_MERGED_KINDS = frozenset({"code", "data", "list", "table"})

_LINE = re.compile(r"[^\r\n]+")
_NODES_BETWEEN_PAUSES = 4096


@dataclass(frozen=True, slots=True)
class Limits:
    """What a passage may measure.

    `size` and `overlap` count units of `measure`; `tokens` and `capacity` say what the model
    reads, None without one. `carry` is a number of sentences to repeat whatever the overlap.
    `context_size` counts the tokens of a context.
    """

    measure: Measure
    size: int
    overlap: int
    carry: int = 0
    tokens: Measure | None = None
    capacity: int = 0
    context_size: Callable[[tuple[str, ...], tuple[str, ...]], int] = lambda path, context: 0


@dataclass(frozen=True, slots=True)
class _Scope:
    """The nodes that enclose what is being packed, as one."""

    path: tuple[str, ...] = ()
    section: tuple[int, int] | None = None
    contexts: tuple[tuple[int, str], ...] = ()
    capacity: int = 0
    outer: "_Scope | None" = None


class Packer:
    """Packs the nodes of one text."""

    def __init__(self, text: str, limits: Limits, pause: Callable[[], None]) -> None:
        self._text, self._limits, self._pause = text, limits, pause
        self._seen = 0

    def pack(self, nodes: Sequence[Node]) -> Iterator[Piece]:
        """Pieces in order. Each fits the limits, as far as these are exact."""
        return self._siblings(nodes, _Scope(capacity=self._limits.capacity), self._limits.size)

    def _siblings(self, nodes: Parts, scope: _Scope, target: int) -> Iterator[Piece]:
        """Put neighbours together, up to `target` units; take apart what is too large."""
        group: list[Node] = []
        start, last = 0, None
        for node in nodes:
            self._tick()
            whole = node.whole and self._fits(node.start, node.end, scope)
            if (
                group
                and whole
                and not node.alone
                and self._belongs(group, start, node, scope, target)
            ):
                group.append(node)
                continue
            lead = group if group and self._leads(group, node, whole) else []
            if group and not lead:
                last = self._piece(start, group, scope)
                yield last
            group = []
            if lead or not whole:
                yield from self._taken_apart(node, scope, lead)
                last = None
            elif node.alone:
                yield self._piece(node.start, [node], scope)
                last = None
            else:
                group = [node]
                start = node.start if last is None else self._overlapping_start(last, node, scope)
        if group:
            yield self._piece(start, group, scope)

    def _belongs(
        self, group: list[Node], start: int, node: Node, scope: _Scope, target: int
    ) -> bool:
        """Whether `node` goes into the piece of `group`."""
        limits, kind = self._limits, group[-1].kind
        if node.kind == "heading" and kind != "heading":
            return False  # it begins something
        if not (kind == node.kind and kind in _FULLY_MERGED_KINDS):
            target = min(target, int(limits.size * _MERGED_SHARE))
        if group[-1].kind == "heading" or self._text[group[-1].end - 1] == ":":
            target = limits.size  # it introduces what follows
        together = limits.measure.count(group[0].start, node.end)
        return together <= target and self._fits(start, node.end, scope)

    def _leads(self, group: list[Node], node: Node, whole: bool) -> bool:
        """Whether `group` goes into the first piece of `node`: headings, a title, a class's line."""
        if node.alone:
            return False
        if group[-1].kind == "heading":
            return True  # the group is nothing but headings, since one begins a group
        limits = self._limits
        size = limits.measure.count(group[0].start, group[-1].end)
        return (
            not whole
            and group[-1].kind == node.kind
            and node.kind in _LEADING_KINDS
            and size <= limits.size * _LEADING_SHARE
        )

    def _tick(self) -> None:
        self._seen += 1
        if self._seen % _NODES_BETWEEN_PAUSES == 0:
            self._pause()

    def _fits(self, start: int, end: int, scope: _Scope) -> bool:
        limits = self._limits
        return limits.measure.count(start, end) <= limits.size and (
            limits.tokens is None or limits.tokens.count(start, end) <= scope.capacity
        )

    def _piece(self, start: int, group: list[Node], scope: _Scope) -> Piece:
        first, outer = group[0], scope
        while outer.outer is not None and outer.section and start < outer.section[0]:
            outer = outer.outer  # a leading piece begins before what it leads to
        path, section = outer.path, outer.section
        if len(group) == 1:
            kind = first.kind
            if first.path is not None:
                path, section = first.path, (first.start, first.end)
        else:
            kind = _main_kind(group)
        context = tuple(text for begin, text in scope.contexts if begin < start)
        return Piece(start, group[-1].end, kind, path, section, context)

    def _taken_apart(self, node: Node, scope: _Scope, lead: Sequence[Node] = ()) -> Iterator[Piece]:
        """Pieces of the parts of a node; `lead`, the headings above it, goes with the first."""
        inner = scope
        if node.path is not None or node.context:
            inner = self._enter(node, scope)
        parts = node.parts()
        if parts:
            limits = self._limits
            number = self._pieces_needed(node.start, node.end, inner)
            share = limits.measure.count(node.start, node.end) // number
            target = min(limits.size, share + share // 8 + 1)
            yield from self._siblings([*lead, *parts] if lead else parts, inner, target)
            return
        atoms = self._lines(node) if node.kind in LINE_KINDS else self._sentences(node)
        if lead:
            atoms[0] = Node(lead[0].start, atoms[0].end, node.kind)
        yield from self._evenly(atoms, inner)

    def _pieces_needed(self, start: int, end: int, scope: _Scope) -> int:
        """How many pieces a stretch takes at least."""
        limits = self._limits
        number = -(-limits.measure.count(start, end) // limits.size)
        if limits.tokens is not None:
            number = max(number, -(-limits.tokens.count(start, end) // scope.capacity))
        return max(number, 1)

    def _evenly(self, parts: list[Node], scope: _Scope) -> Iterator[Piece]:
        """Pieces of about equal length, of sentences or lines."""
        atoms = [atom for part in parts for atom in self._small_enough(part, scope)]
        ends = [atom.end for atom in atoms]
        first, last = 0, None
        while first < len(atoms):
            self._tick()
            start = atoms[first].start
            if last is not None:
                start = self._overlapping_start(last, atoms[first], scope)
            number = self._pieces_needed(start, ends[-1], scope)
            target = start + (ends[-1] - start) // number
            after = bisect_left(ends, target, first) + 1  # past the target
            if after - 1 > first and (
                after > len(ends)
                or not self._fits(start, ends[after - 1], scope)
                or target - ends[after - 2] < ends[after - 1] - target
            ):
                after -= 1
            while after - 1 > first and not self._fits(start, ends[after - 1], scope):
                after -= 1
            last = self._piece(start, atoms[first:after], scope)
            yield last
            first = after

    def _small_enough(self, part: Node, scope: _Scope) -> Iterator[Node]:
        """A sentence or a line; several parts of one that does not fit."""
        start = part.start
        while start < part.end:
            self._tick()
            if self._fits(start, part.end, scope):
                yield part if start == part.start else Node(start, part.end, part.kind)
                return
            end = self._cut(start, part.end, scope)
            yield Node(start, end, part.kind)
            start = trimmed(self._text, end, part.end)[0]

    def _enter(self, node: Node, scope: _Scope) -> _Scope:
        contexts = scope.contexts
        if node.context:
            contexts = (*contexts, (node.start, node.context))
        path, section = scope.path, scope.section
        if node.path is not None:
            path, section = node.path, (node.start, node.end)
        used = self._limits.context_size(path, tuple(text for _, text in contexts))
        return _Scope(path, section, contexts, max(self._limits.capacity - used, 1), scope)

    def _cut(self, start: int, end: int, scope: _Scope) -> int:
        """The best end of a piece inside a sentence, or a line, that is too large."""
        limits = self._limits
        reach = limits.measure.reach(start, limits.size)
        if limits.tokens is not None:
            reach = min(reach, limits.tokens.reach(start, scope.capacity))
        reach = max(reach, start + 1)
        if reach >= end:
            return end
        phrase = phrase_end(self._text, start, reach)
        if phrase is not None:
            return phrase
        return word_end(self._text, start, reach)

    def _sentences(self, node: Node) -> list[Node]:
        parts, start = [], node.start
        for end in sentence_ends(self._text, node.start, node.end):
            start = trimmed(self._text, start, end)[0]
            parts.append(Node(start, end, node.kind))
            start = end
        return parts

    def _lines(self, node: Node) -> list[Node]:
        parts = []
        for line in _LINE.finditer(self._text, node.start, node.end):
            start, end = trimmed(self._text, *line.span())
            if start < end:
                parts.append(Node(start, end, node.kind))
        return parts

    def _overlapping_start(self, last: Piece, node: Node, scope: _Scope) -> int:
        """Where the piece that begins with `node` begins, the repeated text included."""
        if last.kind in _PROSE_KINDS and node.kind in _PROSE_KINDS:
            starts = self._sentence_starts(last)
        elif last.kind == node.kind in _OVERLAPPING_LINE_KINDS and node.path is None:
            starts = self._line_starts(last)
        else:
            return node.start
        return next((start for start in starts if self._fits(start, node.end, scope)), node.start)

    def _sentence_starts(self, last: Piece) -> list[int]:
        limits = self._limits
        if not limits.carry and not limits.overlap:
            return []
        ends = [last.start, *sentence_ends(self._text, last.start, last.end)]
        if limits.carry:
            reach = limits.measure.back(last.end, limits.size // 2)
            ends = ends[-limits.carry - 1 : -1]
        else:
            reach = self._reach(last)
        starts = (trimmed(self._text, end, last.end)[0] for end in ends if end >= reach)
        return [start for start in starts if last.start < start < last.end]

    def _line_starts(self, last: Piece) -> list[int]:
        first = self._text.find("\n", max(self._reach(last) - 1, last.start), last.end)
        if first < 0:
            return []
        lines = _LINE.finditer(self._text, first, last.end)
        spans = (trimmed(self._text, *line.span()) for line in lines)
        return [start for start, end in spans if start < end]

    def _reach(self, last: Piece) -> int:
        """Where the overlap with a piece may begin: a smaller one keeps the share of it."""
        limits = self._limits
        share = (last.end - last.start) * limits.overlap // limits.size
        return max(limits.measure.back(last.end, limits.overlap), last.end - share)


def _main_kind(group: list[Node]) -> str:
    sizes: dict[str, int] = {}
    for node in group:
        # a heading is never what a passage is about
        size = 0 if node.kind == "heading" else node.end - node.start
        sizes[node.kind] = sizes.get(node.kind, 0) + size
    return max(sizes, key=sizes.__getitem__)
