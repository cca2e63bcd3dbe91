"""What a model is to read for a text: one part, or several where the text is beyond its window."""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ragsql_engine.chunking.clusters import word_end
from ragsql_engine.chunking.strings import after_space
from ragsql_engine.embedding.vectors import Vector, mean
from ragsql_engine.errors import InvalidParameter, InvalidVector, LimitExceeded
from ragsql_engine.model import Model
from ragsql_engine.tokens import TokenWindow
from ragsql_engine.visibility import is_visible

LONGEST = 1_000_000
"""Characters of a text; to embed more would take an hour."""

_PACE = 0.1  # seconds of reading texts until the caller can cancel
# Characters of a text, for each token of the window, that are tokenized in one go: that takes 300
# bytes of memory for each of them, and cannot be cancelled.
_COUNTED = 16


@dataclass(frozen=True, slots=True)
class Part:
    """A text with its prefix, within the window.

    `tokens` are all that the model reads, special ones included; `weight` those of the text.
    """

    text: str
    tokens: int
    weight: int


@dataclass(frozen=True, slots=True)
class Input:
    """A text as a model reads it."""

    parts: Sequence[Part]

    def vector(self, vectors: Sequence[Vector], model: Model) -> Vector | InvalidVector:
        """The text's vector, of those of its parts: their average by number of tokens."""
        if len(vectors) == 1:
            return vectors[0]
        return mean(vectors, [part.weight for part in self.parts], model)


def digest(text: str) -> bytes:
    """Equal for texts that differ in white space only."""
    return hashlib.sha256(" ".join(text.split()).encode()).digest()


class Reader:
    """Prepares texts of one kind for a model. `pause` is called now and then."""

    def __init__(
        self, kind: str, model: Model, window: TokenWindow, pause: Callable[[], None]
    ) -> None:
        self._model, self._window, self._pause = model, window, pause
        self._prefix = model.prefix(kind)
        self._paused = time.monotonic()

    def prepare(self, text: str | None, name: str) -> Input:
        """What the model reads for `text`, which errors call by `name`.

        Fails with InvalidParameter for a text without a visible character, with LimitExceeded for
        one beyond the window where the model's long_input is 'error'.
        """
        self._let_cancel()
        if text is None or not is_visible(text):
            raise InvalidParameter(
                f"{name} is {'null' if text is None else 'blank'} and has no meaning to embed",
                hint="Leave out texts without a visible character.",
            )
        if len(text) > LONGEST:
            raise LimitExceeded(
                f"{name} has {len(text)} characters, but at most {LONGEST} are embedded",
                hint="Cut it with rag.chunk_text.",
            )
        window = self._window
        if len(text) <= window.capacity * _COUNTED:
            tokens = window.count(self._prefix + text)
            if tokens <= window.capacity:
                return Input([Part(self._prefix + text, tokens + window.special_tokens, tokens)])
            found = str(tokens + window.special_tokens)
            parts = None
        else:
            parts = list(self._windows(text, name))
            if len(parts) == 1:
                return Input(parts)
            found = f"more than {window.max_tokens}"
        if self._model.long_input == "error":
            raise LimitExceeded(
                f"{name} has {'' if window.is_exact else 'about '}{found} tokens, "
                f"but model {self._model.name} reads {window.max_tokens}",
                hint="Cut it with rag.chunk_text, which keeps chunks within the model's window, "
                "or let the model average its windows: long_input in rag.add_model.",
            )
        return Input(parts or list(self._windows(text, name)))

    def _windows(self, text: str, name: str) -> Iterator[Part]:
        """The text in parts that fill the window, each with the prefix."""
        window, prefix = self._window, self._prefix
        before = window.count(prefix) if prefix else 0
        start = after_space(text, 0, len(text))
        while start < len(text):
            self._let_cancel()
            end, tokens = window.fit(text, start, len(text), word_end, prefix)
            if tokens > window.capacity:
                raise LimitExceeded(
                    f"{name} has a character that does not fit the window of model "
                    f"{self._model.name} beside its prefix",
                    hint="Correct the prefix or max_tokens of the model with rag.add_model.",
                )
            if is_visible(text, start, end):
                read = prefix + text[start:end]
                yield Part(read, tokens + window.special_tokens, max(tokens - before, 1))
            start = after_space(text, end, len(text))

    def _let_cancel(self) -> None:
        if time.monotonic() - self._paused > _PACE:
            self._pause()
            self._paused = time.monotonic()
