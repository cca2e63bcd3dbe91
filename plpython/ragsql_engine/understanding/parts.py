"""A question, taken apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ragsql_engine.lexical.question import Question, parse
from ragsql_engine.understanding.dates import Bounds, leading_date, read_dates
from ragsql_engine.understanding.exclusions import as_operator, read_exclusions
from ragsql_engine.understanding.routing import route
from ragsql_engine.understanding.splitting import split
from ragsql_engine.understanding.tokens import Token, has_open_quote, tokens

LONGEST = 4000
"""Characters of a question that is taken apart; a longer one is pasted text."""
_MOST_OPERATORS = 50  # of a question to which others may be added


@dataclass(frozen=True)
class Part:
    """What one search has to look for.

    query: in the syntax of queries, with the exclusions in it. strategy: bm25, fuzzy or hybrid.
    excluded: words and phrases. bounds: of the time of the last update. reason: why so.
    """

    query: str
    strategy: str
    excluded: tuple[str, ...]
    bounds: Bounds
    reason: str


def decompose(query: str, now: datetime) -> list[Part]:
    """The parts of a question, in order of writing; any text has one at least.

    now: local time, which "yesterday" is counted from.
    """
    whole = parse(query)
    operators = len(whole.phrases) + len(_excluded(whole)) + len(whole.prefixes)
    if len(query) > LONGEST or operators > _MOST_OPERATORS:
        return [Part(query, "hybrid", _excluded(whole), Bounds(), "long: as it is")]
    words = tokens(query)
    lead = leading_date(words, now)
    pieces = split(words[lead:])
    # an exclusion that is written as one counts for all that is asked, and so does a first date
    signed = [token for token in words if token.is_operator]
    return [
        _part(query, [*words[:lead], *piece.tokens], piece.cut, signed, now) for piece in pieces
    ]


def _part(
    query: str, words: Sequence[Token], cut: str | None, signed: Sequence[Token], now: datetime
) -> Part:
    dates = read_dates(words, now)
    exclusions = read_exclusions(dates.rest)
    signs = [sign for thing in exclusions.excluded if (sign := as_operator(thing)) is not None]
    kept = exclusions.rest
    missing = [token for token in signed if token not in kept]
    added = [*signs, *(query[token.start : token.end] for token in missing)]
    written = _written(query, kept)
    is_open = any(map(has_open_quote, written))
    text = " ".join([*added, *written] if is_open else [*written, *added])
    if text == " ".join(query.split()):
        text = query
    question = parse(text)
    chosen = route(kept, question)
    reasons = [f'after "{cut}"'] if cut is not None else []
    reasons.append(chosen.why)
    reasons.extend(f'left out: "{phrase}"' for phrase in exclusions.phrases)
    reasons.extend(f'date: "{phrase}"' for phrase in dates.phrases)
    return Part(text, chosen.strategy, _excluded(question), dates.bounds, "; ".join(reasons))


def _written(query: str, kept: Sequence[Token]) -> list[str]:
    """The words as they were written; nothing is left open by a comma at the end of a part."""
    words = [query[token.start : token.end] for token in kept]
    if words and kept[-1].end < len(query.rstrip()):
        words[-1] = words[-1].rstrip(",;")
        if "?" in kept[-1].after and "?" not in words[-1]:
            words[-1] += "?"
    return words


def _excluded(question: Question) -> tuple[str, ...]:
    return question.excluded + question.excluded_phrases
