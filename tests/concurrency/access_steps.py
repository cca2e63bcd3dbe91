"""What a thread of the property test does: one random step after another."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import psycopg

from concurrency.access_model import Readers
from concurrency.access_play import STRATEGIES, Change, Shelf, World
from support.identities import TOKEN_WAYS, Connection, Identity, Way, asking

USERS = ("ann", "ben", "cleo")
GROUPS = ("staff", "board")
TENANTS = ("", "north", "south")
LEVELS = (0, 0, 0, 1, 2, 3)
MOST = 14  # documents of a shelf


class Cast:
    """Who may appear: the roles by what they are for, as the fixture made them."""

    def __init__(
        self,
        plain: list[Identity],
        service: str,
        gateway: str,
        readers: list[str],
        writers: set[str],
    ) -> None:
        self.plain = plain
        self.writers = writers
        self.service = service
        self.gateway = gateway
        self.readers = readers

    def identity(self, rng: random.Random) -> Identity:
        """Anybody, told in any way."""
        way: Way = rng.choice(("role", "role", "service", "service", *TOKEN_WAYS))
        if way == "role":
            return rng.choice(self.plain)
        user = rng.choice(USERS)
        groups = tuple(group for group in GROUPS if rng.random() < 0.4)
        tenant, clearance = rng.choice(TENANTS), rng.choice(LEVELS)
        if way == "service":
            nobody = rng.random() < 0.1
            return Identity(
                way, self.service, None if nobody or (groups and rng.random() < 0.3) else user,
                () if nobody else groups, tenant, clearance,
            )  # fmt: skip
        as_role = rng.choice([None, None, rng.choice(self.plain).role])
        # who asks with a token needs the right to the role that it names
        role = self.gateway if as_role is None else as_role
        return Identity(way, role, user, groups, tenant, clearance, as_role)


class Actor:
    """One thread's sessions: a pool's, which takes a role in each transaction, and a superuser's."""

    def __init__(
        self, world: World, cast: Cast, pool: Connection, root: Connection, rng: random.Random
    ) -> None:
        self.world = world
        self.cast = cast
        self.pool = pool
        self.root = root
        self.rng = rng
        self.done: Counter[str] = Counter()

    def play(self, steps: int) -> None:
        for _ in range(steps):
            name = self.rng.choices(list(STEP), [weight for _, weight in STEP.values()])[0]
            STEP[name][0](self)
            self.done[name] += 1

    # what steps are made of ------------------------------------------------------------------
    def readers(self) -> Readers:
        return frozenset(reader for reader in self.cast.readers if self.rng.random() < 0.3)

    def level(self) -> int | None:
        return self.rng.choice((None, None, *LEVELS))

    def actor(self, shelf: Shelf) -> tuple[Connection, Identity | None]:
        """A session that may change the shelf: its owner's or a superuser's."""
        if shelf.owner is not None and self.rng.random() < 0.6:
            owner = shelf.owner
            if owner.way == "service" and self.rng.random() < 0.4:
                owner = replace(owner, way="setting", role=self.cast.gateway)
            return self.pool, owner
        return self.root, None

    def change(self, shelf: Shelf, actor: Identity | None) -> Change:
        """A random change of the shelf, which is locked."""
        now, rng = shelf.now, self.rng
        name = shelf.named_by(actor)
        reader = rng.choice(self.cast.readers)
        kinds = ["ingest"] if len(now.papers) < MOST else []
        if now.papers:
            kinds += ["grant_paper", "revoke_paper", "set_paper", "ingest_again", "delete"]
        kinds += ["grant", "revoke", "revoke", "set", "grant_write", "revoke_write"]
        kind = rng.choice(kinds)
        source = rng.choice(sorted(now.papers)) if now.papers else ""
        own = self.readers() if rng.random() < 0.6 else None
        level = self.level()
        match kind:
            case "ingest":
                source = shelf.new_source()
                after = now.ingest(source, own, level)
                return Change(after, source=source, readers=_list(own), level=level)
            case "ingest_again":
                after = now.ingest_again(source, own, level)
                return Change(after, source=source, readers=_list(own), level=level)
            case "grant" | "revoke" | "grant_write" | "revoke_write":
                call = kind if kind.endswith("write") else f"{kind}_read"
                return Change(
                    getattr(now, kind)(reader), f"select rag.{call}(%s, %s)", (name, reader)
                )
            case "set":
                return Change(
                    now.set_readers(own, level),
                    "select rag.set_readers(%s, %s, security_level => %s)",
                    (name, _list(own), level),
                )
            case "delete":
                return Change(
                    now.without(source), "select rag.delete_document(%s)", (shelf.ids[source],)
                )
            case "set_paper":
                return Change(
                    now.set_paper(source, own, level),
                    "select rag.set_readers(document_id => %s, readers => %s, security_level => %s)",
                    (shelf.ids[source], _list(own), level),
                )
            case _:
                verb = kind.removesuffix("_paper")
                return Change(
                    getattr(now, kind)(source, reader),
                    f"select rag.{verb}_read(document_id => %s, reader => %s)",
                    (shelf.ids[source], reader),
                )


