"""A segment from pending documents."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.errors import IndexDamaged, LimitExceeded
from ragsql_engine.lexical.arrangement import (
    KINDS,
    NewSegment,
    arrange,
    distribute,
    passage_keys,
    rank_keys,
    rearranged,
    segment_row,
)
from ragsql_engine.lexical.blocks import Flat
from ragsql_engine.lexical.codec import MAX_PASSAGES
from ragsql_engine.lexical.documents import FOREVER, NEVER, Documents
from ragsql_engine.lexical.packing import pack
from ragsql_engine.lexical.vocabulary import Vocabulary

_BATCH = 2_048  # passages read at once: a tenth of a second, a few megabytes


def build(
    rows: Iterable[Mapping[str, Any]], text_config: str, pause: Callable[[], object] = lambda: None
) -> NewSegment | None:
    """The segment of these rows of `pending`, in any order; None if they have no passages.

    Keys are the columns' names; bytea is bytes, document_id text or 16 bytes, valid_from and
    valid_until microseconds since 1970-01-01 UTC or None. `pause` is called about every 100 ms.
    54000 for more than MAX_PASSAGES, XX002 where a row's columns disagree.
    """
    lexemes, surfaces = _Terms(), _Terms()
    read: list[tuple[Any, ...]] = []
    lengths: list[bytes] = []
    batch: list[Mapping[str, Any]] = []
    passages = waiting = 0
    for row in rows:
        read.append(_document(row, passages))
        lengths.append(row["lengths"])
        batch.append(row)
        passages += row["passages"]
        waiting += row["passages"]
        if passages > MAX_PASSAGES:
            raise LimitExceeded(f"a segment has at most {MAX_PASSAGES:,} passages")
        if waiting >= _BATCH:
            _read(batch, lexemes, surfaces)
            batch, waiting = [], 0
            pause()
    _read(batch, lexemes, surfaces)
    pending = _documents(read, passages)
    segments, moves = arrange(pending, np.ones(len(pending), np.bool_))
    if not segments:
        return None
    (documents,) = segments
    (ordered,) = rearranged(np.frombuffer(b"".join(lengths), ">u4"), moves, segments)
    keys = passage_keys(moves)
    blocks = {}
    for kind, terms in zip(KINDS, (lexemes, surfaces), strict=True):
        blocks[kind] = pack(terms.postings(keys, pause), documents.passages)
        pause()
    return NewSegment(segment_row(documents, ordered, text_config), blocks)


def _document(row: Mapping[str, Any], first_passage: int) -> tuple[Any, ...]:
    """The values of `Documents`, of one row; the document's id as bytes."""
    document_id = row["document_id"]
    if isinstance(document_id, str):
        document_id = bytes.fromhex(document_id.replace("-", ""))
    if len(row["lengths"]) != 4 * row["passages"]:
        raise IndexDamaged("a pending row has another number of lengths than passages")
    valid_from, valid_until = row["valid_from"], row["valid_until"]
    return (
        row["entry_id"],
        document_id,
        row["collection_id"],
        row["acl_id"],
        first_passage,
        row["first_index"],
        NEVER if valid_from is None else valid_from,
        FOREVER if valid_until is None else valid_until,
    )


def _documents(read: list[tuple[Any, ...]], passages: int) -> Documents:
    columns = list(zip(*read, strict=True)) if read else [()] * 8
    ids = np.frombuffer(b"".join(columns[1]), ">u8").astype(np.uint64).reshape(-1, 2)
    return Documents(
        np.array(columns[0], np.int64),
        ids,
        np.array(columns[2], np.int64),
        np.array(columns[3], np.int64),
        np.array(columns[4], np.uint32),
        np.array(columns[5], np.uint32),
        np.array(columns[6], np.int64),
        np.array(columns[7], np.int64),
        passages,
    )


def _read(batch: list[Mapping[str, Any]], lexemes: "_Terms", surfaces: "_Terms") -> None:
    passages = sum(row["passages"] for row in batch)
    lexemes.read(b"".join([row["lexemes"] for row in batch]), passages)
    lexemes.frequencies.append(b"".join([row["frequencies"] for row in batch]))
    surfaces.read(b"".join([row["surfaces"] for row in batch]), passages)


class _Terms:
    """The terms of one kind, passage by passage."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._numbers: list[NDArray[np.uint32]] = []
        self._counts: list[NDArray[np.uint32]] = []
        self.frequencies: list[bytes] = []

    def read(self, text: bytes, passages: int) -> None:
        """Read on, see `Vocabulary.read`."""
        numbers, counts = self._vocabulary.read(text, passages)
        self._numbers.append(numbers)
        self._counts.append(counts)

    def postings(self, keys: NDArray[np.uint64], pause: Callable[[], object]) -> Flat:
        """The postings, by the keys of passages (`arrangement.passage_keys`)."""
        terms, ranks = self._vocabulary.ranked()
        pause()
        own = np.repeat(keys, np.concatenate(self._counts))
        own |= rank_keys(ranks)[np.concatenate(self._numbers)]
        if self.frequencies:
            frequencies = np.frombuffer(b"".join(self.frequencies), np.uint8)
            if len(frequencies) != len(own) or not frequencies.all():
                raise IndexDamaged("a pending row has not one frequency for each term")
            own |= frequencies
        pause()
        (flat,) = distribute(terms, own, bool(self.frequencies), 1)
        pause()
        return flat
