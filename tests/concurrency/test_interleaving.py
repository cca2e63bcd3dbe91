"""Something happens between any two statements of a build, a merge or a sweep."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from concurrency.cast import Cast
from concurrency.reference import assert_ranking
from concurrency.stage import READ_COMMITTED, REPEATABLE_READ, Session, SteppedUpkeep
from ragsql_engine.lexical.upkeep import Upkeep

DOCUMENTS = 24


class Document(NamedTuple):
    """A document of the test."""

    number: int
    document_id: str
    source: str
    collection: str


Act = Callable[[Cast, Session, Document], None]


def _update(assignment: str) -> Act:
    def act(cast: Cast, owner: Session, document: Document) -> None:
        owner.run(f"select rag.update_document(%s, {assignment})", document.document_id)

    return act


def _delete(cast: Cast, owner: Session, document: Document) -> None:
    owner.delete(document.document_id)


def _ingest_again(cast: Cast, owner: Session, document: Document) -> None:
    owner.ingest(document.source, "Close the blue valve, valve by valve.", "c")


def _ingest_another(cast: Cast, owner: Session, document: Document) -> None:
    owner.ingest(f"new {document.source}", "A valve more.", "c")


def _grant(cast: Cast, owner: Session, document: Document) -> None:
    cast.grant(owner, document.document_id, "bob")


def _revoke(cast: Cast, owner: Session, document: Document) -> None:
    cast.revoke(owner, document.document_id, "alice")


def _all_in_one(cast: Cast, owner: Session, document: Document) -> None:
    _ingest_again(cast, owner, document)
    _revoke(cast, owner, document)
    _delete(cast, owner, document)


ACTS: dict[str, Act] = {
    "delete": _delete,
    "ingest again": _ingest_again,
    "ingest another": _ingest_another,
    "grant": _grant,
    "revoke": _revoke,
    "archive": _update("status => 'archived'"),
    "expire": _update("valid_until => '2001-01-01'"),
    "postpone": _update("valid_from => '3001-01-01'"),
    "title": _update("title => 'Valve'"),
    "ingest, revoke, delete": _all_in_one,
}


def _fill(cast: Cast) -> list[Document]:
    """Documents in three segments and in pending."""
    made = []
    for number in range(DOCUMENTS):
        source = f"{number:02}"
        content = f"The valve of pump {number} is closed. " + "Valve. " * (number % 5)
        document_id = cast.owner.ingest(source, content)
        made.append(Document(number, document_id, source, "c"))
        if number % 7 == 6:
            cast.root.build()
    return made


@pytest.fixture
def documents(cast: Cast) -> list[Document]:
    """24 documents that alice may read, three segments and pending."""
    cast.revoke_collection("bob")
    return _fill(cast)


def _acts_in_turn(cast: Cast, documents: list[Document], first: int) -> Callable[[int], None]:
    """Another act on another document before each statement."""
    acts = list(ACTS.values())

    def before(step: int) -> None:
        acts[(first + step) % len(acts)](cast, cast.owner, documents[step])

    return before


def _build(upkeep: Upkeep) -> object:
    return upkeep.build("english")


def _merge(upkeep: Upkeep) -> object:
    return upkeep.merge("english", 65_536)


@pytest.mark.parametrize("work", [_build, _merge], ids=["build", "merge"])
@pytest.mark.parametrize("name", ACTS)
def test_each_act_commits_between_two_statements(
    cast: Cast, documents: list[Document], work: Callable[[Upkeep], object], name: str
) -> None:
    def before(step: int) -> None:
        # every second time from an old snapshot
        cast.owner.begin([READ_COMMITTED, REPEATABLE_READ][step % 2])
        ACTS[name](cast, cast.owner, documents[step])
        cast.owner.commit()
        assert_ranking(cast.root, cast.alice)

    worker = cast.another().begin()
    stepped = SteppedUpkeep(worker, before)
    assert work(stepped.upkeep)
    assert stepped.statements >= 4
    cast.assert_well()
    worker.commit()
    cast.assert_well()
    cast.owner.run("call rag.maintain()")
    cast.assert_well()
    cast.assert_goes()


@pytest.mark.parametrize("work", [_build, _merge], ids=["build", "merge"])
@pytest.mark.parametrize("first", [0, 5])
def test_acts_are_open_while_it_works(
    cast: Cast,
    documents: list[Document],
    work: Callable[[Upkeep], object],
    first: int,
    isolation: str,
) -> None:
    cast.owner.begin(isolation)
    worker = cast.another().begin()
    work(SteppedUpkeep(worker, _acts_in_turn(cast, documents, first)).upkeep)
    cast.assert_well_outside(cast.owner)
    worker.commit()
    cast.assert_well_outside(cast.owner)
    cast.owner.commit()
    cast.assert_well()


@pytest.mark.parametrize("work", [_build, _merge], ids=["build", "merge"])
def test_it_is_rolled_back_after_every_act(
    cast: Cast, documents: list[Document], work: Callable[[Upkeep], object]
) -> None:
    worker = cast.another().begin()
    work(SteppedUpkeep(worker, _acts_in_turn(cast, documents, 0)).upkeep)
    worker.rollback()
    cast.assert_well()
    cast.owner.run("call rag.maintain()")
    cast.assert_well()


def test_a_sweep_while_others_build_and_merge(cast: Cast, documents: list[Document]) -> None:
    for document in documents[::3]:
        cast.owner.delete(document.document_id)

    def before(step: int) -> None:
        _ingest_again(cast, cast.owner, documents[3 * step + 1])
        cast.root.build()
        cast.root.merge()
        cast.owner.delete(documents[3 * step + 2].document_id)
        cast.assert_well()

    sweeper = cast.another().begin()
    stepped = SteppedUpkeep(sweeper, before)
    stepped.upkeep.sweep()
    cast.assert_well()
    sweeper.commit()
    cast.assert_well()
    cast.owner.run("call rag.maintain()")
    cast.assert_well()
    cast.assert_goes()


@pytest.mark.parametrize("rolled_back", [False, True])
def test_a_sweep_beside_an_open_build_or_merge(
    cast: Cast, documents: list[Document], rolled_back: bool
) -> None:
    builder = cast.another().begin()
    builder.build()
    builder.merge()
    for document in documents[::2]:
        cast.owner.delete(document.document_id)
    sweeper = cast.another()
    assert sweeper.sweep() == 0
    cast.assert_well()
    builder.run("rollback" if rolled_back else "commit")
    cast.assert_well()
    assert sweeper.sweep() == 0
    cast.assert_well()
    cast.owner.run("call rag.maintain()")
    cast.assert_well()
    cast.assert_goes()


@pytest.mark.parametrize("work", [_build, _merge], ids=["build", "merge"])
@pytest.mark.parametrize("step", range(4))
def test_a_build_or_merge_ends_between_two_statements_of_a_sweep(
    cast: Cast, documents: list[Document], work: Callable[[Upkeep], object], step: int
) -> None:
    """It took entries that died only then: where they go, no sweep may have looked already."""
    worker = cast.another().begin()
    work(SteppedUpkeep(worker, lambda _: None).upkeep)
    (before,) = cast.root.run("select count(*) from rag_internal.pending")
    cast.root.commit()
    for document in documents[::2]:
        cast.owner.delete(document.document_id)
    (after,) = cast.root.run("select count(*) from rag_internal.pending")
    cast.root.commit()
    waiting = before - after
    sweeper = cast.another().begin()
    stepped = SteppedUpkeep(sweeper, lambda number: worker.commit() if number == step else None)
    # an entry that was pending, and that nobody was building, is gone with its document
    assert stepped.upkeep.sweep() == waiting
    sweeper.commit()
    worker.commit()
    cast.assert_well()


def test_two_sweeps_do_not_wait_for_each_other(cast: Cast, documents: list[Document]) -> None:
    for document in documents:
        cast.owner.delete(document.document_id)
    cast.root.run("delete from rag_internal.segment")
    cast.root.run("delete from rag_internal.pending")
    one, other = cast.another().begin(), cast.another()
    assert one.sweep() == DOCUMENTS
    other.run("set lock_timeout = '1ms'")
    assert other.sweep() == 0
    one.rollback()
    assert other.sweep() == DOCUMENTS
