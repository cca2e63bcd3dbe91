"""Conditions that postings cannot decide: filters on documents, and the order of a phrase's words.

A ranking is probed from its top: its passages are asked for in growing batches, until enough of
them pass. Where a filter lets too few of the first batch pass, it is resolved into the set of
documents that pass, which is a mask like any other. Only passages that the reader sees are asked.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.lexical.freshness import Versions
from ragsql_engine.lexical.statements import Row, Rows

Int64s = NDArray[np.int64]

_LEAST = 64  # passages of the first batch
_GROWTH = 4
_RESERVE = 5  # quarters of the depth that would do if as many passed further down

# after the join alone: a condition can fail, or take long, on a row that is hidden
_PASSING = """
select v.number - 1 as number
from unnest($1, $2) with ordinality v (document_id, chunk_index, number)
join rag_internal.document d using (document_id)
{join}
where case when d.document_id = v.document_id then {conditions} end
"""
_RESOLVED = """
select string_agg(int8send(i.entry_id), '' order by i.entry_id) as entries
from rag_internal.document d
join rag_internal.indexed_document i using (document_id)
where {conditions}
"""
_PATH = "coalesce(jsonb_path_match(d.attributes, {path}, {vars}, true), false)"


class Found(NamedTuple):
    """A passage with its score. document: the halves of its id."""

    score: float
    document: tuple[int, int]
    chunk_index: int

    @property
    def document_id(self) -> str:
        """The uuid, in hexadecimal digits."""
        return f"{self.document[0]:016x}{self.document[1]:016x}"


class Filters(NamedTuple):
    """What documents have to satisfy: values of the scope, as JSON, jsonpath and moments in text."""

    contained: str | None
    path: str | None
    vars: str | None
    updated_from: str | None = None
    updated_to: str | None = None

    @classmethod
    def from_scope(cls, scope: Row) -> "Filters":
        """From a value of rag_internal.scope."""
        names = ("filter", "filter_path", "vars", "min_updated_at", "max_updated_at")
        return cls(*(scope[name] for name in names))

    def __bool__(self) -> bool:
        conditions = (self.contained, self.path, self.updated_from, self.updated_to)
        return any(condition is not None for condition in conditions)


Rank = Callable[[int, Int64s | None], list[Found]]
"""The first passages of a ranking: how many, and the entries that may be among them (None: all)."""


class Probe:
    """What a passage has to satisfy besides having terms.

    conditions: a tsquery for each text configuration that has one.
    acls, collections: where documents are looked for that pass the filters (None: everywhere).
    versions: which documents are left out for a newer one, if any can be.
    """

    def __init__(
        self,
        rows: Rows,
        filters: Filters,
        conditions: Mapping[str, str],
        acls: Int64s | None,
        collections: Sequence[int] | None,
        versions: Versions | None = None,
    ) -> None:
        self._rows = rows
        self._filters = filters
        self._conditions = conditions
        self._acls = acls
        self._collections = collections
        self._versions = versions

    def first(self, rank: Rank, k: int) -> list[Found]:
        """The first k passages of a ranking that satisfy everything."""
        if not self._filters and not self._conditions and self._versions is None:
            return rank(k, None)
        entries: Int64s | None = None
        depth, passing, asked = max(k, _LEAST), list[Found](), 0
        while True:
            found = rank(depth, entries)
            passing += self._newest(self._passing(found[asked:], entries is not None))
            if len(passing) >= k or len(found) < depth:
                return passing[:k]
            asked, depth = len(found), self._deeper(depth, k, len(passing))
            if self._filters and entries is None:
                entries = self._resolved()
                passing, asked = [], 0

    def _deeper(self, depth: int, k: int, passing: int) -> int:
        """The next depth: what should do by the share that passed, as far as that tells."""
        if self._filters or not passing:
            return depth * _GROWTH
        return min(depth * _GROWTH, max(depth + _LEAST, _RESERVE * depth * k // (4 * passing)))

    def _newest(self, found: list[Found]) -> list[Found]:
        if self._versions is None:
            return found
        newest = self._versions.are_newest([passage.document_id for passage in found])
        return [passage for passage, is_newest in zip(found, newest, strict=True) if is_newest]

    def _passing(self, found: Sequence[Found], resolved: bool) -> list[Found]:
        values = _Values()
        ids = values.add("uuid[]", [passage.document_id for passage in found])
        indexes = values.add("integer[]", [passage.chunk_index for passage in found])
        conditions = [] if resolved else self._on_document(values)
        join = ""
        if self._conditions:
            join = "join rag_internal.chunk c using (document_id, chunk_index)"
            names = values.add("text[]", list(self._conditions))
            queries = values.add("tsquery[]", list(self._conditions.values()))
            conditions.append(
                f"coalesce(c.tsv @@ ({queries})[array_position({names}, d.text_config)], true)"
            )
        if not found or not conditions:
            return list(found)
        assert (ids, indexes) == ("$1", "$2")
        sql = _PASSING.format(join=join, conditions=" and ".join(conditions))
        numbers = sorted(row["number"] for row in self._rows(sql, values.types, *values.values))
        return [found[number] for number in numbers]

    def _on_document(self, values: "_Values") -> list[str]:
        conditions = []
        for sign, moment in ((">=", self._filters.updated_from), ("<=", self._filters.updated_to)):
            if moment is not None:
                conditions.append(f"d.updated_at {sign} {values.add('timestamptz', moment)}")
        if self._filters.contained is not None:
            conditions.append(f"d.attributes @> {values.add('jsonb', self._filters.contained)}")
        if self._filters.path is not None:
            path = values.add("jsonpath", self._filters.path)
            conditions.append(
                _PATH.format(path=path, vars=values.add("jsonb", self._filters.vars or "{}"))
            )
        return conditions

    def _resolved(self) -> Int64s:
        """Entries of the documents that pass the filters, sorted."""
        values = _Values()
        scope = []
        if self._acls is not None:
            scope.append(f"d.acl_id = any ({values.add('bigint[]', self._acls.tolist())})")
        if self._collections is not None:
            ids = values.add("bigint[]", list(self._collections))
            scope.append(f"d.collection_id = any ({ids})")
        *contained, last = self._on_document(values)
        if self._filters.path is not None and scope:
            # in this order: a path can fail, or take long, on a row that is hidden
            last = f"case when {' and '.join(scope)} then {last} end"
        sql = _RESOLVED.format(conditions=" and ".join([*scope, *contained, last]))
        blob = self._rows(sql, values.types, *values.values)[0]["entries"]
        return np.frombuffer(blob or b"", ">i8").astype(np.int64)


class _Values:
    """Parameters of a statement that is put together."""

    def __init__(self) -> None:
        self.types: list[str] = []
        self.values: list[Any] = []

    def add(self, kind: str, value: Any) -> str:
        """A value; its name in the statement is returned."""
        self.types.append(kind)
        self.values.append(value)
        return f"${len(self.values)}"
