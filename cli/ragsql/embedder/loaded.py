"""Models in memory: what is asked of them becomes batches for their runner."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragsql.embedder.catalog import StoredModel
from ragsql.embedder.errors import ApiError, too_large
from ragsql.embedder.runner import Runner
from ragsql_engine.embedding.batching import batches
from ragsql_engine.model import Model
from ragsql_engine.rerank.reranker import LOGIT, Reranker
from ragsql_engine.rerank.scoring import sigmoid
from ragsql_engine.tokens import load_window

if TYPE_CHECKING:
    from ragsql_engine.embedding.fastembed_provider import FastembedProvider

Result = TypeVar("Result")
Say = Callable[[str], None]
Scorer = Callable[[str, Sequence[str]], Sequence[float]]
"""Relevance of each document to a query, as logits."""

_SHORT = 64  # tokens of a text that is a question most likely
_FEW = 512  # tokens of questions that go before others
_LONGEST = 200_000  # characters of a text: to tokenize them takes 300 bytes for each


def too_long(name: str, tokens: int, limit: int, model: str) -> ApiError:
    """A text beyond the window (400): it is refused, for a cut would go unnoticed."""
    message = f"{name} has {tokens} tokens, but {model} reads {limit}; cut it into parts"
    return ApiError(400, "context_length_exceeded", message)


@dataclass(frozen=True)
class Work:
    """A request on its way: what it costs in tokens, and its results to come."""

    tokens: int
    future: Future[Any]


class Loaded(ABC, Generic[Result]):
    """A model; its weights are loaded by the first batch, and `threads` batches run at once."""

    def __init__(self, stored: StoredModel, threads: int, say: Say) -> None:
        self.stored = stored
        self._say = say
        self._row = Model.from_row(
            {
                "name": stored.name,
                "revision": stored.revision,
                "dimensions": stored.dimensions or 1,  # of a cross-encoder
                "max_tokens": stored.max_tokens,
            }
        )
        self._window = load_window(self._row, stored.directory)
        self._loading = threading.Lock()
        self.runner: Runner[tuple[str, str], tuple[str, Result]] = Runner(
            self._run, stored.name, threads
        )

    @property
    @abstractmethod
    def is_loaded(self) -> bool:
        """Whether the weights are in memory."""

    def load(self) -> None:
        """Load the weights unless they are; a log line says how long it took."""
        with self._loading:
            if self.is_loaded:
                return
            started = time.monotonic()
            self._load()
            took = f"{time.monotonic() - started:.1f} s"
            self._say(f"Loaded {self.stored.name}, revision {self.stored.revision}, in {took}.")

    @abstractmethod
    def _load(self) -> None: ...

    @abstractmethod
    def _run(self, batch: Sequence[tuple[str, str]]) -> list[tuple[str, Result]]: ...


class LoadedEmbedding(Loaded[NDArray[Any]]):
    """An embedding model: pairs of a text and its kind become pairs of the text and a vector."""

    _provider: FastembedProvider | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether the weights are in memory."""
        return self._provider is not None

    def submit(self, texts: Sequence[str], kind: str) -> Work:
        """Queue texts; the result is pairs of text and raw vector. They get no prefix."""
        lengths: dict[str, int] = {}
        for number, text in enumerate(texts):
            if text in lengths:
                continue
            if len(text) > _LONGEST:
                raise too_large(f"input[{number}] has more than {_LONGEST} characters")
            tokens = self._window.count(text)
            if tokens > self._window.capacity:
                total = tokens + self._window.special_tokens
                limit = self._window.max_tokens
                raise too_long(f"input[{number}]", total, limit, self.stored.name)
            lengths[text] = tokens + self._window.special_tokens
        total = sum(lengths.values())
        urgent = (kind == "query" and total <= _FEW) or (len(lengths) == 1 and total <= _SHORT)
        work = [[(text, kind) for text in batch] for batch in batches(lengths)]
        return Work(sum(lengths[text] for text in texts), self.runner.submit(work, urgent=urgent))

    @staticmethod
    def order(texts: Sequence[str], results: Sequence[Any]) -> list[NDArray[np.float32]]:
        """A vector for each text, of the pairs that the runner gave."""
        by_text = dict(results)
        return [np.asarray(by_text[text], dtype=np.float32) for text in texts]

    def _load(self) -> None:
        from ragsql_engine.embedding.fastembed_provider import FastembedProvider

        self._provider = FastembedProvider(self._row, self.stored.directory)

    def _run(self, batch: Sequence[tuple[str, str]]) -> list[tuple[str, NDArray[Any]]]:
        self.load()
        assert self._provider is not None
        texts = [text for text, _ in batch]
        return list(zip(texts, self._provider.embed(texts, batch[0][1]), strict=True))


class LoadedReranker(Loaded[float]):
    """A cross-encoder: it reads query and document together and scores the pair."""

    def __init__(
        self, stored: StoredModel, threads: int, say: Say, scorer: Scorer | None = None
    ) -> None:
        self._scorer = scorer
        super().__init__(stored, threads, say)

    @property
    def is_loaded(self) -> bool:
        """Whether the weights are in memory."""
        return self._scorer is not None

    def submit(self, query: str, documents: Sequence[str]) -> Work:
        """Queue documents; the result is pairs of document and relevance, 0 to 1."""
        asked = self._window.count(query) + self._window.special_tokens
        lengths: dict[str, int] = {}
        for number, document in enumerate(documents):
            # one separator more between the two than around one text
            total = asked + self._window.count(document) + 1
            if total > self._window.max_tokens:
                name = f"query and documents[{number}]"
                raise too_long(name, total, self._window.max_tokens, self.stored.name)
            lengths[document] = total
        work = [[(query, document) for document in batch] for batch in batches(lengths)]
        total = sum(lengths[document] for document in documents)
        return Work(total, self.runner.submit(work, urgent=total <= _FEW))

    def _load(self) -> None:
        from ragsql_engine.rerank.cross_encoder import CrossEncoder

        self._scorer = CrossEncoder(Reranker(self._row, LOGIT), self.stored.directory).score

    def _run(self, batch: Sequence[tuple[str, str]]) -> list[tuple[str, float]]:
        self.load()
        assert self._scorer is not None
        documents = [document for _, document in batch]
        scores = self._scorer(batch[0][0], documents)
        return [(one, sigmoid(score)) for one, score in zip(documents, scores, strict=True)]
