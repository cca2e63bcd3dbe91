"""Embedding passages of which some may fail, without holding up the others."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ragsql_engine.embedding.batching import Provider, batches
from ragsql_engine.embedding.inputs import Input, Reader, digest
from ragsql_engine.embedding.vectors import Vector, unit_vectors
from ragsql_engine.errors import (
    InvalidVector,
    PackageMissing,
    ProviderUnavailable,
    RagError,
    TextRefused,
)
from ragsql_engine.model import Model
from ragsql_engine.tokens import TokenWindow

# Any model can embed it: where it cannot be embedded, a failure is not its text's doing.
PROBE = "ragsql"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a text: its unit vector, or an error.

    `is_provider_fault`: the text is not to blame, and may be tried again as it is.
    """

    vector: Vector | None = None
    error: RagError | None = None
    is_provider_fault: bool = False

    @property
    def retry_after(self) -> float | None:
        """Seconds that the provider asked to wait."""
        fault = self.error if self.is_provider_fault else None
        return fault.retry_after if isinstance(fault, ProviderUnavailable) else None


def embed_each(
    texts: Sequence[str | None],
    model: Model,
    window: Callable[[], TokenWindow],
    provider: Callable[[], Provider],
    *,
    pause: Callable[[], None],
) -> list[Outcome]:
    """One outcome for each passage, in order; equal ones are embedded once.

    A batch that fails for a reason which may lie in one of its texts is tried text by text. After
    a failure that lies in the provider for certain, nothing more is asked of it. `pause` is
    called before each request, and between texts; what it raises goes through.
    """
    try:
        reader = Reader("passage", model, window(), pause)
    except RagError as error:
        return [Outcome(error=error, is_provider_fault=True)] * len(texts)
    known: dict[bytes | None, Input | Outcome] = {}
    keys = [None if text is None else digest(text) for text in texts]
    for key, text in zip(keys, texts, strict=True):
        if key not in known:
            known[key] = _prepared(text, reader)
    wanted = [each for each in known.values() if isinstance(each, Input)]
    lengths = {part.text: part.tokens for each in wanted for part in each.parts}
    attempt = _Attempt(model, provider, pause)
    if lengths:
        attempt.run(lengths)
    results = {
        key: each if isinstance(each, Outcome) else attempt.outcome(each)
        for key, each in known.items()
    }
    return [results[key] for key in keys]


def _prepared(text: str | None, reader: Reader) -> Input | Outcome:
    try:
        return reader.prepare(text, "the text")
    except RagError as error:
        return Outcome(error=error)


class _Attempt:
    """The requests of one call. After `_down` is set there are no more."""

    def __init__(
        self, model: Model, provider: Callable[[], Provider], pause: Callable[[], None]
    ) -> None:
        self._model, self._load, self._pause = model, provider, pause
        self._outcomes: dict[str, Outcome] = {}
        self._down: RagError | None = None

    def run(self, lengths: dict[str, int]) -> None:
        """Embed all that `lengths` names, whose values are tokens."""
        try:
            self._provider = self._load()
        except RagError as error:
            self._down = error
        except ImportError as error:
            self._down = PackageMissing(error)
        else:
            limits = self._provider.batch_tokens, self._provider.batch_texts
            for batch in batches(lengths, *limits):
                self._batch(batch)
                if self._down:
                    break
        for text in lengths:
            if text not in self._outcomes:
                self._outcomes[text] = Outcome(error=self._down, is_provider_fault=True)

    def outcome(self, asked: Input) -> Outcome:
        """What became of a text, of what became of its parts."""
        parts = [self._outcomes[part.text] for part in asked.parts]
        failed = [part for part in parts if part.error]
        if failed:
            # what the provider owes may still come; what a text lacks stays
            return min(failed, key=lambda part: part.is_provider_fault)
        vectors = [part.vector for part in parts if part.vector is not None]
        return _outcome(asked.vector(vectors, self._model))

    def _batch(self, batch: Sequence[str]) -> None:
        error = self._ask(batch)
        if error is None or self._down:
            return
        if len(batch) == 1:
            self._blame({batch[0]: error}, batch)
            return
        if isinstance(error, ProviderUnavailable) and not self._probe():
            return
        suspects: dict[str, RagError] = {}
        for text in batch:
            error = self._ask([text])
            if self._down:
                return
            if error is not None:
                suspects[text] = error
        self._blame(suspects, batch)

    def _blame(self, suspects: dict[str, RagError], batch: Sequence[str]) -> None:
        """Charge texts with their failures, unless the provider fails at any text by now."""
        refuses_all = len(suspects) == len(batch)  # a request that it does not understand, perhaps
        doubtful = any(isinstance(error, ProviderUnavailable) for error in suspects.values())
        if (refuses_all or doubtful) and not self._probe():
            suspects = (
                {}
                if refuses_all
                else {
                    text: error
                    for text, error in suspects.items()
                    if not isinstance(error, ProviderUnavailable)
                }
            )
        self._outcomes.update((text, Outcome(error=error)) for text, error in suspects.items())

    def _probe(self) -> bool:
        """Whether the provider embeds a text that has nothing wrong."""
        error = self._ask([PROBE], keep=False)
        if error is not None:
            self._down = error
        return error is None

    def _ask(self, texts: Sequence[str], keep: bool = True) -> RagError | None:
        """Embed texts; why that failed, where single texts may be the reason."""
        self._pause()
        try:
            raw: list[NDArray[Any]] = self._provider.embed(texts, "passage")
            vectors = unit_vectors(raw, len(texts), self._model)
        except TextRefused as error:
            return error
        except RagError as error:
            if not isinstance(error, ProviderUnavailable) or error.certain:
                self._down = error
            return error
        if keep:
            self._keep(zip(texts, vectors, strict=True))
        return None

    def _keep(self, vectors: Iterable[tuple[str, Vector | InvalidVector]]) -> None:
        self._outcomes.update((text, _outcome(vector)) for text, vector in vectors)


def _outcome(vector: Vector | InvalidVector) -> Outcome:
    if isinstance(vector, InvalidVector):
        return Outcome(error=vector)
    return Outcome(vector)
