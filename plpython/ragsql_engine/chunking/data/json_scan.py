"""Where the containers of a JSON text begin and end, found in one pass without recursion.

Tolerated besides RFC 8259: comments, trailing commas, strings in single quotes, words without
quotes, several values in a row. What matters here is which brackets belong together.

In a repeated group that never gives back, `(?:(?>body))*+`, the body is atomic: up to Python 3.11.4
a last round that fails halfway would otherwise leave the position behind what it consumed.
"""

import re
from array import array
from collections.abc import Callable, Iterator

from ragsql_engine.chunking.node_lists import PAUSE_MASK, offsets

_COMMENT = r"/(?:/[^\r\n]*+|\*[^*]*+(?:(?>\*++[^*/][^*]*+))*+\*++/)"
_OPAQUE = (
    r'(?:"[^"\\]*+(?:(?>\\.[^"\\]*+))*+"' rf"|'[^'\\]*+(?:(?>\\.[^'\\]*+))*+'|{_COMMENT})"
)  # what may hold brackets and commas that are text
_PLAIN = r"[^\"'\[\]{}/]*+"
_PLAIN_NO_COMMA = r"[^\"'\[\]{},/]*+"
# Matches at every position, so that it never searches: the bracket, else what cannot be read.
_BRACKET = re.compile(rf"{_PLAIN}(?:(?>{_OPAQUE}{_PLAIN}))*+(?:([\[\]{{}}])|(.)|\Z)", re.DOTALL)
_MEMBER = rf"{_PLAIN_NO_COMMA}(?:(?>{_OPAQUE}{_PLAIN_NO_COMMA}))*+"
_TO_COMMA = re.compile(rf"{_MEMBER}(?:(,)|\Z)", re.DOTALL)
# A row of numbers is taken eight at a time: none of them is a passage.
_TO_COMMA_IN_ARRAY = re.compile(
    rf"((?:(?>\s*+[-+.\w]{{1,24}}+\s*+,)){{1,8}}+)|{_MEMBER}(?:(,)|\Z)", re.DOTALL
)
_BLANK = re.compile(rf"(?:(?>\s++|{_COMMENT}))*+", re.DOTALL)
_CLOSING = {"[": "]", "{": "}"}


class Scan:
    """The containers in `text[start:end]`, in the order in which they open.

    `opens` and `closes` hold the offsets of their brackets, `nexts` the container that opens first
    after all that lie inside. `problem` is the offset of the first thing that cannot be right, and
    `truncated` says that only closing brackets are missing: those are taken to stand at the end.
    """

    def __init__(
        self, text: str, start: int, end: int, pause: Callable[[], None] = lambda: None
    ) -> None:
        self.text, self.start, self.end = text, start, end
        self.opens, self.closes, self.nexts = offsets(text), offsets(text), offsets(text)
        self.problem: int | None = None
        self.truncated = False
        self._find_containers(pause)

    def _find_containers(self, pause: Callable[[], None]) -> None:
        text, opens, closes, nexts = self.text, self.opens, self.closes, self.nexts
        stack = offsets(text)  # depth may be half the length
        for match in _BRACKET.finditer(text, self.start, self.end):
            bracket = match[1]
            if bracket is None:
                self.problem = match.start(2) if match[2] else None
                break
            if bracket in "[{":
                stack.append(len(opens))
                opens.append(match.end() - 1)
                closes.append(self.end)
                nexts.append(-1)
                if not len(opens) & PAUSE_MASK:
                    pause()
            elif stack and bracket == _CLOSING[text[opens[stack[-1]]]]:
                index = stack.pop()
                closes[index] = match.end() - 1
                nexts[index] = len(opens)
            else:
                self.problem = match.end() - 1
                break
        if stack and self.problem is None:
            self.problem, self.truncated = opens[stack[-1]], True
        for index in stack:
            nexts[index] = len(opens)

    def is_array(self, index: int) -> bool:
        return self.text[self.opens[index]] == "["

    def is_empty(self, index: int) -> bool:
        return self.skip_blank(self.opens[index] + 1, self.closes[index]) >= self.closes[index]

    def skip_blank(self, start: int, end: int) -> int:
        """The offset of the first thing in `start`..`end` besides white space and comments."""
        blank = _BLANK.match(self.text, start, end)
        return blank.end() if blank else start

    def only_child(self, index: int) -> int | None:
        """The container that is all a container holds, apart from its key; None without one."""
        child = index + 1
        if self.nexts[index] == child or self.nexts[child] != self.nexts[index]:
            return None
        before = _TO_COMMA.match(self.text, self.opens[index] + 1, self.opens[child])
        if before is None or before[1]:
            return None
        close = self.closes[index]
        after = _TO_COMMA.match(self.text, min(self.closes[child] + 1, close), close)
        if after is None or self.skip_blank(after.end(), close) < close or self.is_empty(child):
            return None
        return child

    def own_text(self, index: int) -> Iterator[tuple[int, int, int]]:
        """Stretches of a container's text outside containers in it: start, end, the one after.

        The container after the last stretch is -1.
        """
        position, stop = self.opens[index] + 1, self.closes[index]
        child = index + 1
        while child < self.nexts[index]:
            yield position, self.opens[child], child
            position = min(self.closes[child] + 1, stop)
            child = self.nexts[child]
        yield position, stop, -1

    def members(
        self, index: int, pause: Callable[[], None]
    ) -> tuple["array[int]", "array[int]", "array[int]"]:
        """The members of a container: end offset, first container in it or -1, place in it.

        A member ends after its comma, the last one before the closing bracket.
        """
        text = self.text
        ends, children, places = offsets(text), offsets(text), offsets(text)
        pattern = _TO_COMMA_IN_ARRAY if self.is_array(index) else _TO_COMMA
        held, place = -1, 0
        for start, stop, child in self.own_text(index):
            for match in pattern.finditer(text, start, stop):
                if match.lastindex is None:  # the end of the stretch
                    continue
                ends.append(match.end())
                children.append(held)
                places.append(place)
                held, place = -1, place + _count(match[1])
                if not len(ends) & PAUSE_MASK:
                    pause()
            held = child if held < 0 else held
        close = self.closes[index]
        if held >= 0 or not ends or self.skip_blank(ends[-1], close) < close:
            ends.append(close)
            children.append(held)
            places.append(place)
        return ends, children, places


def _count(numbers: str | None) -> int:
    return numbers.count(",") if numbers else 1
