"""A parsed text: its syntax tree, and the code points and lines its nodes stand on."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from tree_sitter import Node as Syntax

from ragsql_engine.chunking.code.grammars import Grammar
from ragsql_engine.chunking.code.offsets import Offsets

# Blanks before a token that still count as the indentation of its line.
_WIDEST_INDENTATION = 400
# A longer line is generated or minified: it is cut between statements, not at its ends.
_LONGEST_LINE = 1000
_LONG_LINE = re.compile(rb"[^\n]{%d,}" % (_LONGEST_LINE + 1))
# A statement of this length inside such a line is worth opening.
_LONG_PIECE = 200
_PAUSE_EVERY = 10_000

# Nodes that are nothing but their children.
BLOCKS = frozenset(
    "block block_body body_statement class_body compound_statement constructor_body "
    "declaration_list do_group enum_body field_declaration_list interface_body statement_block "
    "statement_list switch_body then".split()
)


class Source:
    """`text` has every lone CR turned into LF, so that all line ends hold one LF; `data` is its
    UTF-8. Positions are code points of `text`, which are those of the document.

    `raw` holds the ids of nodes that have been met in text that did not parse.
    """

    def __init__(
        self, text: str, data: bytes, offsets: Offsets, grammar: Grammar, pause: Callable[[], None]
    ) -> None:
        self.text = text
        self.data = data
        self.grammar = grammar
        self.raw: set[int] = set()
        self.at = offsets.at
        self._pause = pause
        self._work = 0
        self._long = [match.span() for match in _LONG_LINE.finditer(data)]

    def start(self, node: Syntax) -> int:
        """Where `node` begins."""
        return self.at(node.start_byte)

    def slice(self, node: Syntax) -> str:
        """The text of `node`; only for short nodes."""
        return self.data[node.start_byte : node.end_byte].decode(errors="replace")

    def strip_end(self, start: int, end: int) -> int:
        """The end of `text[start:end]` without white space at its end."""
        text = self.text
        while end > start and text[end - 1].isspace():
            end -= 1
        return end

    def skip_space(self, position: int, end: int) -> int:
        """The first position from `position` on without white space, at most `end`."""
        text = self.text
        while position < end and text[position].isspace():
            position += 1
        return position

    def line_from(self, position: int, most: int = 200) -> str:
        """The rest of the line from `position` on, up to `most` characters."""
        return self.text[position : position + most].partition("\n")[0]

    def children(self, node: Syntax) -> list[Syntax]:
        """The children of `node`; those of text that did not parse are marked raw, except whole
        definitions and what is tied to them.
        """
        children = node.children
        if node.type == "ERROR":
            is_good = False
            for child in reversed(children):
                if not (is_good and child.type in self.grammar.prefixes):
                    is_good = self.is_definition(child)
                if not is_good:
                    self.raw.add(child.id)
        return children

    def is_definition(self, node: Syntax) -> bool:
        """Whether `node` is a whole definition, likely enough."""
        if node.type not in self.grammar.roles and node.type not in self.grammar.wrappers:
            return False
        return self.has_lines(node) and not node.is_error

    def has_lines(self, node: Syntax) -> bool:
        """Whether `node` takes several lines; a line end at its end does not count."""
        rows = node.end_point[0] - node.start_point[0]
        return rows > 1 or (rows == 1 and node.end_point[1] > 0)

    def fresh_nodes(
        self, nodes: Sequence[Syntax], body: Syntax | None = None, lead: int = -1
    ) -> list[Syntax]:
        """The nodes among `nodes` and what is in them that begin a line, outermost first.

        A node of several lines that begins in mid-line gives way to its children. So do, even
        where they begin a line: blocks, `body` and nodes around it, and operands that begin at the
        byte `lead`, since a chain of calls or operators leans to the left.
        """
        fresh: list[Syntax] = []
        waiting = list(reversed(nodes))
        while waiting:
            node = waiting.pop()
            self._step()
            start, end = node.start_byte, node.end_byte
            if start == end:
                continue
            must = node.type in BLOCKS
            if body is not None and start <= body.start_byte and body.end_byte <= end:
                must, body = True, None if node.id == body.id else body
            elif start == lead:
                must = must or (self.is_open(node) and node.type not in self.grammar.roles)
            if not must and self._is_fresh(start, node):
                fresh.append(node)
            elif must or self.is_open(node):
                waiting.extend(reversed(self.children(node)))
        return fresh

    def is_open(self, node: Syntax) -> bool:
        """Whether there may be a place to cut within `node`."""
        if node.child_count == 0 or "comment" in node.type:
            return False
        if self.has_lines(node):
            return True
        return node.end_byte - node.start_byte > _LONG_PIECE and self._in_long_line(node.start_byte)

    def _is_fresh(self, start: int, node: Syntax) -> bool:
        data, position = self.data, start
        if data[position : position + 1].isspace():
            return False
        least = max(0, position - _WIDEST_INDENTATION)
        while position > least and data[position - 1] in b" \t\f\v":
            position -= 1
        if position == 0 or data[position - 1] in b"\r\n":
            return True
        return (
            bool(self._long)
            and node.is_named
            and data[position - 1] in b";,{}"
            and self._in_long_line(start)
        )

    def _in_long_line(self, byte: int) -> bool:
        index = bisect_right(self._long, (byte, len(self.data))) - 1
        return index >= 0 and byte < self._long[index][1]

    def _step(self) -> None:
        self._work += 1
        if self._work % _PAUSE_EVERY == 0:
            self._pause()
