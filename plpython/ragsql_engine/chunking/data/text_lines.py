"""The lines of a text that are not blank, with their indentation."""

import re
from collections.abc import Callable, Iterator

from ragsql_engine.chunking.node_lists import PAUSE_MASK

_TAB_WIDTH = 8
_CONTENT = re.compile(r"\S[^\r\n]*+")


def content_lines(text: str, pause: Callable[[], None]) -> Iterator[tuple[int, int, int]]:
    """Start, end and indentation (columns) of what stands in each line between white space.

    Lines end with LF, CR LF or a lone CR. A byte order mark is left out.
    """
    after = first = int(text.startswith("\ufeff"))
    tabs, returns = "\t" in text, "\r" in text
    for count, match in enumerate(_CONTENT.finditer(text, first)):
        if not count & PAUSE_MASK:
            pause()
        start, end = match.span()
        indent = 0
        if start > first and text[start - 1] not in "\r\n":
            line = text.rfind("\n", after, start)
            if returns:
                line = max(line, text.rfind("\r", after, start))
            line = line + 1 or after
            indent = start - line
            if tabs:
                indent += (_TAB_WIDTH - 1) * text.count("\t", line, start)
        after = end
        if text[end - 1].isspace():
            end = start + len(match[0].rstrip())
        yield start, end, indent
