"""Where a search looks, as the lexical legs ask it."""

from collections.abc import Sequence
from typing import NamedTuple

from ragsql_engine.lexical.freshness import When
from ragsql_engine.lexical.probing import Filters
from ragsql_engine.lexical.statements import Row
from ragsql_engine.lexical.store import Reader


class Scope(NamedTuple):
    """For whom, in which collections (None: all), by which filters, and judged when."""

    reader: Reader
    collections: Sequence[int] | None
    filters: Filters
    when: When

    @classmethod
    def from_row(cls, row: Row) -> "Scope":
        """From a value of rag_internal.scope."""
        return cls(
            Reader.from_identity(row["identity"]),
            row["collection_ids"],
            Filters.from_scope(row),
            When.from_scope(row),
        )
