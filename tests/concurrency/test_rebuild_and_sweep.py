"""Rebuilding and sweeping beside other sessions."""

from __future__ import annotations

import pytest

from concurrency.cast import Cast


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_maintain_during_a_rebuild(cast: Cast, end: str) -> None:
    ids = cast.two_segments()
    cast.owner.begin()
    assert cast.owner.run("select rag.rebuild_index('c')") == [8]
    worker = cast.another("owner")
    worker.run("call rag.maintain()")
    assert cast.owner.find() == cast.alice.find() == [f"{n:02}" for n in range(8)]
    # who writes to the collection waits
    writer = cast.another("owner")
    deleting = writer.start("select rag.delete_document(%s)", ids[0])
    cast.stage.await_wait(writer, cast.owner)
    cast.owner.run(end)
    deleting.result()
    assert cast.alice.find() == [f"{n:02}" for n in range(1, 8)]
    cast.assert_well()
    worker.run("call rag.maintain()")
    cast.assert_well()
    assert cast.segments == 1


def test_a_rebuild_during_a_merge(cast: Cast) -> None:
    cast.two_segments()
    worker = cast.another().begin()
    assert worker.build() == 2
    assert worker.merge()
    assert cast.owner.run("select rag.rebuild_index('c')") == [8]
    cast.assert_well()
    worker.commit()
    cast.assert_well()


def test_a_rebuild_waits_for_an_ingest_and_takes_it_in(cast: Cast) -> None:
    cast.two_segments()
    cast.owner.begin()
    cast.ingest(cast.owner, 8)
    other = cast.another("owner")
    running = other.start("select rag.rebuild_index('c')")
    cast.stage.await_wait(other, cast.owner)
    cast.owner.commit()
    assert running.result() == [9]
    cast.assert_well()


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_a_sweep_beside_open_ingests_and_deletions(cast: Cast, end: str, isolation: str) -> None:
    ids = cast.two_segments()
    cast.owner.delete(ids[5])
    cast.owner.begin(isolation)
    cast.owner.delete(ids[0])
    cast.owner.ingest("01", "Open the valve.")
    cast.owner.ingest("01", "Close the valve.")
    cast.owner.delete(ids[6])
    cast.ingest(cast.owner, 8)
    assert cast.root.sweep() == 0
    cast.root.build()
    assert cast.root.merge()
    assert cast.root.sweep() == 1
    cast.assert_well_outside(cast.owner)
    cast.owner.run(end)
    cast.assert_well()
    left = ["01", "02", "03", "04", "07", "08"]
    assert cast.bob.find() == (left if end == "commit" else [f"{n:02}" for n in (*range(5), 6, 7)])
    cast.owner.run("call rag.maintain()")
    cast.assert_well()


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_a_merge_and_a_sweep_in_one_transaction(cast: Cast, end: str) -> None:
    ids = cast.two_segments()
    cast.owner.delete(ids[0])
    worker = cast.another().begin()
    assert worker.merge()
    cast.owner.delete(ids[1])
    assert worker.sweep() == 1
    cast.assert_well()
    assert cast.root.sweep() == 0
    worker.run(end)
    cast.assert_well()
    assert cast.bob.find() == [f"{n:02}" for n in range(2, 8)]
    assert cast.root.sweep() == 0
    cast.assert_goes()
