"""Building, merging and rebuilding beside other sessions, in the server."""

from __future__ import annotations

import pytest

from concurrency.cast import TEXT, Cast
from concurrency.stage import REPEATABLE_READ
from support import throws_ok


def test_a_build_leaves_rows_that_another_is_taking(cast: Cast) -> None:
    cast.ingest(cast.owner, 0, 1)
    one, other = cast.another().begin(), cast.another()
    assert one.build() == 2
    cast.ingest(cast.owner, 2)
    assert other.build() == 1
    assert other.build() == 0
    cast.assert_well()
    one.commit()
    assert cast.segments == 2
    cast.assert_well()


def test_a_build_that_is_rolled_back_leaves_its_rows(cast: Cast) -> None:
    cast.ingest(cast.owner, 0, 1)
    one, other = cast.another().begin(), cast.another()
    assert one.build() == 2
    assert one.find() == ["00", "01"]
    one.rollback()
    assert one.find() == ["00", "01"]
    cast.assert_well()
    assert other.build() == 2
    cast.assert_well()


def test_an_ingest_that_is_open_is_not_built(cast: Cast, isolation: str) -> None:
    cast.owner.begin(isolation)
    cast.ingest(cast.owner, 0)
    cast.ingest(cast.another("owner"), 1)
    assert cast.root.build() == 1
    assert cast.owner.find() == (["00", "01"] if isolation != REPEATABLE_READ else ["00"])
    assert cast.alice.find() == ["01"]
    cast.owner.commit()
    assert cast.alice.find() == ["00", "01"]
    cast.assert_well()


def test_an_ingest_builds_and_merges_what_it_wrote_itself(cast: Cast) -> None:
    cast.root.begin()
    cast.ingest(cast.root, 0, 1)
    cast.root.build()
    cast.ingest(cast.root, 2)
    cast.root.build()
    assert cast.root.merge()
    assert cast.root.find() == ["00", "01", "02"]
    assert cast.alice.find() == []
    cast.root.commit()
    cast.assert_well()
    assert cast.segments == 1


def test_a_merge_leaves_segments_that_another_is_merging(cast: Cast) -> None:
    cast.two_segments()
    one, other = cast.another().begin(), cast.another()
    assert one.merge()
    assert not other.merge()
    assert other.build() == 2
    assert not other.merge()
    cast.assert_well()
    one.commit()
    cast.assert_well()
    assert other.merge()
    assert cast.segments == 1
    cast.assert_well()


def test_two_maintains_at_once(cast: Cast) -> None:
    ids = cast.two_segments()
    cast.owner.delete(ids[0])
    one = cast.another("owner").begin()
    assert one.run("select rag.maintain_step()") == [True]
    assert one.run("select rag.maintain_step()") == [True]
    cast.ingest(cast.owner, 8)
    cast.owner.run("call rag.maintain()")
    cast.assert_well()
    one.commit()
    cast.assert_well()
    cast.owner.run("call rag.maintain()")
    assert cast.segments == 1
    cast.assert_well()


def test_maintains_in_parallel(cast: Cast) -> None:
    workers = [cast.another("owner") for _ in range(3)]
    for turn in range(6):
        ids = [cast.owner.ingest(f"{turn} {n}", TEXT.format(n)) for n in range(4)]
        running = [worker.start("call rag.maintain()") for worker in workers]
        cast.owner.delete(ids[0])
        cast.revoke(cast.owner, ids[1], "bob")
        cast.owner.ingest(f"{turn} 2", "Open the valve.")
        for work in running:
            work.result()
        cast.assert_well()
    cast.owner.run("call rag.maintain()")
    sizes = cast.root.run("select passages from rag_internal.segment order by passages")
    # one that is more than ten times as large is not written again for a small one
    assert len(sizes) == 1 or (len(sizes) == 2 and sizes[1] > 10 * sizes[0])
    cast.assert_goes()


