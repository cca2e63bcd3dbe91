"""Asking the server for the measures of a dataset, and comparing them with the last run's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from ragsql.evaluation.folder import Folder

MEASURES = {
    "ndcg_10": "nDCG@10",
    "mrr_10": "MRR@10",
    "recall_5": "recall@5",
    "recall_20": "recall@20",
    "recall_50": "recall@50",
}
"""Columns of rag.evaluate, and how people read them."""

_EVALUATE = """
select * from rag.evaluate(%s, strategies => %s::text[], settings => %s, collections => %s::text[],
                           top_k => %s, save => %s)
"""
_ADD = """
select name from rag.add_dataset(%s, %s, %s, collections => %s::text[])
"""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of a dataset; no strategies: all, no collections: those of the dataset."""

    strategies: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    collections: Sequence[str] = ()
    top_k: int = 50
    save: bool = False


def keep_dataset(
    connection: psycopg.Connection, name: str, folder: Folder, collections: Sequence[str]
) -> None:
    """Keep the questions and judgments of a folder under a name."""
    judgments = [judgment.row() for judgment in folder.judgments]
    connection.execute(
        _ADD, (name, Jsonb(folder.query_rows()), Jsonb(judgments), list(collections))
    )


def evaluate(connection: psycopg.Connection, dataset: str, plan: Plan) -> list[Row]:
    """The rows of rag.evaluate."""
    cursor = connection.cursor(row_factory=dict_row)
    strategies, collections = list(plan.strategies) or None, list(plan.collections) or None
    settings = Jsonb(dict(plan.settings))
    cursor.execute(_EVALUATE, (dataset, strategies, settings, collections, plan.top_k, plan.save))
    return cursor.fetchall()


def change(row: Mapping[str, Any], measure: str) -> float | None:
    """By how much a measure is more than in the last run; None where there is nothing to compare."""
    before = (row["last"] or {}).get(measure)
    return None if before is None or row[measure] is None else float(row[measure] - before)


def drops(rows: Sequence[Mapping[str, Any]], tolerance: float) -> list[str]:
    """What is worse than in the last run by more than `tolerance`, in the results of searches."""
    return [
        f"{row['strategy']}: {label} fell from {row['last'][measure]:.4f} to {row[measure]:.4f}."
        for row in rows
        if row["stage"] == "result"
        for measure, label in MEASURES.items()
        if (change(row, measure) or 0.0) < -tolerance
    ]
