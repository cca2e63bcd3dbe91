"""A row of the model registry, as the engine reads it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragsql_engine.errors import InvalidParameter

# Below this a single character may not fit: U+FDFA alone normalises to 18 letters.
SMALLEST_WINDOW = 32

# fastembed: weights in this process; openai: an HTTP endpoint; external: vectors come with calls.
PROVIDERS = ("fastembed", "openai", "external")


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model.

    `max_tokens` is its window, special tokens included; None where only its provider knows.
    `endpoints` is the registry's JSON, not checked yet. `long_input` says what becomes of a text
    beyond the window: 'average' of its windows, or 'error'.
    """

    name: str
    revision: str
    dimensions: int
    query_prefix: str
    passage_prefix: str
    max_tokens: int | None
    provider: str = "fastembed"
    endpoints: tuple[Any, ...] = field(default=(), hash=False)
    long_input: str = "average"

    @classmethod
    def from_row(cls, row: Mapping[str, Any] | None) -> "Model":
        """Read a row of the registry. Missing optional keys take their neutral value."""
        if row is None:
            raise InvalidParameter(
                "no model is given", hint="`ragsql up` registers one; rag.model lists them."
            )
        provider = row.get("provider") or "fastembed"
        if provider not in PROVIDERS:
            raise InvalidParameter(
                f"model {row['name']} has the provider {provider}, which this engine cannot run",
                hint=f"Choose a model whose provider is one of {', '.join(PROVIDERS)}.",
            )
        max_tokens = row.get("max_tokens")
        if max_tokens is not None and max_tokens < SMALLEST_WINDOW:
            raise InvalidParameter(
                f"max_tokens of model {row['name']} is {max_tokens}, below {SMALLEST_WINDOW}",
                hint="Correct max_tokens with rag.add_model: it is the model's window in tokens.",
            )
        endpoints = row.get("endpoints") or ()
        return cls(
            name=row["name"],
            revision=row.get("revision") or "",
            dimensions=row["dimensions"],
            query_prefix=row.get("query_prefix") or "",
            passage_prefix=row.get("passage_prefix") or "",
            max_tokens=max_tokens,
            provider=provider,
            # PL/Python hands jsonb over as text
            endpoints=tuple(json.loads(endpoints) if isinstance(endpoints, str) else endpoints),
            long_input=row.get("long_input") or "average",
        )

    @property
    def key(self) -> tuple[str, ...]:
        """What is loaded for a model is kept under this."""
        reached = json.dumps(self.endpoints, sort_keys=True) if self.endpoints else ""
        return self.provider, self.name, self.revision, reached

    def prefix(self, kind: str) -> str:
        """The text that goes before a 'query' or a 'passage'."""
        return self.query_prefix if kind == "query" else self.passage_prefix
