"""Vectors of texts, kept on disk: most of a benchmark's time goes into them."""

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragsql.models import MINILM, ensure_model
from ragsql_engine.embedding.fastembed_provider import FastembedProvider
from ragsql_engine.embedding.texts import embed
from ragsql_engine.model import Model
from ragsql_engine.tokens import TokenWindow, load_window


class Vectors:
    """Unit vectors of texts, kept on disk under the sha256 of the text."""

    def __init__(self, models: Path, cache: Path) -> None:
        choice = ensure_model(models, MINILM.name)
        row = {"name": choice.name, "dimensions": choice.known.dimensions, **choice.options}
        self.model = Model.from_row(row)
        self.window: TokenWindow = load_window(self.model, choice.directory)
        self._directory = choice.directory
        self._provider: FastembedProvider | None = None
        cache.mkdir(parents=True, exist_ok=True)
        self._store = sqlite3.connect(cache / f"vectors-{choice.revision[:12]}.sqlite")
        self._store.execute("create table if not exists vector (hash blob primary key, value blob)")

    def of(self, texts: Sequence[str], kind: str = "passage") -> NDArray[np.float32]:
        """One row for each text. What lies beyond the model's window is cut off, as models do."""
        cut = [self._cut(text) for text in texts]
        keys = [hashlib.sha256(f"{kind}\0{text}".encode()).digest() for text in cut]
        missing = {
            key: text for key, text in zip(keys, cut, strict=True) if self._load(key) is None
        }
        self._embed(missing, kind)
        rows = [self._load(key) for key in keys]
        return np.stack([np.frombuffer(row, np.float32) for row in rows if row is not None])

    def _cut(self, text: str) -> str:
        return text[: self.window.fit(text, 0, len(text), lambda t, s, p: p)[0]]

    def _load(self, key: bytes) -> bytes | None:
        found = self._store.execute("select value from vector where hash = ?", (key,)).fetchone()
        return None if found is None else found[0]

    def _embed(self, texts: dict[bytes, str], kind: str) -> None:
        keys, step = list(texts), 64
        for first in range(0, len(keys), step):
            batch = keys[first : first + step]
            vectors = embed(
                [texts[key] for key in batch],
                kind,
                self.model,
                self.window,
                self._loaded,
                pause=lambda: None,
            )
            values = [np.asarray(vector, np.float32).tobytes() for vector in vectors]
            self._store.executemany(
                "insert or ignore into vector values (?, ?)", zip(batch, values, strict=True)
            )
            self._store.commit()

    def _loaded(self) -> FastembedProvider:
        if self._provider is None:
            self._provider = FastembedProvider(self.model, self._directory)
        return self._provider
