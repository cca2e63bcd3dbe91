"""What SQL functions ask of models."""

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ragsql_engine.calls import Calls, Plpy, Row, translated
from ragsql_engine.errors import ModelMissing
from ragsql_engine.files import model_directory
from ragsql_engine.model import Model

if TYPE_CHECKING:
    from ragsql_engine.embedding.outcomes import Outcome
    from ragsql_engine.embedding.providers import Providers, Settings
    from ragsql_engine.embedding.query_cache import QueryCache
    from ragsql_engine.tokens import TokenWindow

_SETTINGS = (
    "select s.name, s.value from rag_internal.setting s "
    "where s.name in ('embedder', 'http_hosts', 'http_key_variables', 'model_slots')"
)


class EmbeddingCalls(Calls):
    """Methods over models, which are loaded or reached when they are first needed."""

    def __init__(self, plpy: Plpy, model_path: str | None = None) -> None:
        super().__init__(plpy)
        self._model_path = model_path
        self._windows: dict[tuple[object, ...], TokenWindow] = {}

    @translated
    def embed(self, texts: Sequence[str | None], kind: str, model: Row | None) -> list[str]:
        """Unit vectors in pgvector's text form, one for each text, in order.

        `kind` is 'query' or 'passage': it chooses the prefix. A text beyond the model's window
        has the average of its windows, or fails with 54000, as the model says.
        """
        return self._embed(texts, kind, Model.from_row(model)) if texts else []

    @translated
    def embed_query(self, query: str, model: Row, asker: str) -> str:
        """The unit vector of a query in pgvector's text form.

        The last ones that `asker` asked for in this session are kept.
        """
        row = Model.from_row(model)
        return self._queries.get(query, row, asker, lambda: self._embed([query], "query", row)[0])

    @translated
    def embed_passages(self, texts: Sequence[str | None], model: Row) -> list[tuple[Any, ...]]:
        """Rows of rag_internal.embedded_text: what became of each text, which never fails it."""
        from ragsql_engine.embedding.outcomes import embed_each

        row = Model.from_row(model)
        outcomes = embed_each(
            texts, row, lambda: self._window(row), lambda: self._provider(row), pause=self._pause
        )
        return [_row(number, outcome) for number, outcome in enumerate(outcomes, 1)]

    @translated
    def unload_models(self) -> int:
        """Free what models take in this session, and its slot; the number of models dropped."""
        self._windows.clear()
        self._queries.clear()
        return self._providers.unload()

    @translated
    def check_model(self, model: Row) -> None:
        """Refuse a model that cannot be registered: 22023, or 42501 for what is not allowed."""
        from ragsql_engine.embedding import status

        status.check(Model.from_row(model), self._settings())

    @translated
    def model_status(self, model: Row) -> dict[str, Any]:
        """present, directory, detail: whether a model could be used. Never loads weights."""
        from ragsql_engine.embedding import status

        row = Model.from_row(model)
        return status.status(row, self._models, self._settings(), self._providers)

    def _embed(self, texts: Sequence[str | None], kind: str, model: Model) -> list[str]:
        window = self._window(model)  # names a missing model before numpy is even loaded
        from ragsql_engine.embedding.texts import embed
        from ragsql_engine.embedding.vectors import to_text

        vectors = embed(
            texts, kind, model, window, lambda: self._provider(model), pause=self._pause
        )
        return [to_text(vector) for vector in vectors]

    @property
    def _models(self) -> str | None:
        """The folder of all models."""
        return os.environ.get("RAGSQL_MODELS") or self._model_path

    def _window(self, model: Model) -> "TokenWindow":
        key = (*model.key, model.max_tokens)  # an administrator may correct it meanwhile
        if key not in self._windows:
            self._windows[key] = self._find_window(model)
        return self._windows[key]

    def _find_window(self, model: Model) -> "TokenWindow":
        from ragsql_engine.tokens import find_window, load_window

        if model.provider == "fastembed":
            try:
                return load_window(model, model_directory(self._models, model))
            except ModelMissing:
                if not self._settings().embedder:
                    raise
        directory = model_directory(self._models, model) if self._models else None
        return find_window(model, directory)

    def _provider(self, model: Model) -> Any:
        return self._providers.find(model, self._models, self._settings())

    def _settings(self) -> "Settings":
        """As they are now: an administrator changes them while sessions live."""
        from ragsql_engine.embedding.providers import Settings

        return Settings(**{row["name"]: row["value"] for row in self._rows(_SETTINGS, [])})

    @cached_property
    def _providers(self) -> "Providers":
        from ragsql_engine.embedding.providers import Providers

        return Providers(self._pause)

    @cached_property
    def _queries(self) -> "QueryCache":
        from ragsql_engine.embedding.query_cache import QueryCache

        return QueryCache()


def _row(number: int, outcome: "Outcome") -> tuple[Any, ...]:
    from ragsql_engine.embedding.vectors import to_text

    if outcome.vector is not None:
        return number, to_text(outcome.vector), None, None, False, None
    assert outcome.error is not None
    error = outcome.error
    told = f"{error.message}: {error.detail}" if error.detail else error.message
    return number, None, told, error.hint, outcome.is_provider_fault, outcome.retry_after
