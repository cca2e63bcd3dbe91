"""The loop that every strategy shares: from a ruler to a list of spans.

A ruler knows where passages may begin and end; the token window says how much the model reads.
Offsets are counted in code points, ends are exclusive.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from ragsql_engine.tokens import TokenWindow
from ragsql_engine.visibility import is_visible


class Span(NamedTuple):
    """`text[start:end]` and its tokens, where a model counts them."""

    start: int
    end: int
    tokens: int | None = None


class Ruler(Protocol):
    """Measures one text in the units of a strategy. Each method takes constant or log time."""

    begin: int
    end: int

    def far_end(self, start: int) -> int:
        """Where a passage of full size that begins at `start` ends."""

    def floor(self, text: str, start: int, position: int) -> int:
        """The last good end in (start, position]; `position` itself where there is none."""

    def start_before(self, position: int) -> int:
        """The last good beginning at or before `position`."""

    def resume(self, end: int) -> int:
        """Where the text goes on after `end`, without overlap; at least `end`."""

    def next_start(self, start: int, end: int) -> int:
        """Where the passage after `start`..`end` begins, overlap included; after `start`."""


Fit = Callable[[int, int], Span]
Pause = Callable[[], None]

_WINDOWS_BETWEEN_PAUSES = 256
_SMALLEST_PROBE = 64  # characters


def fitter(text: str, ruler: Ruler, window: TokenWindow | None, prefix: str) -> Fit:
    """A function that makes `start`..`end` smaller, at a good end, until the model reads it all."""

    def unlimited(start: int, end: int) -> Span:
        return Span(start, end)

    if window is None:
        return unlimited

    probe: int | None = None

    def within_window(start: int, end: int) -> Span:
        nonlocal probe
        end, tokens = window.fit(text, start, end, ruler.floor, prefix, probe)
        probe = max(_SMALLEST_PROBE, (end - start) * 5 // 4)  # the next one will be like it
        return Span(start, end, window.count(text[start:end]) if prefix else tokens)

    return within_window


def cut(
    text: str, ruler: Ruler, fit: Fit, min_chunk_size: int, pause: Pause | None = None
) -> list[Span]:
    """The spans of a text that holds something visible.

    Starts and ends strictly increase, so no span lies inside the one before. Every span holds
    something visible; characters outside all spans are white space, or invisible ones that no
    longer fit the window. `pause` is called now and then, so that the caller can cancel.
    """
    spans = list(_absorb_invisible(text, _windows(ruler, fit, pause), fit))
    return _join_tail(spans, ruler, fit, min_chunk_size)


def _windows(ruler: Ruler, fit: Fit, pause: Pause | None) -> Iterator[Span]:
    start, covered = ruler.begin, ruler.begin
    for count in itertools.count(1):
        if pause and count % _WINDOWS_BETWEEN_PAUSES == 0:
            pause()
        span = fit(start, ruler.far_end(start))
        if span.end <= covered:  # the overlap left no room for anything new
            start = ruler.resume(covered)
            continue
        yield span
        covered = span.end
        if covered >= ruler.end:
            return
        start = ruler.next_start(start, covered)


def _absorb_invisible(text: str, spans: Iterable[Span], fit: Fit) -> Iterator[Span]:
    """Drop spans of white space and give invisible ones to the span before (first: after)."""
    current: Span | None = None
    lead, reach = None, 0
    for span in spans:
        if not is_visible(text, span.start, span.end):
            if not text[span.start : span.end].isspace():
                lead = span.start if lead is None else lead
                reach = span.end
            continue
        if current is not None:
            yield _extended(current, reach, fit)
        elif lead is not None:
            joined = fit(lead, span.end)
            span = joined if joined.end == span.end else span
        current = span
    if current is not None:
        yield _extended(current, reach, fit)


def _extended(span: Span, end: int, fit: Fit) -> Span:
    return max(span, fit(span.start, end), key=lambda s: s.end) if end > span.end else span


def _join_tail(spans: list[Span], ruler: Ruler, fit: Fit, min_chunk_size: int) -> list[Span]:
    """Join a last span below the minimum to the one before it.

    Where the two do not touch, or together exceed the model's window, the tail instead takes in
    as much of the text before it as it needs to reach the minimum.
    """
    if len(spans) < 2 or spans[-1].end - spans[-1].start >= min_chunk_size:
        return spans
    before, tail = spans[-2:]
    if tail.start <= ruler.resume(before.end):
        joined = fit(before.start, tail.end)
        if joined.end == tail.end:
            return [*spans[:-2], joined]
    grown = fit(ruler.start_before(tail.end - min_chunk_size), tail.end)
    if before.start < grown.start and grown.end == tail.end:
        return [*spans[:-1], grown]
    return spans
