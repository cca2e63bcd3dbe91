"""A row of the registry of rerankers, as the engine reads it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ragsql_engine.errors import InvalidParameter
from ragsql_engine.model import Model

PROVIDERS = ("fastembed", "http")
"""fastembed: weights in this process, or in the embedder; http: an endpoint."""

LOGIT, PROBABILITY = SCORES = ("logit", "probability")

WITHOUT = "rerank => 'none' searches without it."


@dataclass(frozen=True, slots=True)
class Reranker:
    """A cross-encoder: a model that reads a question and a passage together.

    `model.max_tokens` is its window of both, special tokens included. `scores` says what it gives:
    'logit' or 'probability'.
    """

    model: Model
    scores: str

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Reranker":
        """Read a row of rag_internal.reranker."""
        if row["provider"] not in PROVIDERS:
            raise InvalidParameter(
                f"reranker {row['name']} has the provider {row['provider']}, which this engine "
                "cannot run",
                hint=f"Providers are {', '.join(PROVIDERS)}.",
            )
        endpoints = row.get("endpoints") or ()
        model = Model(
            name=row["name"],
            revision=row.get("revision") or "",
            dimensions=1,
            query_prefix="",
            passage_prefix="",
            max_tokens=row.get("max_tokens"),
            provider=row["provider"],
            # PL/Python hands jsonb over as text
            endpoints=tuple(json.loads(endpoints) if isinstance(endpoints, str) else endpoints),
        )
        return cls(model, row.get("scores") or LOGIT)

    @property
    def name(self) -> str:
        """What it is registered as."""
        return self.model.name

    @property
    def key(self) -> tuple[str, ...]:
        """What is loaded for it is kept under this, apart from embedding models."""
        return ("rerank", *self.model.key)


class Scorer(Protocol):
    """What runs a reranker. `scores` says what it gives: 'logit' or 'probability'.

    `batch_tokens` and `batch_texts` bound what it is given at once: padded tokens and passages.
    """

    @property
    def scores(self) -> str: ...

    @property
    def batch_tokens(self) -> int: ...

    @property
    def batch_texts(self) -> int: ...

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """A raw score for each passage, in order."""
