"""Ways to look at a tree of nodes in tests."""

from collections.abc import Callable, Iterator, Sequence

from ragsql_engine.chunking.nodes import Hints, Node
from unit.node_checks import assert_tree

Path = tuple[str, ...]


class Reader:
    """A strategy whose every tree is checked as it is read."""

    def __init__(self, parse: Callable[[str, Hints], Sequence[Node]]) -> None:
        self._parse = parse

    def parse(self, text: str) -> Sequence[Node]:
        nodes = self._parse(text, Hints())
        assert_tree(text, nodes)
        return nodes

    def paths(self, text: str) -> list[Path]:
        return [node.path for node in every(self.parse(text)) if node.path is not None]


def every(nodes: Sequence[Node]) -> Iterator[Node]:
    """Nodes, their parts, and so on."""
    for node in nodes:
        yield node
        yield from every(node.parts())


def contents(text: str, nodes: Sequence[Node], kind: str | None = None) -> list[str]:
    return [text[node.start : node.end] for node in nodes if kind in (None, node.kind)]
