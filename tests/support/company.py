"""A few documents that different people may read, and everybody who may ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from support.database import Database, RoleFactory
from support.identities import TOKEN_WAYS, Connection, Identity, prepare_tokens

SEARCH = "select source from rag.search('secret valve', strategy => 'bm25', token => %s)"
PAPERS = {
    # source: readers, level, tenant
    "alice.md": (["role:{alice}"], 0, ""),
    "bob.md": (["role:{bob}"], 0, ""),
    "ann.md": (["user:ann"], 0, ""),
    "ben.md": (["user:ben"], 0, ""),
    "staff.md": (["group:staff"], 0, ""),
    "board.md": (["user:ann"], 2, ""),
    "north.md": (["user:ann"], 0, "north"),
    "nobody.md": ([], 0, ""),
}


class Company:
    """alice, bob: login roles that read. service, gateway: roles of applications; the gateway's
    sessions need a token. pool: a login that may take each of these roles, and is nobody itself.
    """

    def __init__(self, db: Database) -> None:
        self.db = db
        self.root = db.connect()
        self.factory = RoleFactory(db)
        self.alice = self.factory(name="alice")
        self.bob = self.factory(name="bob")
        self.service = self.factory(["rag_reader", "rag_service"], "service")
        self.gateway = self.factory(name="gateway")
        self.pool = self.factory([], "pool")
        self.root.execute(f'alter role "{self.pool}" noinherit')
        for role in (self.alice, self.bob, self.service, self.gateway):
            self.root.execute(f'grant "{role}" to "{self.pool}"')
        self.root.execute("select rag.configure_role(%s, token_required => true)", [self.gateway])
        prepare_tokens(self.root)
        for tenant in ("", "north"):
            self.root.execute(
                "select rag.create_collection('files', model => 'none', tenant => %s)", [tenant]
            )
        for source, (readers, level, tenant) in PAPERS.items():
            named = [reader.format(alice=self.alice, bob=self.bob) for reader in readers]
            place = f"{tenant}/role:postgres/files" if tenant else "role:postgres/files"
            self.root.execute(
                "select rag.ingest(%s, %s, %s, readers => %s, security_level => %s)",
                [place, f"The secret valve of {source}.", source, named, level],
            )

    @property
    def everybody(self) -> dict[Identity, set[str]]:
        """Who may ask, told in every way, with what each may read."""
        users = {
            Identity("service", self.service, "ann"): {"ann.md"},
            Identity("service", self.service, "ben"): {"ben.md"},
            Identity("service", self.service, "ann", ("staff",)): {"ann.md", "staff.md"},
            Identity("service", self.service, "ann", clearance=2): {"ann.md", "board.md"},
            Identity("service", self.service, "ann", tenant="north"): {"north.md"},
            Identity("service", self.service, "stranger"): set(),
        }
        tokens = {
            replace(identity, way=way, role=self.gateway): seen
            for identity, seen in users.items()
            for way in TOKEN_WAYS
        }
        return {
            Identity("role", self.alice): {"alice.md"},
            Identity("role", self.bob): {"bob.md"},
            Identity("role", self.service): set(),  # whom it asks for it does not say
            Identity("role", self.gateway): set(),  # it has no token
            **users,
            **tokens,
        }

    @property
    def some(self) -> dict[Identity, set[str]]:
        """Of every kind of answer and every way one."""
        some: dict[Identity, set[str]] = {}
        left = {*TOKEN_WAYS, "service", "role"}
        for identity, seen in self.everybody.items():
            if seen not in some.values() or identity.way in left:
                some[identity] = seen
                left.discard(identity.way)
        return some

    def close(self) -> None:
        self.db.close()
        self.factory.drop_all()


@contextmanager
def company_of(db: Database) -> Iterator[Company]:
    """The company, until the test module ends."""
    company = Company(db)
    try:
        yield company
    finally:
        company.close()


def seen(connection: Connection, token: str | None = None) -> set[str]:
    """Sources of what a search finds; reading by hand has to say the same."""
    found = {source for (source,) in connection.execute(SEARCH, [token])}
    if token is None:
        read = {source for (source,) in connection.execute("select source from rag.document")}
        assert read == found
    return found
