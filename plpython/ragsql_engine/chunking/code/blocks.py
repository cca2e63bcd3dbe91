"""Blocks of code in a language without a grammar: runs of lines, nested by indentation or braces.

A block begins at the least indentation of its surroundings; deeper lines and lines of closing
brackets belong to it. Comments and decorators stick to what follows them.
"""

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

from ragsql_engine.chunking.code.paragraphs import Entry, arrange
from ragsql_engine.chunking.nodes import Node
from ragsql_engine.chunking.strings import one_line

_DEEPEST = 28  # levels, each of which may take two: a paragraph and what is in it
_TAB = 4
_WIDEST_INDENTATION = 400
_LONGEST_SIGNATURE, _LONGEST_NAME = 200, 100
_LINE = re.compile(r"(?P<blank>[^\S\r\n]*+)(?P<code>\S[^\r\n]*+)?(?:\r\n|\r|\n|\Z)")
_CLOSER = re.compile(r"[)\]}]|(?:end|fi|done|esac)\b|[;,]+$|\$\w*\$;?$", re.IGNORECASE)
_COMMENT = re.compile(r"//|#|--|/\*|\*|;|%|'|@|\"\"\"|REM\b", re.IGNORECASE)
# What a line names that introduces a block, in most languages: sub, fun, class, object, table, ...
_NAMED = re.compile(
    r"(?:[\w@\[\]<>,.*&()=]++[ \t]++){0,7}?"
    r"(?:function|func|fun|fn|def|defp|defun|defn|defmodule|sub|proc|procedure|class|struct|trait|"
    r"interface|protocol|extension|module|namespace|package|object|enum|record|type|view|table|"
    r"trigger|contract|actor|union|impl|message|service)[ \t]++"
    r"(?:if[ \t]++not[ \t]++exists[ \t]++)?(?P<name>[^\W\d][\w.:$!?'\"-]*+)",
    re.IGNORECASE,
)


_AFTER_BLANK, _IS_CLOSER, _IS_COMMENT = 1, 2, 4
Block = tuple[int, int]  # of lines, the second exclusive


class Lines:
    """The lines with code of `text[start:end]`, in arrays: there may be millions.

    A line goes from `starts` to `ends` without the white space around it; its level is the
    columns of its indentation or, where no line is indented, the braces around it.
    """

    def __init__(self, text: str, start: int, end: int, pause: Callable[[], None]) -> None:
        self.text = text
        self.starts, self.ends, self.levels = array("q"), array("q"), array("q")
        self.flags = bytearray()
        blank, level = _AFTER_BLANK, _level_before(text, start)
        for number, match in enumerate(_LINE.finditer(text, start, end)):
            if match["code"] is None:
                blank = _AFTER_BLANK
            else:
                if number:
                    level = len(match["blank"].expandtabs(_TAB))
                self._add(match.start("code"), match["code"].rstrip(), level, blank)
                blank = 0
            if number % 10_000 == 0:
                pause()
            if match.end() == end:
                break
        if len(set(self.levels)) == 1:
            self._level_by_braces()

    def _add(self, start: int, code: str, level: int, flags: int) -> None:
        self.starts.append(start)
        self.ends.append(start + len(code))
        self.levels.append(level)
        if _CLOSER.match(code):
            flags |= _IS_CLOSER
        if _COMMENT.match(code):
            flags |= _IS_COMMENT
        self.flags.append(flags)

    def _level_by_braces(self) -> None:
        depth = 0
        for index, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            opened = self.text.count("{", start, end)
            closed = self.text.count("}", start, end)
            self.levels[index] = max(0, depth - (self.text[start] == "}"))
            depth = max(0, depth + opened - closed)

    def __len__(self) -> int:
        return len(self.starts)

    def blocks(self, first: int, last: int) -> Iterator[Block]:
        """Lines `first`..`last` by block: each begins at the least level, with the comments above
        it.
        """
        codes = zip(self.levels[first:last], self.flags[first:last], strict=True)
        least = min((level for level, flag in codes if not flag & _IS_CLOSER), default=0)
        begun, is_tied = first, False
        for index in range(first, last):
            flag, is_outer = self.flags[index], self.levels[index] <= least
            starts = is_outer and not flag & _IS_CLOSER
            if starts and index > begun and not (is_tied and not flag & _AFTER_BLANK):
                yield begun, index
                begun = index
            is_tied = is_outer and bool(flag & _IS_COMMENT)
        if begun < last:
            yield begun, last

    def head(self, first: int, last: int) -> int:
        """Past the lines that introduce a block: comments, what they are about, a bracket."""
        head = first
        while head < last - 1 and self.flags[head] & _IS_COMMENT:
            head += 1
        head += 1
        while head < last and self.text[self.starts[head] : self.ends[head]] in ("{", "(", "["):
            head += 1
        return head


def block_nodes(
    text: str,
    start: int,
    end: int,
    path: tuple[str, ...] = (),
    depth: int = 1,
    pause: Callable[[], None] = lambda: None,
) -> Sequence[Node]:
    """The blocks of `text[start:end]`, which has no white space at its two ends, or nothing where
    there is only one block without parts. Takes linear time.
    """
    lines = Lines(text, start, end, pause)
    blocks = lines.blocks(0, len(lines))
    first = next(blocks, (0, 0))
    if first[1] == len(lines):
        head = lines.head(*first)
        first, blocks = (0, head), lines.blocks(head, len(lines))
    nodes = arrange(_entry(lines, block, path, depth) for block in chain([first], blocks))
    return nodes if len(nodes) > 1 else ()


def _level_before(text: str, start: int) -> int:
    """The indentation of the line that `start` stands in."""
    before = text[max(0, start - _WIDEST_INDENTATION) : start]
    before = before[max(before.rfind("\n"), before.rfind("\r")) + 1 :]
    return len(before.expandtabs(_TAB)) - len(before.lstrip().expandtabs(_TAB))


def _entry(lines: Lines, block: Block, path: tuple[str, ...], depth: int) -> Entry:
    """A block as a node; one of one line makes a leaf with its neighbours."""
    first, last = block
    node = Node(lines.starts[first], lines.ends[last - 1], "code")
    after_blank = bool(lines.flags[first] & _AFTER_BLANK)
    if last - first == 1:
        return Entry(node, after_blank, is_lines=True)
    head = lines.head(first, last) - 1
    start, end = lines.starts[head], lines.ends[head]
    line = lines.text[start : min(end, start + 4 * _LONGEST_SIGNATURE)]
    named, inner = _NAMED.match(line), path
    if named:
        name = one_line(named["name"].strip("'\":."), _LONGEST_NAME)
        inner = path if path[-1:] == (name,) else (*path, name)
    if inner != path:
        node.path, node.context = inner, one_line(line.rstrip("{(:= \t"), _LONGEST_SIGNATURE)
    if depth < _DEEPEST:
        node.parts = partial(block_nodes, lines.text, node.start, node.end, inner, depth + 1)
    return Entry(node, after_blank, is_alone=inner != path)
