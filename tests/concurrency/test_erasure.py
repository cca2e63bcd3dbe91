"""Erasing beside who ingests, builds, merges, reads and erases."""

from __future__ import annotations

import random
from collections.abc import Callable

import psycopg
import pytest

from concurrency.cast import Cast
from concurrency.stage import REPEATABLE_READ, Session, SteppedUpkeep
from support.remains import canary, tables_with

ERASE = "select source from rag.erase_content(%s) where kind = 'document'"


def _words(cast: Cast) -> set[str]:
    return set(cast.root.run("select word from rag_internal.word"))


def _canary(cast: Cast, name: str, source: str = "a", session: Session | None = None) -> str:
    """A word that a document has, beside one that others have, too."""
    word = canary(name)
    (session or cast.owner).ingest(source, f"The valve {word} is closed.")
    return word


@pytest.mark.parametrize("work", ["build", "merge"])
@pytest.mark.parametrize("ends", ["commit", "rollback"])
def test_erasing_waits_for_who_is_moving_it(cast: Cast, work: str, ends: str) -> None:
    word = _canary(cast, f"{work} {ends}")
    cast.ingest(cast.owner, 0)
    if work == "merge":
        cast.root.build()
        cast.ingest(cast.owner, 1)
        cast.root.build()
    mover, eraser = cast.another().begin(), cast.another()
    assert mover.build() if work == "build" else mover.merge()
    erasing = eraser.start(ERASE, f"%{word}%")
    cast.stage.await_wait(eraser, mover)
    mover.run(ends)
    assert erasing.result() == ["a"]
    assert tables_with(cast.root.connection, word) == []
    cast.assert_well()
    cast.assert_goes()


def test_who_builds_while_words_are_pruned_adds_them_again(cast: Cast) -> None:
    word = _canary(cast, "pruned")
    cast.root.build()
    eraser, builder = cast.another().begin(), cast.another()
    cast.collection("d")
    assert eraser.run(ERASE, f"%{word}%") == ["a"]
    cast.owner.ingest("b", "The valve is closed.", "d")
    building = builder.start("select rag_internal.build_segment('english')")
    cast.stage.await_wait(builder, eraser)
    eraser.commit()
    assert building.result() == [1]
    assert _words(cast) >= {"valve", "closed"}
    cast.assert_well()


def test_words_of_an_open_build_are_not_pruned(cast: Cast) -> None:
    word = _canary(cast, "open build")
    cast.root.build()
    builder, eraser = cast.another().begin(), cast.another()
    cast.ingest(cast.owner, 0)
    assert builder.build() == 1
    erasing = eraser.start(ERASE, f"%{word}%")
    cast.stage.await_wait(eraser, builder)
    builder.commit()
    assert erasing.result() == ["a"]
    assert _words(cast) >= {"valve", "closed"}
    assert word not in _words(cast)
    cast.assert_well()


def test_two_that_erase_the_same_in_another_order(cast: Cast) -> None:
    cast.collection("d")
    first, second = canary("first"), canary("second")
    for number in range(6):
        cast.owner.ingest(f"{number}", f"{first} {second} valve", "cd"[number % 2])
        cast.root.build()
    holder, one, other = cast.another().begin(), cast.another(), cast.another()
    holder.run("lock table rag_internal.segment in share update exclusive mode")
    running = one.start(ERASE, f"%{first}%")
    cast.stage.await_wait(one, holder)
    waiting = other.start(ERASE, f"%{second}%")
    cast.stage.await_wait(other, one)
    holder.commit()
    assert len(running.result()) == 6
    assert waiting.result() == []
    cast.assert_well()
    cast.assert_goes()


def test_a_document_that_changed_meanwhile_is_looked_at_again(cast: Cast) -> None:
    word = _canary(cast, "changed")
    kept = _canary(cast, "kept", "b")
    writer, eraser = cast.another("owner").begin(), cast.another()
    writer.ingest("a", f"The valve is open: {word}.")
    writer.ingest("b", "The valve is open.")
    erasing = eraser.start("select source from rag.erase_content(%s, 'regex')", f"{word}|{kept}")
    cast.stage.await_wait(eraser, writer)
    writer.commit()
    assert [source for source in erasing.result() if source] == ["a"]
    assert cast.root.find() == ["b"]
    cast.assert_well()


