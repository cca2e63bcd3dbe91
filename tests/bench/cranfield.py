"""Correctness of BM25 on Cranfield 1400: nDCG@10, and agreement with bm25s score by score.

nDCG@10 with gain 2^rel - 1 and discount 1 / log2(rank + 1), over the 225 queries (Järvelin and
Kekäläinen, 2002; gain of Burges et al., 2005). bm25s knows the formula without the factor k1 + 1
(method lucene), and gets the lexemes that ragsql stored, as often as they occur. Three queries hold
" -dash", which is ragsql's syntax for an exclusion: the hyphen is left out there.
"""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import loading
from bench.corpus import Document
from bench.report import Report
from bench.server import Connection

K1, B = 1.2, 0.75
_SEARCH = """
select d.source, h.score
from rag.bm25_search(%s, collections => array['cranfield'], top_k => %s) h
join rag_internal.document d using (document_id)
order by h.rank
"""
_TOKENS = """
select d.source, array(select t.lexeme
                       from unnest(c.tsv) t, generate_series(1, cardinality(t.positions)))
from rag_internal.chunk c
join rag_internal.document d using (document_id)
join rag_internal.collection k using (collection_id)
where k.name = 'cranfield'
"""

Scores = dict[str, float]


def measure(connection: Connection, data: Path, report: Report) -> None:
    """Loads the collection with title weight 1, asks all queries, and compares."""
    documents = [
        Document(row["_id"], row["title"], (row["text"],))
        for row in _rows(data / "corpus.jsonl")
        if row["text"].strip()
    ]
    loading.make_collection(connection, "cranfield", title_weight=1)
    loading.load(connection, "cranfield", documents)
    loading.index(connection)
    rows = _rows(data / "queries.jsonl")
    queries = {row["_id"]: row["text"].replace(" -", " ") for row in rows}
    found = {number: _search(connection, query) for number, query in queries.items()}

    relevance: dict[str, dict[str, int]] = defaultdict(dict)
    with (data / "qrels.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            relevance[row["query-id"]][row["corpus-id"]] = int(row["score"])
    ndcg = [ndcg_at_10(list(found[number]), relevance[number]) for number in queries]
    report.add("Cranfield: nDCG@10", sum(ndcg) / len(ndcg), at_least=0.345)

    wanted = _reference(connection, queries)
    agreeing = sum(agree(found[number], wanted[number]) for number in queries)
    count = len(queries)
    name = f"Cranfield: queries of {count} whose scores all equal 2.2 times bm25s"
    report.add(name, agreeing, at_least=count)


def ndcg_at_10(ranking: Sequence[str], relevance: Mapping[str, int]) -> float:
    """nDCG of the first ten of a ranking; 0 where nothing is relevant."""

    def gain(grades: Sequence[int]) -> float:
        return sum((2.0**rel - 1) / math.log2(place + 1) for place, rel in enumerate(grades, 1))

    best = gain(sorted(relevance.values(), reverse=True)[:10])
    return gain([relevance.get(source, 0) for source in ranking[:10]]) / best if best else 0.0


def agree(found: Scores, wanted: Scores, tolerance: float = 1e-4) -> bool:
    """Whether the same documents have scores, and the same ones."""
    return found.keys() == wanted.keys() and all(
        math.isclose(score, wanted[source], rel_tol=tolerance) for source, score in found.items()
    )


def _search(connection: Connection, query: str) -> Scores:
    rows = connection.execute(_SEARCH, [query, 10_000]).fetchall()
    return dict(rows)


def _reference(connection: Connection, queries: Mapping[str, str]) -> dict[str, Scores]:
    """What bm25s says, for documents that have any word of the query."""
    import bm25s  # type: ignore[import-untyped]  # bm25s has no types

    rows = connection.execute(_TOKENS).fetchall()
    retriever = bm25s.BM25(method="lucene", k1=K1, b=B, dtype="float64")
    retriever.index([tokens for _, tokens in rows], show_progress=False)
    known = {token for _, tokens in rows for token in tokens}
    found: dict[str, Scores] = {}
    for number, query in queries.items():
        lexemes = _lexemes(connection, query)
        asked = [lexeme for lexeme in lexemes if lexeme in known]
        scores = retriever.get_scores(asked) * (K1 + 1) if asked else []
        named = zip((source for source, _ in rows), scores, strict=False)
        found[number] = {source: float(score) for source, score in named if score > 0}
    return found


def _lexemes(connection: Connection, query: str) -> list[str]:
    statement = "select rag_internal.question_lexemes(%s, %s)"
    row = connection.execute(statement, [query, loading.CONFIG]).fetchone()
    return list(row[0]) if row and row[0] else []


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
