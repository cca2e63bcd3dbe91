"""From character offsets to physical lines."""

import re
from array import array
from bisect import bisect_right

_NEWLINE = re.compile(r"\r\n|\r|\n")


class LineMap:
    """Line numbers of a text, from 1. A line ends with LF, CR LF or a lone CR."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: array[int] | None = None
        if "\r" in text:
            self._starts = array("q", [0, *(match.end() for match in _NEWLINE.finditer(text))])
        self._known = (0, 1)  # an offset and its line: the next one asked for is near

    def line_of(self, offset: int) -> int:
        """The line that holds the character at `offset`; a newline belongs to the line it ends."""
        if self._starts is not None:
            return bisect_right(self._starts, offset)
        known, line = self._known
        if offset >= known:
            line += self._text.count("\n", known, offset)
        else:
            line -= self._text.count("\n", offset, known)
        self._known = offset, line
        return line
