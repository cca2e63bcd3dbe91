"""Each statement answers from its own snapshot, whatever its session has kept."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from concurrency.cast import Cast
from concurrency.stage import READ_COMMITTED, REPEATABLE_READ

SOURCES = [f"{n:02}" for n in range(7)]
Event = Callable[[Cast, list[str]], object]

EVENTS: dict[str, tuple[Event, list[str]]] = {
    "build": (lambda cast, ids: cast.root.build(), SOURCES),
    "merge": (lambda cast, ids: cast.root.merge(), SOURCES),
    "maintain": (lambda cast, ids: cast.owner.run("call rag.maintain()"), SOURCES),
    "rebuild": (lambda cast, ids: cast.owner.run("select rag.rebuild_index('c')"), SOURCES),
    "delete": (lambda cast, ids: cast.owner.delete(ids[0]), SOURCES[1:]),
    "revoke": (lambda cast, ids: cast.revoke(cast.owner, ids[0], "bob"), SOURCES[1:]),
    "revoke the collection": (lambda cast, ids: cast.revoke_collection("bob"), []),
    "ingest": (lambda cast, ids: cast.owner.ingest("99", "A valve more."), [*SOURCES, "99"]),
    "drop": (lambda cast, ids: cast.owner.run("select rag.drop_collection('c')"), []),
    "archive": (
        lambda cast, ids: cast.owner.run(
            "select rag.update_document(%s, status => 'archived')", ids[0]
        ),
        SOURCES[1:],
    ),
}


@pytest.fixture
def ids(cast: Cast) -> list[str]:
    """Seven documents: two segments, and one pending."""
    made = []
    for number, source in enumerate(SOURCES):
        made.append(cast.owner.ingest(source, f"The valve of pump {number} is closed."))
        if number in (2, 5):
            cast.root.build()
    return made


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("warm", [False, True])
def test_an_old_snapshot_gets_its_own_answer(
    cast: Cast, ids: list[str], name: str, warm: bool
) -> None:
    event, after = EVENTS[name]
    scores = "select source, score from rag.bm25_search('valve pump 3')"
    before = cast.bob.run(scores)
    exporter = cast.another().begin(REPEATABLE_READ)
    (snapshot,) = exporter.run("select pg_export_snapshot()")
    event(cast, ids)
    if warm:  # the session keeps what came later
        assert cast.bob.find() == after
    cast.bob.run(f"begin isolation level repeatable read; set transaction snapshot '{snapshot}'")
    assert cast.bob.run(scores) == before
    cast.owner.run("call rag.maintain()")
    assert cast.bob.run(scores) == before
    cast.bob.commit()
    assert cast.bob.find() == after
    exporter.commit()
    cast.assert_well()


@pytest.mark.parametrize("name", EVENTS)
def test_an_open_transaction_sees_what_its_level_says(
    cast: Cast, ids: list[str], isolation: str, name: str
) -> None:
    event, after = EVENTS[name]
    cast.bob.begin(isolation)
    assert cast.bob.find() == SOURCES
    event(cast, ids)
    assert cast.bob.find() == (after if isolation == READ_COMMITTED else SOURCES)
    cast.bob.commit()
    assert cast.bob.find() == after


def test_a_cursor_keeps_the_hits_of_its_first_fetch(cast: Cast, ids: list[str]) -> None:
    cast.bob.begin()
    cast.bob.run(
        "declare hits cursor for select source from rag.bm25_search('valve') order by source"
    )
    assert cast.bob.run("fetch 1 from hits") == SOURCES[:1]
    cast.owner.delete(ids[0])
    cast.owner.run("call rag.maintain()")
    assert cast.bob.run("fetch all from hits") == SOURCES[1:]
    assert cast.bob.find() == SOURCES[1:]


def test_what_is_rolled_back_to_a_savepoint(cast: Cast, ids: list[str], isolation: str) -> None:
    owner = cast.owner.begin(isolation)
    owner.ingest("outer", "An outer valve.")
    owner.run("savepoint a")
    owner.ingest("inner", "An inner valve.")
    owner.delete(ids[0])
    owner.ingest(SOURCES[1], "No such thing.")
    cast.revoke(owner, ids[2], "bob")
    assert owner.find() == [*SOURCES[2:], "inner", "outer"]
    owner.run("savepoint b")
    owner.ingest("outer", "Another thing.")
    owner.delete(ids[3])
    assert owner.find() == ["02", *SOURCES[4:], "inner"]
    owner.run("rollback to b")
    assert owner.find() == [*SOURCES[2:], "inner", "outer"]
    owner.run("rollback to a")
    assert owner.find() == [*SOURCES, "outer"]
    assert cast.bob.find() == SOURCES
    owner.delete(ids[4])
    owner.commit()
    expected = [source for source in SOURCES if source != "04"] + ["outer"]
    assert cast.bob.find() == expected
    cast.assert_well()
    owner.run("call rag.maintain()")
    assert cast.bob.find() == expected
    cast.assert_well()


def test_a_build_rolled_back_to_a_savepoint(cast: Cast, ids: list[str]) -> None:
    root = cast.root.begin()
    root.run("savepoint a")
    assert root.build() == 1
    assert root.merge()
    cast.owner.delete(ids[0])
    assert root.find() == SOURCES[1:]
    root.run("rollback to a")
    assert root.find() == SOURCES[1:]
    assert root.build() == 1
    root.commit()
    cast.assert_well()


def _as(cast: Cast, reader: str) -> list[str]:
    """What a reader would find in the root's open transaction."""
    cast.root.run(f"set local role {cast.roles[reader]}")
    found = cast.root.find()
    cast.root.run("reset role")
    return found


