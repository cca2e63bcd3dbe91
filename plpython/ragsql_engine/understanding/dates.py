"""When documents were updated, as a question says it: since, after, before, until a date."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from ragsql_engine.understanding.periods import Period, ago, read_period
from ragsql_engine.understanding.tokens import Token, contents

_UPDATED = frozenset("updated modified edited revised".split())
_LEADS = frozenset("that which was were is are been being has have had last".split())
# What happened to something else at a date: a company founded before 1990.
_HAPPENED = frozenset(
    """born founded built made created published released written introduced signed invented
    passed enacted died sold established launched""".split()
)
_TICK = timedelta(microseconds=1)  # of timestamptz


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest time of an update, both inclusive, in local time."""

    least: datetime | None = None
    greatest: datetime | None = None

    def narrowed(self, other: "Bounds") -> "Bounds":
        """What lies within both."""
        least = [moment for moment in (self.least, other.least) if moment is not None]
        greatest = [moment for moment in (self.greatest, other.greatest) if moment is not None]
        return Bounds(max(least, default=None), min(greatest, default=None))

    @property
    def is_empty(self) -> bool:
        """Whether nothing lies between them."""
        return self.least is not None and self.greatest is not None and self.least > self.greatest


class Dates(NamedTuple):
    """Bounds, the words that say so, and the question without these words."""

    bounds: Bounds
    phrases: list[str]
    rest: list[Token]


class _Phrase(NamedTuple):
    start: int
    end: int
    bounds: Bounds


def read_dates(question: Sequence[Token], now: datetime) -> Dates:
    """The dates of a question.

    since: from the beginning of what is named. after: from the beginning of a day, but from the
    end of a longer period. before: up to the beginning; until: up to the end. updated in, on,
    during or within: from the beginning to the end. What is still to come is no date of an
    update. Where nothing would be left of the question, or of the time, all of it stays.
    """
    unchanged = Dates(Bounds(), [], list(question))
    phrases: list[_Phrase] = []
    at = 0
    while at < len(question):
        phrase = _phrase(question, at, now)
        if phrase is not None and _is_of_the_past(phrase.bounds, now):
            phrases.append(phrase)
        at = phrase.end if phrase is not None else at + 1
    bounds = Bounds()
    for phrase in phrases:
        bounds = bounds.narrowed(phrase.bounds)
    if not phrases or bounds.is_empty:
        return unchanged
    starts = [_with_verb(question, phrase.start) for phrase in phrases]
    rest = _without(question, phrases, starts)
    if contents(rest) == 0:  # "what was updated since yesterday" asks for what was updated
        rest = _without(question, phrases, [phrase.start for phrase in phrases])
    if contents(rest) == 0:
        return unchanged
    said = [" ".join(t.text for t in question[p.start : p.end]) for p in phrases]
    return Dates(bounds, said, rest)


def leading_date(question: Sequence[Token], now: datetime) -> int:
    """How many words say a date before the question begins: "Since March, who ...?"."""
    phrase = _phrase(question, 0, now) if question else None
    if phrase is None or phrase.end >= len(question) or "," not in question[phrase.end - 1].after:
        return 0
    return phrase.end


def _phrase(question: Sequence[Token], at: int, now: datetime) -> _Phrase | None:
    """The phrase of a date that begins here."""
    if question[at].is_literal:
        return None
    word = question[at].word
    before = question[at - 1].word if at else ""
    if word in ("since", "after", "before", "until", "till"):
        if word != "since" and before in _HAPPENED:
            return None
        dated = read_period(question[at + 1 :], now)
        if dated is None:
            return None
        bounds = _bounds(word, dated.period)
        return _Phrase(at, at + 1 + dated.words, bounds)
    return _during(question, at, now) if before in _UPDATED else None


def _bounds(word: str, period: Period) -> Bounds:
    if word == "since" or (word == "after" and period.is_short):
        return Bounds(least=period.start)
    if word == "after":
        return Bounds(least=period.end)
    return Bounds(greatest=(period.start if word == "before" else period.end) - _TICK)


def _during(question: Sequence[Token], at: int, now: datetime) -> _Phrase | None:
    """What follows "updated": last week, in March 2024, in the last 30 days."""
    start = at
    if question[at].word in ("in", "on", "during", "within", "over"):
        at += 1
    if rolling := _rolling(question, at, now):
        return _Phrase(start, rolling[1], Bounds(least=rolling[0]))
    dated = read_period(question[at:], now)
    if dated is None:
        return None
    period, end = dated.period, at + dated.words
    if period.start == period.end:  # 3 days ago, and nobody means the second
        day = period.start.replace(hour=0, minute=0, second=0, microsecond=0)
        period = Period(day, day + timedelta(days=1))
    return _Phrase(start, end, Bounds(period.start, period.end - _TICK))


def _rolling(question: Sequence[Token], at: int, now: datetime) -> tuple[datetime, int] | None:
    """The last 30 days: where they begin, and the word behind them."""
    words = [token.word for token in question[at : at + 4]]
    skip = 1 if words[:1] == ["the"] else 0
    if words[skip : skip + 1] not in (["last"], ["past"]) or len(words) < skip + 3:
        return None
    try:
        moment = ago(words[skip + 1 : skip + 3], now)
    except (ValueError, OverflowError):
        return None
    return None if moment is None else (moment, at + skip + 3)


def _is_of_the_past(bounds: Bounds, now: datetime) -> bool:
    if bounds.least is not None:
        return bounds.least <= now
    return bounds.greatest is not None and bounds.greatest.date() <= now.date()


def _with_verb(question: Sequence[Token], start: int) -> int:
    """Where "that were last updated since" begins."""
    if start == 0 or question[start - 1].word not in _UPDATED:
        return start
    start -= 1
    while start > 0 and question[start - 1].word in _LEADS and not question[start - 1].ends_clause:
        start -= 1
    return start


def _without(
    question: Sequence[Token], phrases: Sequence[_Phrase], starts: Sequence[int]
) -> list[Token]:
    """The question without the phrases; a ? behind a phrase moves to the word before it."""
    rest: list[Token] = []
    at = 0
    for phrase, start in zip(phrases, starts, strict=True):
        rest.extend(question[at:start])
        at = phrase.end
        if rest and "?" in question[at - 1].after and "?" not in rest[-1].after:
            rest[-1] = replace(rest[-1], after=rest[-1].after.rstrip(",;") + "?")
    rest.extend(question[at:])
    return rest
