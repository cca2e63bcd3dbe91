"""Who takes part in the tests: roles, their sessions, and what is expected of all of them."""

from __future__ import annotations

from concurrency.reference import assert_ranking, assert_whole, places
from concurrency.stage import Session, Stage

TEXT = "The valve of pump {} is closed."


class Cast:
    """Who plays: an owner of collections, two readers, and the superuser."""

    def __init__(self, stage: Stage, roles: dict[str, str]) -> None:
        self.stage = stage
        self.root = stage.root
        self.roles = roles
        self.owner = stage.session(roles["owner"])
        self.alice = stage.session(roles["alice"])
        self.bob = stage.session(roles["bob"])

    def another(self, name: str | None = None) -> Session:
        """One more session: of 'owner', 'alice' or 'bob', else of the superuser."""
        return self.stage.session(None if name is None else self.roles[name])

    def collection(self, name: str = "c", readers: tuple[str, ...] = ("alice", "bob")) -> None:
        """A collection of the owner's, without vectors."""
        self.owner.run(
            "select rag.create_collection(%s, readers => %s, model => 'none')",
            name, [f"role:{self.roles[reader]}" for reader in readers],
        )  # fmt: skip

    def ingest(self, session: Session, *numbers: int) -> list[str]:
        """Ingests documents named by their numbers; their ids."""
        return [session.ingest(f"{n:02}", TEXT.format(n)) for n in numbers]

    def two_segments(self) -> list[str]:
        """Ids of six documents in two segments, and of two pending ones."""
        ids = self.ingest(self.owner, 0, 1, 2)
        self.root.build()
        ids += self.ingest(self.owner, 3, 4, 5)
        self.root.build()
        return ids + self.ingest(self.owner, 6, 7)

    @property
    def segments(self) -> int:
        """How many there are."""
        (segments,) = self.root.run("select count(*) from rag_internal.segment")
        return int(segments)

    def grant(self, session: Session, document_id: str, reader: str, granted: bool = True) -> None:
        """Grants or revokes reading of a document."""
        verb = "grant_read" if granted else "revoke_read"
        session.run(
            f"select rag.{verb}(document_id => %s, reader => %s)",
            document_id, f"role:{self.roles[reader]}",
        )  # fmt: skip

    def revoke(self, session: Session, document_id: str, reader: str) -> None:
        self.grant(session, document_id, reader, False)

    def revoke_collection(self, reader: str, collection: str = "c") -> None:
        self.owner.run("select rag.revoke_read(%s, %s)", collection, f"role:{self.roles[reader]}")

    def assert_well_outside(self, within: Session) -> None:
        """The same for who is not in the open transaction `within`."""
        assert_whole(self.root)
        for reader in (self.owner, self.alice, self.bob, self.root):
            if reader is not within:
                assert_ranking(self.root, reader)

    def assert_well(self, word: str = "valve") -> None:
        """Expects a whole index, and of each reader's search what the tables say."""
        assert_whole(self.root)
        assert not self.root.run(
            "select k.name, d.* from rag_internal.collection k, rag.verify_index(k.name) d"
        )
        for reader in (self.owner, self.alice, self.bob, self.root):
            assert_ranking(self.root, reader, word)

    def assert_goes(self) -> None:
        """Expects that nothing is left of an index whose documents are all deleted."""
        self.root.run("delete from rag_internal.document")
        self.owner.run("call rag.maintain()")
        assert not places(self.root)
        for table in ("pending", "segment", "posting", "tombstone"):
            assert self.root.run(f"select count(*) from rag_internal.{table}") == [0]
