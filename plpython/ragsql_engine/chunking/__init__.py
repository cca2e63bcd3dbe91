"""Cutting documents into passages whose offsets are exact: content == text[start:end]."""

from collections.abc import Iterable, Iterator
from typing import Any

from ragsql_engine.chunking.assessment.value import predict_chunk_value
from ragsql_engine.chunking.clusters import word_end
from ragsql_engine.chunking.context import ContextWriter
from ragsql_engine.chunking.language.scripts import uses_arabic_rules
from ragsql_engine.chunking.lines import LineMap
from ragsql_engine.chunking.measures import CharacterMeasure, Measure, token_measure
from ragsql_engine.chunking.nodes import Hints
from ragsql_engine.chunking.packing import Limits, Packer
from ragsql_engine.chunking.pieces import Piece, fit_exactly, header, indent, join_small
from ragsql_engine.chunking.rulers.spans import cut, fitter
from ragsql_engine.chunking.rulers.token import TokenRuler
from ragsql_engine.chunking.strategies import STRATEGIES, Plan, find_strategy, plan
from ragsql_engine.errors import InvalidParameter
from ragsql_engine.tokens import TokenWindow
from ragsql_engine.visibility import is_visible

__all__ = ["STRATEGIES", "Hints", "Plan", "chunk", "find_strategy", "plan"]

# In Arabic a pronoun often needs the sentence before, so the last two go into the next passage.
_ARABIC_CARRY = 2


def chunk(
    text: str,
    plan: Plan,
    window: TokenWindow | None = None,
    prefix: str = "",
    hints: Hints | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield rows of `rag.text_chunk`, in order.

    `window` bounds what the model reads of every chunk: `prefix`, context and content.
    token_count is exact and leaves special tokens, prefix and context out; it is None without a
    window.
    """
    if not is_visible(text):
        raise InvalidParameter(
            "content too small to chunk",
            detail=f"None of its {len(text)} characters is visible.",
            hint="Give a text with at least one visible character.",
        )
    hints = hints or Hints()
    plan = plan.for_text(text, hints)
    plan.require_model(window is not None)
    writer = ContextWriter(window, prefix)
    if plan.strategy.parse is None:
        pieces = _ruled(text, plan, window, prefix, hints)
    else:
        pieces = _packed(text, plan, window, writer, hints)
    lines = LineMap(text)
    for index, piece in enumerate(pieces):
        yield _row(text, index, piece, lines, writer)


def _ruled(
    text: str, plan: Plan, window: TokenWindow | None, prefix: str, hints: Hints
) -> Iterable[Piece]:
    """Passages of a fixed size, whatever the text says."""
    size, overlap = plan.chunk_size, plan.overlap
    if len(text.strip()) < plan.min_chunk_size:
        size, overlap = max(size, len(text)), 0
    if plan.strategy.ruler is not None:
        ruler = plan.strategy.ruler(text, size, overlap)
    else:
        assert window is not None
        window = window.narrowed(size + window.count(prefix))
        ruler = TokenRuler(text, size, overlap, token_measure(text, window, hints.pause))
    fit = fitter(text, ruler, window, prefix)
    for span in cut(text, ruler, fit, plan.min_chunk_size, hints.pause):
        yield Piece(span.start, span.end, tokens=span.tokens)


def _packed(
    text: str, plan: Plan, window: TokenWindow | None, writer: ContextWriter, hints: Hints
) -> Iterable[Piece]:
    """Passages along the structure of the text."""
    assert plan.strategy.parse is not None
    tokens = None if window is None else token_measure(text, window, hints.pause)
    by_tokens = plan.strategy.unit == "tokens"
    measure: Measure = tokens if tokens and by_tokens else CharacterMeasure(text)
    room = 0 if window is None else window.capacity - window.count(writer.prefix)
    least = plan.min_chunk_size
    is_small = len(text.strip()) < least
    size = max(plan.chunk_size, len(text)) if is_small else plan.chunk_size
    asked_overlap = plan.asked[1]
    carries = plan.strategy.name == "semantic" and asked_overlap is None and uses_arabic_rules(text)
    limits = Limits(
        measure, size, plan.overlap, _ARABIC_CARRY if carries else 0, tokens, room, writer.size
    )

    def may_be_one(start: int, end: int) -> bool:
        return measure.count(start, end) <= size + least and (
            tokens is None or tokens.count(start, end) <= room
        )

    pieces = Packer(text, limits, hints.pause).pack(plan.strategy.parse(text, hints))
    joined = indent(text, join_small(text, pieces, least, may_be_one), may_be_one)
    if window is None:
        return joined
    most = size + least if by_tokens else None
    return fit_exactly(text, joined, window, most, word_end, writer)


def _row(
    text: str, index: int, piece: Piece, lines: LineMap, writer: ContextWriter
) -> dict[str, Any]:
    content = text[piece.start : piece.end]
    before = header(piece, content, writer) if piece.header is None else piece.header
    section_start, section_end = piece.section or (None, None)
    return {
        "chunk_index": index,
        "content": content,
        "start_offset": piece.start,
        "end_offset": piece.end,
        "start_line": lines.line_of(piece.start),
        "end_line": lines.line_of(piece.end - 1),
        "heading": list(piece.path),
        "section_start": section_start,
        "section_end": section_end,
        "kind": piece.kind,
        "token_count": piece.tokens,
        "value": predict_chunk_value(content, piece.path, piece.kind),
        "embed_text": before + content if before else None,  # None: content as it is
    }
