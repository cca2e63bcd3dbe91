"""Rows of `pending` from plain documents, and what an index of them must say."""

import struct
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ragsql_engine.lexical.arrangement import NewSegment
from ragsql_engine.lexical.blocks import unpack
from ragsql_engine.lexical.documents import FOREVER, NEVER, Documents
from ragsql_engine.lexical.merge import Source


class Passage(NamedTuple):
    lexemes: Mapping[str, int]  # with frequencies
    surfaces: frozenset[str]


class Document(NamedTuple):
    """A pending row: passages from `first_index` on."""

    entry_id: int
    document_id: uuid.UUID
    collection_id: int
    acl_id: int
    passages: Sequence[Passage]
    first_index: int = 0
    valid_from: int | None = None
    valid_until: int | None = None


# (document id, chunk_index, acl, collection, entry, valid_from, valid_until, length,
#  lexemes, surfaces)
Indexed = tuple[bytes, int, int, int, int, int, int, int, dict[str, int], set[str]]


def pending_row(document: Document) -> dict[str, Any]:
    """The row as PL/Python hands it over, terms in no particular order."""
    passages = document.passages
    lexemes = [list(passage.lexemes.items())[::-1] for passage in passages]
    return {
        "entry_id": document.entry_id,
        "first_index": document.first_index,
        "document_id": str(document.document_id),
        "collection_id": document.collection_id,
        "acl_id": document.acl_id,
        "text_config": "english",
        "valid_from": document.valid_from,
        "valid_until": document.valid_until,
        "passages": len(passages),
        "lengths": b"".join(struct.pack(">I", sum(p.lexemes.values())) for p in passages),
        "lexemes": b"".join(_marked(term for term, _ in own) for own in lexemes),
        "frequencies": bytes(frequency for own in lexemes for _, frequency in own),
        "surfaces": b"".join(_marked(passage.surfaces) for passage in passages),
    }


def _marked(terms: Iterable[str]) -> bytes:
    return b"".join(term.encode() + b"\x01" for term in terms) + b"\x02"


def expected(documents: Iterable[Document]) -> list[Indexed]:
    """Every passage, sorted."""
    return sorted(
        (
            document.document_id.bytes,
            document.first_index + number,
            document.acl_id,
            document.collection_id,
            document.entry_id,
            NEVER if document.valid_from is None else document.valid_from,
            FOREVER if document.valid_until is None else document.valid_until,
            sum(passage.lexemes.values()),
            dict(passage.lexemes),
            set(passage.surfaces),
        )
        for document in documents
        for number, passage in enumerate(document.passages)
    )


def indexed(segments: Iterable[NewSegment]) -> list[Indexed]:
    """Every passage of some segments, sorted, read back from their bytes."""
    return sorted(passage for segment in segments for passage in _passages(segment))


def _passages(segment: NewSegment) -> list[Indexed]:
    documents = Documents.from_row(segment.row)
    n = documents.passages
    lengths = np.frombuffer(segment.row["lengths"], "<u4").tolist()
    lexemes: list[dict[str, int]] = [{} for _ in range(n)]
    surfaces: list[set[str]] = [set() for _ in range(n)]
    flat = unpack(segment.blocks["l"], n)
    if flat.frequencies is not None:
        columns = (flat.term_index.tolist(), flat.ordinals.tolist(), flat.frequencies.tolist())
        for term, ordinal, frequency in zip(*columns, strict=True):
            lexemes[ordinal][flat.terms[term]] = frequency
    flat = unpack(segment.blocks["s"], n)
    for term, ordinal in zip(flat.term_index.tolist(), flat.ordinals.tolist(), strict=True):
        surfaces[ordinal].add(flat.terms[term])
    result = []
    bounds = [*documents.first_passages.tolist(), n]
    for number in range(len(documents)):
        high, low = documents.document_ids[number].tolist()
        for ordinal in range(bounds[number], bounds[number + 1]):
            passage = (
                high.to_bytes(8, "big") + low.to_bytes(8, "big"),
                int(documents.first_indexes[number]) + ordinal - bounds[number],
                int(documents.acl_ids[number]),
                int(documents.collection_ids[number]),
                int(documents.entry_ids[number]),
                int(documents.valid_from[number]),
                int(documents.valid_until[number]),
                lengths[ordinal],
                lexemes[ordinal],
                surfaces[ordinal],
            )
            result.append(passage)
    return result


def as_source(segment: NewSegment) -> Source:
    """A stored segment, as a merge gets it."""
    lengths = np.frombuffer(segment.row["lengths"], "<u4")
    return Source(Documents.from_row(segment.row), lengths, segment.blocks)
