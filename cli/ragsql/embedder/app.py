"""The embedder's HTTP interface: embeddings as OpenAI, rerank as Jina and Cohere."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ragsql.embedder.bodies import (
    MOST_BYTES,
    MOST_DOCUMENTS,
    MOST_INPUTS,
    EmbeddingsBody,
    RerankBody,
    check_texts,
    parse,
)
from ragsql.embedder.errors import ApiError, too_large
from ragsql.embedder.loaded import Say, Work
from ragsql.embedder.pool import Pool
from ragsql_engine.errors import RagError

Handler = Callable[[Request], Awaitable[Response]]

_CLOSED = 499  # nobody reads this answer; nginx's number for a client that left


def create_app(pool: Pool, say: Say) -> Starlette:
    """The application that serves the models of `pool`; `say` gets a line for each failure."""
    api = _Api(pool, say)
    routes = [
        Route("/v1/embeddings", api.guarded(api.embeddings), methods=["POST"]),
        Route("/v1/rerank", api.guarded(api.rerank), methods=["POST"]),
        Route("/v1/models", api.guarded(api.models), methods=["GET"]),
        Route("/health", api.guarded(api.health), methods=["GET"]),
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: _http_error})


class _Api:
    def __init__(self, pool: Pool, say: Say) -> None:
        self._pool = pool
        self._say = say
        self._started = int(time.time())

    def guarded(self, handler: Handler) -> Handler:
        """Turn what goes wrong into an answer in OpenAI's shape, and tell no text."""

        async def handle(request: Request) -> Response:
            try:
                return await handler(request)
            except ApiError as error:
                return _answer(error)
            except ClientDisconnect:
                return Response(status_code=_CLOSED)
            except RagError as error:
                told = ApiError(404, "model_unavailable", _sentence(error))
            except Exception as error:  # noqa: BLE001 - its text may hold what was sent
                told = ApiError(500, "internal_error", f"the model failed ({type(error).__name__})")
            self._say(f"{request.url.path}: {told.message}")
            return _answer(told)

        return handle

    async def embeddings(self, request: Request) -> Response:
        """Vectors of texts, as they come: no prefix is added."""
        body = parse(await _content(request), EmbeddingsBody)
        texts = body.texts
        check_texts(texts, "input", MOST_INPUTS)
        model = await asyncio.to_thread(self._pool.embedding, body.model, body.revision)
        if body.dimensions not in (None, model.stored.dimensions):
            message = f"{model.stored.name} has {model.stored.dimensions} dimensions, no others"
            raise ApiError(400, "invalid_request", message)
        work = await asyncio.to_thread(model.submit, texts, body.kind)
        vectors = model.order(texts, await _finished(request, work))
        return await asyncio.to_thread(_embeddings, body, model.stored.name, vectors, work.tokens)

    async def rerank(self, request: Request) -> Response:
        """Documents by their relevance to a query, best first; equal ones as they came."""
        body = parse(await _content(request), RerankBody)
        check_texts([body.query], "query", 1)
        check_texts(body.documents, "documents", MOST_DOCUMENTS)
        model = await asyncio.to_thread(self._pool.reranker, body.model, body.revision)
        work = await asyncio.to_thread(model.submit, body.query, body.documents)
        scores: dict[str, float] = dict(await _finished(request, work))
        if not all(np.isfinite(score) for score in scores.values()):
            raise ApiError(422, "not_finite", f"{model.stored.name} gave a score that is no number")
        numbers = range(len(body.documents))
        ranked = sorted(numbers, key=lambda number: -scores[body.documents[number]])
        results: list[dict[str, Any]] = []
        for number in ranked[: body.top_n]:
            text = body.documents[number]
            result: dict[str, Any] = {"index": number, "relevance_score": scores[text]}
            if body.return_documents:
                result["document"] = {"text": text}
            results.append(result)
        usage = {"prompt_tokens": work.tokens, "total_tokens": work.tokens}
        return JSONResponse({"model": model.stored.name, "results": results, "usage": usage})

    async def models(self, _request: Request) -> Response:
        """The models of the folder, loaded or not."""
        found = await asyncio.to_thread(self._pool.stored)
        loaded = self._pool.loaded
        data = [
            {
                "id": model.name,
                "object": "model",
                "created": self._started,
                "owned_by": "ragsql",
                "kind": model.kind,
                "revision": model.revision,
                "dimensions": model.dimensions,
                "loaded": model.name in loaded,
            }
            for model in found
        ]
        return JSONResponse({"object": "list", "data": data})

    async def health(self, _request: Request) -> Response:
        """That it answers, and what is in memory."""
        return JSONResponse({"status": "ok", "loaded": self._pool.loaded})


async def _content(request: Request) -> bytes:
    """The body, at most MOST_BYTES of it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # a web page cannot send this type to another site unasked
        raise ApiError(415, "unsupported_media_type", "send Content-Type: application/json")
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > MOST_BYTES:
        raise too_large(f"{announced} bytes, at most {MOST_BYTES} are taken at once")
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > MOST_BYTES:
            raise too_large(f"more than {MOST_BYTES} bytes are not taken at once")
    return bytes(content)


async def _finished(request: Request, work: Work) -> Any:
    """The results; when the client leaves, what was not begun is dropped."""
    result = asyncio.wrap_future(work.future)
    left = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((result, left), return_when=asyncio.FIRST_COMPLETED)
        if not result.done():
            raise ClientDisconnect
        return result.result()
    finally:
        left.cancel()
        result.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _embeddings(
    body: EmbeddingsBody, name: str, vectors: list[NDArray[np.float32]], tokens: int
) -> Response:
    data = []
    for number, vector in enumerate(vectors):
        if not np.isfinite(vector).all():
            message = f"{name} gave a vector that is not finite for input[{number}]"
            raise ApiError(422, "not_finite", message)
        shown: str | list[float] = (
            base64.b64encode(vector.astype("<f4").tobytes()).decode()
            if body.encoding_format == "base64"
            else vector.tolist()
        )
        data.append({"object": "embedding", "index": number, "embedding": shown})
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return JSONResponse({"object": "list", "data": data, "model": name, "usage": usage})


def _answer(error: ApiError) -> Response:
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after is not None else None
    return JSONResponse(error.body, error.status, headers)


async def _http_error(_request: Request, error: Exception) -> Response:
    """An unknown path or method."""
    assert isinstance(error, HTTPException)
    paths = "/v1/embeddings, /v1/rerank, /v1/models, /health"
    message = f"{error.detail}; there are {paths}"
    return _answer(ApiError(error.status_code, "not_found", message))


def _sentence(error: RagError) -> str:
    return f"{error.message}. {error.detail}" if error.detail else error.message
