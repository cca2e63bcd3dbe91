"""What SQL functions ask for variety in a ranking."""

from collections.abc import Sequence

from ragsql_engine.calls import Calls, translated


class DiversityCalls(Calls):
    """Stateless methods."""

    @translated
    def marginal_relevance(
        self,
        scores: Sequence[float],
        contents: Sequence[str],
        vectors: Sequence[bytes | None],
        trade: float,
    ) -> list[int]:
        """Numbers of the passages, from 1, in the order of maximal marginal relevance."""
        from ragsql_engine.diversity.relevance import marginal_relevance

        return [at + 1 for at in marginal_relevance(scores, contents, vectors, trade)]
