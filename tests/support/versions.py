"""Documents in several versions, and which of them a search considers, by the rule alone."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any, NamedTuple

import psycopg

from support.vectors import Vectors

Connection = psycopg.Connection[Any]

WORDS = "valve pump lantern gauge red blue old open closed leak rust steam water".split()
MOMENTS = [datetime(year, 1, 1, tzinfo=UTC) for year in range(2018, 2034, 3)]
_OLDEST = datetime(1, 1, 1, tzinfo=UTC)

_STORED = """
select d.document_id::text, k.name, d.source, d.version, d.status, d.valid_from, d.valid_until,
       d.created_at, d.updated_at
from rag_internal.document d join rag_internal.collection k using (collection_id)
"""
# derived from the key, so that the same seed makes the same
_AGES = """
update rag_internal.document d
set status = case when n.number % 5 = 0 then 'archived' else d.status end,
    created_at = timestamptz '2026-01-01' + n.number % 4 * interval '1 day',
    updated_at = timestamptz '2026-01-01' + n.number % 9 * interval '1 day'
from (select e.document_id, hashtext(concat_ws('/', k.name, e.source, e.version)) as number
      from rag_internal.document e join rag_internal.collection k using (collection_id)) n
where n.document_id = d.document_id
"""


class Stored(NamedTuple):
    """What the rule asks of a document."""

    document_id: str
    collection: str
    source: str
    version: str
    status: str
    valid_from: datetime | None
    valid_until: datetime | None
    created_at: datetime
    updated_at: datetime

    def is_valid(self, moment: datetime) -> bool:
        """Whether a search at `moment` would consider it if it were alone."""
        return (
            self.status == "active"
            and (self.valid_from is None or self.valid_from <= moment)
            and (self.valid_until is None or self.valid_until > moment)
        )


class Asked(NamedTuple):
    """Arguments of a search."""

    as_of: datetime | None = None
    include_archived: bool | None = None
    min_updated_at: datetime | None = None
    max_updated_at: datetime | None = None

    @property
    def given(self) -> dict[str, Any]:
        """Those that are not left to their default."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def fill(
    conn: Connection, rng: random.Random, vectors: Vectors, readers: list[list[str]] | None = None
) -> None:
    """A document for each vector, of few sources; `readers`: those that some have of their own."""
    known = {(d.collection, d.source, d.version) for d in stored(conn)}
    sources = [f"{number}.md" for number in range(len(vectors) // 3)]
    keys = [key for key in product("ab", sources, ["", "1", "2", "10"]) if key not in known]
    chosen = rng.sample(keys, len(vectors))
    for vector, (collection, source, version) in zip(vectors, chosen, strict=True):
        words = ["valve", *rng.choices(WORDS, k=rng.randint(2, 12))]
        start = rng.choice([None, None, *MOMENTS])
        later = [moment for moment in MOMENTS if start is None or moment > start]
        conn.execute(
            "select rag.ingest_chunks(%s, %s, source => %s, version => %s, valid_from => %s,"
            " valid_until => %s, readers => %s, metadata => %s)",
            [
                collection,
                json.dumps([{"content": " ".join(words), "embedding": vector.tolist()}]),
                source,
                version,
                start,
                rng.choice([None, None, *later]),
                rng.choice([None, *readers]) if readers else None,
                json.dumps({"n": rng.randrange(3)}),
            ],
        )
    conn.execute(_AGES)


def stored(conn: Connection) -> list[Stored]:
    """Every document."""
    return [Stored(*row) for row in conn.execute(_STORED)]


def considered(documents: Iterable[Stored], asked: Asked, now: datetime) -> set[str]:
    """document_id of those that a search considers, among documents that are all visible."""
    moment = asked.as_of or now
    if asked.include_archived:
        chosen = [
            d for d in documents
            if asked.as_of is None or d.valid_from is None or d.valid_from <= moment
        ]  # fmt: skip
    else:
        newest: dict[tuple[str, str], Stored] = {}
        for document in documents:
            if document.is_valid(moment):
                key = document.collection, document.source
                newest[key] = max(document, newest.get(key, document), key=_age)
        chosen = list(newest.values())
    return {
        d.document_id for d in chosen
        if (asked.min_updated_at is None or d.updated_at >= asked.min_updated_at)
        and (asked.max_updated_at is None or d.updated_at <= asked.max_updated_at)
    }  # fmt: skip


def any_asked(rng: random.Random) -> Asked:
    """Some arguments."""
    day = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=rng.randint(-7, 7))
    return Asked(
        as_of=rng.choice([None, *MOMENTS, MOMENTS[1] + timedelta(days=200)]),
        include_archived=rng.choice([None, None, False, True]),
        min_updated_at=rng.choice([None, None, day]),
        max_updated_at=rng.choice([None, None, day]),
    )


def _age(document: Stored) -> tuple[datetime, datetime, str]:
    return document.valid_from or _OLDEST, document.created_at, document.version
