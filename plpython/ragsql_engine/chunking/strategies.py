"""The ways of chunking: names, units, defaults, and what reads or measures a text for each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragsql_engine.chunking import prose
from ragsql_engine.chunking.assessment.contracts import reads_like_a_contract
from ragsql_engine.chunking.assessment.document_type import detect_document_type
from ragsql_engine.chunking.nodes import Hints, Node
from ragsql_engine.chunking.rulers.character import CharacterRuler
from ragsql_engine.chunking.rulers.spans import Ruler
from ragsql_engine.chunking.rulers.word import WordRuler
from ragsql_engine.errors import InvalidParameter

MIN_CHUNK_SIZE = 20  # characters

Parse = Callable[[str, Hints], Sequence[Node]]
MakeRuler = Callable[[str, int, int], Ruler]  # text, chunk_size, overlap


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way of chunking.

    `ruler` measures a text without structure; `parse` reads its structure, which is then packed.
    `token` and `auto` have neither: the one needs a model's tokenizer, the other a text.
    """

    name: str
    unit: str
    chunk_size: int
    overlap: int
    ruler: MakeRuler | None = None
    parse: Parse | None = None
    aliases: tuple[str, ...] = ()

    @property
    def largest(self) -> int:
        """The largest chunk_size that is accepted."""
        return _LARGEST[self.unit]

    @property
    def reads_front_matter(self) -> bool:
        """Whether the first lines of a document may be metadata."""
        return self.parse is _markdown


def _markdown(text: str, hints: Hints) -> Sequence[Node]:
    from ragsql_engine.chunking import markdown

    return markdown.parse(text, hints)


def _code(text: str, hints: Hints) -> Sequence[Node]:
    from ragsql_engine.chunking import code

    return code.parse(text, hints)


def _data(text: str, hints: Hints) -> Sequence[Node]:
    from ragsql_engine.chunking import data

    return data.parse(text, hints)


def _clauses(text: str, hints: Hints) -> Sequence[Node]:
    from ragsql_engine.chunking import clauses

    return clauses.parse(text, hints)


def _ruled(
    name: str, unit: str, size: int, overlap: int, ruler: MakeRuler, *aliases: str
) -> Strategy:
    return Strategy(name, unit, size, overlap, ruler=ruler, aliases=aliases)


def _parsed(name: str, unit: str, size: int, overlap: int, parse: Parse, *aliases: str) -> Strategy:
    return Strategy(name, unit, size, overlap, parse=parse, aliases=aliases)


# The last three are presets: structure of documents, schemas and deployments, sized in tokens.
STRATEGIES = (
    _ruled("word", "words", 200, 50, WordRuler, "words"),
    _parsed("semantic", "characters", 500, 0, prose.parse, "sentence", "paragraph"),
    _ruled("character", "characters", 500, 100, CharacterRuler, "char", "chars"),
    Strategy("token", "tokens", 256, 64, aliases=("tokens",)),
    _parsed("markdown", "characters", 1000, 0, _markdown),
    _parsed("code", "characters", 1000, 0, _code),
    _parsed("json", "characters", 1000, 0, _data, "jsonl", "yaml"),
    _parsed("clause", "characters", 1500, 0, _clauses, "clauses"),
    Strategy("auto", "characters", 500, 0),
    _parsed("documentation", "tokens", 1024, 256, _markdown),
    _parsed("schemas", "tokens", 512, 128, _code),
    _parsed("deployments", "tokens", 2048, 512, _data),
)

# What a tsvector holds: 1 MB and 16,383 positions.
_LARGEST = {"words": 5_000, "characters": 50_000, "tokens": 8_000}

_BY_TYPE = {
    "prose": "semantic",
    "markdown": "markdown",
    "code": "code",
    "structured": "json",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """Validated parameters. Sizes in the strategy's unit, `min_chunk_size` in characters."""

    strategy: Strategy
    chunk_size: int
    overlap: int
    min_chunk_size: int
    asked: tuple[int | None, int | None, int | None] = (None, None, None)

    def for_text(self, text: str, hints: Hints) -> "Plan":
        """This plan; that of the strategy which the text asks for, where this one is auto."""
        if self.strategy.name != "auto":
            return self
        kind = detect_document_type(text, hints.source, hints.mime)
        is_contract = kind == "prose" and reads_like_a_contract(text)
        return plan("clause" if is_contract else _BY_TYPE[kind], *self.asked)

    def require_model(self, present: bool) -> None:
        """Refuse a size in tokens where there is no model to count them."""
        if self.strategy.unit == "tokens" and not present:
            raise InvalidParameter(
                f"the strategy {self.strategy.name} counts tokens, but there is no model",
                hint="Name a model, or choose a strategy that counts words or characters.",
            )


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
    chosen = find_strategy(STRATEGIES[0].name if strategy is None else strategy)
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
            hint=f"Try an overlap of {size // 4}.",
        )
    by_default = MIN_CHUNK_SIZE if chosen.unit != "characters" else min(MIN_CHUNK_SIZE, size // 4)
    least = by_default if min_chunk_size is None else min_chunk_size
    if least < 0:
        raise InvalidParameter(
            f"min_chunk_size is {least}, below 0", hint=f"The default is {MIN_CHUNK_SIZE}."
        )
    return Plan(chosen, size, shared, least, (chunk_size, overlap, min_chunk_size))


def find_strategy(name: str) -> Strategy:
    """The strategy called `name` or one of its aliases."""
    for strategy in STRATEGIES:
        if name in (strategy.name, *strategy.aliases):
            return strategy
    valid = ", ".join(
        f"{strategy.name} ({', '.join(strategy.aliases)})" if strategy.aliases else strategy.name
        for strategy in STRATEGIES
    )
    raise InvalidParameter(
        f"there is no chunking strategy named {name!r}", hint=f"Valid names are: {valid}."
    )
