"""From a syntax tree to the nodes of a document: split along the tree, merged by the packer.

This is the split-then-merge of cAST (arXiv 2506.15655), with two rules of its own: a piece begins
where a line begins, and whatever stands between two pieces belongs to the one before, so that
nothing is lost, be it a comma, a comment or text that does not parse.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, pairwise

from tree_sitter import Node as Syntax

from ragsql_engine.chunking.code.blocks import block_nodes
from ragsql_engine.chunking.code.definitions import Definer, Definition
from ragsql_engine.chunking.code.grammars import CONTAINER, FUNCTION
from ragsql_engine.chunking.code.paragraphs import Entry, arrange
from ragsql_engine.chunking.code.source import Source
from ragsql_engine.chunking.nodes import Node, Parts, no_parts

_DEEPEST = 28  # levels, each of which may take two: a paragraph and what is in it
_SHORTEST_PIECE = 100  # characters, where several begin in one line
_CLOSERS = re.compile(r"[)\]};,\s]*+")
# What follows closing brackets on a line that opens the next branch of a statement.
_BRANCH = re.compile(r"(?:else|catch|finally|rescue|ensure)\b|.*+(?<=[{(\[:])$", re.IGNORECASE)
_CLOSING_TOKENS = frozenset(
    "end fi done esac #endif ;; heredoc_body heredoc_end dollar_quote string_end "
    "jsx_closing_element".split()
)


@dataclass(slots=True)
class Group:
    """`text[start:end]` and the nodes in it that begin a line, comments before it included."""

    start: int
    end: int
    nodes: list[Syntax] = field(default_factory=list)
    after_blank: bool = True
    is_branch: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a group stands: the names around it, whether in a function, how deep."""

    path: tuple[str, ...] = ()
    is_local: bool = False
    depth: int = 1

    def deeper(self) -> "Scope":
        """The scope of the parts of a group that stands in this one."""
        return replace(self, depth=self.depth + 1)

    def within(self, definition: Definition) -> "Scope":
        """The scope of the parts of a definition that stands in this one."""
        is_local = self.is_local or definition.role == FUNCTION
        return Scope(self.path + definition.names, is_local, self.depth + 1)


