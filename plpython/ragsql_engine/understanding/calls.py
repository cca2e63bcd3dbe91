"""What SQL functions ask about a question."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ragsql_engine.calls import Calls, translated


class UnderstandingCalls(Calls):
    """Methods that look at nothing but the texts they are given."""

    @translated
    def query_parts(self, query: str, now: str) -> list[dict[str, Any]]:
        """Rows of rag.query_part. now: local time in ISO 8601, which the answers are in, too."""
        from ragsql_engine.understanding import decompose

        return [
            {
                "part": number,
                "query": part.query,
                "strategy": part.strategy,
                "excluded": list(part.excluded),
                "min_updated_at": _iso(part.bounds.least),
                "max_updated_at": _iso(part.bounds.greatest),
                "reason": part.reason,
            }
            for number, part in enumerate(decompose(query, datetime.fromisoformat(now)), 1)
        ]

    @translated
    def follow_up_terms(self, query: str, texts: Sequence[str | None], limit: int) -> list[str]:
        """Names in the texts to ask for next."""
        from ragsql_engine.understanding import follow_up_terms

        return follow_up_terms(query, [text for text in texts if text is not None], limit)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
