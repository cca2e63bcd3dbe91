"""Maximal marginal relevance: relevant passages that do not repeat each other."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_WORD = re.compile(r"\w+")
_HEADER = 4  # bytes before the numbers in pgvector's binary form: dimensions, and two unused ones


def marginal_relevance(
    scores: Sequence[float],
    contents: Sequence[str],
    vectors: Sequence[bytes | None],
    trade: float,
) -> list[int]:
    """Indexes of the passages in the order of maximal marginal relevance.

    scores: relevance of each passage in order of rank, greater is better; min-max scaled here.
    vectors: halfvec_send or vector_send of each, None where there is none. trade: the lambda of
    Carbonell and Goldstein, SIGIR 1998: 1 is the given order, 0 nothing but variety. Ties go to
    the better rank.
    """
    relevance = _scaled(np.asarray(scores, np.float64))
    likeness = _likeness(contents, vectors)
    left = np.ones(len(scores), np.bool_)
    nearest = np.zeros(len(scores))  # likeness to the most alike passage that is chosen
    order: list[int] = []
    while len(order) < len(scores):
        worth = trade * relevance - (1 - trade) * nearest
        best = int(np.argmax(np.where(left, worth, -np.inf)))
        left[best] = False
        order.append(best)
        nearest = np.maximum(nearest, likeness[best])
    return order


def _scaled(scores: Floats) -> Floats:
    spread = np.ptp(scores) if len(scores) else 0.0
    return (scores - scores.min()) / spread if spread else np.ones(len(scores))


def _likeness(contents: Sequence[str], vectors: Sequence[bytes | None]) -> Floats:
    """float64[n, n]: cosine where both have a vector of one length, else common words."""
    count = len(contents)
    result = np.zeros((count, count))
    numbers = [None if vector is None else _numbers(vector) for vector in vectors]
    sizes = np.array([0 if number is None else len(number) for number in numbers])
    for size in np.unique(sizes[sizes > 0]):
        at = np.flatnonzero(sizes == size)
        stacked = np.stack(
            [number for number in numbers if number is not None and len(number) == size]
        )
        lengths = np.linalg.norm(stacked, axis=1, keepdims=True)
        unit = stacked / np.where(lengths > 0, lengths, 1.0)
        result[np.ix_(at, at)] = unit @ unit.T
    words = [frozenset(_WORD.findall(content.lower())) for content in contents]
    for one, other in zip(*np.nonzero((sizes[:, None] != sizes) | (sizes == 0)), strict=True):
        either = len(words[one] | words[other])
        result[one, other] = len(words[one] & words[other]) / either if either else 1.0
    return result


def _numbers(vector: bytes) -> Floats:
    dimensions = int.from_bytes(vector[:2])
    kind = ">f2" if len(vector) - _HEADER == 2 * dimensions else ">f4"
    return np.frombuffer(vector, kind, offset=_HEADER).astype(np.float64)
