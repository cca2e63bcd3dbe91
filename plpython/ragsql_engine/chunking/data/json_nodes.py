"""JSON and JSON lines as nodes: objects and arrays, their members by key path."""

import json
import re
from collections.abc import Sequence
from functools import partial

from ragsql_engine.chunking.data.json_scan import Scan
from ragsql_engine.chunking.node_lists import DEEPEST, PAUSE_MASK, NodeList, label, offsets
from ragsql_engine.chunking.nodes import Hints, Node, Parts

Path = tuple[str, ...]

_SCALAR = re.compile(r"""["']|[-+]?(?:\d|\.\d)|(?:true|false|null)\b""")
_KEY = re.compile(
    r'"((?:[^"\\\r\n]|\\.){0,500})"'
    r"|'((?:[^'\\\r\n]|\\.){0,500})'|([^\s:,{}\[\]]{1,99})"
)
_LINE = re.compile(r"\r\n|[\r\n]|[^\r\n]++")
_OPENING = re.compile(r"[{\[]")
_VISIBLE = re.compile(r"\S")
# What names an element of an array, best first, as a short scalar.
_NAMES = ("name", "title", "id", "key")
_NAMED = re.compile(
    rf'(?<=[{{,\s])"({"|".join(_NAMES)}|kind)"\s{{0,8}}:\s{{0,8}}'
    r'(?:"([^"\\\r\n]{1,60})"|(-?\d{1,20}))\s{0,200}(?=[,}])'
)
_METADATA = re.compile(r'"metadata"\s{0,8}:\s{0,8}\Z')
# An element is asked for its name within these bounds, so that asking costs constant time.
_MOST_STRETCHES, _LONGEST_STRETCH = 10, 400


def parse(text: str, hints: Hints) -> tuple[Sequence[Node], int | None]:
    """The values of a JSON text as nodes, and the offset of what cannot be read.

    Without nodes, it is not JSON. With nodes and an offset, closing brackets are missing from
    there; each is taken to stand at the end.
    """
    start, end = _visible_ends(text)
    content = start + text.startswith("\ufeff", start)
    scan = Scan(text, content, end, hints.pause)
    if scan.problem is not None and not scan.truncated:
        return (), scan.problem
    if not scan.opens:
        scalar = _SCALAR.match(text, scan.skip_blank(content, end))
        return ((Node(start, end, "data"),), None) if scalar else ((), start)
    return _Tree(scan, hints).values(start, end), scan.problem


def parse_lines(text: str, hints: Hints) -> Sequence[Node]:
    """One node for each line that is not blank; () where values run over several lines."""
    lines = _Lines(text, hints)
    return NodeList(len(lines.starts), lines.node) if lines.hold_values() else ()


class _Lines:
    """The lines of a text that are not blank: their ends and their numbers from 1."""

    def __init__(self, text: str, hints: Hints) -> None:
        self._text, self._hints, self._warned = text, hints, False
        self.starts, self._ends, self._numbers = offsets(text), offsets(text), offsets(text)
        number = 1
        for count, match in enumerate(_LINE.finditer(text)):
            if not count & PAUSE_MASK:
                hints.pause()
            start, end = match.span()
            if text[start] in "\r\n":
                number += 1
            elif visible := _VISIBLE.search(text, start, end):
                self.starts.append(visible.start())
                self._ends.append(start + len(match[0].rstrip()))
                self._numbers.append(number)

    def hold_values(self) -> bool:
        """Whether the first line closes what it opens."""
        return not Scan(self._text, self.starts[0], self._ends[0], self._hints.pause).truncated

    def node(self, index: int) -> Node:
        start, end = self.starts[index], self._ends[index]
        stop = min(end, start + _LONGEST_STRETCH)
        nested = _OPENING.search(self._text, start + 1, stop)
        first = _NAMED.finditer(self._text, start, nested.start() if nested else stop)
        name = label(_best_name({found[1]: found[2] or found[3] for found in first}))
        path = (f"line {self._numbers[index]}{' ' * bool(name)}{name}",)
        return Node(start, end, "data", partial(self._parts, index, path), path)

    def _parts(self, index: int, path: Path) -> Parts:
        start, end = self.starts[index], self._ends[index]
        scan = Scan(self._text, start, end, self._hints.pause)
        if scan.problem is None and scan.opens and scan.nexts[0] == len(scan.opens):
            return _Tree(scan, self._hints).node(0, start, end, path, 0).parts()
        if scan.problem is not None and not self._warned:
            self._warned = True
            self._hints.warn(f"line {self._numbers[index]} is no JSON: it is cut between words")
        return ()


