"""The embedder's order of work, and its answers, with models that the test holds in its hand."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from starlette.applications import Starlette

from ragsql.embedder.app import create_app
from ragsql.embedder.catalog import StoredModel
from ragsql.embedder.errors import ApiError
from ragsql.embedder.loaded import LoadedEmbedding, LoadedReranker
from ragsql.embedder.pool import Pool
from ragsql.embedder.runner import MOST_WAITING, Runner
from ragsql.models import ModelChoice
from ragsql_engine.rerank.scoring import sigmoid

SECONDS = 30  # a bound against hanging


class Held:
    """A model that runs a batch when it is told to, and remembers the order."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self._steps = threading.Semaphore(0)
        self._begun = threading.Semaphore(0)
        self.runner: Runner[str, str] = Runner(self._run, "held")

    def step(self, count: int = 1) -> None:
        """Let so many batches run."""
        for _ in range(count):
            self._steps.release()

    def wait_begun(self) -> None:
        """Wait until the next batch is begun."""
        assert self._begun.acquire(timeout=SECONDS)

    def _run(self, batch: Sequence[str]) -> list[str]:
        self._begun.release()
        assert self._steps.acquire(timeout=SECONDS)
        self.ran += batch
        if "fails" in batch:
            raise ValueError("fails")
        return [text.upper() for text in batch]


@pytest.fixture
def held() -> Iterator[Held]:
    held = Held()
    yield held
    held.step(1000)
    held.runner.close()


def test_urgent_requests_go_between_two_batches(held: Held) -> None:
    bulk = held.runner.submit([["b1"], ["b2"], ["b3"]], urgent=False)
    held.wait_begun()
    question = held.runner.submit([["q"]], urgent=True)
    held.step(4)
    assert bulk.result(SECONDS) == ["B1", "B2", "B3"]
    assert question.result(SECONDS) == ["Q"]
    assert held.ran == ["b1", "q", "b2", "b3"]


def test_long_requests_take_turns(held: Held) -> None:
    first = held.runner.submit([["a1"], ["a2"], ["a3"]], urgent=False)
    held.wait_begun()
    second = held.runner.submit([["b1"], ["b2"]], urgent=False)
    held.step(5)
    assert (first.result(SECONDS), second.result(SECONDS)) == (["A1", "A2", "A3"], ["B1", "B2"])
    assert held.ran == ["a1", "a2", "b1", "a3", "b2"]  # a2 stood in line when b came


def test_questions_do_not_starve_the_others(held: Held) -> None:
    first = held.runner.submit([["q"]], urgent=True)
    held.wait_begun()
    bulk = held.runner.submit([["bulk"]], urgent=False)
    questions = [held.runner.submit([["q"]], urgent=True) for _ in range(30)]
    held.step(32)
    for future in (first, bulk, *questions):
        future.result(SECONDS)
    assert held.ran.index("bulk") <= 8


def test_a_failure_is_of_its_request_alone(held: Held) -> None:
    wrong = held.runner.submit([["fails"], ["never"]], urgent=False)
    right = held.runner.submit([["fine"]], urgent=False)
    held.step(2)
    with pytest.raises(ValueError, match="fails"):
        wrong.result(SECONDS)
    assert right.result(SECONDS) == ["FINE"]
    assert "never" not in held.ran


def test_what_is_cancelled_is_not_begun(held: Held) -> None:
    left = held.runner.submit([["one"], ["two"], ["three"]], urgent=False)
    held.wait_begun()
    assert left.cancel()
    after = held.runner.submit([["after"]], urgent=False)
    held.step(2)
    assert after.result(SECONDS) == ["AFTER"]
    assert held.ran == ["one", "after"]


def test_threads_share_one_request_and_keep_its_order() -> None:
    both = threading.Barrier(2, timeout=SECONDS)

    def run(batch: Sequence[str]) -> list[str]:
        both.wait()  # two batches of the one request are in work
        return [f"{batch[0]}!"]

    runner: Runner[str, str] = Runner(run, "two", threads=2)
    future = runner.submit([["first"], ["second"]], urgent=False)
    assert future.result(SECONDS) == ["first!", "second!"]
    runner.close()


def test_the_queue_is_short(held: Held) -> None:
    held.runner.submit([["begun"]], urgent=False)
    held.wait_begun()
    for _ in range(MOST_WAITING):
        held.runner.submit([["waits"]], urgent=True)
    with pytest.raises(ApiError) as caught:
        held.runner.submit([["refused"]], urgent=True)
    assert (caught.value.status, caught.value.retry_after) == (429, 1)


@pytest.fixture
def pool(models_dir: Path, model: ModelChoice) -> Iterator[Pool]:
    pool = Pool(models_dir, 1, lambda _line: None)
    yield pool
    pool.close()


def overlap(query: str, documents: Sequence[str]) -> list[float]:
    """A stand-in for a cross-encoder: words in common, as a logit."""
    words = set(query.split())
    return [float(len(words & set(document.split()))) - 1 for document in documents]


