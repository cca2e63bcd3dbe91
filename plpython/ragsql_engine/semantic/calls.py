"""What SQL functions ask for a search by vectors."""

from collections.abc import Sequence
from typing import Any

from ragsql_engine.calls import Row, translated
from ragsql_engine.lexical.calls import LexicalCalls
from ragsql_engine.lexical.sight import Pairs, Sight

_PLAN = 20_000  # bytes of a plan, about, and of each pair of classes and collections in it
_PAIR = 200

# the limit keeps a pair from being joined with all vectors
_MODELS = """
select k.model_id, bool_or(e.is_there) as is_seen
from unnest({pair_acls}, {pair_collections}) s (acl_id, collection_id)
join rag_internal.collection k on k.collection_id = s.collection_id
cross join lateral (
    select exists (select from rag_internal.embedding e
                   where e.model_id = k.model_id and e.acl_id = s.acl_id
                     and e.collection_id = s.collection_id
                   limit 1) as is_there) e
where k.model_id is not null
group by k.model_id
"""
_WAITING = """
select exists (
    select from unnest({pair_acls}, {pair_collections}) s (acl_id, collection_id)
    join rag_internal.collection k on k.collection_id = s.collection_id
    cross join lateral (
        select from rag_internal.embedding_task t
        where t.collection_id = s.collection_id and t.acl_id = s.acl_id
          and t.model_id = k.model_id
          and exists (select from {live} c where c.chunk_id = t.chunk_id)
        limit 1) t) as is_waiting
"""


class SemanticCalls(LexicalCalls):
    """Methods that run SQL over the classes and collections that a caller sees.

    These stand in it as constants, and the plan is kept as long as they are the same ones: ten
    thousand of them are read and planned once, not with each search.
    """

    @translated
    def sight(self, scope: Row) -> dict[str, Any]:
        """A value of rag_internal.sight."""
        sight = self._sight(scope)
        return {
            "passages": sight.passages,
            "collection_ids": sight.pairs.collections,
            "text_configs": list(sight.configs),
        }

    @translated
    def seen_models(self, scope: Row) -> list[int]:
        """model_id of each model under which the caller sees a passage's vector."""
        pairs = self._sight(scope).pairs
        # as a rule any class of a collection has vectors
        rows = self._seeing(pairs.few, _MODELS, [])
        if not all(row["is_seen"] for row in rows):
            rows = self._seeing(pairs, _MODELS, [])
        return [row["model_id"] for row in rows if row["is_seen"]]

    @translated
    def seen_acls(self, scope: Row) -> list[int]:
        """acl_id of each class among what the caller sees."""
        return self._sight(scope).pairs.acls

    @translated
    def seen_name(self, scope: Row) -> bytes:
        """A name of the classes and collections among what the caller sees."""
        return self._sight(scope).pairs.name

    @translated
    def sees_waiting(self, scope: Row, live: str) -> bool:
        """Whether a passage that the caller sees among `live`, a relation, waits for its vector."""
        waiting = _WAITING.replace("{live}", live)
        return bool(self._seeing(self._sight(scope).pairs, waiting, [])[0]["is_waiting"])

    @translated
    def leg_hits(self, statement: str, scope: Row, query_vector: str) -> list[tuple[Any, ...]]:
        """Rows of rag_internal.leg_hit by a statement of rag_internal.semantic_leg."""
        rows = self._seeing(self._sight(scope).pairs, statement, ["text"], query_vector)
        return [tuple(row.values()) for row in rows]

    def _sight(self, scope: Row) -> Sight:
        where = self._scope(scope)
        return self._store.sight(where.reader, where.collections, where.when)

    def _seeing(self, pairs: Pairs, statement: str, types: Sequence[str], *values: Any) -> Any:
        plan = self._store.keep(
            ("plan", statement, pairs.name),
            lambda: self._plpy.prepare(pairs.fill(statement), list(types)),
            _PLAN + _PAIR * len(pairs.values),
        )
        return self._plpy.execute(plan, list(values))
