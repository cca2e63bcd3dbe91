"""Rankings by brute force over the documents that somebody may see."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from concurrency.access_play import QUERY_VECTOR, Hit, content_of, vector_of
from support import bm25
from support.identities import Connection, Identity

WEIGHTS = {"semantic": 0.6, "bm25": 0.3, "fuzzy": 0.1}
RRF_K = 60
Ranking = list[tuple[str, float]]


class Corpus:
    """All documents, with their ids, as they are when it is asked first."""

    def __init__(self, root: Connection) -> None:
        self._root = root
        self._passages = {p.source: p for p in bm25.passages(root)}

    def ranking(self, strategy: str, query: str, visible: set[str]) -> Ranking:
        """Sources and scores, best first, ties by the id of the document."""
        if strategy == "hybrid":
            return self._hybrid(query, visible)
        scores = {"semantic": self._semantic, "bm25": self._bm25, "fuzzy": self._fuzzy}[strategy](
            query, visible
        )
        return self._ordered(scores)

    def _ordered(self, scores: dict[str, float]) -> Ranking:
        return sorted(scores.items(), key=lambda one: (-one[1], self._passages[one[0]].key))

    def _semantic(self, query: str, visible: set[str]) -> dict[str, float]:
        """Cosine, of every document."""
        asked = np.array(json.loads(QUERY_VECTOR))
        return {source: float(vector_of(source) @ asked) for source in visible}

    def _bm25(self, query: str, visible: set[str]) -> dict[str, float]:
        """The formula, with statistics of what is visible."""
        own = [self._passages[source] for source in visible]
        scores = bm25.scores(self._root, own, query) if own else {}
        return {passage.source: scores[passage.key] for passage in own if passage.key in scores}

    def _fuzzy(self, query: str, visible: set[str]) -> dict[str, float]:
        """The share of the words; one that nobody visible has, or anything like it, does not count."""
        words = {source: set(content_of(source).split()) for source in visible}
        telling = [w for w in query.split() if any(w in own for own in words.values())]
        scores = {
            s: sum(w in own for w in telling) / max(len(telling), 1) for s, own in words.items()
        }
        return {source: score for source, score in scores.items() if score > 0}

    def _hybrid(self, query: str, visible: set[str]) -> Ranking:
        """Reciprocal ranks, weighted."""
        scores: dict[str, float] = {}
        for leg in sorted(WEIGHTS):
            for rank, (source, _) in enumerate(self.ranking(leg, query, visible), 1):
                scores[source] = scores.get(source, 0.0) + WEIGHTS[leg] / (RRF_K + rank)
        return self._ordered(scores)


def assert_ranking(hits: Sequence[Hit], expected: Ranking, identity: Identity) -> None:
    """Expects these documents with these scores, in this order but for scores that are equal."""
    found = {source: score for source, _, score in hits}
    assert found == pytest.approx(dict(expected), rel=1e-6, abs=1e-6), identity
    places = {source: place for place, (source, _) in enumerate(expected)}
    scores = dict(expected)
    for (first, *_), (second, *_) in pairwise(hits):
        if not math.isclose(scores[first], scores[second], rel_tol=1e-6, abs_tol=1e-6):
            assert places[first] < places[second], identity
        elif scores[first] == scores[second]:
            assert places[first] < places[second], f"a tie the other way round: {identity}"
