"""What SQL functions ask of the lexical index."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ragsql_engine.calls import Calls, Row, translated
from ragsql_engine.errors import InvalidParameter

if TYPE_CHECKING:
    from ragsql_engine.lexical.index import LexicalIndex
    from ragsql_engine.lexical.probing import Found
    from ragsql_engine.lexical.purge import Purge
    from ragsql_engine.lexical.scope import Scope
    from ragsql_engine.lexical.store import Store
    from ragsql_engine.lexical.upkeep import Upkeep
    from ragsql_engine.lexical.words import FuzzyLeg


class LexicalCalls(Calls):
    """Methods over one `Store`, which is made when it is first asked for."""

    index_cache_mb: int | str = 256
    """How much a session keeps of the lexical index, in MiB; to be set before its first use."""

    @translated
    def bm25_leg(self, query: str, scope: Row, depth: int) -> list[tuple[Any, ...]]:
        """Rows of rag_internal.leg_hit: the `depth` best passages by BM25."""
        found = self._index.search(query, self._scope(scope), depth)
        return _leg_hits("bm25", found, None)

    @translated
    def fuzzy_leg(
        self, query: str, scope: Row, depth: int, max_distance: int
    ) -> list[tuple[Any, ...]]:
        """Rows of rag_internal.leg_hit: the `depth` best passages by likeness of words."""
        found, corrected = self._fuzzy.search(query, self._scope(scope), depth, max_distance)
        return _leg_hits("fuzzy", found, corrected)

    @translated
    def bm25_terms(
        self, query: str, scope: Row, document_id: str, chunk_index: int
    ) -> list[dict[str, Any]]:
        """Rows of rag.bm25_term: what each term adds to the score of a passage."""
        return self._index.explain(query, self._scope(scope), document_id, chunk_index)

    @translated
    def corrections(self, query: str, scope: Row) -> list[tuple[Any, ...]]:
        """Rows of rag.correction."""
        return [tuple(row) for row in self._fuzzy.correct(query, self._scope(scope)).rows]

    @translated
    def corrected_query(self, query: str, scope: Row, max_distance: int) -> str:
        """The query with its typing errors corrected."""
        return self._fuzzy.correct(query, self._scope(scope), max_distance).text

    @translated
    def read_question(self, query: str) -> dict[str, Any]:
        """A value of rag_internal.question."""
        from ragsql_engine.lexical.question import read

        question = read(query)
        excluded = [*question.excluded, *question.excluded_phrases]
        return {
            "content": question.text or " ".join(question.prefixes),
            "phrases": list(question.phrases),
            "excluded": excluded,
        }

    @translated
    def build_segment(self, text_config: str) -> int:
        """Build pending entries into a segment; its passages."""
        return self._upkeep.build(text_config)

    @translated
    def merge_segments(self, text_config: str, most_passages: int) -> bool:
        """Merge segments; whether there was anything to merge."""
        return self._upkeep.merge(text_config, most_passages)

    @translated
    def sweep_tombstones(self) -> int:
        """Remove tombstones of entries that lie nowhere; how many."""
        return self._upkeep.sweep()

    @translated
    def erase_entries(self, document_ids: "Sequence[str]") -> int:
        """Take documents that are deleted out of the index; how many postings."""
        return self._purge.erase(document_ids)

    @translated
    def purge_segment(self) -> bool:
        """Rewrite a segment with something dead; whether there was one."""
        return self._purge.step()

    @translated
    def prune_words(self) -> int:
        """Remove words that no entry has; how many."""
        return self._purge.prune_words()

    @translated
    def bury_strays(self, collection_id: int | None) -> int:
        """Leave tombstones of entries (None: in all collections) that are no document's."""
        return self._upkeep.bury(collection_id)

    @translated
    def index_differences(self, collection: Row) -> list[dict[str, Any]]:
        """Rows of rag.index_difference."""
        from ragsql_engine.lexical.verify import differences

        return list(differences(self._rows, self._store, collection["collection_id"]))

    def _scope(self, row: Row) -> "Scope":
        """A value of rag_internal.scope; from here on its search is the store's."""
        from ragsql_engine.lexical.scope import Scope

        self._store.search_id = row.get("search_id")
        return Scope.from_row(row)

    @cached_property
    def _store(self) -> "Store":
        from ragsql_engine.lexical.store import Store

        return Store(self._rows, megabytes(self.index_cache_mb) * 2**20)

    @cached_property
    def _index(self) -> "LexicalIndex":
        from ragsql_engine.lexical.index import LexicalIndex

        return LexicalIndex(self._rows, self._store)

    @cached_property
    def _fuzzy(self) -> "FuzzyLeg":
        from ragsql_engine.lexical.words import FuzzyLeg

        return FuzzyLeg(self._rows, self._store)

    @cached_property
    def _upkeep(self) -> "Upkeep":
        from ragsql_engine.lexical.upkeep import Upkeep

        return Upkeep(self._rows, self._store, self._pause)

    @cached_property
    def _purge(self) -> "Purge":
        from ragsql_engine.lexical.purge import Purge

        return Purge(self._rows, self._store, self._upkeep, self._pause)


def megabytes(setting: int | str) -> int:
    """The setting index_cache_mb; InvalidParameter where it is no number of MiB."""
    if not re.fullmatch(r"[1-9][0-9]{0,6}", str(setting)):
        raise InvalidParameter(
            f"index_cache_mb in rag_internal.setting is {setting!r}, but must be a number of MiB",
            hint="update rag_internal.setting set value = '256' where name = 'index_cache_mb'; "
            "then reconnect.",
        )
    return int(setting)


def _leg_hits(
    leg: str, found: "Sequence[Found]", corrected_query: str | None
) -> list[tuple[Any, ...]]:
    return [
        (leg, rank, f.score, f.document_id, f.chunk_index, corrected_query)
        for rank, f in enumerate(found, 1)
    ]
