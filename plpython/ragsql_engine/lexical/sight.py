"""What a reader sees of a scope, as the search by vectors needs it: classes and collections."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np

from ragsql_engine.lexical.documents import Documents, Int64s
from ragsql_engine.lexical.parts import Visible


@dataclass(frozen=True, eq=False)
class Pairs:
    """Distinct (acl_id, collection_id) of documents, ordered: int64[p, 2]. name: of just these."""

    values: Int64s
    name: bytes

    @classmethod
    def of(cls, values: Int64s) -> "Pairs":
        """Give distinct pairs their name."""
        return cls(values, blake2b(values.tobytes(), digest_size=32).digest())

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays, with the texts."""
        return 100 + 4 * int(self.values.nbytes)

    @cached_property
    def acls(self) -> list[int]:
        """acl_id of each class."""
        found: list[int] = np.unique(self.values[:, 0]).tolist()
        return found

    @cached_property
    def collections(self) -> list[int]:
        """collection_id of each collection."""
        found: list[int] = np.unique(self.values[:, 1]).tolist()
        return found

    @cached_property
    def few(self) -> "Pairs":
        """One pair of each collection."""
        return Pairs.of(self.values[np.unique(self.values[:, 1], return_index=True)[1]])

    def fill(self, statement: str) -> str:
        """A statement over rag_internal.embedding e, with constants for the names in it.

        {pair_acls}, {pair_collections}: the pairs. {acls}, {collections}: each of them once.
        {collection}: the column, as an expression that an index is not asked by where it would be
        asked for far more pairs than there are.
        """
        values: dict[str, Sequence[int]] = {
            "{acls}": self.acls,
            "{collections}": self.collections,
            "{pair_acls}": self.values[:, 0].tolist(),
            "{pair_collections}": self.values[:, 1].tolist(),
        }
        for name in filter(statement.__contains__, values):
            array = "'{" + ",".join(map(str, values[name])) + "}'::pg_catalog.int8[]"
            statement = statement.replace(name, array)
        is_sparse = len(self.acls) * len(self.collections) > 2 * len(self.values)
        column = "(e.collection_id + 0)" if is_sparse else "e.collection_id"
        return statement.replace("{collection}", column)


@dataclass(frozen=True, eq=False)
class Sight:
    """What is seen of a scope. passages: how many. configs: their text configurations, sorted."""

    pairs: Pairs
    passages: int
    configs: Sequence[str]


def pairs_of(documents: Documents, visible: Visible) -> Int64s:
    """Distinct pairs of those documents of which passages are visible."""
    seen = documents.counts > 0
    if visible.mask is not None:
        seen[seen] = visible.mask[documents.first_passages[seen]]
    return distinct([np.column_stack([documents.acl_ids[seen], documents.collection_ids[seen]])])


def distinct(parts: Iterable[Int64s]) -> Int64s:
    """The pairs of all parts, each once, ordered."""
    pairs = np.concatenate([np.empty((0, 2), np.int64), *parts])
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    is_new = np.ones(len(pairs), np.bool_)
    is_new[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
    return pairs[is_new]
