"""What SQL functions ask of passages that are shown."""

import json
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ragsql_engine.calls import Row, translated
from ragsql_engine.embedding.calls import EmbeddingCalls
from ragsql_engine.errors import ModelMissing
from ragsql_engine.model import Model

if TYPE_CHECKING:
    from ragsql_engine.passages.marking import Marker
    from ragsql_engine.tokens import TokenWindow


class PassageCalls(EmbeddingCalls):
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

    @translated
    def write_context(
        self,
        question: str | None,
        hits: str,
        max_tokens: int,
        templates: Sequence[str | None],
        model: Row | None,
    ) -> str:
        """JSON: context, tokens, degraded, and for each source the places of its hits from 0.

        hits: JSON. templates: of the whole, of a source, and what to say without any. Without
        `model`, or where its tokenizer is not here, tokens are estimated.
        """
        from ragsql_engine.passages import prompt

        window, notes = self._counter(model)
        template, source_template, abstain = templates
        writer = prompt.Prompt(
            question or "",
            prompt.TEMPLATE if template is None else template,
            prompt.SOURCE_TEMPLATE if source_template is None else source_template,
            window.count,
            max_tokens,
        )
        found = json.loads(hits)
        blocks = writer.choose(found)
        text = writer.text(blocks, found) if blocks else prompt.ABSTAIN
        if not blocks and abstain is not None:
            text = abstain
        return json.dumps(
            {
                "context": text,
                "tokens": window.count(text),
                "degraded": notes,
                "sources": [{"hits": b.hits, **prompt.place_of(b)} for b in blocks],
            }
        )

    def _counter(self, model: Row | None) -> "tuple[TokenWindow, list[str]]":
        """What counts tokens, and what to say of it."""
        from ragsql_engine.tokens import EstimatedWindow

        if model is None or model["name"] is None:
            return EstimatedWindow(None), ["tokens are estimated: no collection has a model"]
        row = Model.from_row(model)
        try:
            window = self._window(row)
        except ModelMissing:
            window = EstimatedWindow(None)
        is_exact = window.is_exact
        note = f"tokens are estimated: the tokenizer of model {row.name} is not on the server"
        return window, [] if is_exact else [note]

    @cached_property
    def _marker(self) -> "Marker":
        from ragsql_engine.passages.marking import Marker

        return Marker(self._rows)