def _list(readers: Readers | None) -> list[str] | None:
    return None if readers is None else sorted(readers)


def _search(self: Actor) -> None:
    identity, strategy = self.cast.identity(self.rng), self.rng.choice(STRATEGIES)
    self.world.check_concurrent_search(self.pool, identity, strategy)


def _change(self: Actor) -> None:
    shelf = self.rng.choice(self.world.shelves)
    with shelf.lock:
        connection, actor = self.actor(shelf)
        self.world.change(connection, shelf, actor, self.change(shelf, actor))


def _change_and_return(self: Actor) -> None:
    shelf = self.rng.choice(self.world.shelves)
    with shelf.lock:
        connection, actor = self.actor(shelf)
        self.world.change_and_return(
            connection, shelf, actor, self.change(shelf, actor),
            self.cast.identity(self.rng), self.rng.choice(STRATEGIES),
        )  # fmt: skip


def _trespass(self: Actor) -> None:
    """Who does not own a collection shares nothing of it, and who may not write changes nothing."""
    shelf = self.rng.choice(self.world.shelves)
    identity = self.cast.identity(self.rng)
    if identity.way == "argument":
        return
    with shelf.lock:
        now, who = shelf.now, self.world.person(identity)
        if not now.papers:
            return
        source = self.rng.choice(sorted(now.papers))
        is_grant = self.rng.random() < 0.5
        if is_grant:
            query = "select rag.grant_read(document_id => %s, reader => 'public')"
            allowed = now.is_owned_by(who)
        else:
            query = "select rag.update_document(%s, metadata => '{\"changed\": true}')"
            allowed = now.is_written_by(who)
        if allowed and is_grant:
            return
        try:
            with asking(self.pool, identity):
                self.pool.execute(query.encode(), [shelf.ids[source]])
            outcome = "allowed"
        except psycopg.errors.NoDataFound:
            outcome = "hidden"
        except psycopg.errors.InsufficientPrivilege as error:
            is_call = "permission denied for function" in str(error.diag.message_primary)
            outcome = "no writer" if is_call else "another's"
        seen = "another's" if source in now.visible_to(who) else "hidden"
        expected = "allowed" if allowed else seen
        if identity.role not in self.cast.writers:
            expected = "no writer"
        assert outcome == expected, f"{outcome}, not {expected}: {query} by {identity}"


def _upkeep(self: Actor) -> None:
    self.root.execute("select rag.maintain_step()")


def _nobody(self: Actor) -> None:
    """Between two transactions the pool's session is nobody."""
    try:
        self.pool.execute("select from rag.search('valve')")
    except psycopg.errors.InsufficientPrivilege:
        return
    raise AssertionError("the session kept an identity")


STEP: dict[str, tuple[Callable[[Actor], None], float]] = {
    "search": (_search, 5),
    "change": (_change, 4),
    "change and return": (_change_and_return, 2),
    "trespass": (_trespass, 1.5),
    "upkeep": (_upkeep, 0.3),
    "nobody": (_nobody, 0.3),
}
