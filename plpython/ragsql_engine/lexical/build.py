"""A segment from pending documents."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.errors import IndexDamaged, LimitExceeded
from ragsql_engine.lexical.arrangement import (
    NewSegment,
    arrange,
    distribute,
    rearranged,
    segment_row,
)
from ragsql_engine.lexical.blocks import Flat
from ragsql_engine.lexical.codec import MAX_PASSAGES
from ragsql_engine.lexical.documents import FOREVER, NEVER, Documents, Int64s
from ragsql_engine.lexical.packing import pack

_TERM_END = b"\x01"
_PASSAGE_END = b"\x02"
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
    blocks = {}
    for kind, terms in (("l", lexemes), ("s", surfaces)):
        blocks[kind] = pack(terms.postings(moves), documents.passages)
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
    """Terms of one kind, numbered as they are met, and the terms of passages as numbers."""

    def __init__(self) -> None:
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._terms: list[NDArray[np.uint32]] = []
        self._counts: list[NDArray[np.uint32]] = []
        self.frequencies: list[bytes] = []

    def read(self, text: bytes, passages: int) -> None:
        """Read on: terms that end with 0x01, `passages` passages that end with 0x02."""
        marks = np.frombuffer(text, np.uint8)
        marks = marks[marks <= _PASSAGE_END[0]]
        ends = np.flatnonzero(marks == _PASSAGE_END[0])
        terms = text.translate(None, _PASSAGE_END).split(_TERM_END)
        if len(ends) != passages or len(terms) - 1 != len(marks) - passages or terms.pop():
            raise IndexDamaged("terms of a pending row are not marked as they must be")
        numbers = map(self._numbers.__getitem__, terms)
        self._terms.append(np.fromiter(numbers, np.uint32, len(terms)))
        self._counts.append((np.diff(ends, prepend=-1) - 1).astype(np.uint32))

    def postings(self, moves: Int64s) -> Flat:
        """The postings, with passages at their new places. What was read is given up."""
        terms = sorted(self._numbers)
        if terms and not terms[0]:
            raise IndexDamaged("a pending row has an empty term")
        ranks = np.empty(len(terms), np.uint32)
        ranks[[self._numbers[term] for term in terms]] = np.arange(len(terms))
        self._numbers.clear()
        numbers = np.concatenate(self._terms)
        places = np.repeat(moves, np.concatenate(self._counts))
        frequencies = None
        if self.frequencies:
            frequencies = np.frombuffer(b"".join(self.frequencies), np.uint8)
            if len(frequencies) != len(numbers) or not frequencies.all():
                raise IndexDamaged("a pending row has not one frequency for each term")
        self._terms, self._counts, self.frequencies = [], [], []
        return distribute(_decoded(terms), ranks[numbers], places, frequencies, 1)[0]


def _decoded(terms: list[bytes]) -> list[str]:
    try:
        return _TERM_END.join(terms).decode().split("\x01") if terms else []
    except UnicodeDecodeError:
        raise IndexDamaged("terms of a pending row are not UTF-8") from None
