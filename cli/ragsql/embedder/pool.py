"""The models that were asked for, each in memory once."""

from __future__ import annotations

import threading
from pathlib import Path

from ragsql.embedder.catalog import Kind, StoredModel, find_model, stored_models
from ragsql.embedder.errors import ApiError
from ragsql.embedder.loaded import LoadedEmbedding, LoadedReranker, Say

_USE: dict[Kind, str] = {
    "embedding": "POST /v1/embeddings is for it",
    "rerank": "POST /v1/rerank is for it",
}


class Pool:
    """Models of the folder `root`, loaded when they are first asked for."""

    def __init__(self, root: Path, threads: int, say: Say) -> None:
        self.root = root
        self._threads = threads
        self._say = say
        self._lock = threading.Lock()
        self._loaded: dict[str, LoadedEmbedding | LoadedReranker] = {}

    def embedding(self, name: str, revision: str | None) -> LoadedEmbedding:
        """An embedding model; raises ApiError 404 where it is not here, 409 for its revision."""
        model = self._get(name, revision, "embedding")
        assert isinstance(model, LoadedEmbedding)
        return model

    def reranker(self, name: str, revision: str | None) -> LoadedReranker:
        """A cross-encoder; raises ApiError 404 where it is not here, 409 for its revision."""
        model = self._get(name, revision, "rerank")
        assert isinstance(model, LoadedReranker)
        return model

    def add(self, model: LoadedEmbedding | LoadedReranker) -> None:
        """Serve a model that was made elsewhere."""
        with self._lock:
            self._loaded[model.stored.name.lower()] = model

    def stored(self) -> list[StoredModel]:
        """Every model of the folder, loaded or not."""
        return stored_models(self.root)

    @property
    def loaded(self) -> list[str]:
        """Names of the models in memory."""
        return sorted(one.stored.name for one in list(self._loaded.values()) if one.is_loaded)

    def preload(self, name: str) -> None:
        """Load tokenizer and weights of a model of either kind before anybody asks."""
        found = find_model(self.root, name)
        model = self._get(name, None, found.kind if found else "embedding")
        model.load()

    def close(self) -> None:
        """Let each model finish what it was asked."""
        for model in self._loaded.values():
            model.runner.close()

    def _get(self, name: str, revision: str | None, kind: Kind) -> LoadedEmbedding | LoadedReranker:
        with self._lock:
            model = self._loaded.get(name.lower())
            # the files may have been replaced meanwhile
            found = find_model(self.root, name)
            if found is not None and (model is None or model.stored != found):
                model = self._load(found)
        if model is None:
            raise ApiError(404, "model_not_found", self._absent(name))
        if model.stored.kind != kind:
            use = _USE[model.stored.kind]
            message = f"{model.stored.name} is a model of kind {model.stored.kind}: {use}"
            raise ApiError(404, "model_not_found", message)
        if revision and revision != model.stored.revision:
            message = (
                f"{model.stored.name} has revision {model.stored.revision} here, not the one asked "
                "for: vectors of different weights cannot be compared. Give the embedder the files "
                "of that revision, or register the model anew"
            )
            raise ApiError(409, "revision_mismatch", message)
        return model

    def _load(self, found: StoredModel) -> LoadedEmbedding | LoadedReranker:
        make = LoadedEmbedding if found.kind == "embedding" else LoadedReranker
        fresh = make(found, self._threads, self._say)
        former = self._loaded.get(found.name.lower())
        self._loaded[found.name.lower()] = fresh
        if former is not None:
            self._say(f"The files of {found.name} changed: revision {found.revision} from now on.")
            threading.Thread(target=former.runner.close, daemon=True).start()
        return fresh

    def _absent(self, name: str) -> str:
        shown = name[:80] if name.isprintable() else "of that name"
        here = ", ".join(model.name for model in self.stored()) or "none"
        return (
            f"the model {shown} is not here (here: {here}); `ragsql model add` fetches a model's "
            "files, or copy its folder into the folder of the models"
        )
