"""The engine of one database session: what SQL functions call.

SQL functions keep one `Engine` in their global dictionary. It holds what is loaded once per
session: weights and tokenizers.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ragsql_engine
from ragsql_engine.calls import Plpy, Row, translated
from ragsql_engine.diversity.calls import DiversityCalls
from ragsql_engine.errors import EngineMismatch, InvalidParameter
from ragsql_engine.identity.calls import IdentityCalls
from ragsql_engine.model import Model
from ragsql_engine.passages.calls import PassageCalls
from ragsql_engine.rerank.calls import RerankCalls
from ragsql_engine.semantic.calls import SemanticCalls
from ragsql_engine.understanding.calls import UnderstandingCalls

if TYPE_CHECKING:
    from ragsql_engine.chunking import Plan
    from ragsql_engine.tokens import TokenWindow

# One thread for each backend, no processes of the tokenizer's own, no network, and nothing that
# onnxruntime would tell its makers.
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
}

# Where a model's window is not known, a passage with its context is at most so many chunk sizes.
_ROOM = 4


class Engine(
    DiversityCalls, IdentityCalls, PassageCalls, RerankCalls, SemanticCalls, UnderstandingCalls
):
    """Everything that SQL functions ask of Python. Methods fail with SQL errors only."""

    def __init__(self, plpy: Plpy, model_path: str | None) -> None:
        super().__init__(plpy, model_path)
        os.environ.update(_ENVIRONMENT)
        self._search_status: tuple[Any, str] | None = None

    def note_search_status(self, identity: Row, status: str) -> None:
        """Keep how a search of this identity ended."""
        self._search_status = _asker(identity), status

    def noted_search_status(self, identity: Row) -> str | None:
        """How the last search ended, if this identity asked."""
        if self._search_status is None or self._search_status[0] != _asker(identity):
            return None
        return self._search_status[1]

    @translated
    def require(self, api: int) -> "Engine":
        """This engine, if it speaks the caller's API number; 55000 otherwise."""
        if api > ragsql_engine.API:
            raise EngineMismatch(
                f"the Python engine (API {ragsql_engine.API}) is older than the SQL functions "
                f"(API {api})",
                hint="Update the ragsql package on the server, then reconnect.",
            )
        if api < ragsql_engine.API:
            raise EngineMismatch(
                f"the Python engine (API {ragsql_engine.API}) is newer than the SQL functions "
                f"(API {api})",
                hint="Reconnect; if that does not help, run `ragsql migrate upgrade`.",
            )
        return self

    @translated
    def check_chunking(
        self,
        strategy: str | None,
        chunk_size: int | None,
        overlap: int | None,
        min_chunk_size: int | None,
        has_model: bool,
        min_value: float | None,
    ) -> str:
        """The strategy by its own name, where a collection can have these settings."""
        from ragsql_engine import chunking

        if min_value is not None and not 0 <= min_value <= 1:
            raise InvalidParameter(
                f"min_value is {min_value:g}, but must be 0 to 1",
                hint="A passage of less value gets no vector; 0.3 leaves out boilerplate.",
            )
        plan = chunking.plan(strategy, chunk_size, overlap, min_chunk_size)
        plan.require_model(has_model)
        return plan.strategy.name

    @translated
    def chunk(
        self,
        content: str | None,
        strategy: str | None,
        chunk_size: int | None,
        overlap: int | None,
        min_chunk_size: int | None,
        model: Row | None,
        source: str | None = None,
        language: str | None = None,
        mime: str | None = None,
    ) -> list[dict[str, Any]]:
        """Rows of `rag.text_chunk`. None means the default; `model` bounds each chunk."""
        from ragsql_engine import chunking

        plan = chunking.plan(strategy, chunk_size, overlap, min_chunk_size)
        if content is None:
            raise InvalidParameter("content is null", hint="Give the text to chunk.")
        hints = chunking.Hints(source, language, mime, self._plpy.warning, self._pause)
        if model is None:
            return list(chunking.chunk(content, plan, hints=hints))
        row = Model.from_row(model)
        window = self._chunk_window(row, plan)
        return list(chunking.chunk(content, plan, window, row.passage_prefix, hints))

    @translated
    def front_matter(
        self, content: str, strategy: str | None, source: str | None, mime: str | None
    ) -> dict[str, Any]:
        """YAML front matter of a text that `strategy` chunks as Markdown; {} of any other."""
        from ragsql_engine import chunking
        from ragsql_engine.chunking.markdown import front_matter

        plan = chunking.plan(strategy).for_text(content, chunking.Hints(source, None, mime))
        return front_matter.metadata(content) if plan.strategy.reads_front_matter else {}

    @translated
    def document_type(self, content: str, source: str | None, mime: str | None) -> str:
        """code, prose, markdown or structured."""
        from ragsql_engine.chunking.assessment.document_type import detect_document_type

        return detect_document_type(content, source, mime)

    @translated
    def passage_value(self, content: str, heading: Sequence[str], kind: str) -> float:
        """How likely a passage answers a question by itself, 0 to 1."""
        from ragsql_engine.chunking.assessment.value import predict_chunk_value

        return predict_chunk_value(content, heading, kind)

    @translated
    def chunk_counts(
        self,
        content: str,
        starts: Sequence[int],
        ends: Sequence[int],
        kinds: Sequence[str],
        token_counts: Sequence[int | None],
        settings: Mapping[str, Any],
        model: Row | None,
        source: str | None,
        mime: str | None,
    ) -> dict[str, int]:
        """Counts of `quality.measure`, for chunks made with `settings` (indexed_as)."""
        from ragsql_engine import chunking
        from ragsql_engine.chunking.assessment.quality import count_document

        plan = chunking.plan(
            *(settings.get(name) for name in ("strategy", "chunk_size", "overlap"))
        ).for_text(content, chunking.Hints(source, None, mime))
        window = None if model is None else self._chunk_window(Model.from_row(model), plan)
        capacity = None if window is None else window.capacity
        spans = list(zip(starts, ends, strict=True))
        return count_document(content, spans, kinds, token_counts, plan, capacity)

    @translated
    def python_info(self) -> dict[str, str | None]:
        """Where the engine runs, and the versions of what it stands on (None: not installed)."""
        return {
            "version": ".".join(map(str, sys.version_info[:3])),
            "executable": sys.executable,
            "engine_path": str(Path(ragsql_engine.__file__).parent),
            "fastembed": _version("fastembed"),
            "numpy": _version("numpy"),
        }

    def _chunk_window(self, model: Model, plan: "Plan") -> "TokenWindow | None":
        """What bounds the passages for a model; None where nobody knows its window.

        A size in tokens is measured all the same, and leaves room for a passage's context.
        """
        window = self._window(model)
        if window.is_bounded:
            return window
        counts_tokens = plan.strategy.unit == "tokens"
        return window.narrowed(_ROOM * plan.chunk_size) if counts_tokens else None


def _asker(identity: Row) -> tuple[Any, ...]:
    """What tells an identity from others."""
    return tuple(identity[name] for name in ("who", "source", "tenant", "reader"))


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
