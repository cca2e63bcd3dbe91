"""What SQL functions ask of passages that are shown."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ragsql_engine.calls import Calls, translated

if TYPE_CHECKING:
    from ragsql_engine.passages.marking import Marker


class PassageCalls(Calls):
    """Methods over texts of passages."""

    @translated
    def highlight(
        self, content: str | None, query: str | None, config: str | None
    ) -> dict[str, Any] | None:
        """A value of rag_internal.highlighted."""
        if content is None or config is None:
            return None
        from ragsql_engine.passages.marking import as_html

        spans = self._marker.matches(content, query or "", config)
        return {"matches": [at for span in spans for at in span], "marked": as_html(content, spans)}

    @translated
    def find_passage(
        self, content: str, wanted: str, length: int, place: int, secret: bytes | None
    ) -> int | None:
        """Where a passage begins whose citation has the hash `wanted`, keyed where there is a key.

        It stood at `place`. None: nowhere.
        """
        from ragsql_engine.passages.citations import digest, find_passage, keyed_digest

        of = digest if secret is None else keyed_digest(secret)
        return find_passage(content, wanted, length, place, of)

    @cached_property
    def _marker(self) -> "Marker":
        from ragsql_engine.passages.marking import Marker

        return Marker(self._rows)
