"""`ragsql model use`: changing a collection from one model to another."""

from __future__ import annotations

import pytest

from support.embedding_server import failing, slow
from support.model_command import model_command, row
from support.programs import running
from support.stub import Stub


def texts(stub: Stub, number: int) -> list[str]:
    """Ingest a document of so many passages into c, embedded now."""
    passages = [f"passage {index}" for index in range(number)]
    stub.passages("a", passages, embed="now")
    stub.server.requests.clear()
    return passages


def test_use_makes_the_vectors_and_changes_over(stub: Stub) -> None:
    passages = texts(stub, 40)
    result = model_command(stub.database, "use", "c", "other")
    assert result.exit_code == 0, result.output
    assert "Making the vectors under other, 40 of 40 passages: embedding here." in result.stderr
    assert "c is searched by other now." in result.stderr
    assert (
        "to go back, ragsql model use c stub; to free them, select rag.release_model('c', 'stub')"
        in (result.stderr)
    )
    assert row(stub.database, "other")["collections"] == ["c"]
    assert sorted(stub.server.requests[0].texts + stub.server.requests[1].texts) == sorted(
        f"other: {text}" for text in passages
    )
    stub.assert_whole()
    asked = len(stub.server.requests)
    back = model_command(stub.database, "use", "c", "stub")
    assert back.exit_code == 0, back.output
    assert "Making" not in back.stderr
    assert len(stub.server.requests) == asked
    assert row(stub.database, "stub")["collections"] == ["c"]


def test_use_none_ends_semantic_search(stub: Stub) -> None:
    texts(stub, 2)
    result = model_command(stub.database, "use", "c", "none")
    assert result.exit_code == 0, result.output
    assert row(stub.database, "stub")["collections"] == []


def test_use_leaves_the_collection_as_it_is_until_all_is_there(stub: Stub) -> None:
    texts(stub, 5)
    stub.server.words["passage 3"] = "nan"
    waiting = model_command(stub.database, "use", "c", "other", "--no-work", "--patience", 1)
    assert waiting.exit_code == 1
    assert "waiting for workers elsewhere" in waiting.stderr
    assert "5 passages cannot be embedded now" in waiting.stderr
    assert stub.server.requests == []
    stub.run("update rag_internal.embedding_task set attempts = 4")
    failed = model_command(stub.database, "use", "c", "other")
    assert failed.exit_code == 1
    assert "1 of 5 passages could not be embedded under other: rag.dead_letter" in failed.stderr
    assert "--allow-failed goes without" in failed.stderr
    assert row(stub.database, "stub")["collections"] == ["c"]
    without = model_command(stub.database, "use", "c", "other", "--allow-failed")
    assert without.exit_code == 0, without.output
    assert row(stub.database, "other")["collections"] == ["c"]


def test_use_does_not_ask_for_the_former_models_vectors(stub: Stub) -> None:
    stub.server.words["passage 3"] = "nan"
    stub.passages("a", [f"passage {index}" for index in range(5)])
    stub.work()
    stub.run("update rag_internal.embedding_task set attempts = 4")
    stub.pass_time()
    stub.work()
    assert len(stub.dead()) == 1
    stub.passages("b", ["one that waits for the former model, too"])
    stub.run(
        "insert into rag_internal.provider_pause select model_id, now() + '1 hour', 1, 'rests' "
        "from rag_internal.model where name = 'stub'"
    )
    stub.server.words.clear()
    result = model_command(stub.database, "use", "c", "other", "--patience", 10)
    assert result.exit_code == 0, result.output
    assert "Making the vectors under other, 6 of 6 passages" in result.stderr
    assert row(stub.database, "other")["collections"] == ["c"]
    assert len(stub.dead()) == 1
    assert len(stub.tasks()) == 1


def test_how_far_use_is_without_a_terminal(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    texts(stub, 50)
    monkeypatch.setattr("ragsql.work.switching._EVERY", 0)
    stub.server.always = slow(4)
    result = model_command(stub.database, "use", "c", "other", "--workers", 1)
    assert result.exit_code == 0, result.output
    assert "32 of 50 passages ..." in result.stderr.splitlines()


def test_use_of_a_model_that_cannot_be_used(stub: Stub) -> None:
    texts(stub, 3)
    stub.server.always = failing(403)
    result = model_command(stub.database, "use", "c", "other", "--patience", 2)
    assert result.exit_code == 1
    assert "3 passages cannot be embedded now: " in result.stderr
    assert row(stub.database, "stub")["collections"] == ["c"]
    result = model_command(stub.database, "use", "c", "nowhere")
    assert result.exit_code == 1
    assert "nowhere" in result.stderr


def test_use_of_an_external_model_waits_for_nobody(stub: Stub) -> None:
    texts(stub, 3)
    added = model_command(
        stub.database, "add", "given", "--provider", "external", "--dimensions", 8
    )
    assert added.exit_code == 0, added.output
    result = model_command(stub.database, "use", "c", "given")
    assert result.exit_code == 1
    assert '3 passages of collection "c" have no vector under model "given"' in result.stderr


def test_use_that_is_stopped_goes_on_later(stub: Stub) -> None:
    texts(stub, 100)
    stub.server.always = slow(1)
    options = ("--workers", 1, "--dsn", stub.database.dsn)
    with running("model", "use", "c", "other", *options) as program:
        program.wait_for_line("Making the vectors")
        for _ in range(600):
            if stub.server.requests:
                break
            stub.run("select pg_sleep(0.05)")
        assert program.stop() == 1
        assert "Stopped before the end." in program.text
        assert "Hint: run this again to go on" in program.text
    assert 0 < len(stub.tasks()) < 100
    assert row(stub.database, "stub")["collections"] == ["c"]
    stub.server.always = slow(0)
    assert model_command(stub.database, "use", "c", "other").exit_code == 0
    stub.assert_whole()
