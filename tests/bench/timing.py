"""Times of several ways to answer the same queries, taken in turns."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Way = Callable[[str], object]
"""Answers a query, whatever the answer is."""


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of each query, the median of its repetitions."""

    each: tuple[float, ...]

    @property
    def p50(self) -> float:
        """The median query."""
        return float(np.percentile(self.each, 50))

    @property
    def p95(self) -> float:
        """The query that one in twenty is slower than."""
        return float(np.percentile(self.each, 95))

    def __str__(self) -> str:
        return f"{self.p50:.2f} / {self.p95:.2f}"


def take_turns(ways: Mapping[str, Way], queries: Sequence[str], repeat: int) -> dict[str, Times]:
    """Times of all ways, warm.

    Every query is asked of each way before the next query, in an order drawn anew each time, so
    that whatever slows the machine down for a while slows all of them. A first round warms up.
    """
    chance = random.Random(1)
    taken: dict[str, list[list[float]]] = {name: [[] for _ in queries] for name in ways}
    for turn in range(repeat + 1):
        for number in chance.sample(range(len(queries)), len(queries)):
            for name in chance.sample(list(ways), len(ways)):
                elapsed = milliseconds(ways[name], queries[number])
                if turn:
                    taken[name][number].append(elapsed)
    return {name: median_times(rows) for name, rows in taken.items()}


def median_times(rows: Sequence[Sequence[float]]) -> Times:
    """Times out of the repetitions of each query."""
    return Times(tuple(float(np.median(row)) for row in rows))


def milliseconds(way: Way, query: str) -> float:
    """How long one answer takes."""
    began = time.perf_counter()
    way(query)
    return (time.perf_counter() - began) * 1000
