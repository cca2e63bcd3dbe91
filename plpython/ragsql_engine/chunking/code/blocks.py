"""Blocks of code in a language without a grammar: runs of lines, nested by indentation or braces.

A block begins at the least indentation of its surroundings; deeper lines and lines of closing
brackets belong to it. Comments and decorators stick to what follows them.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from ragsql_engine.chunking.code.paragraphs import Entry, arrange
from ragsql_engine.chunking.code.words import one_line
from ragsql_engine.chunking.nodes import Node

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


class Line(NamedTuple):
    """A line with code from `start` to `end`, without the white space around it."""

    start: int
    end: int
    level: int
    after_blank: bool


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
    lines = _lines(text, start, end, pause)
    blocks = _split(text, lines)
    if len(blocks) == 1 and len(lines) > 1:
        head = _head(text, lines)
        blocks = [lines[:head], *_split(text, lines[head:])] if head < len(lines) else []
    nodes = arrange(_entry(text, block, path, depth) for block in blocks)
    return nodes if len(nodes) > 1 else ()


def _lines(text: str, start: int, end: int, pause: Callable[[], None]) -> list[Line]:
    lines: list[Line] = []
    after_blank, level = True, _level_before(text, start)
    for count, match in enumerate(_LINE.finditer(text, start, end)):
        if match["code"] is None:
            after_blank = True
            if match.end() == end:
                break
            continue
        if count:
            level = len(match["blank"].expandtabs(_TAB))
        first, last = match.span("code")
        last -= len(match["code"]) - len(match["code"].rstrip())
        lines.append(Line(first, last, level, after_blank))
        after_blank = False
        if count % 10_000 == 0:
            pause()
        if match.end() == end:
            break
    return _by_braces(text, lines)


def _level_before(text: str, start: int) -> int:
    """The indentation of the line that `start` stands in."""
    before = text[max(0, start - _WIDEST_INDENTATION) : start]
    before = before[max(before.rfind("\n"), before.rfind("\r")) + 1 :]
    return len(before.expandtabs(_TAB)) - len(before.lstrip().expandtabs(_TAB))


def _by_braces(text: str, lines: list[Line]) -> list[Line]:
    """`lines`, with the depth of braces as their level where none is indented."""
    if len({line.level for line in lines}) > 1:
        return lines
    levels, depth = [], 0
    for line in lines:
        opened = text.count("{", line.start, line.end)
        closed = text.count("}", line.start, line.end)
        levels.append(max(0, depth - (text[line.start] == "}")))
        depth = max(0, depth + opened - closed)
    return [line._replace(level=level) for line, level in zip(lines, levels, strict=True)]


def _split(text: str, lines: list[Line]) -> list[list[Line]]:
    """Lines by block: each begins at the least level, with the comments above it."""
    closers = [_CLOSER.match(text, line.start, line.end) is not None for line in lines]
    levels = (line.level for line, is_closer in zip(lines, closers, strict=True) if not is_closer)
    least = min(levels, default=0)
    blocks: list[list[Line]] = []
    is_tied = False
    for line, is_closer in zip(lines, closers, strict=True):
        starts = line.level <= least and not is_closer and not (is_tied and not line.after_blank)
        if starts or not blocks:
            blocks.append([])
        blocks[-1].append(line)
        is_tied = line.level <= least and _is_comment(text, line)
    return blocks


def _head(text: str, lines: list[Line]) -> int:
    """How many lines introduce a block: comments, what they are about, a bracket below."""
    head = 0
    while head < len(lines) - 1 and _is_comment(text, lines[head]):
        head += 1
    head += 1
    while head < len(lines) and text[lines[head].start : lines[head].end] in ("{", "(", "["):
        head += 1
    return head


def _is_comment(text: str, line: Line) -> bool:
    return _COMMENT.match(text, line.start, line.end) is not None


def _entry(text: str, block: list[Line], path: tuple[str, ...], depth: int) -> Entry:
    """A block as a node; one of one line makes a leaf with its neighbours."""
    node = Node(block[0].start, block[-1].end, "code")
    if len(block) == 1:
        return Entry(node, block[0].after_blank, is_lines=True)
    head = block[_head(text, block) - 1]
    line = text[head.start : min(head.end, head.start + 4 * _LONGEST_SIGNATURE)]
    named, inner = _NAMED.match(line), path
    if named:
        name = one_line(named["name"].strip("'\":."), _LONGEST_NAME)
        inner = path if path[-1:] == (name,) else (*path, name)
    if inner != path:
        node.path, node.context = inner, one_line(line.rstrip("{(:= \t"), _LONGEST_SIGNATURE)
    if depth < _DEEPEST:
        node.parts = partial(block_nodes, text, node.start, node.end, inner, depth + 1)
    return Entry(node, block[0].after_blank, is_alone=inner != path)
