"""Awkward vectors, providers and workers that users met, by the id of the case."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from ragsql.models import ModelChoice
from support import Database, throws_ok
from support.embedding_server import Data, Reply, fewer, vector_of
from support.stub import Status, Stub, run

TEXTS = [f"text {n}" for n in range(9)]


def _until_given_up(stub: Stub) -> None:
    for _ in range(5):
        stub.work()
        stub.pass_time()


def _replace(index: int, vector: list[float]) -> Reply:
    """An answer whose vector of that number is another one."""

    def change(data: Data) -> Data:
        return [{**d, "embedding": vector} if d["index"] == index else d for d in data]

    return Reply(change=change)


@pytest.mark.parametrize("embed", ["now", "later"])
@pytest.mark.parametrize(("fault", "reason"), [("nan", "finite"), ("zero", "zero")])
def test_e02_e03_a_vector_that_is_none(stub: Stub, embed: str, fault: str, reason: str) -> None:
    stub.server.words["qux"] = fault
    job_id = stub.passages("a", [*TEXTS, "a qux"], embed=embed)
    _until_given_up(stub)
    assert stub.status(job_id).status == "failed"
    ((source, index, attempts, error),) = stub.dead()
    assert (source, index) == ("a", 9)
    assert attempts == (1 if embed == "now" else 5)
    assert reason in error
    assert "qux" not in error
    assert stub.found("qux", "bm25_search") == ["a"]
    stub.assert_whole(missing=["a qux"])


def test_e03_the_plan_does_not_decide_what_is_found(stub: Stub) -> None:
    stub.server.words["qux"] = "zero"
    for n, text in enumerate([*TEXTS, "a qux"]):
        stub.ingest(str(n), text)
    finds = "select source, semantic_score from rag.search('text', strategy => 'semantic')"
    by_plan = []
    for setting in ("on", "off"):
        stub.run(f"set enable_seqscan = {setting}")
        by_plan.append(stub.run(finds + " order by rank"))
    stub.run("reset enable_seqscan")
    assert by_plan[0] == by_plan[1]
    assert sorted(source for source, _ in by_plan[0]) == [str(n) for n in range(9)]
    assert not any(np.isnan(score) for _, score in by_plan[0])


@pytest.mark.parametrize("fault", ["nan", "zero"])
def test_e02_e03_a_query_without_a_vector(stub: Stub, fault: str) -> None:
    stub.ingest("a", "a blue valve")
    stub.server.words["qux"] = fault
    throws_ok(stub.root, "select rag.semantic_search('qux')", "22000")
    throws_ok(stub.root, "select rag.search('qux valve')", "22000")
    assert stub.found("qux valve", "bm25_search") == ["a"]


@pytest.mark.parametrize(
    ("vector", "is_stored"),
    [
        ([70_000.0] + [1.0] * 7, True),
        ([3e38] * 8, True),
        ([1e-9] * 8, False),  # as good as zero
        ([1e-300] * 8, False),
    ],
)
def test_e08_a_vector_that_halfvec_cannot_hold(
    stub: Stub, vector: list[float], is_stored: bool
) -> None:
    stub.server.script[:] = [_replace(1, vector)]
    stub.passages("a", ["one", "two", "three"], embed="now")
    odd = stub.server.texts[1]
    stored = dict(
        stub.run(
            "select content, v::text from rag_internal.embedding join rag_internal.chunk"
            " using (chunk_id)"
        )
    )
    assert (odd in stored) == is_stored
    assert len(stub.dead()) == (0 if is_stored else 1)
    if is_stored:
        expected = np.array(vector) / np.linalg.norm(vector)
        assert np.allclose(json.loads(stored.pop(odd)), expected, atol=1e-3)
    assert len(stored) == 2
    for text, v in stored.items():
        assert np.allclose(json.loads(v), vector_of(text, 8), atol=1e-3)


def test_e11_a_provider_that_drops_texts(stub: Stub) -> None:
    texts = ["alpha", " ", "beta", "\u200b", "gamma"]
    for script in ([], [fewer()]):
        stub.server.script[:] = script
        rows = stub.run(
            "select o.number, o.v::text, o.error from rag_internal.model m,"
            " rag_internal.embed_passages(%s, m) o where m.name = 'stub' order by 1",
            texts,
        )
        for text, (_, vector, error) in zip(texts, rows, strict=True):
            if error is None:
                expected = vector_of(text, stub.server.dimensions)
                assert np.allclose(json.loads(vector), expected, atol=1e-5)
            else:
                assert not text.strip("\u200b ")
        assert [n for n, vector, _ in rows if vector is not None and texts[n - 1].isalpha()] == [
            1, 3, 5,
        ]  # fmt: skip
    throws_ok(stub.root, "select rag.embed(%s, 'stub')", "22023", params=[texts])


def test_e11_no_passage_holds_the_vector_of_another(stub: Stub) -> None:
    stub.server.always = fewer()
    throws_ok(stub.root, "select rag.ingest_many('c', %s)", "55000",
              params=[json.dumps([{"content": t, "source": t} for t in TEXTS])])  # fmt: skip
    assert stub.run("select count(*) from rag_internal.document") == [0]
    job_id = stub.passages("a", TEXTS)
    stub.work()
    assert stub.tasks() == [0] * 9
    stub.server.always = Reply()
    stub.pass_time()
    stub.server.script[:] = [fewer()]
    stub.work()
    assert stub.status(job_id).status == "done"
    stub.assert_whole()


def test_g08_one_bad_passage_and_a_wrong_model_name(stub: Stub) -> None:
    stub.server.words["poison"] = "fail"
    texts = [f"chunk {n}" if n != 5 else "poison" for n in range(20)]
    job_id = stub.passages("a", texts)
    _until_given_up(stub)
    assert stub.status(job_id) == Status("failed", 20, 19, 0, 1)
    ((_, index, attempts, error),) = stub.dead()
    assert (index, attempts) == (5, 5)
    assert "500" in error
    stub.assert_whole(missing=["poison"])

    stub.server.models = {"another"}
    stub.server.requests.clear()
    job_id = stub.passages("b", ["one", "two"])
    for _ in range(20):
        stub.work()
    assert len(stub.server.requests) == 1
    assert stub.tasks() == [0, 0]
    assert "404" in stub.run("select error from rag.job_status where job_id = %s", job_id)[0]
    stub.server.models = None
    stub.pass_time()
    stub.work()
    assert stub.status(job_id).status == "done"


# the model in the server ----------------------------------------------------------------------
_LONG_CALLS = {
    "embed": "select rag.embed(array(select 'text ' || n from generate_series(1, 5000) n))",
    "ingest": "select rag.ingest('local', (select string_agg('valve number ' || n || '.', E'\n\n')"
    " from generate_series(1, 5000) n), 'long', strategy => 'paragraph', chunk_size => 20)",
}


@pytest.mark.parametrize("call", _LONG_CALLS.values(), ids=_LONG_CALLS.keys())
@pytest.mark.parametrize("how", ["statement_timeout", "pg_cancel_backend"])
def test_g10_a_long_call_stops(stub: Stub, db: Database, call: str, how: str) -> None:
    stub.run("select rag.create_collection('local')")
    session = db.connect()
    run(session, "select rag.embed(array['warm'])")
    if how == "statement_timeout":
        run(session, "set statement_timeout = '500ms'")
    else:
        pid = session.info.backend_pid
        timer = threading.Timer(0.5, lambda: stub.run("select pg_cancel_backend(%s)", pid))
        timer.start()
    throws_ok(session, call, "57014")
    assert stub.run("select count(*) from rag_internal.document") == [0]
    assert stub.run("select count(*) from rag_internal.job") == [0]
    run(session, "set statement_timeout = 0")
    assert len(run(session, "select rag.embed(array['warm', 'again'])")[0]) > 2
    session.close()


def test_g15_eight_sessions_embed_at_first_use(db: Database, model: ModelChoice) -> None:
    sessions = [db.connect() for _ in range(8)]
    before = [_threads(session) for session in sessions]
    start = threading.Barrier(8)
    vectors: list[str] = []
    failures: list[psycopg.Error] = []

    def embed(session: psycopg.Connection[Any]) -> None:
        start.wait()
        try:
            vectors.append(run(session, "select (rag.embed(array['a valve']))[1]::text")[0])
        except psycopg.Error as error:
            failures.append(error)

    threads = [threading.Thread(target=embed, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(vectors) == 8
    assert len(set(vectors)) == 1
    after = [_threads(session) for session in sessions]
    assert all(now <= then + 1 for then, now in zip(before, after, strict=True))
    for session in sessions:
        assert run(session, "select rag.unload_model()") == [1]
        session.close()


def _threads(session: psycopg.Connection[Any]) -> int:
    """How many the server's process of a session has."""
    status = Path(f"/proc/{session.info.backend_pid}/status").read_text()
    return int(status.split("Threads:")[1].split()[0])
