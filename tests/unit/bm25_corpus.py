"""Made-up corpora laid out in parts in any way, and BM25 in plain Python to compare with."""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ragsql_engine.lexical.bm25 import Term
from ragsql_engine.lexical.codec import Posting
from ragsql_engine.lexical.documents import FOREVER, NEVER, Bools, Documents
from ragsql_engine.lexical.parts import LEXEME, Part, PendingPart, SegmentPart, Visible
from ragsql_engine.lexical.ranking import Ranking

Key = tuple[int, int]  # document, chunk_index
Scored = list[tuple[float, Key]]


@dataclass(frozen=True)
class Passage:
    """A passage: what it holds, who may see it, and whether a filter lets it pass."""

    key: Key
    terms: dict[str, int]
    length: int
    visible: bool = True
    allowed: bool = True


class Layout(NamedTuple):
    """A corpus in parts, with filters as masks; places: the key of each passage of each part."""

    parts: list[Part]
    allowed: list[Bools | None]
    places: list[list[Key]]

    def terms(self, names: Iterable[str]) -> list[Term]:
        """Terms of a query."""
        return [Term(name, [part.posting(LEXEME, name) for part in self.parts]) for name in names]

    def keys(self, ranking: Ranking) -> Scored:
        """A ranking in the corpus's own words."""
        return [
            (score, self.places[part][ordinal])
            for part, ordinal, score in zip(*(c.tolist() for c in ranking), strict=True)
        ]


def document_id(document: int) -> tuple[int, int]:
    """The halves of a document's uuid; its first half does not tell all documents apart."""
    return document // 2 * 0x9E3779B97F4A7C15 % (1 << 64), document % 2 << 63


def lay_out(corpus: Sequence[Passage], count: int, random_: random.Random) -> Layout:
    """The corpus in `count` parts, some empty; documents are cut and mixed at will."""
    runs: list[list[Passage]] = []
    for passage in corpus:
        follows = runs and runs[-1][-1].key == (passage.key[0], passage.key[1] - 1)
        if follows and random_.random() < 0.7:
            runs[-1].append(passage)
        else:
            runs.append([passage])
    random_.shuffle(runs)
    dealt: list[list[list[Passage]]] = [[] for _ in range(count)]
    for run in runs:
        random_.choice(dealt).append(run)
    made: list[Part] = [
        (pending if random_.random() < 0.5 else segment)(part, random_.random() < 0.5)
        for part in dealt
    ]
    flat = [[passage for run in part for passage in run] for part in dealt]
    allowed = [mask([passage.allowed for passage in part], True) for part in flat]
    return Layout(made, allowed, [[passage.key for passage in part] for part in flat])


def mask(values: Sequence[bool], shorten: bool) -> Bools | None:
    """bool[n], or None where all are true and `shorten`."""
    return None if shorten and all(values) else np.array(values, np.bool_)


def segment(runs: Sequence[Sequence[Passage]], shorten: bool) -> SegmentPart:
    """A part of decoded postings."""
    passages = [passage for run in runs for passage in run]
    found = {}
    for name in {name for passage in passages for name in passage.terms}:
        held = [(at, p.terms[name]) for at, p in enumerate(passages) if name in p.terms]
        ordinals, frequencies = zip(*held, strict=True)
        found[LEXEME, name] = Posting(
            np.array(ordinals, np.uint16), np.array(frequencies, np.uint8)
        )
    lengths = np.array([passage.length for passage in passages], np.uint32)
    visible = Visible.of(lengths, mask([passage.visible for passage in passages], shorten))
    return SegmentPart(documents(runs), lengths, found, visible=visible)


def pending(runs: Sequence[Sequence[Passage]], shorten: bool) -> PendingPart:
    """A part of blobs."""
    passages = [passage for run in runs for passage in run]
    lengths = np.array([passage.length for passage in passages], np.uint32)
    return PendingPart(
        documents(runs),
        lengths.astype(">u4").tobytes(),
        blob(sorted(passage.terms) for passage in passages),
        bytes(passage.terms[name] for passage in passages for name in sorted(passage.terms)),
        b"",
        Visible.of(lengths, mask([passage.visible for passage in passages], shorten)),
    )


def blob(passages: Iterable[Iterable[str]]) -> bytes:
    """Terms as `pending` keeps them."""
    return b"".join(
        b"".join(term.encode() + b"\x01" for term in terms) + b"\x02" for terms in passages
    )


def documents(runs: Sequence[Sequence[Passage]]) -> Documents:
    """One entry for each run of passages."""
    count = len(runs)
    sizes = np.array([len(run) for run in runs], np.int64)
    zeros = np.zeros(count, np.int64)
    ids = [document_id(run[0].key[0]) for run in runs]
    return Documents(
        entry_ids=np.arange(count),
        document_ids=np.array(ids, np.uint64).reshape(-1, 2),
        collection_ids=zeros,
        acl_ids=zeros,
        first_passages=(np.cumsum(sizes) - sizes).astype(np.uint32),
        first_indexes=np.array([run[0].key[1] for run in runs], np.uint32),
        valid_from=np.full(count, NEVER),
        valid_until=np.full(count, FOREVER),
        passages=int(sizes.sum()),
    )


def expected(corpus: Sequence[Passage], names: Sequence[str], k: int) -> Scored:
    """The k best passages, from the formula, a passage and a term at a time."""
    seen = [passage for passage in corpus if passage.visible]
    n = len(seen)
    average = sum(passage.length for passage in seen) / max(n, 1) or 1.0
    df = {name: sum(name in passage.terms for passage in seen) for name in names}
    idf = {name: math.log((n - df[name] + 0.5) / (df[name] + 0.5) + 1) for name in names}
    scored = []
    for passage in seen:
        score = 0.0
        for name in sorted(names, key=lambda name: (-idf[name], name)):
            tf = passage.terms.get(name, 0)
            norm = passage.length * (1.2 * 0.75 / average) + 1.2 * (1 - 0.75)
            score += tf * (idf[name] * (1.2 + 1)) / (tf + norm)
        if score > 0 and passage.allowed:
            scored.append((score, passage.key))
    return sorted(scored, key=by_rank)[:k]


def by_rank(scored: tuple[float, Key]) -> tuple[float, tuple[int, int], int]:
    """(score desc, document_id, chunk_index)."""
    score, (document, chunk_index) = scored
    return -score, document_id(document), chunk_index
