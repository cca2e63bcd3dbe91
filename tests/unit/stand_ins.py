"""Stand-ins for PL/Python's plpy, for a model's tokenizer and for what runs a model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers

from ragsql_engine.tokens import Encoded, TokenWindow


class SqlError(Exception):
    """What plpy raises; the engine sets the fields."""

    sqlstate: str | None = None
    detail: str | None = None
    hint: str | None = None


class FakePlpy:
    """Records what the engine says to the server."""

    Error = SqlError

    def __init__(self, **settings: str) -> None:
        self.settings = settings
        self.warnings: list[str] = []
        self.queries: list[str] = []

    def prepare(self, query: str, types: Sequence[str]) -> str:
        return query

    def execute(self, query: str, arguments: Sequence[Any] = ()) -> list[Any]:
        self.queries.append(query)
        if "rag_internal.setting" not in query:
            return []
        return [{"name": name, "value": value} for name, value in self.settings.items()]

    def warning(self, message: str) -> None:
        self.warnings.append(message)


class CountingWindow(TokenWindow):
    """A window that counts the characters it has been asked to tokenise."""

    characters = 0

    def _encode(self, text: str) -> Encoded:
        self.characters += len(text)
        return super()._encode(text)


def byte_window(max_tokens: int = 32) -> CountingWindow:
    """A window of a model whose tokens are UTF-8 bytes."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {symbol: number for number, symbol in enumerate(alphabet)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return CountingWindow(tokenizer, max_tokens)


def word_window(max_tokens: int = 256) -> CountingWindow:
    """A window of a model whose tokens are words and punctuation marks."""
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return CountingWindow(tokenizer, max_tokens)


class StubProvider:
    """Gives each text a vector of its own, unless told to give another one or to fail.

    `special` gives vectors, `failing` errors, by a word of the text; a batch fails with the error
    of the first text that has one. `batches` are the requests.
    """

    def __init__(
        self,
        special: dict[str, list[float]] | None = None,
        failing: dict[str, Exception] | None = None,
        *,
        batch_tokens: int = 256,
        batch_texts: int = 128,
    ) -> None:
        self.special, self.failing = special or {}, failing or {}
        self.batch_tokens, self.batch_texts = batch_tokens, batch_texts
        self.batches: list[list[str]] = []

    def embed(self, texts: Sequence[str], kind: str) -> list[NDArray[Any]]:
        self.batches.append(list(texts))
        for text in texts:
            for word, error in self.failing.items():
                if word in text:
                    raise error
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> NDArray[Any]:
        for word, values in self.special.items():
            if word in text:
                return np.array(values, dtype=np.float32)
        return np.array([*text.encode()[:3].ljust(3), len(text)], dtype=np.float32)


class Forgetful(StubProvider):
    """Drops texts with the word beta, as some endpoints drop blank ones."""

    def embed(self, texts: Sequence[str], kind: str) -> list[NDArray[Any]]:
        return super().embed([text for text in texts if "beta" not in text], kind)
