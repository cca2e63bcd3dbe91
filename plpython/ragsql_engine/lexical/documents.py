"""The documents of a part, as arrays: whose they are, who sees them, where their passages lie."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.errors import IndexDamaged
from ragsql_engine.lexical.codec import MAX_PASSAGES

NEVER = -(1 << 63)  # valid_from of a document without one
FOREVER = (1 << 63) - 1  # valid_until of a document without one

Int64s = NDArray[np.int64]
UInt64s = NDArray[np.uint64]
UInt32s = NDArray[np.uint32]
Bools = NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)

COLUMNS = {
    "entry_ids": "<i8",
    "document_ids": ">u8",
    "collection_ids": "<i8",
    "acl_ids": "<i8",
    "first_passages": "<u4",
    "first_indexes": "<u4",
    "valid_from": "<i8",
    "valid_until": "<i8",
}


@dataclass(frozen=True, eq=False)
class Documents:
    """d documents of a part of n passages; passages of a document follow one another.

    entry_ids, collection_ids, acl_ids: int64[d]. document_ids: uint64[d, 2], the halves of the
    uuid, so that their order is PostgreSQL's. first_passages: uint32[d], ascending from 0, the
    ordinal of a document's first passage; first_indexes: uint32[d], that passage's chunk_index.
    valid_from, valid_until: int64[d], microseconds since 1970-01-01 UTC; NEVER and FOREVER for
    none. passages: n.
    """

    entry_ids: Int64s
    document_ids: UInt64s
    collection_ids: Int64s
    acl_ids: Int64s
    first_passages: UInt32s
    first_indexes: UInt32s
    valid_from: Int64s
    valid_until: Int64s
    passages: int

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Documents":
        """From the columns of `segment`: bytes, and `passages`. IndexDamaged if they disagree."""
        columns = {name: _array(row[name], name) for name in COLUMNS}
        columns["document_ids"] = columns["document_ids"].reshape(-1, 2)
        passages = int(row["passages"])
        first = columns["first_passages"].astype(np.int64)
        if (
            len({len(column) for column in columns.values()}) > 1
            or passages > MAX_PASSAGES
            or (
                len(first) and (first[0] != 0 or first[-1] > passages or (np.diff(first) < 0).any())
            )
        ):
            raise IndexDamaged("the columns of a segment's documents disagree")
        return cls(**columns, passages=passages)

    def to_row(self) -> dict[str, Any]:
        """The columns of `segment` that describe documents: bytes, `documents`, `passages`."""
        row: dict[str, Any] = {
            name: getattr(self, name).astype(form).tobytes() for name, form in COLUMNS.items()
        }
        return row | {"documents": len(self), "passages": self.passages}

    def __len__(self) -> int:
        return len(self.entry_ids)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays, with what `visible` and `spread` add to them in time."""
        arrays = sum(int(getattr(self, name).nbytes) for name in COLUMNS)
        return arrays + 40 * len(self)

    @cached_property
    def counts(self) -> Int64s:
        """int64[d], the passages of each document."""
        ends = np.append(self.first_passages, np.uint32(self.passages))
        return ends[1:].astype(np.int64) - ends[:-1]

    def visible(
        self,
        acls: Int64s | None,
        collections: Int64s | None,
        dead: Int64s,
        now: int | None,
        archived: bool = False,
    ) -> Bools | None:
        """bool[d], or None where every document is visible.

        acls, collections: sorted distinct ids, None for all. dead: sorted entry ids.
        now: microseconds since 1970-01-01 UTC, for documents valid then. archived: all that have
        begun by `now` (None: all) instead, of which some end before they begin: those archived.
        """
        mask = np.ones(len(self), np.bool_)
        if acls is not None:
            mask &= _spread_runs(self._acl_runs, acls)
        if collections is not None:
            mask &= _spread_runs(self._collection_runs, collections)
        if now is not None and len(self._moments):
            if archived:
                mask &= np.minimum(self.valid_from, self.valid_until) <= now
            else:
                mask &= (self.valid_from <= now) & (self.valid_until > now)
        if len(dead):
            mask &= ~self.among(dead)
        return None if mask.all() else mask

    def among(self, entries: Int64s) -> Bools:
        """bool[d]: whose entry is one of the sorted distinct `entries`."""
        order, own = self._by_entry
        low, high = np.searchsorted(own, entries), np.searchsorted(own, entries, "right")
        found = low < high
        steps = np.zeros(len(self) + 1, np.int8)
        steps[low[found]] += 1
        steps[high[found]] -= 1
        mask: Bools = np.empty(len(self), np.bool_)
        mask[order] = np.cumsum(steps[:-1]) > 0
        return mask

    def until(self, now: int) -> int:
        """The next moment after `now` at which validity changes `visible`; FOREVER for none."""
        at = int(np.searchsorted(self._moments, now, "right"))
        return int(self._moments[at]) if at < len(self._moments) else FOREVER

    def spread(self, documents: NDArray[Scalar]) -> NDArray[Scalar]:
        """What is said of each document (d values), said of each passage (n values)."""
        if len(self) == self.passages and int(self.counts.max(initial=1)) == 1:
            return documents
        return np.repeat(documents, self.counts)

    def keys(self, ordinals: NDArray[Any]) -> tuple[UInt64s, UInt64s, Int64s]:
        """(hi, lo, chunk_index) of passages: their order is that of (document_id, chunk_index)."""
        at = np.searchsorted(self.first_passages, ordinals, "right") - 1
        indexes = self.first_indexes[at].astype(np.int64) + ordinals - self.first_passages[at]
        return self.document_ids[at, 0], self.document_ids[at, 1], indexes

    @cached_property
    def _acl_runs(self) -> tuple[Int64s, Int64s]:
        return _runs(self.acl_ids)

    @cached_property
    def _collection_runs(self) -> tuple[Int64s, Int64s]:
        return _runs(self.collection_ids)

    @cached_property
    def _by_entry(self) -> tuple[Int64s, Int64s]:
        """Documents by entry id, and the ids in that order (parts of a long document share one)."""
        order = np.argsort(self.entry_ids, kind="stable")
        return order, self.entry_ids[order]

    @cached_property
    def _moments(self) -> Int64s:
        """The moments at which a document begins or ends to be valid, ascending."""
        bounds = np.concatenate([self.valid_from, self.valid_until])
        moments: Int64s = np.unique(bounds[(bounds != NEVER) & (bounds != FOREVER)])
        return moments


def _array(data: Any, name: str) -> NDArray[Any]:
    form = np.dtype(COLUMNS[name])
    if len(data) % (16 if name == "document_ids" else form.itemsize):
        raise IndexDamaged(f"{name} has the wrong length")
    return np.frombuffer(data, form).astype(form.newbyteorder("="), copy=False)


def _runs(column: Int64s) -> tuple[Int64s, Int64s]:
    """Runs of equal neighbours: (value, length) of each. Documents of a class lie together."""
    starts = np.flatnonzero(np.diff(column, prepend=column[:1] - 1))
    return column[starts], np.diff(starts, append=len(column))


def _spread_runs(runs: tuple[Int64s, Int64s], allowed: Int64s) -> Bools:
    """bool[documents]: whose value is in the sorted `allowed`."""
    values, lengths = runs
    if not len(allowed):
        return np.zeros(int(lengths.sum()), np.bool_)
    at = np.minimum(np.searchsorted(allowed, values), len(allowed) - 1)
    mask: Bools = np.repeat(allowed[at] == values, lengths)
    return mask
