"""Paragraphs of code: what stands together without a blank line between."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragsql_engine.chunking.nodes import Node


@dataclass(slots=True)
class Entry:
    """A node that is to be arranged.

    after_blank: whether a blank line stands before it.
    is_lines: a leaf that makes one with those around it.
    is_alone: stands in no paragraph, as definitions do.
    """

    node: Node
    after_blank: bool = True
    is_lines: bool = False
    is_alone: bool = False


def arrange(entries: Iterable[Entry]) -> Sequence[Node]:
    """The nodes of `entries`, which stand in order: paragraphs of several in a node of their own,
    unless there is only one paragraph.
    """
    paragraphs: list[list[Node]] = []
    last: Entry | None = None
    for entry in entries:
        if last is None or entry.after_blank or entry.is_alone or last.is_alone:
            paragraphs.append([])
        elif entry.is_lines and last.is_lines:
            last.node.end = entry.node.end
            continue
        paragraphs[-1].append(entry.node)
        last = entry
    return paragraphs[0] if len(paragraphs) == 1 else [_joined(nodes) for nodes in paragraphs]


def _joined(nodes: list[Node]) -> Node:
    if len(nodes) == 1:
        return nodes[0]
    return Node(nodes[0].start, nodes[-1].end, "code", lambda: nodes)