def test_an_ingest_waits_and_then_stores_it_anew(cast: Cast) -> None:
    word = _canary(cast, "anew")
    eraser, writer = cast.another().begin(), cast.another("owner")
    eraser.run(ERASE, f"%{word}%")
    ingesting = writer.start("select (rag.ingest('c', 'The valve.', 'a')).status")
    cast.stage.await_wait(writer, eraser)
    eraser.commit()
    assert ingesting.result() == ["created"]
    cast.assert_well()


def test_an_older_snapshot_reads_on(cast: Cast) -> None:
    word = _canary(cast, "older")
    cast.root.build()
    reader = cast.another("alice").begin(REPEATABLE_READ)
    assert reader.find(word) == ["a"]
    assert cast.another().run(ERASE, f"%{word}%") == ["a"]
    assert reader.find(word) == ["a"]
    assert cast.alice.find(word) == []
    reader.commit()
    assert reader.find(word) == []
    cast.assert_well()


def _others(cast: Cast) -> list[Callable[[int], object]]:
    """What others do meanwhile."""
    return [
        lambda step: cast.ingest(cast.owner, 100 + step),
        lambda step: cast.another().build(),
        lambda step: cast.another().merge(),
        lambda step: cast.owner.run("select rag.delete_source('c', %s)", f"{step + 20:02}"),
        lambda step: cast.owner.ingest(f"{step:02}", "Close the valve."),
    ]


@pytest.mark.parametrize("first", range(5))
def test_others_commit_between_any_two_statements(cast: Cast, first: int) -> None:
    ids = [d for n in range(0, 40, 8) for d in cast.ingest(cast.owner, *range(n, n + 8))[:2]]
    cast.root.build()
    cast.ingest(cast.owner, *range(40, 48))
    cast.root.build()
    others = _others(cast)

    def before(step: int) -> None:
        others[(first + step) % len(others)](step + 2)

    for document in ids[:4]:
        cast.owner.delete(document)
    eraser = cast.another().begin()
    stepped = SteppedUpkeep(eraser, before)
    # builders wait for the words, so what others do ends before
    stepped.purge.erase(ids[:4])
    eraser.commit()
    assert stepped.statements >= 8
    cast.assert_well()
    raw = [bytes.fromhex(document.replace("-", "")) for document in ids[:4]]
    assert [tables_with(cast.root.connection, one) for one in raw] == [[]] * 4
    while cast.root.run("select rag_internal.purge_segment()") == [True]:
        cast.assert_well()
    assert cast.root.run("select count(*) from rag_internal.tombstone") == [0]
    cast.assert_goes()


def test_many_at_once(cast: Cast) -> None:
    """Single statements of several sessions never stand in each other's way for good."""
    source = random.Random(6)
    words = [canary(str(number)) for number in range(6)]
    allowed = {"40001", "P0002"}  # removed while it was ingested

    def work(session: Session, seed: int) -> list[str]:
        chance = random.Random(seed)
        failed = []
        for _ in range(25):
            word = chance.choice(words)
            try:
                match chance.randrange(5):
                    case 0 | 1:
                        session.ingest(f"{chance.randrange(9)}", f"The valve {word} is closed.")
                    case 2:
                        session.run(ERASE, f"%{word}%")
                    case 3:
                        session.run("select rag.maintain_step()")
                    case _:
                        session.run("select rag.delete_source('c', %s)", f"{chance.randrange(9)}")
            except psycopg.Error as error:
                failed.append(str(error.sqlstate))
        return failed

    sessions = [cast.another("owner") for _ in range(4)]
    running = [cast.stage.submit(work, session, source.randrange(1000)) for session in sessions]
    assert {code for job in running for code in job.result()} <= allowed
    cast.assert_well()
    pattern = "|".join(words)
    cast.owner.run("select * from rag.erase_content(%s, 'regex')", pattern)
    cast.root.run("call rag.scrub()")
    for word in words:
        assert tables_with(cast.root.connection, word) == []