@pytest.mark.parametrize("drop_ends", ["commit", "rollback"])
@pytest.mark.parametrize("merge_ends", ["commit", "rollback"])
@pytest.mark.parametrize("drop_first", [True, False])
def test_a_collection_is_dropped_during_a_merge(
    cast: Cast, drop_ends: str, merge_ends: str, drop_first: bool, isolation: str
) -> None:
    cast.collection("d")
    cast.owner.ingest("in d", TEXT.format("d"), "d")
    cast.two_segments()
    cast.owner.ingest("pending", TEXT.format("d"), "d")
    cast.owner.begin(isolation)
    worker = cast.another().begin()
    assert worker.build() == 3
    cast.owner.run("select rag.drop_collection('d')")
    assert worker.merge()
    for session, end in [(cast.owner, drop_ends), (worker, merge_ends)][:: 1 if drop_first else -1]:
        session.run(end)
        cast.assert_well_outside(cast.owner)
    cast.assert_well()
    found = cast.alice.find()
    assert ("in d" in found, "pending" in found) == (drop_ends == "rollback",) * 2
    cast.owner.run("call rag.maintain()")
    cast.assert_well()


def test_a_row_changed_past_the_functions_keeps_its_new_class(cast: Cast, isolation: str) -> None:
    ids = cast.two_segments()
    cast.grant(cast.owner, ids[7], "alice")
    cast.revoke(cast.owner, ids[7], "bob")  # alice's class
    cast.collection("hidden", ())
    worker = cast.another().begin()
    writer = cast.another().begin(isolation)
    assert worker.build() == 2
    assert worker.merge()
    change = "update rag_internal.document set {} where document_id = %s".format
    assert cast.bob.find() == [f"{n:02}" for n in range(7)]
    source = "(select acl_id from rag_internal.document where source = '07')"
    writer.run(change(f"acl_id = {source}"), ids[0])
    writer.run(change("status = 'archived'"), ids[1])
    writer.run(change("valid_until = '2001-01-01'"), ids[2])
    hidden = "(select collection_id from rag_internal.collection where name = 'hidden')"
    writer.run(change(f"collection_id = {hidden}"), ids[3])
    writer.run("delete from rag_internal.document where document_id = %s", ids[4])
    writer.commit()
    assert cast.bob.find() == ["03", "05", "06"]
    worker.commit()
    assert cast.bob.find() == ["03", "05", "06"]
    assert cast.bob.find(collections=["c"]) == ["05", "06"]
    assert cast.alice.find() == ["00", "03", "05", "06", "07"]
    cast.assert_well()
    cast.owner.run("call rag.maintain()")
    assert cast.bob.find() == ["03", "05", "06"]
    cast.assert_well()


def test_older_snapshots_do_not_build(cast: Cast) -> None:
    cast.two_segments()
    cast.owner.begin(REPEATABLE_READ)
    for call in ("rag.maintain_step()", "rag.rebuild_index('c')"):
        throws_ok(cast.owner.connection, f"select {call}", "25001", "read committed")
    # from 2,048 pending passages on, an ingest of 256 builds for certain
    cast.owner.ingest("many", "valve " * 2_048, strategy="word", chunk_size=1, overlap=0)
    cast.owner.commit()
    assert cast.segments == 2
    cast.owner.ingest("more", "valve " * 256, strategy="word", chunk_size=1, overlap=0)
    assert cast.segments == 3
    assert cast.root.run("select count(*) from rag_internal.pending") == [0]
    cast.assert_well()


def test_a_merge_from_an_old_snapshot_brings_nothing_back(cast: Cast) -> None:
    """Called past rag.maintain(): it fails, or what has died since stays dead."""
    ids = cast.two_segments()
    worker = cast.another().begin(REPEATABLE_READ)
    cast.owner.delete(ids[0])
    cast.revoke(cast.owner, ids[3], "bob")
    cast.owner.delete(ids[6])
    # what was pending is gone: the one thing that an old snapshot cannot take
    throws_ok(worker.connection, "select rag_internal.build_segment('english')", "40001")
    worker.rollback()
    worker.begin(REPEATABLE_READ)
    cast.owner.delete(ids[1])
    assert worker.merge()
    worker.commit()
    assert cast.bob.find() == ["02", "04", "05", "07"]
    cast.assert_well()
    worker.begin(REPEATABLE_READ)
    cast.ingest(cast.owner, 8)
    cast.owner.run("call rag.maintain()")
    throws_ok(worker.connection, "select rag_internal.merge_segments('english', 65536)", "40001")
    worker.rollback()
    cast.assert_well()
