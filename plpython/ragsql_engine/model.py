"""A row of the model registry, as the engine reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragsql_engine.errors import InvalidParameter

# Below this a single character may not fit: U+FDFA alone normalises to 18 letters.
SMALLEST_WINDOW = 32


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model. `max_tokens` is its window, special tokens included."""

    name: str
    revision: str
    dimensions: int
    query_prefix: str
    passage_prefix: str
    max_tokens: int | None

    @classmethod
    def from_row(cls, row: Mapping[str, Any] | None) -> "Model":
        """Read a row of `rag.model`. Missing optional keys take their neutral value."""
        if row is None:
            raise InvalidParameter(
                "no model is given", hint="`ragsql up` registers one; rag.model lists them."
            )
        provider = row.get("provider") or "fastembed"
        if provider != "fastembed":
            raise InvalidParameter(
                f"model {row['name']} has the provider {provider}, which this engine cannot run",
                hint="Choose a model with the provider fastembed.",
            )
        max_tokens = row.get("max_tokens")
        if max_tokens is not None and max_tokens < SMALLEST_WINDOW:
            raise InvalidParameter(
                f"max_tokens of model {row['name']} is {max_tokens}, below {SMALLEST_WINDOW}",
                hint="Correct max_tokens with rag.add_model: it is the model's window in tokens.",
            )
        return cls(
            name=row["name"],
            revision=row.get("revision") or "",
            dimensions=row["dimensions"],
            query_prefix=row.get("query_prefix") or "",
            passage_prefix=row.get("passage_prefix") or "",
            max_tokens=max_tokens,
        )

    @property
    def key(self) -> tuple[str, str]:
        """What loaded weights and tokenizers are kept under."""
        return self.name, self.revision

    def prefix(self, kind: str) -> str:
        """The text that goes before a 'query' or a 'passage'."""
        return self.query_prefix if kind == "query" else self.passage_prefix
