"""Reads the pending documents, as parts that are searched like segments."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ragsql_engine.lexical import statements
from ragsql_engine.lexical.cache import Cache
from ragsql_engine.lexical.codec import MAX_PASSAGES
from ragsql_engine.lexical.documents import Documents
from ragsql_engine.lexical.parts import PendingPart

_FORMS = [
    ("entry_ids", ">i8"),
    ("document_ids", ">u8"),
    ("collection_ids", ">i8"),
    ("acl_ids", ">i8"),
    ("first_indexes", ">u4"),
    ("valid_from", ">i8"),
    ("valid_until", ">i8"),
    ("passages", ">u4"),
]
_DECODED = 3  # times the bytes of a part, with what it makes of them when it is asked

Parts = Sequence[tuple[str, PendingPart]]


def pending_parts(rows: statements.Rows, cache: Cache, kinds: str) -> Parts:
    """Parts of at most 65,536 passages, with their text configurations.

    kinds: of the terms that they are asked for, 'l', 's' or both. Entries never change, so as long
    as the same ones are pending, a session keeps what it read.
    """
    entries = rows(statements.PENDING_ENTRIES, [])[0]["entries"] or b""
    return cache.make(
        ("pending", kinds, entries),
        lambda: [(row["text_config"], _part(row)) for row in _read(rows, kinds)],
        lambda parts: len(entries) + sum(_DECODED * part.nbytes for _, part in parts),
    )


def _read(rows: statements.Rows, kinds: str) -> Sequence[Mapping[str, Any]]:
    terms = ", ".join(statements.TERMS[kind] for kind in kinds)
    read = rows(statements.PENDING.format(terms=terms, bucket="1"), [])
    if any(len(row["lengths"]) > 4 * MAX_PASSAGES for row in read):
        read = rows(statements.PENDING.format(terms=terms, bucket=statements.BUCKET), [])
    return read


def _part(row: Mapping[str, Any]) -> PendingPart:
    columns = {name: np.frombuffer(row[name], form) for name, form in _FORMS}
    counts = columns.pop("passages")
    ids = columns.pop("document_ids").astype(np.uint64).reshape(-1, 2)
    first_indexes = columns.pop("first_indexes").astype(np.uint32)
    numbers: dict[str, Any] = {name: c.astype(np.int64) for name, c in columns.items()}
    documents = Documents(
        **numbers,
        document_ids=ids,
        first_indexes=first_indexes,
        first_passages=(np.cumsum(counts) - counts).astype(np.uint32),
        passages=int(counts.sum()),
    )
    texts = (row.get("lexemes", b""), row.get("frequencies", b""), row.get("surfaces", b""))
    return PendingPart(documents, row["lengths"], *texts)