def test_a_grant_that_is_rolled_back_leaves_nothing(
    cast: Cast, ids: list[str], isolation: str
) -> None:
    cast.revoke_collection("bob")
    root = cast.root.begin(isolation)
    cast.grant(root, ids[0], "bob")
    assert _as(cast, "bob") == SOURCES[:1]
    root.run("savepoint a")
    root.run("select rag.grant_read('c', %s)", f"role:{cast.roles['bob']}")
    assert _as(cast, "bob") == SOURCES
    assert cast.bob.find() == []
    root.run("rollback to a")
    assert _as(cast, "bob") == SOURCES[:1]
    root.rollback()
    root.begin(isolation)
    assert _as(cast, "bob") == []
    cast.grant(root, ids[1], "bob")
    assert _as(cast, "bob") == SOURCES[1:2]
    root.commit()
    assert cast.bob.find() == SOURCES[1:2]
    cast.assert_well()


def test_a_revoke_that_is_open_holds_when_it_commits(
    cast: Cast, ids: list[str], isolation: str
) -> None:
    assert cast.bob.find() == SOURCES
    root = cast.root.begin(isolation)
    root.run("select rag.revoke_read('c', %s)", f"role:{cast.roles['bob']}")
    cast.revoke(root, ids[0], "alice")
    assert (_as(cast, "bob"), _as(cast, "alice")) == ([], SOURCES[1:])
    assert cast.bob.find() == cast.alice.find() == SOURCES
    root.commit()
    assert (cast.bob.find(), cast.alice.find()) == ([], SOURCES[1:])
    cast.assert_well()


def test_stamps_that_are_added_up_meanwhile(cast: Cast, ids: list[str]) -> None:
    """An open transaction adds stamps up, others go on, and it is rolled back or not."""
    count = "select count(*) from rag_internal.access_change"
    bob = f"role:{cast.roles['bob']}"
    cast.collection("d", ("alice",))
    for end in ("rollback", "commit"):
        root = cast.root.begin()
        (before,) = root.run(count)
        for _ in range(2_000):  # one statement in 64 adds them up
            root.run("update rag_internal.acl set security_level = 0 where false")
            (after,) = root.run(count)
            if after <= before:
                break
            before = after
        assert after <= before
        for verb, found in (("revoke", []), ("grant", SOURCES), ("revoke", [])):
            cast.owner.run(f"select rag.{verb}_read('c', %s)", bob)
            assert cast.bob.find() == found
        root.run(end)
        assert cast.bob.find() == []
        cast.owner.run("select rag.grant_read('c', %s)", bob)
        assert cast.bob.find() == SOURCES


def test_writers_of_one_document_wait_for_each_other(
    cast: Cast, ids: list[str], isolation: str
) -> None:
    other = cast.another("owner")
    ingest = "select (rag.ingest('c', %s, %s)).status"
    cast.owner.begin()
    cast.owner.ingest(SOURCES[0], "The first valve.")
    other.begin(isolation)
    running = other.start(ingest, "The second valve, a valve.", SOURCES[0])
    cast.stage.await_wait(other, cast.owner)
    cast.owner.commit()
    if isolation == REPEATABLE_READ:
        assert isinstance(running.exception(), psycopg.errors.SerializationFailure)
        other.rollback()
    else:
        assert running.result() == ["updated"]
        other.commit()
    cast.assert_well()

    cast.owner.begin()
    cast.owner.delete(ids[1])
    running = other.start(ingest, "The second valve.", SOURCES[1])
    cast.stage.await_wait(other, cast.owner)
    cast.owner.commit()
    assert isinstance(running.exception(), psycopg.errors.SerializationFailure)
    cast.assert_well()


def test_equal_reader_sets_at_once(cast: Cast, ids: list[str], isolation: str) -> None:
    """At repeatable read the second fails; it does not look for the class for ever."""
    intern = """
    select rag_internal.intern_readers(array_agg(principal_id), '', 0::smallint)
    from rag_internal.principal where name = any (%s)
    """
    names = [cast.roles["alice"], cast.roles["owner"]]
    one, other = cast.another().begin(), cast.another().begin(isolation)
    (acl_id,) = one.run(intern, names)
    running = other.start(intern, names)
    cast.stage.await_wait(other, one)
    one.commit()
    if isolation == REPEATABLE_READ:
        assert isinstance(running.exception(), psycopg.errors.SerializationFailure)
    else:
        assert running.result() == [acl_id]