class Splitter:
    """Makes nodes of one source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._grammar = source.grammar
        self._definer = Definer(source)

    def nodes(self, start: int, end: int, root: Syntax) -> Sequence[Node]:
        """The nodes of `text[start:end]`, which has no white space at its two ends."""
        fresh = self._source.fresh_nodes(self._source.children(root))
        return self._assemble(self._cut(start, end, fresh), Scope())

    def _open(self, group: Group, scope: Scope) -> Sequence[Node]:
        """The parts of a group: opens its nodes, level by level, until there are several."""
        source, nodes = self._source, group.nodes
        while True:
            if any(node.id in source.raw for node in nodes):
                return block_nodes(source.text, group.start, group.end, scope.path, scope.depth)
            inner: list[Syntax] = []
            for node in nodes:
                if source.is_open(node):
                    inner += source.fresh_nodes(source.children(node), lead=node.start_byte)
                else:
                    inner.append(node)
            if inner == nodes:
                return ()
            groups = self._cut(group.start, group.end, inner)
            if len(groups) > 1:
                return self._assemble(groups, scope)
            if self._define(groups[0], scope):
                return self._open_definition(groups[0], scope, is_opened=True)
            nodes = inner

    def _open_definition(
        self, group: Group, scope: Scope, is_opened: bool = False
    ) -> Sequence[Node]:
        """The header of a definition, then what is in its body."""
        # Found a second time, rather than kept for each of many definitions that fit a chunk.
        definition = self._define(group, scope)
        if definition is None:
            return ()
        body = definition.body
        # A wrapper of a definition without a body opens to the definition itself.
        if scope.path[-len(definition.names) :] != definition.names or not is_opened:
            scope = scope.within(definition)
        if body is None:
            return self._open(group, scope)
        fresh: list[Syntax] = []
        main = 0
        for node in group.nodes:
            if node.start_byte <= body.start_byte and body.end_byte <= node.end_byte:
                main = node.start_byte
                fresh += self._source.fresh_nodes([node], body)
            else:
                fresh.append(node)
        split = next(
            (i for i, node in enumerate(fresh) if node.start_byte >= body.start_byte), len(fresh)
        )
        while split and self._is_prefix(fresh[split - 1]) and fresh[split - 1].start_byte > main:
            split -= 1
        groups = self._cut(group.start, group.end, fresh[split:])
        if len(groups) == 1:
            return self._open(group, scope)
        groups[0].nodes = fresh[:split] + groups[0].nodes
        return self._assemble(groups, scope, self._header(groups, definition, scope))

    def _header(self, groups: Sequence[Group], definition: Definition, scope: Scope) -> int:
        """How many groups at the beginning are kept together: what introduces the members."""
        count = 1
        if self._grammar.docstrings and _is_docstring(groups[1]):
            count = 2
        if definition.role == CONTAINER:
            for index in range(count, len(groups)):
                if self._define(groups[index], scope):
                    return index
        return count

    def _assemble(self, groups: Sequence[Group], scope: Scope, header: int = 0) -> Sequence[Node]:
        """Nodes of groups: branches first, then definitions, paragraphs and lines."""
        branches = [i for i, group in enumerate(groups) if group.is_branch and i > header]
        if branches:
            edges = [0, *branches, len(groups)]
            sections = [groups[a:b] for a, b in pairwise(edges)]
            return [self._joined(section, scope) for section in sections]
        header = header if 1 < header < len(groups) else 0
        entries = self._entries(groups[header:], scope)
        if header:
            entries = chain([Entry(self._joined(groups[:header], scope), is_alone=True)], entries)
        nodes = arrange(entries)
        return nodes if len(nodes) > 1 or scope.depth == 1 else ()

    def _joined(self, groups: Sequence[Group], scope: Scope) -> Node:
        if len(groups) == 1:
            return next(self._entries(groups, scope)).node
        parts = partial(self._assemble, groups, scope.deeper())
        return self._node(groups[0].start, groups[-1].end, scope, parts)

    def _entries(self, groups: Sequence[Group], scope: Scope) -> Iterator[Entry]:
        """What the groups are, in order."""
        source, inner, before = self._source, scope.deeper(), groups[0].start
        for group in groups:
            definition = self._define(group, scope)
            if definition is not None:
                yield Entry(self._defined(group, definition, scope), is_alone=True)
            elif any(source.is_open(node) or node.id in source.raw for node in group.nodes):
                node = self._node(group.start, group.end, scope, partial(self._open, group, inner))
                yield Entry(node, group.after_blank)
            else:
                is_lines = "\n" in source.text[before : group.start]
                yield Entry(Node(group.start, group.end, "code"), group.after_blank, is_lines)
            before = group.end

    def _defined(self, group: Group, definition: Definition, scope: Scope) -> Node:
        parts = partial(self._open_definition, group, scope)
        node = self._node(group.start, group.end, scope, parts)
        node.path = scope.path + definition.names
        node.context = definition.signature
        return node

    def _node(self, start: int, end: int, scope: Scope, parts: Callable[[], Parts]) -> Node:
        return Node(start, end, "code", no_parts if scope.depth >= _DEEPEST else parts)

    def _define(self, group: Group, scope: Scope) -> Definition | None:
        main = next((node for node in group.nodes if not self._is_prefix(node)), None)
        if main is None or main.id in self._source.raw:
            return None
        return self._definer.define(main, scope.is_local)

    def _is_prefix(self, node: Syntax) -> bool:
        return node.type in self._grammar.prefixes

    def _cut(self, start: int, end: int, nodes: Sequence[Syntax]) -> list[Group]:
        """Groups that tile `text[start:end]`, one for each node that is not tied to another."""
        source, groups, last, position = self._source, [Group(start, end)], None, start
        for node in nodes:
            # What is white space in Unicode may be a token to a grammar.
            position = source.skip_space(max(position, source.start(node)), end)
            if position >= end:
                break
            group = groups[-1]
            if position > group.start:
                before = source.strip_end(group.start, position)
                lines = source.text.count("\n", before, position)
                role = self._role(node, position, before)
                if role == "branch" or not (
                    role == "tied"
                    or (last is not None and self._ties(last, node, lines))
                    or (lines == 0 and self._is_short(group, position, node))
                ):
                    group.end = before
                    groups.append(Group(position, end, [], lines > 1, role == "branch"))
            groups[-1].nodes.append(node)
            last = node
        return groups

    def _ties(self, last: Syntax, node: Syntax, lines: int) -> bool:
        """Whether two neighbours stay together: a comment and what it is about, or what did not
        parse.
        """
        raw = self._source.raw
        return (lines < 2 and self._is_prefix(last)) or (last.id in raw and node.id in raw)

    def _is_short(self, group: Group, position: int, node: Syntax) -> bool:
        """Whether a piece of a long line is too short to end at `position`."""
        if position - group.start >= _SHORTEST_PIECE or node.type in self._grammar.roles:
            return False
        return not group.nodes or group.nodes[0].type not in self._grammar.roles

    def _role(self, node: Syntax, position: int, before: int) -> str:
        """Whether a node is tied to what stands before it, opens a branch, or neither."""
        text = self._source.text
        char = text[position]
        if char in ")]}":
            line = self._source.line_from(position)
            closers = _CLOSERS.match(line)
            return "branch" if closers and _BRANCH.match(line[closers.end() :]) else "tied"
        if char in ";," or node.type in _CLOSING_TOKENS:
            return "tied"
        return "tied" if char == "{" and text[before - 1] not in ";}{:," else ""


def _is_docstring(group: Group) -> bool:
    """Whether a group is the first statement of a body and nothing but a string."""
    node = group.nodes[0] if group.nodes else None
    if node is None or node.type != "expression_statement" or node.child_count != 1:
        return False
    return node.children[0].type in ("string", "concatenated_string")
