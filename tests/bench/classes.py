"""Sharing classes, and three readers that see all, half and a thousandth of the passages."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import sql

from bench.corpus import Document
from bench.loading import document_id
from bench.server import Connection

SHARES = {"bench_all": 1.0, "bench_half": 0.5, "bench_thousandth": 0.001}
"""Roles, and the share of the passages that each sees."""
COUNTS = (1, 100, 10_000)
SEED = 11


@dataclass(frozen=True, slots=True)
class Plan:
    """The class of each document, and which classes each role reads; classes are numbered."""

    count: int
    of_document: tuple[int, ...]
    readers: dict[str, list[int]]


def plan(documents: Sequence[Document], count: int) -> Plan:
    """Classes at random, so that the roles read what SHARES says, as near as classes allow.

    Where a class is more than a thousandth, the first is made that small. With one class there is
    only the reader of all.
    """
    if count == 1:
        return Plan(1, (0,) * len(documents), {"bench_all": [0]})
    chance = random.Random(SEED)
    few = max(1, count // 1000)
    wanted = SHARES["bench_thousandth"] * sum(len(d.passages) for d in documents)
    chosen = [chance.randrange(few, count) for _ in documents]
    for number in chance.sample(range(len(documents)), len(documents)):
        wanted -= len(documents[number].passages)
        if wanted < 0:
            break
        chosen[number] = chance.randrange(few)
    half = [*range(few), *range(few, few + (count - few) // 2)]
    readers = {"bench_all": [*range(count)], "bench_half": half, "bench_thousandth": [*range(few)]}
    return Plan(count, tuple(chosen), readers)


def make_roles(connection: Connection) -> None:
    """Makes the readers as login roles, unless they exist."""
    for role in SHARES:
        known = connection.execute("select from pg_roles where rolname = %s", [role]).fetchone()
        if known is None:
            create = sql.SQL("create role {} login in role rag_reader")
            connection.execute(create.format(sql.Identifier(role)))


def apply(connection: Connection, documents: Sequence[Document], chosen: Plan) -> None:
    """Moves documents into fresh classes; the lexical index must be made anew afterwards."""
    rows = connection.execute(
        "insert into rag_internal.acl (reader_set) "
        "select sha256(gen_random_uuid()::text::bytea) from generate_series(1, %s) "
        "returning acl_id",
        [chosen.count],
    ).fetchall()
    acls = [row[0] for row in rows]
    connection.execute("alter table rag_internal.document disable trigger follow_document")
    connection.execute(
        "update rag_internal.document d set acl_id = n.acl_id "
        "from unnest(%s::uuid[], %s::bigint[]) n (document_id, acl_id) "
        "where d.document_id = n.document_id",
        [[document_id(d) for d in documents], [acls[number] for number in chosen.of_document]],
    )
    connection.execute("alter table rag_internal.document enable trigger follow_document")
    for role, numbers in chosen.readers.items():
        connection.execute(
            "insert into rag_internal.acl_reader (principal_id, acl_id) "
            "select rag_internal.principal_for('role:' || %s, ''), a from unnest(%s::bigint[]) a",
            [role, [acls[number] for number in numbers]],
        )
    connection.execute(
        "vacuum analyze rag_internal.document, rag_internal.acl, rag_internal.acl_reader"
    )
