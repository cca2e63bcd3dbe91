"""Dates as people write them: 2024-03-01, March 2024, last week, 3 days ago."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ragsql_engine.understanding.tokens import Token

_MONTHS = "january february march april may june july august september october november december"
_MONTH = {name: n for n, name in enumerate(_MONTHS.split(), 1)}
_MONTH |= {name[:3]: n for name, n in _MONTH.items()} | {"sept": 9}
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
_WEEKDAY = {name: n for n, name in enumerate(_WEEKDAYS.split())}
_NUMBERS = "a one two three four five six seven eight nine ten eleven twelve"
_NUMBER = {name: max(n, 1) for n, name in enumerate(_NUMBERS.split())} | {"an": 1}
_UNITS = frozenset("minute hour day week month quarter year".split())

_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTH_OF_YEAR = re.compile(r"((?:19|20)\d\d)[-/](\d\d?)")
_DAY = re.compile(r"((?:19|20)\d\d)([-/])(\d\d?)\2(\d\d?)")
_MOMENT = re.compile(r"((?:19|20)\d\d-\d\d-\d\d)t(\d\d:\d\d(?::\d\d)?)")
_DAY_OF_MONTH = re.compile(r"(\d\d?)(?:st|nd|rd|th)?")
_QUARTER = re.compile(r"q([1-4])")
_COUNT = re.compile(r"\d{1,4}")
_LONGEST = 6  # words of a date


class Period(NamedTuple):
    """From start up to, and without, end; both are the same for a moment. Local time."""

    start: datetime
    end: datetime

    @property
    def is_short(self) -> bool:
        """Whether it is a day at most."""
        return self.end - self.start <= timedelta(days=1)


class Dated(NamedTuple):
    """A period, and how many words name it."""

    period: Period
    words: int


def read_period(sequence: Sequence[Token], now: datetime) -> Dated | None:
    """The period that the first words name; None where they do not."""
    words: list[str] = []
    for token in sequence[:_LONGEST]:
        if token.is_literal:
            break
        words.append(token.word)
        if token.ends_clause and not _goes_on(token):
            break
    for length in range(len(words), 0, -1):
        try:
            period = _named(words[:length], now)
        except (ValueError, OverflowError):
            continue  # the 31st of February
        if period is not None and _is_meant(sequence, length):
            return Dated(period, length)
    return None


def ago(words: Sequence[str], now: datetime) -> datetime | None:
    """The moment so long before now: "3 days", "a week", "month"."""
    if not words or len(words) > 2:
        return None
    unit = words[-1].removesuffix("s")
    count = 1 if len(words) == 1 else _count(words[0])
    if unit not in _UNITS or count is None:
        return None
    return _shifted(now, unit, -count)


def _goes_on(token: Token) -> bool:
    """Whether a comma may stand within a date: March 1, 2024; or a full stop: Mar. 1."""
    day = _DAY_OF_MONTH.fullmatch(token.word) is not None
    return (token.after == "," and day) or (token.after == "." and token.word in _MONTH)


def _is_meant(sequence: Sequence[Token], length: int) -> bool:
    """Whether the words are the date that they look like: not "2000 rows", not "may I"."""
    last = sequence[length - 1]
    following = sequence[length] if length < len(sequence) else None
    if length > 1:
        return True
    if last.word == "may":
        return last.text == "May" or following is None or last.ends_clause
    if _YEAR.fullmatch(last.word) is None or following is None or last.ends_clause:
        return True
    return not following.is_content or following.word.endswith("ing")


def _named(words: Sequence[str], now: datetime) -> Period | None:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if words[0] == "the" and len(words) > 1:
        words = words[1:]
    if words[-1] == "ago":
        moment = ago(words[:-1], now)
        return None if moment is None else Period(moment, moment)
    if len(words) == 1:
        return _single(words[0], now, today)
    if len(words) == 2 and words[0] in ("last", "this", "previous", "past"):
        return _relative(words[0] == "this", words[1], today)
    return _calendar(words, today)


def _single(word: str, now: datetime, today: datetime) -> Period | None:
    if word == "now":
        return Period(now, now)
    if word in ("today", "yesterday"):
        return _period(today - timedelta(days=word == "yesterday"), "day")
    if match := _MOMENT.fullmatch(word):
        moment = datetime.fromisoformat(f"{match[1]} {match[2]}")
        return Period(moment, moment)
    if match := _DAY.fullmatch(word):
        return _period(datetime(int(match[1]), int(match[3]), int(match[4])), "day")
    if match := _MONTH_OF_YEAR.fullmatch(word):
        return _period(datetime(int(match[1]), int(match[2]), 1), "month")
    if _YEAR.fullmatch(word):
        return _period(datetime(int(word), 1, 1), "year")
    if word in _WEEKDAY:
        # the last one, not today
        days = (today.weekday() - _WEEKDAY[word] - 1) % 7 + 1
        return _period(today - timedelta(days=days), "day")
    return _month(word, None, today)


def _relative(is_this: bool, word: str, today: datetime) -> Period | None:
    """This week, last month, last Monday."""
    if word in _WEEKDAY and not is_this:
        return _single(word, today, today)
    if word not in _UNITS - {"minute", "hour"}:
        return None
    start = today
    if word == "week":
        start = today - timedelta(days=today.weekday())
    elif word == "month":
        start = today.replace(day=1)
    elif word == "quarter":
        start = today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1)
    elif word == "year":
        start = today.replace(month=1, day=1)
    return _period(start if is_this else _shifted(start, word, -1), word)


def _calendar(words: Sequence[str], today: datetime) -> Period | None:
    """March 2024, March 1 2024, 1 March 2024, 1st of March, Q1 2024."""
    rest = [word for word in words if word != "of"]
    year = int(rest.pop()) if _YEAR.fullmatch(rest[-1]) else None
    if len(rest) == 1 and year is not None:
        if match := _QUARTER.fullmatch(rest[0]):
            return _period(datetime(year, int(match[1]) * 3 - 2, 1), "quarter")
        return _month(rest[0], year, today)
    if len(rest) != 2:
        return None
    name, number = rest if rest[0] in _MONTH else (rest[1], rest[0])
    match = _DAY_OF_MONTH.fullmatch(number)
    month = _month(name, year, today)
    if match is None or month is None:
        return None
    start = month.start.replace(day=int(match[1]))
    if year is None and start > today:
        start = start.replace(year=start.year - 1)
    return _period(start, "day")


def _month(word: str, year: int | None, today: datetime) -> Period | None:
    """A month; without a year the last that has begun."""
    if word not in _MONTH:
        return None
    month = _MONTH[word]
    if year is None:
        year = today.year - (month > today.month)
    return _period(datetime(year, month, 1), "month")


def _count(word: str) -> int | None:
    return int(word) if _COUNT.fullmatch(word) else _NUMBER.get(word)


def _period(start: datetime, unit: str) -> Period:
    return Period(start, _shifted(start, unit, 1))


def _shifted(moment: datetime, unit: str, count: int) -> datetime:
    """The moment so many units later; on a day that the month does not have, on its last."""
    if unit in ("minute", "hour", "day", "week"):
        return moment + timedelta(**{f"{unit}s": count})
    months = {"month": 1, "quarter": 3, "year": 12}[unit] * count
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    for day in (moment.day, 30, 29, 28):
        try:
            return moment.replace(year=year, month=month + 1, day=min(day, moment.day))
        except ValueError:
            if not 1 <= year <= 9999:
                raise
    raise ValueError(f"no day {moment.day} in month {month + 1}")
