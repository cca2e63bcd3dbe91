"""Cutting documents into passages whose offsets are exact: content == text[start:end]."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ragsql_engine.chunking.character import CharacterRuler
from ragsql_engine.chunking.lines import LineMap
from ragsql_engine.chunking.spans import Pause, Ruler, Span, cut, fitter
from ragsql_engine.chunking.word import WordRuler
from ragsql_engine.errors import InvalidParameter
from ragsql_engine.tokens import TokenWindow
from ragsql_engine.visibility import is_visible

MIN_CHUNK_SIZE = 20  # characters


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way of chunking: its unit, its defaults, and what measures a text in that unit.

    `largest` keeps a chunk within what a tsvector holds: 1 MB and 16,383 positions.
    """

    name: str
    unit: str
    chunk_size: int
    largest: int
    overlap: int
    ruler: Callable[[str, int, int], Ruler]
    aliases: tuple[str, ...] = ()


STRATEGIES = (
    Strategy("word", "words", 200, 5_000, 50, WordRuler, ("words",)),
    Strategy("character", "characters", 500, 50_000, 100, CharacterRuler, ("char", "chars")),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Validated parameters. Sizes in the strategy's unit, `min_chunk_size` in characters."""

    strategy: Strategy
    chunk_size: int
    overlap: int
    min_chunk_size: int


def plan(
    strategy: str | None = None,
    chunk_size: int | None = None,
    overlap: int | None = None,
    min_chunk_size: int | None = None,
) -> Plan:
    """Fill in defaults and refuse what cannot work.

    Without an overlap, it is the share of the chunk size that the strategy's default has.
    Without a minimum, it is 20 characters, and never more than a quarter of a chunk that is
    itself measured in characters.
    """
    chosen = find_strategy(strategy or STRATEGIES[0].name)
    size = chosen.chunk_size if chunk_size is None else chunk_size
    if not 1 <= size <= chosen.largest:
        raise InvalidParameter(
            f"chunk_size is {size}, but must be 1 to {chosen.largest} {chosen.unit}",
            hint=f"The default is {chosen.chunk_size}.",
        )
    shared = chosen.overlap * size // chosen.chunk_size if overlap is None else overlap
    if not 0 <= shared < size:
        raise InvalidParameter(
            f"overlap is {shared}, but must be at least 0 and less than chunk_size {size}",
            hint=f"Try overlap => {size // 4}.",
        )
    by_default = MIN_CHUNK_SIZE if chosen.unit != "characters" else min(MIN_CHUNK_SIZE, size // 4)
    least = by_default if min_chunk_size is None else min_chunk_size
    if least < 0:
        raise InvalidParameter(
            f"min_chunk_size is {least}, below 0", hint=f"The default is {MIN_CHUNK_SIZE}."
        )
    return Plan(chosen, size, shared, least)


def find_strategy(name: str) -> Strategy:
    """The strategy called `name` or one of its aliases."""
    for strategy in STRATEGIES:
        if name in (strategy.name, *strategy.aliases):
            return strategy
    valid = ", ".join(f"{strategy.name} ({', '.join(strategy.aliases)})" for strategy in STRATEGIES)
    raise InvalidParameter(
        f"there is no chunking strategy named {name!r}", hint=f"Valid names are: {valid}."
    )


def chunk(
    text: str,
    plan: Plan,
    window: TokenWindow | None = None,
    prefix: str = "",
    pause: Pause | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield rows of `rag.text_chunk`, in order.

    `window` bounds every chunk, `prefix` included, to what the model reads. token_count is exact
    and leaves special tokens and prefix out; it is None without a window.
    `pause` is called now and then, so that the caller can cancel.
    """
    if not is_visible(text):
        raise InvalidParameter(
            "content too small to chunk",
            detail=f"None of its {len(text)} characters is visible.",
            hint="Give a text with at least one visible character.",
        )
    size, overlap = plan.chunk_size, plan.overlap
    if len(text.strip()) < plan.min_chunk_size:
        size, overlap = max(size, len(text)), 0
    ruler = plan.strategy.ruler(text, size, overlap)
    fit = fitter(text, ruler, window, prefix)
    spans = cut(text, ruler, fit, plan.min_chunk_size, pause)
    lines = LineMap(text)
    for index, span in enumerate(spans):
        yield _row(text, index, span, lines)


def _row(text: str, index: int, span: Span, lines: LineMap) -> dict[str, Any]:
    content = text[span.start : span.end]
    return {
        "chunk_index": index,
        "content": content,
        "start_offset": span.start,
        "end_offset": span.end,
        "start_line": lines.line_of(span.start),
        "end_line": lines.line_of(span.end - 1),
        "heading": [],
        "section_start": None,
        "section_end": None,
        "kind": "prose",
        "token_count": span.tokens,
        "value": None,
        "embed_text": None,  # content is embedded as it is
    }
