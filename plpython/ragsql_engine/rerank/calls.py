"""What SQL functions ask of rerankers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragsql_engine.calls import Row, translated
from ragsql_engine.embedding.calls import EmbeddingCalls
from ragsql_engine.errors import ModelMissing
from ragsql_engine.files import model_directory

if TYPE_CHECKING:
    from ragsql_engine.rerank.reranker import Reranker
    from ragsql_engine.tokens import TokenWindow


class RerankCalls(EmbeddingCalls):
    """Methods over cross-encoders, which are loaded or reached when they are first needed."""

    @translated
    def rerank(
        self, query: str | None, passages: Sequence[str | None] | None, reranker: Row
    ) -> list[float]:
        """The probability that each passage is relevant, in order; see scoring.relevances."""
        if not passages:
            return []
        from ragsql_engine.rerank.reranker import Reranker
        from ragsql_engine.rerank.scoring import relevances

        row = Reranker.from_row(reranker)
        return relevances(
            query,
            passages,
            row,
            self._pair_window(row),
            lambda: self._providers.find_scorer(row, self._models, self._settings()),
            pause=self._pause,
        )

    @translated
    def check_reranker(self, reranker: Row) -> None:
        """Refuse one that cannot be registered: 22023, or 42501 for what is not allowed."""
        from ragsql_engine.rerank import status
        from ragsql_engine.rerank.reranker import Reranker

        status.check(Reranker.from_row(reranker), self._settings())

    @translated
    def reranker_status(self, reranker: Row) -> dict[str, Any]:
        """present, directory, detail: whether it could be used. Never loads weights."""
        from ragsql_engine.rerank import status
        from ragsql_engine.rerank.reranker import Reranker

        row = Reranker.from_row(reranker)
        return status.status(row, self._models, self._settings(), self._providers)

    def _pair_window(self, reranker: "Reranker") -> "TokenWindow":
        model = reranker.model
        key = (*reranker.key, model.max_tokens)  # an administrator may correct it meanwhile
        if key not in self._windows:
            self._windows[key] = self._find_pair_window(reranker)
        return self._windows[key]

    def _find_pair_window(self, reranker: "Reranker") -> "TokenWindow":
        from ragsql_engine.tokens import find_window

        model = reranker.model
        if model.provider == "fastembed":
            from ragsql_engine.rerank.cross_encoder import load_pair_window

            try:
                return load_pair_window(reranker, self._models)
            except ModelMissing:
                if not self._settings().embedder:
                    raise
        directory = model_directory(self._models, model) if self._models else None
        return find_window(model, directory)
