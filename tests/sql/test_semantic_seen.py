"""The semantic leg asks for what the caller sees, by plans that a session keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest

from support import Database, RoleFactory, throws_ok
from support.vectors import Found, Vectors, add_model, ask, literal, near, place

Connection = psycopg.Connection[Any]

COUNT, DIMENSIONS = 400, 8


def brute_force(vectors: Vectors, question: Vectors, live: list[int], k: int) -> list[str]:
    order = sorted(live, key=lambda n: -float(vectors[n] @ question))
    return [f"{n:06}" for n in order[:k]]


@pytest.mark.parametrize("gone", [0, 1, 50, 150, 250, 398, 400])
@pytest.mark.parametrize("top_k", [10, 120])
def test_the_nearest_of_those_that_are_live(conn: Connection, gone: int, top_k: int) -> None:
    """However many of the nearest are not, the others are found, exactly."""
    add_model(conn, "exact", dimensions=DIMENSIONS, storage="vector")
    conn.execute("select rag.create_collection('docs', model => 'exact')")
    vectors = near(COUNT, DIMENSIONS, 1)
    place(conn, "docs", vectors, model="exact")
    question = near(1, DIMENSIONS, 99)[0]
    order = brute_force(vectors, question, list(range(COUNT)), COUNT)
    conn.execute(
        "update rag_internal.document set status = 'archived' where source = any (%s)",
        [order[:gone]],
    )
    found = ask(conn, question, ["docs"], top_k)
    assert [source for source, _ in found] == order[gone : gone + top_k]
    assert ask(conn, question, ["docs"], top_k) == found


def of_everybody(conn: Connection, question: Vectors) -> Found:
    """What is nearest in all collections that the caller sees."""
    return conn.execute(
        "select source, score from rag.semantic_search(null, query_vector => %s)",
        [literal(question)],
    ).fetchall()


def test_a_kept_plan_shows_nothing_that_was_revoked(
    db: Database, role_factory: RoleFactory
) -> None:
    owner = db.connect(autocommit=True)
    add_model(owner, "m", dimensions=DIMENSIONS)
    vectors = near(40, DIMENSIONS, 1)
    for name, first in (("a", 0), ("b", 20)):
        owner.execute("select rag.create_collection(%s, model => 'm')", [name])
        place(owner, name, vectors[first : first + 20], model="m", first=first)
    role = role_factory()
    reader = db.connect(role, autocommit=True)
    nearest = literal(vectors[25])
    for _ in range(3):  # plans of the first round are there in the next ones
        assert of_everybody(reader, vectors[25]) == []
        owner.execute("select rag.grant_read('a', %s)", [role])
        found = of_everybody(reader, vectors[25])
        assert len(found) == 10
        assert all(int(source) < 20 for source, _ in found)
        owner.execute("select rag.grant_read('b', %s)", [role])
        assert of_everybody(reader, vectors[25])[0][0] == "000025"
        assert len(ask(reader, vectors[25], ["b"], 30)) == 20
        owner.execute("select rag.revoke_read('b', %s)", [role])
        assert of_everybody(reader, vectors[25]) == found
        throws_ok(
            reader,
            "select * from rag.semantic_search(null, '{b}', query_vector => %s)",
            "P0002",
            "does not exist or is not visible",
            [nearest],
        )
        owner.execute("select rag.revoke_read('a', %s)", [role])


def test_the_steps_tell_the_route_and_count_what_is_seen(
    db: Database, role_factory: RoleFactory
) -> None:
    owner = db.connect(autocommit=True)
    add_model(owner, "m", dimensions=DIMENSIONS)
    for name in ("mine", "hidden"):
        owner.execute("select rag.create_collection(%s, model => 'm')", [name])
    place(owner, "mine", near(30, DIMENSIONS, 1), model="m")
    role = role_factory()
    owner.execute("select rag.grant_read('mine', %s)", [role])
    reader = db.connect(role, autocommit=True)

    def steps() -> list[Any]:
        return reader.execute(
            "select route, why, passages from rag.explain_search('x', query_vector => %s)"
            " where step = 'semantic'",
            [literal(np.eye(DIMENSIONS)[0])],
        ).fetchall()

    told = [("exact", "m: 30 candidates, at most 10,000 are scanned exactly", 30)]
    assert steps() == told
    place(owner, "hidden", near(50, DIMENSIONS, 2), model="m")
    assert steps() == told
