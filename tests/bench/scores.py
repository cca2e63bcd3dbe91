"""Token-level scores of retrieved passages, as defined in tests/bench/chunking.py."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Range(NamedTuple):
    """`text[start:end]`."""

    start: int
    end: int


class Passage(NamedTuple):
    """A chunk: where it stands, and what is embedded for it."""

    start: int
    end: int
    embedded: str


class Scores(NamedTuple):
    """The four measures of one question."""

    recall: float
    precision: float
    iou: float
    precision_omega: float


def score(
    excerpts: Sequence[Range], passages: Sequence[Passage], retrieved: Sequence[Passage]
) -> Scores:
    """Compares the passages `retrieved` with the excerpts; `passages` are all of the corpus."""
    wanted = total(excerpts)
    found = overlap(excerpts, retrieved)
    read = total(retrieved)
    touching = [p for p in passages if overlap(excerpts, [p])]
    held = overlap(excerpts, touching)
    whole = total(union([Range(p.start, p.end) for p in touching])) + wanted - held
    return Scores(found / wanted, found / read, found / (read + wanted - found), held / whole)


def total(ranges: Iterable[Range | Passage]) -> int:
    """The sum of lengths."""
    return sum(r.end - r.start for r in ranges)


def union(ranges: Sequence[Range]) -> list[Range]:
    """The same characters as disjoint ranges, in order."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1].end:
            merged[-1] = Range(merged[-1].start, max(merged[-1].end, end))
        else:
            merged.append(Range(start, end))
    return merged


def overlap(excerpts: Sequence[Range], passages: Sequence[Passage]) -> int:
    """How many characters of disjoint excerpts lie in any of the passages."""
    shared = (
        Range(max(p.start, e.start), min(p.end, e.end))
        for p in passages
        for e in excerpts
        if p.start < e.end and e.start < p.end
    )
    return total(union(list(shared)))
