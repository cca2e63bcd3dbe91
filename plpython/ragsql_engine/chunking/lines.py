"""From character offsets to physical lines."""

import re
from bisect import bisect_right

_NEWLINE = re.compile(r"\r\n|\r|\n")


class LineMap:
    """Line numbers of a text, from 1. A line ends with LF, CR LF or a lone CR."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]

    def line_of(self, offset: int) -> int:
        """The line that holds the character at `offset`; a newline belongs to the line it ends."""
        return bisect_right(self._starts, offset)
