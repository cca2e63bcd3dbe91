"""Random work in several sessions with open transactions; at the end, brute force agrees."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import psycopg
import pytest

from concurrency.cast import Cast
from concurrency.reference import assert_ranking
from concurrency.stage import READ_COMMITTED, REPEATABLE_READ, Session

STEPS = 300
WORDS = "valve pump pipe flange gasket motor".split()
SOURCES = [f"{n:02}" for n in range(16)]
# what a step may meet in another transaction: a lock, a change since its snapshot, a deletion
EXPECTED = (
    psycopg.errors.LockNotAvailable,
    psycopg.errors.SerializationFailure,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.NoDataFound,
    psycopg.errors.ActiveSqlTransaction,
)
Step = Callable[["Play", Session], object]


class Play:
    """Random steps of four sessions."""

    def __init__(self, cast: Cast, seed: int) -> None:
        self.cast = cast
        self.random = random.Random(seed)
        self.writers = [cast.another("owner") for _ in range(3)] + [cast.another()]
        self.done: dict[str, int] = {}
        for session in self.writers:
            session.run("set lock_timeout = '2ms'")

    def step(self) -> None:
        """One session does something, and an error ends its transaction."""
        session = self.random.choice(self.writers)
        name = self.random.choices(list(STEP_WEIGHTS), list(STEP_WEIGHTS.values()))[0]
        if name == "merge":
            session = self.writers[-1]
        try:
            STEP[name](self, session)
        except EXPECTED:
            session.connection.rollback()
        else:
            self.done[name] = self.done.get(name, 0) + 1

    def text(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(3, 12))) + "."

    def document(self) -> str:
        """One that is committed, or was."""
        ids = self.cast.root.run(
            "select d.document_id::text from rag_internal.document d "
            "join rag_internal.collection k using (collection_id) order by k.name, d.source"
        )
        if not ids:
            raise psycopg.errors.NoDataFound
        return str(self.random.choice(ids))

    def collection(self) -> str:
        return self.random.choice("cd")


def _begin(play: Play, session: Session) -> None:
    if session.connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE:
        session.begin(play.random.choice([READ_COMMITTED, READ_COMMITTED, REPEATABLE_READ]))


def _end(play: Play, session: Session) -> None:
    if session.connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        session.run(play.random.choice(["commit", "commit", "rollback"]))


def _ingest(play: Play, session: Session) -> None:
    session.ingest(play.random.choice(SOURCES), play.text(), play.collection())


def _regrant(play: Play, session: Session) -> None:
    reader = play.random.choice(["alice", "bob"])
    play.cast.grant(session, play.document(), reader, play.random.random() < 0.5)


def _share_collection(play: Play, session: Session) -> None:
    verb, reader = play.random.choice(["grant", "revoke"]), play.random.choice(["alice", "bob"])
    role = f"role:{play.cast.roles[reader]}"
    session.run(f"select rag.{verb}_read(%s, %s)", play.collection(), role)


def _update(play: Play, session: Session) -> None:
    change = play.random.choice(
        ["status => 'archived'", "status => 'active'", "valid_until => '2001-01-01'",
         "valid_until => 'infinity'", "title => 'Valve'"]
    )  # fmt: skip
    session.run(f"select rag.update_document(%s, {change})", play.document())


def _savepoint(play: Play, session: Session) -> None:
    _begin(play, session)
    session.run("savepoint s")
    play.random.choice([_ingest, _regrant, _delete])(play, session)
    if play.random.random() < 0.6:
        session.run("rollback to s")


def _delete(play: Play, session: Session) -> None:
    session.delete(play.document())


def _maintain(play: Play, session: Session) -> None:
    session.run("select rag.maintain_step()")


def _merge(play: Play, session: Session) -> None:
    session.merge()


def _search(play: Play, session: Session) -> None:
    """A reader's answer is right at any time, and so is that of a session that has work open."""
    word = play.random.choice(WORDS)
    reader = play.random.choice([play.cast.alice, play.cast.bob])
    assert_ranking(play.cast.root, reader, word)
    session.find(word)


STEP: dict[str, Step] = {
    "begin": _begin,
    "end": _end,
    "ingest": _ingest,
    "grant or revoke": _regrant,
    "share collection": _share_collection,
    "update": _update,
    "savepoint": _savepoint,
    "delete": _delete,
    "maintain": _maintain,
    "merge": _merge,
    "search": _search,
}
STEP_WEIGHTS = {
    "begin": 3, "end": 4, "ingest": 6, "grant or revoke": 3, "share collection": 1, "update": 3,
    "savepoint": 1, "delete": 2, "maintain": 3, "merge": 0.7, "search": 2,
}  # fmt: skip


@pytest.fixture
def eager(cast: Cast) -> Iterator[None]:
    """Every ingest builds, merges and sweeps, in its own transaction, once a little is pending."""
    (definition,) = cast.root.run(
        "select pg_get_functiondef('rag_internal.keep_up_index(rag_internal.document)'::regprocedure)"
    )
    changed = definition.replace("random() > _fresh / 256.0", "false").replace(":= 2048", ":= 3")
    assert changed.count("false") == 1 and changed.count(":= 3") == 1
    cast.root.run(changed)
    yield
    cast.root.rollback()
    cast.root.run(definition)


@pytest.mark.parametrize("seed", [1, 2])
def test_random_work(cast: Cast, seed: int) -> None:
    _play(cast, seed)


@pytest.mark.parametrize("seed", [3, 4])
def test_random_work_with_upkeep_in_every_ingest(cast: Cast, eager: None, seed: int) -> None:
    _play(cast, seed)


def _play(cast: Cast, seed: int) -> None:
    cast.collection("d", ("alice",))
    play = Play(cast, seed)
    for turn in range(STEPS):
        play.step()
        if turn % 75 == 74:
            cast.assert_well_outside(cast.owner)
    for session in play.writers:
        session.run("commit" if session is play.writers[0] else "rollback")
    assert len(play.done) == len(STEP), "every kind of step has worked now and then"
    for word in WORDS:
        cast.assert_well(word)
    cast.owner.run("call rag.maintain()")
    for word in WORDS:
        cast.assert_well(word)
    for collection in "cd":
        assert_ranking(cast.root, cast.owner, "pump", collection)
    cast.assert_goes()
