"""Eight sessions share, hide, write and search at once; each sees what it may, and all of it.

While they work, a search equals one of the states between its beginning and its end: what was
revoked before is not seen, what was granted before is. Afterwards every ranking of every identity
equals brute force over what is visible to it, and so does what it reads behind row security.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from concurrency.access_model import State
from concurrency.access_play import DIMENSIONS, MODEL, STRATEGIES, WORDS, Shelf, World, ingest
from concurrency.access_rankings import Corpus, assert_ranking
from concurrency.access_steps import STEP, USERS, Actor, Cast
from support.database import Database, RoleFactory
from support.identities import Connection, Identity, asking, prepare_tokens
from support.vectors import add_model

SEED = 20261130
THREADS = 8
STEPS = 30
IDENTITIES = 20

PLACES: list[tuple[str, str | int, str]] = [
    # tenant, owner ('' a superuser, a number a role, else a user), name
    ("north", "ann", "notes"), ("north", "ben", "notes"), ("north", "", "handbook"),
    ("south", "ann", "notes"), ("", 0, "board"), ("", "", "handbook"),
]  # fmt: skip


@dataclass
class Played:
    """What is left when all threads have ended. failures: what went wrong in them."""

    world: World
    cast: Cast
    pool: Connection
    root: Connection
    corpus: Corpus
    failures: list[BaseException]
    done: set[str]

    @property
    def identities(self) -> list[Identity]:
        """Some of every kind, always the same."""
        rng = random.Random(SEED)
        return [*self.cast.plain, *(self.cast.identity(rng) for _ in range(IDENTITIES))]


@pytest.fixture(scope="module")
def cast_and_usage(db: Database) -> Iterator[tuple[Cast, dict[str, frozenset[str]], str]]:
    """Roles with their rules, who has usage of which, and the pool's login."""
    factory = RoleFactory(db)
    chief = factory(["rag_writer"], "chief")
    clerk = factory(["rag_reader"], "clerk")
    north = factory(["rag_reader"], "north")
    branch = factory(["rag_reader", north], "branch")
    service = factory(["rag_writer", "rag_service"], "service", login=False)
    gateway = factory(["rag_writer"], "gateway", login=False)
    pool = factory([], "pool")
    root = db.connect()
    root.execute(f'alter role "{pool}" noinherit')
    for role in (chief, clerk, north, branch, service, gateway):
        root.execute(f'grant "{role}" to "{pool}"')
    for role, tenant, clearance in (
        (chief, "", 1), (clerk, "", 3), (north, "north", 1), (branch, "", 2)
    ):  # fmt: skip
        configure = "select rag.configure_role(%s, tenant => %s, clearance => %s)"
        root.execute(configure, [role, tenant, clearance])
    root.execute("select rag.configure_role(%s, token_required => true)", [gateway])
    plain = [
        Identity("role", chief, tenant="", clearance=1),
        Identity("role", clerk, tenant="", clearance=3),
        Identity("role", north, tenant="north", clearance=1),
        Identity("role", branch, tenant="north", clearance=2),
    ]
    usage = {name: frozenset({name}) for name in (chief, clerk, north)}
    usage[branch] = frozenset({branch, north})
    readers = [f"role:{identity.role}" for identity in plain]
    readers += ["public", "group:staff", "group:board", *(f"user:{user}" for user in USERS)]
    yield Cast(plain, service, gateway, readers, {chief, service, gateway}), usage, pool
    db.close()
    factory.drop_all()


@pytest.fixture(scope="module")
def played(db: Database, cast_and_usage: tuple[Cast, dict[str, frozenset[str]], str]) -> Played:
    """Fills the shelves and lets the threads work."""
    cast, usage, login = cast_and_usage
    root = db.connect()
    prepare_tokens(root)
    add_model(root, MODEL, dimensions=DIMENSIONS, storage="vector")
    world = World([_shelf(root, db, cast, number) for number in range(len(PLACES))], usage)
    actors = [
        Actor(world, cast, db.connect(login), db.connect(), random.Random(SEED * 100 + number))
        for number in range(THREADS)
    ]
    failures: list[BaseException] = []
    with ThreadPoolExecutor(THREADS) as threads:
        for future in [threads.submit(actor.play, STEPS) for actor in actors]:
            if (error := future.exception()) is not None:
                failures.append(error)
    done = {name for actor in actors for name in actor.done}
    return Played(world, cast, db.connect(login), root, Corpus(root), failures, done)


