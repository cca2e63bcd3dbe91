"""What holds for the node tree of every structure-aware strategy."""

from collections.abc import Sequence

from ragsql_engine.chunking.nodes import Node

DEEPEST = 60


def assert_tree(text: str, nodes: Sequence[Node]) -> None:
    """Nodes tile the text: in order, only white space between them, parts filling their node."""
    left_out = _outside(text, nodes, 0, len(text))
    assert left_out.strip() == "", f"outside every node: {left_out.strip()[:80]!r}"
    for node in nodes:
        _assert_node(text, node, 1)


def _assert_node(text: str, node: Node, depth: int) -> None:
    assert depth <= DEEPEST
    content = text[node.start : node.end]
    assert content and content.strip() == content, f"white space at an end of {content[:80]!r}"
    for name in node.path or ():
        assert name.isprintable(), f"{name!r} in a heading path"
    assert len(node.context) <= 300
    parts = node.parts()
    if not parts:
        return
    assert len(parts) > 1 or (parts[0].start, parts[0].end) != (node.start, node.end)
    assert (parts[0].start, parts[-1].end) == (node.start, node.end)
    assert _outside(text, parts, node.start, node.end).strip() == ""
    for part in parts:
        _assert_node(text, part, depth + 1)


def _outside(text: str, nodes: Sequence[Node], start: int, end: int) -> str:
    position, gaps = start, []
    for node in nodes:
        assert position <= node.start < node.end <= end
        gaps.append(text[position : node.start])
        position = node.end
    return "".join([*gaps, text[position:end]])
