"""BM25 in plain Python over what rag.analyze says of each text: to compare rankings with."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import psycopg
import pytest

Connection = psycopg.Connection[Any]

K1, B = 1.2, 0.75
_MOST = 255  # occurrences of a lexeme that a tsvector keeps

_PASSAGES = """
select d.document_id::text, c.chunk_index, d.source, d.text_config, u.lexeme, sum(u.count)::integer
from rag_internal.document d
join rag_internal.collection k using (collection_id)
join rag_internal.chunk c using (document_id)
left join lateral (
    select t.lexeme, cardinality(t.positions) * k.title_weight as count
    from unnest(rag.analyze(d.title, d.text_config)) t
    union all
    select t.lexeme, cardinality(t.positions) * k.heading_weight
    from unnest(rag.analyze(array_to_string(c.heading, ' . '), d.text_config)) t
    union all
    select t.lexeme, cardinality(t.positions)
    from unnest(rag.analyze(c.content, d.text_config)) t) u on u.count > 0
where (%s::text[] is null or k.name = any (%s))
  and d.status = 'active'
  and coalesce(d.valid_from <= statement_timestamp(), true)
  and coalesce(d.valid_until > statement_timestamp(), true)
group by d.document_id, c.chunk_index, d.source, d.text_config, u.lexeme
"""
_FOUND = """
select h.document_id::text, h.chunk_index, h.source, h.score
from rag.bm25_search(%s, %s::text[], %s, %s::jsonb, %s::jsonpath) h
order by h.rank
"""


class Passage(NamedTuple):
    """A passage by its lexemes; counts: how often each occurs, title and headings weighted."""

    document_id: str
    chunk_index: int
    source: str
    config: str
    counts: Counter[str]

    @property
    def key(self) -> tuple[str, int]:
        """What ties are broken by."""
        return self.document_id, self.chunk_index


class Hit(NamedTuple):
    """A row of rag.bm25_search."""

    document_id: str
    chunk_index: int
    source: str
    score: float

    @property
    def key(self) -> tuple[str, int]:
        """What ties are broken by."""
        return self.document_id, self.chunk_index


def passages(owner: Connection, collections: Sequence[str] | None = None) -> list[Passage]:
    """All passages of the collections (None: all) whose documents are active and valid now."""
    names = None if collections is None else list(collections)
    counts: dict[tuple[str, int, str, str], Counter[str]] = defaultdict(Counter)
    for *key, lexeme, count in owner.execute(_PASSAGES, [names, names]):
        counts[tuple(key)] += Counter({lexeme: min(count, _MOST)} if lexeme is not None else {})
    return [Passage(*key, own) for key, own in counts.items()]


def scores(
    owner: Connection,
    corpus: Iterable[Passage],
    query: str,
    prefixes: Sequence[str] = (),
    words_of: Callable[[Passage], Iterable[str]] | None = None,
) -> dict[tuple[str, int], float]:
    """BM25 of the passages that have a lexeme of the query, or a word with one of the prefixes.

    The formula of Robertson and Zaragoza (2009), with 1 added inside the logarithm as in Lucene;
    statistics are those of the passages of the same configuration. words_of: for prefixes, all
    words of a passage.
    """
    scored: dict[tuple[str, int], float] = {}
    for config in {passage.config for passage in corpus}:
        own = [passage for passage in corpus if passage.config == config]
        average = sum(passage.counts.total() for passage in own) / len(own)
        found = [
            {passage.key: passage.counts[lexeme] for passage in own if passage.counts[lexeme]}
            for lexeme in _lexemes(owner, query, config)
        ]
        for prefix in prefixes:
            assert words_of is not None
            starting = (p for p in own if any(w.startswith(prefix) for w in words_of(p)))
            found.append({passage.key: 1 for passage in starting})
        for frequencies in found:
            idf = math.log((len(own) - len(frequencies) + 0.5) / (len(frequencies) + 0.5) + 1)
            for passage in own:
                tf = frequencies.get(passage.key, 0)
                norm = K1 * (1 - B + B * passage.counts.total() / average)
                if tf:
                    added = idf * tf * (K1 + 1) / (tf + norm)
                    scored[passage.key] = scored.get(passage.key, 0.0) + added
    return scored


def search(
    connection: Connection,
    query: str,
    collections: Sequence[str] | None = None,
    top_k: int = 100_000,
    filter: str | None = None,
    filter_path: str | None = None,
) -> list[Hit]:
    """Hits of rag.bm25_search in their order."""
    names = None if collections is None else list(collections)
    rows = connection.execute(_FOUND, [query, names, top_k, filter, filter_path])
    return [Hit(*row) for row in rows]


def assert_ranking(hits: Sequence[Hit], expected: dict[tuple[str, int], float]) -> None:
    """Expects all of `expected`, scores within 1e-9, by (score desc, document_id, chunk_index)."""
    assert {hit.key: hit.score for hit in hits} == pytest.approx(expected, rel=1e-9)
    assert len(hits) == len(expected)
    assert list(hits) == sorted(hits, key=lambda hit: (-hit.score, *hit.key))


def _lexemes(owner: Connection, query: str, config: str) -> list[str]:
    row = owner.execute("select tsvector_to_array(rag.analyze(%s, %s))", [query, config]).fetchone()
    assert row is not None
    return list(row[0])