class _Tree:
    """Makes the nodes of a scanned text whenever they are asked for."""

    def __init__(self, scan: Scan, hints: Hints) -> None:
        self._scan, self._text, self._hints = scan, scan.text, hints

    def values(self, start: int, end: int) -> Sequence[Node]:
        """A node for each value at the top, together with whatever stands before or behind it."""
        roots, nexts = offsets(self._text), self._scan.nexts
        root = 0
        while root < len(nexts):
            roots.append(root)
            root = nexts[root]
        if len(roots) == 1:
            resource = self._name(0, resources_only=True)
            return (self.node(0, start, end, (resource,) if resource else (), 0),)

        def value(index: int) -> Node:
            begin, stop = start, end
            if index:
                begin = self._visible(self._scan.closes[roots[index - 1]] + 1)
            if index + 1 < len(roots):
                stop = self._scan.closes[roots[index]] + 1
            return self.node(roots[index], begin, stop, (self._element(index, roots[index]),), 0)

        return NodeList(len(roots), value)

    def node(self, container: int, start: int, end: int, path: Path, depth: int) -> Node:
        """The node of a container, which begins with its key and ends with its comma.

        Where a container is all that the one around it holds, the node is headed by its path.
        """
        while depth < DEEPEST and (child := self._scan.only_child(container)) is not None:
            element = self._place(container, child, self._scan.opens[container] + 1, 0)
            path, depth, container = (*path, element), depth + 1, child
        if depth >= DEEPEST or self._scan.is_empty(container):
            return Node(start, end, "data", path=path or None)
        parts = partial(self._parts, container, start, end, path, depth + 1)
        return Node(start, end, "data", parts, path or None)

    def _parts(self, container: int, start: int, end: int, path: Path, depth: int) -> Parts:
        ends, children, places = self._scan.members(container, self._hints.pause)
        last = len(ends) - 1
        if last < 1:
            return ()

        def member(index: int) -> Node:
            content = ends[index - 1] if index else self._scan.opens[container] + 1
            begin = self._visible(content) if index else start
            stop = ends[index] if index < last else end
            child = children[index]
            if index < last and places[index + 1] - places[index] > 1:
                return Node(begin, stop, "data")
            inner = (*path, self._place(container, child, content, places[index]))
            if child < 0:
                return Node(begin, stop, "data", path=inner)
            return self.node(child, begin, stop, inner, depth)

        return NodeList(len(ends), member)

    def _place(self, container: int, child: int, content: int, place: int) -> str:
        """The path element of a member whose text begins at `content`."""
        if self._scan.is_array(container):
            return self._element(place, child)
        start = self._scan.skip_blank(content, self._scan.closes[container])
        key = _KEY.match(self._text, start)
        if key is None:
            return f"[{place}]"
        name = key[key.lastindex or 0]
        if "\\" in name:
            name = _unescaped(name)
        return label(name) or '""'

    def _element(self, place: int, container: int) -> str:
        name = self._name(container) if container >= 0 else None
        return f"[{place}] {name}" if name else f"[{place}]"

    def _name(self, container: int, resources_only: bool = False) -> str | None:
        """What an object calls itself: its name, title, id or key; a Kubernetes object's kind too."""
        if self._scan.is_array(container):
            return None
        own, metadata = self._names(container)
        if "kind" in own and metadata >= 0 and "name" in (inner := self._names(metadata)[0]):
            return label(f"{own['kind']} {inner['name']}")
        return None if resources_only else label(_best_name(own)) or None

    def _names(self, container: int) -> tuple[dict[str, str], int]:
        """The short scalars that may name an object, and the container of its metadata or -1."""
        found: dict[str, str] = {}
        metadata = -1
        stretches = self._scan.own_text(container)
        for _, (start, stop, child) in zip(range(_MOST_STRETCHES), stretches, strict=False):
            stop_looking = min(stop + 1, start + _LONGEST_STRETCH)  # a closing bracket is seen
            for match in _NAMED.finditer(self._text, start, stop_looking):
                found.setdefault(match[1], match[2] or match[3])
            if child >= 0 and _METADATA.search(self._text, max(start, stop - 32), stop):
                metadata = child
        return found, metadata

    def _visible(self, position: int) -> int:
        visible = _VISIBLE.search(self._text, position)
        return visible.start() if visible else position


def _best_name(names: dict[str, str]) -> str:
    return next((names[key] for key in _NAMES if key in names), "")


def _unescaped(name: str) -> str:
    try:
        return str(json.loads(f'"{name}"'))
    except ValueError:
        return name


def _visible_ends(text: str) -> tuple[int, int]:
    visible = _VISIBLE.search(text)
    start = visible.start() if visible else len(text)
    end = len(text)
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
