"""Statements of SQL scripts in any dialect: no grammar reads them all, PL/pgSQL least of any.

A statement ends at a semicolon outside of strings, comments, parentheses and `begin ... end`, at
a line `go`, or with the line of a command of psql.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, count

from ragsql_engine.chunking.code.blocks import block_nodes
from ragsql_engine.chunking.code.paragraphs import Entry, arrange
from ragsql_engine.chunking.nodes import Node
from ragsql_engine.chunking.strings import one_line

_LONGEST_SIGNATURE, _LONGEST_NAME = 200, 100
_LOOK_AT = 1000
_COMMENT = re.compile(r"--[^\r\n]*+|/\*(?s:.*?)(?:\*/|\Z)")
_TOKEN = re.compile(
    rf"(?P<comment>{_COMMENT.pattern})"
    r"|(?P<command>(?<![^\r\n])(?:\\[a-z!?][^\r\n]*+|go[ \t]*+(?=[\r\n]|\Z)))"
    r"|(?P<quoted>\be'(?>(?:[^'\\]++|\\.|'')*)(?:'|\Z)"
    r"|'(?>(?:[^']++|'')*)(?:'|\Z)|\"[^\"]*+(?:\"|\Z))"
    r"|(?P<dollar>(?<![\w$])\$(?:[^\W\d]\w*+)?\$)"
    r"|(?<![\w.@$])(?P<open>case\b|begin\b(?!\s*+(?:;|tran|work|isolation|read|not|\Z)))"
    r"|(?<![\w.@$])(?P<close>end\b(?!\s++(?:if|loop|while|repeat)\b))"
    r"|(?P<stop>;)(?:[ \t]*+--[^\r\n]*+)?",
    re.IGNORECASE | re.DOTALL,
)
_CREATE = re.compile(
    r"create\s++(?:or\s++(?:replace|alter)\s++)?(?:\w++\s++){0,4}?"
    r"(?P<what>aggregate|collation|database|domain|extension|function|index|operator|package|policy|"
    r"procedure|publication|role|rule|schema|sequence|server|statistics|subscription|synonym|table|"
    r"trigger|type|user|view)\s++(?>(?:body\s++|concurrently\s++|if\s++not\s++exists\s++)*)"
    r"(?P<name>[^\s(;]++)",
    re.IGNORECASE,
)
_COPY = re.compile(r"\bcopy\b[^;]*+(?<=stdin);$", re.IGNORECASE)
_SPACE = re.compile(r"\s*+")
_BODY = re.compile(r"\$\w*\$|\bas\b|\bbegin\b|;", re.IGNORECASE)
_COLUMNS = re.compile(r"\((?=[ \t]*+[\r\n])")


def statement_nodes(
    text: str, start: int, end: int, pause: Callable[[], None] = lambda: None
) -> Sequence[Node]:
    """The statements of `text[start:end]`, which has no white space at its two ends. Takes linear
    time.
    """
    return arrange(_entries(text, start, end, pause))


def _after_space(text: str, start: int, stop: int) -> int:
    space = _SPACE.match(text, start, stop)
    assert space is not None  # it may be empty
    return space.end()


def _entries(text: str, start: int, end: int, pause: Callable[[], None]) -> Iterator[Entry]:
    first = before = start
    for stop in chain(_stops(text, start, end, pause), [end]):
        begin = _after_space(text, first, stop)
        first = stop
        if begin == stop:
            continue
        comments, begin, code = _comments(text, begin, stop)
        for comment in comments:
            yield Entry(Node(*comment, "code"), _is_blank(text, before, comment[0]), is_lines=True)
            before = comment[1]
        node = Node(begin, begin + len(text[begin:stop].rstrip()), "code")
        yield _entry(text, node, code, _is_blank(text, before, begin))
        before = node.end


def _comments(text: str, begin: int, stop: int) -> tuple[list[tuple[int, int]], int, int]:
    """Comments that stand apart from a statement below them; where the statement begins with the
    comments directly above it, and without.
    """
    apart: list[tuple[int, int]] = []
    position = begin
    while comment := _COMMENT.match(text, position, stop):
        position = _after_space(text, comment.end(), stop)
        if position == stop:
            break
        if _is_blank(text, comment.end(), position):
            apart.append((begin, comment.start() + len(comment[0].rstrip())))
            begin = position
    return apart, begin, position


def _is_blank(text: str, start: int, end: int) -> bool:
    return text.count("\n", start, end) > 1


def _entry(text: str, node: Node, code: int, after_blank: bool) -> Entry:
    created = _CREATE.match(text, code, min(node.end, code + _LOOK_AT))
    is_line = "\n" not in text[node.start : node.end]
    if created is None and is_line:
        return Entry(node, after_blank, is_lines=True)
    if created:
        node.path = (one_line(created["name"].strip('"`[]'), _LONGEST_NAME) or created["what"],)
        header = text[code : min(node.end, code + _LOOK_AT)]
        body = (_COLUMNS if created["what"].lower() == "table" else _BODY).search(
            header, created.end() - code
        )
        header = header[: body.start()] if body else header
        node.context = one_line(header.rstrip("( \t\r\n"), _LONGEST_SIGNATURE)
    if not is_line:
        node.parts = partial(block_nodes, text, node.start, node.end, node.path or (), 2)
    return Entry(node, after_blank, is_alone=created is not None)


def _stops(text: str, start: int, end: int, pause: Callable[[], None]) -> Iterator[int]:
    """Where statements end."""
    position, depth = start, 0
    for number in count():
        token = _TOKEN.search(text, position, end)
        if token is None:
            return
        position, kind = token.end(), token.lastgroup
        if kind == "dollar":
            position = _after(text, token[0], position, end)
        elif kind in ("open", "close"):
            depth = max(0, depth + (1 if kind == "open" else -1))
        elif kind == "command" or (kind == "stop" and depth == 0):
            if _COPY.search(text, max(start, token.start() - _LOOK_AT), token.end()):
                position = _after(text, "\n\\.", position, end)
            yield position
        if number % 10_000 == 0:
            pause()


def _after(text: str, mark: str, position: int, end: int) -> int:
    """The position behind the next `mark`."""
    found = text.find(mark, position, end)
    return end if found < 0 else found + len(mark)
