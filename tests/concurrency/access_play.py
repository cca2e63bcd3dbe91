"""Collections that several threads change and search, with all that was ever true of each.

A shelf is changed by one thread at a time, and keeps each state that it had. A search may see of a
shelf what the person might read in one of the states between its beginning and its end.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import psycopg

from concurrency.access_model import Person, State, person
from support.identities import Connection, Identity, asking, become
from support.vectors import literal, unit

DIMENSIONS = 8
MODEL = "given"
WORDS = ("valve", "gasket", "lantern", "quagga", "steam")
STRATEGIES = ("semantic", "bm25", "fuzzy", "hybrid")
SEARCH = """
select h.source, h.content, h.score
from rag.search(%s, null, 10000, %s, query_vector => %s, token => %s) h
order by h.rank
"""
_INGEST = """
select (rag.ingest_chunks(%s, %s, source => %s, readers => %s, security_level => %s)
       ).document_id::text
"""

Hit = tuple[str, str, float]


@dataclass
class Shelf:
    """A collection. states[:committed + 1] were committed; one more is being tried."""

    number: int
    name: str
    state: State
    owner: Identity | None  # None: a superuser
    lock: threading.Lock = field(default_factory=threading.Lock)
    states: list[State] = field(default_factory=list)
    committed: int = 0
    ids: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.states.append(self.state)

    @property
    def now(self) -> State:
        return self.states[self.committed]

    def named_by(self, actor: Identity | None) -> str:
        """The collection as the actor has to name it: its owner by the plain name."""
        if actor is not None:
            return self.name
        tenant = f"{self.state.tenant}/" if self.state.tenant else ""
        return f"{tenant}{self.state.owner}/{self.name}"

    def new_source(self) -> str:
        return f"{self.number}-{len(self.ids):03}"


@contextmanager
def acting(connection: Connection, actor: Identity | None) -> Iterator[None]:
    """A transaction of the actor; None: of whom the connection is."""
    if actor is None:
        with connection.transaction():
            yield
    else:
        with asking(connection, actor) as token:
            assert token is None, "what changes something takes no token"
            yield


def content_of(source: str) -> str:
    """The text of a document: its source, and words by its number."""
    number = int(source[2:])
    words = [word for n, word in enumerate(WORDS) if n == 0 or number % (n + 1) == 0]
    return f"{source}: " + " ".join(words) + " and more" * (number % 4)


def vector_of(source: str) -> Any:
    """The unit vector of a document."""
    seed = int(source[0]) * 1000 + int(source[2:])
    return unit(np.random.default_rng(seed).normal(size=DIMENSIONS))


QUERY_VECTOR = literal(unit(np.random.default_rng(4711).normal(size=DIMENSIONS)))


def ingest(
    connection: Connection,
    shelf: Shelf,
    actor: Identity | None,
    source: str,
    readers: Sequence[str] | None,
    level: int | None,
) -> str:
    """Ingests the document in the open transaction of the actor; its id."""
    content = content_of(source)
    chunks = json.dumps([{"content": content, "embedding": vector_of(source).tolist()}])
    row = connection.execute(
        _INGEST,
        [shelf.named_by(actor), chunks, source, None if readers is None else list(readers), level],
    ).fetchone()
    assert row is not None
    return str(row[0])


class World:
    """Shelves, roles and who has usage of which."""

    def __init__(self, shelves: Sequence[Shelf], usage: dict[str, frozenset[str]]) -> None:
        self.shelves = list(shelves)
        self.usage = usage

    def person(self, identity: Identity) -> Person:
        return person(identity, self.usage)

    def search(
        self, connection: Connection, identity: Identity, strategy: str, query: str = WORDS[0]
    ) -> list[Hit]:
        """What the identity finds, in a transaction of its own."""
        with asking(connection, identity) as token:
            return self.search_within(connection, strategy, token, query)

    def search_within(
        self, connection: Connection, strategy: str, token: str | None, query: str = WORDS[0]
    ) -> list[Hit]:
        """What is found in the open transaction; each passage is that of its document."""
        vector = QUERY_VECTOR if strategy in ("semantic", "hybrid") else None
        rows = connection.execute(SEARCH, [query, strategy, vector, token]).fetchall()
        for source, content, _ in rows:
            assert content == content_of(source), "the text of another document"
        assert len({source for source, *_ in rows}) == len(rows)
        return rows

    def check_concurrent_search(
        self, connection: Connection, identity: Identity, strategy: str
    ) -> None:
        """Searches while others change things: of each shelf one of its states is seen."""
        who = self.person(identity)
        first = [shelf.committed for shelf in self.shelves]
        found = {source for source, *_ in self.search(connection, identity, strategy)}
        for shelf, start in zip(self.shelves, first, strict=True):
            self._check_shelf(shelf, found, who, shelf.states[start : len(shelf.states)], strategy)

    def _check_shelf(
        self, shelf: Shelf, found: set[str], who: Person, states: Sequence[State], what: str
    ) -> None:
        own = {source for source in found if source.startswith(f"{shelf.number}-")}
        allowed = [state.visible_to(who) for state in states]
        assert own in allowed, (
            f"{what} of {who} saw of {shelf.named_by(None)} {sorted(own)},"
            f" but might see one of {[sorted(a) for a in allowed]}"
        )

    def change(
        self,
        connection: Connection,
        shelf: Shelf,
        actor: Identity | None,
        change: Change,
    ) -> bool:
        """Makes a change and commits it; whether it came to that. The shelf is locked."""
        shelf.states.append(change.after)
        try:
            with acting(connection, actor):
                change.run(connection, shelf, actor)
        except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
            shelf.states.append(shelf.now)
            shelf.committed = len(shelf.states) - 1
            return False
        shelf.committed = len(shelf.states) - 1
        return True

    def change_and_return(
        self,
        connection: Connection,
        shelf: Shelf,
        actor: Identity | None,
        change: Change,
        reader: Identity,
        strategy: str,
    ) -> None:
        """Makes a change, searches as somebody else in its transaction, and takes it back.

        The shelf is locked: what is seen of it is the change alone, and then nothing of it.
        """
        who = self.person(reader)
        try:
            with connection.transaction() as transaction:
                with acting(connection, actor):  # a savepoint
                    change.run(connection, shelf, actor, keep=False)
                with connection.transaction():
                    token = become(connection, reader)
                    hits = self.search_within(connection, strategy, token)
                seen = {source for source, *_ in hits}
                raise psycopg.Rollback(transaction)
        except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
            return
        self._check_shelf(shelf, seen, who, [change.after], f"{strategy} within")
        after = {source for source, *_ in self.search(connection, reader, strategy)}
        self._check_shelf(shelf, after, who, [shelf.now], f"{strategy} after a rollback")


@dataclass
class Change:
    """A change of a shelf: a statement with its values, and the state it leads to.

    source: the document that is ingested, in place of a statement.
    """

    after: State
    query: str = ""
    values: tuple[Any, ...] = ()
    source: str | None = None
    readers: Sequence[str] | None = None
    level: int | None = None

    def run(
        self, connection: Connection, shelf: Shelf, actor: Identity | None, keep: bool = True
    ) -> None:
        """In the open transaction of the actor."""
        if self.source is None:
            connection.execute(self.query.encode(), self.values)
            return
        document_id = ingest(connection, shelf, actor, self.source, self.readers, self.level)
        if keep:
            shelf.ids[self.source] = document_id
