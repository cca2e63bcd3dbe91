"""Who may read what, by the words of the documentation: a model without a database.

A collection's state is a value: its readers, writers and level, and what each document has of its
own. A change makes a new one. Readers are written as for rag.grant_read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from support.identities import Identity

Readers = frozenset[str]


@dataclass(frozen=True)
class Paper:
    """A document's own readers and level; None: those of its collection."""

    readers: Readers | None = None
    level: int | None = None


@dataclass(frozen=True)
class State:
    """A collection; papers by source."""

    tenant: str
    owner: str
    readers: Readers
    level: int = 0
    writers: Readers = frozenset()
    papers: Mapping[str, Paper] = field(default_factory=dict)

    # changes of the collection ---------------------------------------------------------------
    def grant(self, reader: str) -> State:
        return replace(self, readers=self.readers | {reader})

    def revoke(self, reader: str) -> State:
        return replace(self, readers=self.readers - {reader})

    def grant_write(self, writer: str) -> State:
        return replace(self, writers=self.writers | {writer})

    def revoke_write(self, writer: str) -> State:
        return replace(self, writers=self.writers - {writer})

    def set_readers(self, readers: Readers | None, level: int | None) -> State:
        """The owner stays a reader of what it shares anew."""
        return replace(
            self,
            readers=self.readers if readers is None else readers | {self.owner},
            level=self.level if level is None else level,
        )

    # changes of a document -------------------------------------------------------------------
    def with_paper(self, source: str, paper: Paper) -> State:
        return replace(self, papers={**self.papers, source: paper})

    def without(self, source: str) -> State:
        return replace(self, papers={s: p for s, p in self.papers.items() if s != source})

    def ingest(self, source: str, readers: Readers | None, level: int | None) -> State:
        """Readers of its own come with a level of its own, the collection's of that day."""
        if readers is not None and level is None:
            level = self.level
        return self.with_paper(source, Paper(readers, level))

    def ingest_again(self, source: str, readers: Readers | None, level: int | None) -> State:
        """What is not given stays."""
        return self if readers is None and level is None else self.set_paper(source, readers, level)

    def grant_paper(self, source: str, reader: str) -> State:
        """From then on it has readers of its own, also where the reader was one already."""
        paper = self.papers[source]
        readers = self.readers_of(paper) | {reader}
        if readers == paper.readers:
            return self
        return self.with_paper(source, Paper(readers, self.level_of(paper)))

    def revoke_paper(self, source: str, reader: str) -> State:
        paper = self.papers[source]
        if reader not in self.readers_of(paper):
            return self
        readers = self.readers_of(paper) - {reader}
        return self.with_paper(source, Paper(readers, self.level_of(paper)))

    def set_paper(self, source: str, readers: Readers | None, level: int | None) -> State:
        """What is not given stays; where neither is, it follows the collection again."""
        paper = self.papers[source]
        if readers is not None and level is None:
            level = self.level_of(paper)
        elif readers is None and level is not None:
            readers = paper.readers
        return self.with_paper(source, Paper(readers, level))

    # who may ---------------------------------------------------------------------------------
    def readers_of(self, paper: Paper) -> Readers:
        return self.readers if paper.readers is None else paper.readers

    def level_of(self, paper: Paper) -> int:
        return self.level if paper.level is None else paper.level

    def visible_to(self, person: Person) -> frozenset[str]:
        """Sources of the documents that the person may read."""
        if person.tenant != self.tenant:
            return frozenset()
        return frozenset(
            source
            for source, paper in self.papers.items()
            if self.readers_of(paper) & person.principals
            and self.level_of(paper) <= person.clearance
        )

    def is_known_to(self, person: Person) -> bool:
        """Whether the person may know that there is such a collection."""
        if person.tenant != self.tenant:
            return False
        return bool(
            {self.owner, *self.writers} & person.principals
            or (self.readers & person.principals and self.level <= person.clearance)
            or self.visible_to(person)
        )

    def is_owned_by(self, person: Person) -> bool:
        return person.tenant == self.tenant and self.owner in person.principals

    def is_written_by(self, person: Person) -> bool:
        return self.is_owned_by(person) or (
            person.tenant == self.tenant and bool(self.writers & person.principals)
        )


@dataclass(frozen=True)
class Person:
    """What an identity is to the rule of access."""

    principals: Readers
    tenant: str
    clearance: int


NOBODY = Person(frozenset(), "", 0)


def person(identity: Identity, usage: Mapping[str, Readers]) -> Person:
    """usage: of each role, the names of the roles it has usage of, with its own."""
    if identity.way == "role":
        principals = {f"role:{name}" for name in usage[identity.role]}
    elif identity.user is None and not identity.groups:
        return NOBODY
    else:
        principals = {f"group:{name}" for name in identity.groups}
        if identity.user is not None:
            principals.add(f"user:{identity.user}")
        if identity.as_role is not None:
            principals.add(f"role:{identity.as_role}")
    return Person(frozenset(principals | {"public"}), identity.tenant, identity.clearance)