def _shelf(root: Connection, db: Database, cast: Cast, number: int) -> Shelf:
    """A new collection with a few documents."""
    tenant, who, name = PLACES[number]
    owner: Identity | None = None
    if isinstance(who, int):
        owner = cast.plain[who]
        state = State(tenant, f"role:{owner.role}", frozenset({f"role:{owner.role}"}))
    elif who:
        owner = Identity("service", cast.service, who, tenant=tenant, clearance=3)
        state = State(tenant, f"user:{who}", frozenset({f"user:{who}"}))
    else:
        state = State(tenant, "role:postgres", frozenset({"role:postgres"}))
    make = "select rag.create_collection(%s, model => %s)"
    if owner is None:
        root.execute(f"{make[:-1]}, tenant => %s)", [name, MODEL, tenant])
    else:
        with asking(root, owner):
            root.execute(make.encode(), [name, MODEL])
    shelf = Shelf(number, name, state, owner)
    for _ in range(6):
        source = shelf.new_source()
        shelf.ids[source] = ingest(root, shelf, None, source, None, None)
        shelf.states[0] = shelf.states[0].ingest(source, None, None)
    return shelf


def test_no_session_ever_sees_what_it_may_not(played: Played) -> None:
    if played.failures:
        raise AssertionError(f"seed {SEED}: {played.failures[0]}") from played.failures[0]
    assert played.done == set(STEP)


def test_the_shelves_differ_for_those_who_ask(played: Played) -> None:
    """Otherwise nothing could have been seen wrongly."""
    world = played.world
    everything = sum(len(shelf.now.papers) for shelf in world.shelves)
    seen = {
        sum(len(shelf.now.visible_to(world.person(identity))) for shelf in world.shelves)
        for identity in played.identities
    }
    assert len(seen) > 4
    assert max(seen) < everything < 100
    assert min(seen) == 0


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_ranking_equals_brute_force(played: Played, strategy: str) -> None:
    world = played.world
    for identity in played.identities:
        who = world.person(identity)
        visible = {s for shelf in world.shelves for s in shelf.now.visible_to(who)}
        for query in (WORDS[0], " ".join(WORDS[1:4]), f"{WORDS[0]} {WORDS[4]} unheard"):
            hits = world.search(played.pool, identity, strategy, query)
            assert_ranking(hits, played.corpus.ranking(strategy, query, visible), identity)


def test_what_is_read_by_hand_is_what_is_found(played: Played) -> None:
    """Views, functions by key, lists with their counts, and row security itself."""
    world, root = played.world, played.root
    for identity in played.identities:
        who = world.person(identity)
        visible = sorted(s for shelf in world.shelves for s in shelf.now.visible_to(who))
        if identity.way == "argument":  # only searches take one
            continue
        with asking(played.pool, identity):
            for query in ("source from rag.document", "split_part(content, ':', 1) from rag.chunk"):
                rows = played.pool.execute(f"select {query} order by 1").fetchall()
                assert [source for (source,) in rows] == visible, identity
            lists = played.pool.execute(
                "select tenant, owner, name, documents from rag.list_collections()"
            ).fetchall()
        known = [shelf for shelf in world.shelves if shelf.now.is_known_to(who)]
        assert sorted(lists) == sorted(
            (s.now.tenant, s.now.owner.removeprefix("role:"), s.name, len(s.now.visible_to(who)))
            for s in known
        ), identity
        with root.transaction(force_rollback=True):
            # the second wall, should somebody open the first
            root.execute("grant usage on schema rag_internal to rag_reader")
            root.execute("grant select on rag_internal.document, rag_internal.chunk to rag_reader")
            with asking(root, identity):
                rows = root.execute(
                    "select source from rag_internal.document order by 1"
                ).fetchall()
                assert [source for (source,) in rows] == visible, identity
                count = root.execute("select count(*) from rag_internal.chunk").fetchone()
                assert count == (len(visible),)


def test_documents_by_their_ids(played: Played) -> None:
    world = played.world
    for identity in played.identities[::3]:
        if identity.way == "argument":
            continue
        who = world.person(identity)
        for shelf in world.shelves:
            visible = shelf.now.visible_to(who)
            with asking(played.pool, identity):
                for source in shelf.now.papers:
                    rows = played.pool.execute(
                        "select source from rag.get_document(%s)", [shelf.ids[source]]
                    ).fetchall()
                    assert rows == ([(source,)] if source in visible else []), identity