def stand_in(model: ModelChoice) -> StoredModel:
    """A reranker with the tokenizer of the embedding model."""
    return StoredModel("test/reranker", "rerank", model.directory, "r1", None, 64)


def ask(app: Starlette, path: str, body: dict[str, Any]) -> httpx.Response:
    async def post() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://e") as client:
            return await client.post(path, json=body)

    return asyncio.run(post())


def test_rerank_orders_by_relevance(pool: Pool, model: ModelChoice) -> None:
    pool.add(LoadedReranker(stand_in(model), 1, print, overlap))
    app = create_app(pool, lambda _line: None)
    documents = ["soup", "open the valve", "valve", "close the valve", "valve"]
    body: dict[str, Any] = {"model": "test/reranker", "query": "close the valve"}
    answer = ask(app, "/v1/rerank", {**body, "documents": documents}).json()
    assert [one["index"] for one in answer["results"]] == [3, 1, 2, 4, 0]
    assert answer["results"][0] == {"index": 3, "relevance_score": sigmoid(2)}
    body |= {"top_n": 1, "return_documents": True}
    answer = ask(app, "/v1/rerank", {**body, "documents": [{"text": one} for one in documents]})
    assert answer.json()["results"] == [
        {"index": 3, "relevance_score": sigmoid(2), "document": {"text": "close the valve"}}
    ]
    as_tei = ask(app, "/v1/rerank", {"model": "test/reranker", "query": "soup", "texts": documents})
    assert as_tei.json()["results"][0]["index"] == 0


def test_rerank_refuses_what_the_model_would_cut(pool: Pool, model: ModelChoice) -> None:
    pool.add(LoadedReranker(stand_in(model), 1, print, overlap))
    app = create_app(pool, lambda _line: None)
    body = {"model": "test/reranker", "query": "valve " * 20, "documents": ["short", "valve " * 41]}
    # 20 and 41 words and three special tokens are just what it reads
    assert ask(app, "/v1/rerank", body).status_code == 200
    body["documents"] = ["short", "valve " * 42]
    response = ask(app, "/v1/rerank", body)
    assert response.status_code == 400
    assert "query and documents[1] has 65 tokens" in response.json()["error"]["message"]


def test_a_model_is_used_for_what_it_is(pool: Pool, model: ModelChoice) -> None:
    pool.add(LoadedReranker(stand_in(model), 1, print, overlap))
    app = create_app(pool, lambda _line: None)
    response = ask(app, "/v1/embeddings", {"model": "test/reranker", "input": "x"})
    assert response.status_code == 404
    assert "/v1/rerank is for it" in response.json()["error"]["message"]


class Broken(LoadedEmbedding):
    """A model that gives what no vector is, or fails."""

    outcome: Any = float("nan")

    def _run(self, batch: Sequence[tuple[str, str]]) -> list[Any]:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return [(text, np.full(4, self.outcome)) for text, _ in batch]


def test_faults_of_the_model_tell_no_text(pool: Pool, model: ModelChoice) -> None:
    said: list[str] = []
    broken = Broken(StoredModel("test/broken", "embedding", model.directory, "1", 4, 64), 1, print)
    pool.add(broken)
    app = create_app(pool, said.append)
    body = {"model": "test/broken", "input": "the secret"}
    response = ask(app, "/v1/embeddings", body)
    assert (response.status_code, response.json()["error"]["code"]) == (422, "not_finite")
    broken.outcome = RuntimeError("cannot run on: the secret")
    response = ask(app, "/v1/embeddings", body)
    assert (response.status_code, response.json()["error"]["type"]) == (500, "server_error")
    assert said == ["/v1/embeddings: the model failed (RuntimeError)"]
    assert "secret" not in response.text


def test_a_client_that_leaves_takes_its_work_along(pool: Pool, model: ModelChoice) -> None:
    begun, go = threading.Event(), threading.Event()
    ran: list[str] = []

    class Slow(LoadedEmbedding):
        def _run(self, batch: Sequence[tuple[str, str]]) -> list[Any]:
            begun.set()
            assert go.wait(SECONDS)
            ran.extend(text for text, _ in batch)
            return [(text, np.ones(4)) for text, _ in batch]

    slow = Slow(StoredModel("test/slow", "embedding", model.directory, "1", 4, 512), 1, print)
    pool.add(slow)
    app = create_app(pool, lambda _line: None)
    texts = [f"{number} " + "word " * 300 for number in range(5)]
    sent: list[dict[str, Any]] = []

    async def call() -> None:
        content = httpx.Request("POST", "http://e", json={"model": "test/slow", "input": texts})
        messages = [{"type": "http.request", "body": content.read(), "more_body": False}]

        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            await asyncio.to_thread(begun.wait, SECONDS)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/embeddings",
            "headers": [(b"content-type", b"application/json")],
            "query_string": b"",
        }
        await app(scope, receive, send)

    asyncio.run(call())
    assert sent[0]["status"] == 499
    go.set()
    after = slow.submit(["after"], "query").future.result(SECONDS)
    assert [text for text, _ in after] == ["after"]
    assert len(ran) == 2  # the batch that was begun, and the next request
