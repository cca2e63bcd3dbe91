"""BM25 on Cranfield 1400: every score equals that of bm25s, and relevant passages rank high."""

from __future__ import annotations

from pathlib import Path

from bench import cranfield
from bench.report import Report
from support import Database


def test_scores_equal_those_of_bm25s_and_relevant_passages_rank_high(
    db: Database, shared_data: Path
) -> None:
    """The benchmark's own measure: nDCG@10 of 225 queries, and scores of every hit within 1e-4."""
    report = Report()
    with db.connect() as owner:
        cranfield.measure(owner, shared_data / "data" / "cranfield", report)
        rows = owner.execute("select count(*) from rag.chunk").fetchone()
    assert rows is not None
    assert rows[0] > 1390
    ndcg, agreeing = report.figures
    assert ndcg.value >= 0.345
    assert agreeing.value == 225
