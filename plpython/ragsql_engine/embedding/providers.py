"""What runs each model for one session, by the settings as they are at the call."""

import ctypes
import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ragsql_engine.embedding.slots import FOLDER, Slot, slot_count
from ragsql_engine.errors import InvalidParameter, ProviderUnavailable, RagError
from ragsql_engine.files import model_directory
from ragsql_engine.model import Model

if TYPE_CHECKING:
    from ragsql_engine.embedding.batching import Provider
    from ragsql_engine.embedding.endpoints import Allowed
    from ragsql_engine.embedding.fastembed_provider import FastembedProvider
    from ragsql_engine.embedding.http_client import Connections
    from ragsql_engine.embedding.http_provider import HttpProvider
    from ragsql_engine.rerank.http_scorer import HttpScorer
    from ragsql_engine.rerank.reranker import Reranker, Scorer

Loaded = TypeVar("Loaded")


class Settings(NamedTuple):
    """The rows of rag_internal.setting that say how models are reached; None where not set."""

    embedder: str | None = None
    http_hosts: str | None = None
    http_key_variables: str | None = None
    model_slots: str | None = None


class Providers:
    """Weights, connections and the slot of one session. `pause` lets the caller cancel."""

    def __init__(self, pause: Callable[[], None], slots: Path = FOLDER) -> None:
        self._pause = pause
        self._slot = Slot(slots)
        self._weights: dict[tuple[str, ...], Any] = {}
        self._connections: Connections | None = None

    def find(self, model: Model, root: str | None, settings: Settings) -> "Provider":
        """What runs `model`. `root` is the folder of all models.

        Fails with ProviderUnavailable. With an embedder attached there is no other way: a model
        that each session loaded when that is away would fill the memory.
        """
        if model.provider == "external":
            raise ProviderUnavailable(
                f"model {model.name} is external: its vectors come with the call",
                hint="Give them to rag.ingest_chunks, and to a search as query_vector.",
            )
        if model.provider == "openai":
            return self._endpoints(model, settings)
        if settings.embedder:
            return self.embedder(model, settings.embedder)
        directory = model_directory(root, model)
        return self._loaded(model.key, settings, lambda: _embedding(model, directory))

    def find_scorer(self, reranker: "Reranker", root: str | None, settings: Settings) -> "Scorer":
        """What runs a reranker. `root` is the folder of all models. Fails as `find` does."""
        if reranker.model.provider == "http":
            return self._rerank_endpoints(reranker, settings)
        if settings.embedder:
            return self.rerank_embedder(reranker, settings.embedder)
        return self._loaded(reranker.key, settings, lambda: _cross_encoder(reranker, root))

    def rerank_embedder(self, reranker: "Reranker", url: str) -> "HttpScorer":
        """The process at `url` that runs a reranker for all sessions."""
        from ragsql_engine.rerank.http_scorer import HttpScorer

        try:
            return HttpScorer.of_embedder(
                reranker, url, pause=self._pause, connections=self._connected
            )
        except InvalidParameter as error:
            raise _unavailable(error) from None

    def embedder(self, model: Model, url: str) -> "HttpProvider":
        """The process at `url` that runs `model` for all sessions."""
        from ragsql_engine.embedding.http_provider import HttpProvider

        try:
            return HttpProvider.of_embedder(
                model, url, pause=self._pause, connections=self._connected
            )
        except InvalidParameter as error:
            raise _unavailable(error) from None

    def unload(self) -> int:
        """Drop all weights, close all connections, give back the slot; the models dropped."""
        number = len(self._weights)
        self._weights.clear()
        if self._connections is not None:
            self._connections.close()
            self._connections = None
        gc.collect()
        _give_back_memory()
        self._slot.release()
        return number

    def _loaded(
        self,
        key: tuple[str, ...],
        settings: Settings,
        prepare: Callable[[], Callable[[], Loaded]],
    ) -> Loaded:
        """The weights kept under `key`. `prepare` checks the files: none missing take a slot."""
        if key not in self._weights:
            load = prepare()
            self._slot.take(slot_count(settings.model_slots))
            try:
                self._weights[key] = load()
            finally:
                if not self._weights:
                    self._slot.release()
        found: Loaded = self._weights[key]
        return found

    def _endpoints(self, model: Model, settings: Settings) -> "HttpProvider":
        from ragsql_engine.embedding.endpoints import parse_endpoints
        from ragsql_engine.embedding.http_provider import HttpProvider

        try:
            endpoints = parse_endpoints(model)
        except InvalidParameter as error:
            raise _unavailable(error) from None
        return HttpProvider(
            model,
            endpoints,
            allowed=allowed(settings),
            environ=os.environ,
            pause=self._pause,
            connections=self._connected,
        )

    def _rerank_endpoints(self, reranker: "Reranker", settings: Settings) -> "HttpScorer":
        from ragsql_engine.rerank.endpoints import parse_endpoints
        from ragsql_engine.rerank.http_scorer import HttpScorer

        try:
            endpoints = parse_endpoints(reranker)
        except InvalidParameter as error:
            raise _unavailable(error) from None
        return HttpScorer(
            reranker,
            endpoints,
            allowed=allowed(settings),
            environ=os.environ,
            pause=self._pause,
            connections=self._connected,
        )

    @property
    def _connected(self) -> "Connections":
        if self._connections is None:
            from ragsql_engine.embedding.http_client import Connections

            self._connections = Connections()
        return self._connections


def _embedding(model: Model, directory: Path) -> "Callable[[], FastembedProvider]":
    from ragsql_engine.embedding.fastembed_provider import FastembedProvider, require_weights

    require_weights(model, directory)
    return lambda: FastembedProvider(model, directory)


def _cross_encoder(reranker: "Reranker", root: str | None) -> "Callable[[], Scorer]":
    from ragsql_engine.rerank.cross_encoder import (
        CrossEncoder,
        require_weights,
        reranker_directory,
    )

    directory = reranker_directory(root, reranker)
    require_weights(reranker, directory)
    return lambda: CrossEncoder(reranker, directory)


def allowed(settings: Settings) -> "Allowed":
    """What the settings let models reach over HTTP."""
    from ragsql_engine.embedding.endpoints import Allowed

    return Allowed.from_settings(settings.http_hosts, settings.http_key_variables)


def _unavailable(error: RagError) -> ProviderUnavailable:
    """What is wrong with a stored model is no fault of the caller's arguments."""
    return ProviderUnavailable(error.message, detail=error.detail, hint=error.hint)


def _give_back_memory() -> None:
    """glibc keeps what was freed, unless it is asked."""
    trim: Any = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
