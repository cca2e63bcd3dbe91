"""Which strategy finds what a part of a question asks for."""

from collections.abc import Sequence
from typing import NamedTuple

from ragsql_engine.lexical.question import Question
from ragsql_engine.understanding.shapes import is_acronym, is_code, is_odd
from ragsql_engine.understanding.splitting import opens
from ragsql_engine.understanding.tokens import Token

_FEW = 4  # words of a query that names things
_SHORT = 2


class Route(NamedTuple):
    """A strategy, and why it fits."""

    strategy: str
    why: str


def route(words: Sequence[Token], question: Question) -> Route:
    """The strategy for these words, which are `question` in the syntax of queries."""
    if opens(words):
        return Route("hybrid", "a question: words and meaning")
    content = [token for token in words if token.is_content]
    plain = [token.text for token in content if not token.is_literal]
    if question.phrases and len(plain) <= _SHORT:
        return Route("bm25", "quoted: exact words")
    if question.prefixes and not question.plain:
        return Route("bm25", "beginnings of words")
    codes = sum(map(is_code, plain))
    if 0 < len(content) <= _FEW and 2 * codes >= len(content):
        return Route("bm25", "names and codes: exact words")
    if plain and len(content) <= _SHORT and all(is_acronym(t) or is_code(t) for t in plain):
        return Route("bm25", "abbreviations: exact words")
    if len(content) <= _SHORT and any(is_odd(text) for text in plain):
        return Route("fuzzy", "an odd spelling: words that look like it")
    return Route("hybrid", "words and meaning")
