"""The query syntax: plain words, "phrases", -exclusions, prefix*. Any text is a valid query."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ragsql_engine.errors import InvalidParameter

# A quote is closed by the next one of its family: “a", „a“ and »a« are phrases too.
_FAMILIES = '"“”„‟＂〝〞〟', "«»", "‹›"
_FAMILY = {quote: family for family, quotes in enumerate(_FAMILIES) for quote in quotes}
_QUOTE = re.compile(f"[{''.join(_FAMILIES)}]")

_WORD = re.compile(r"\w")
# The value of a name belongs to the name: tag:lantrn, https://quarry.example.
_NAMED = re.compile(r"\w:\S")
_WORDS = re.compile(r"\w+")
_OPENING = "([{"
_CLOSING = ")]}.,;:!?"
_SHORTEST_PREFIX = 2
# Thai to Burmese, Khmer, Han and what is written with it, Hangul
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7a3\uf900-\ufaff]")


@dataclass(frozen=True)
class Question:
    """A query, read.

    plain: words that count by relevance, in order of writing. phrases: each must occur.
    excluded, excluded_phrases: none may occur. prefixes: beginnings of words; any word that
    begins so counts like a plain word. text: plain words and phrases in order of writing, which
    is what to embed. literal: words that typo correction must not change: those in quotes or
    excluded, and those of name:value. is_plain: nothing was read as an operator.
    """

    plain: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    excluded_phrases: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    text: str = ""
    literal: frozenset[str] = frozenset()
    is_plain: bool = True


MOST_OPERATORS = 100
"""Phrases, exclusions and prefixes of a query that a search answers."""


def read(query: str) -> Question:
    """`parse` for a search: InvalidParameter for more than 100 different operators."""
    question = parse(query)
    operators = question.phrases + question.excluded + question.excluded_phrases + question.prefixes
    if len(operators) > MOST_OPERATORS:
        raise InvalidParameter(
            f"query has {len(operators)} different phrases, exclusions and prefixes, "
            f"more than {MOST_OPERATORS}",
            hint="Ask with the words that matter, without the signs.",
        )
    return question


def parse(query: str) -> Question:
    """Read a query; it never fails, and takes time in proportion to the text.

    "..." is a phrase, also between curly, low or angle quotes; a quote without a partner is plain
    text, and so is one right after a digit outside a phrase (19" rack). -word and -"a b", at the
    beginning or after white space, exclude. word* with two letters or digits is a prefix. OR
    between words is left out, since plain words are alternatives anyway.
    """
    reading = _Reading()
    end = 0
    for start, stop in _phrases(query):
        between = query[end:start]
        minus = between.endswith("-") and _after_space(query, start - 1)
        reading.words(between[:-1] if minus else between, _after_space(query, end))
        reading.phrase(query[start + 1 : stop - 1], minus)
        end = stop
    reading.words(query[end:], _after_space(query, end))
    return reading.question()


def _phrases(query: str) -> Iterator[tuple[int, int]]:
    """Where phrases lie, from the opening quote to behind the closing one."""
    quotes = [match.start() for match in _QUOTE.finditer(query)]
    partner: dict[int, int] = {}  # the next quote of the same family
    nearest: dict[int, int] = {}
    for at in reversed(quotes):
        family = _FAMILY[query[at]]
        if family in nearest:
            partner[at] = nearest[family]
        nearest[family] = at
    end = 0
    for at in quotes:
        if at >= end and at in partner and not query[at - 1 : at].isdigit():
            end = partner[at] + 1
            yield at, end


def _after_space(query: str, at: int) -> bool:
    """Whether a word at this place would be the first one or follow white space."""
    return at == 0 or query[at - 1].isspace()


@dataclass
class _Reading:
    """What is read so far. kept: (plain, or, phrase or prefix; the words) in order of writing."""

    kept: list[tuple[str, str]] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    excluded_phrases: list[str] = field(default_factory=list)
    literal: set[str] = field(default_factory=set)
    operators: bool = False

    def words(self, text: str, after_space: bool) -> None:
        """Read text outside quotes. after_space: an exclusion may stand at its beginning."""
        spaced = after_space or text[:1].isspace()
        for token in text.split():
            if spaced and token[0] == "-" and _WORD.match(token, 1):
                self._exclude(token[1:])
            else:
                self._keep(token)
            spaced = True

    def phrase(self, text: str, minus: bool) -> None:
        """Read what stood between quotes."""
        self.operators = True
        if not _WORD.search(text):
            return
        phrase = " ".join(text.split())
        self.literal.update(_WORDS.findall(phrase))
        if minus:
            self.excluded_phrases.append(phrase)
        else:
            self.kept.append(("phrase", phrase))

    def question(self) -> Question:
        """The whole of it."""
        last = len(self.kept) - 1
        kept = [
            (kind, word)
            for at, (kind, word) in enumerate(self.kept)
            if kind != "or" or at in (0, last)
        ]
        return Question(
            plain=" ".join(word for kind, word in kept if kind in ("plain", "or")),
            phrases=_distinct(word for kind, word in kept if kind == "phrase"),
            excluded=_distinct(self.excluded),
            excluded_phrases=_distinct(self.excluded_phrases),
            prefixes=_distinct(word for kind, word in kept if kind == "prefix"),
            text=" ".join(word for kind, word in kept if kind != "prefix"),
            literal=frozenset(self.literal),
            is_plain=not self.operators and len(kept) == len(self.kept),
        )

    def _exclude(self, word: str) -> None:
        self.operators = True
        self.literal.update(_WORDS.findall(word))
        self.excluded.append(word)

    def _keep(self, token: str) -> None:
        prefix = _prefix(token)
        if prefix is not None:
            self.operators = True
            self.kept.append(("prefix", prefix))
            return
        if _NAMED.search(token):
            self.literal.update(_WORDS.findall(token))
        self.kept.append(("or" if token == "OR" else "plain", token))


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _prefix(token: str) -> str | None:
    """What stands before the star of word*, in brackets or before a comma too."""
    word = token.rstrip(_CLOSING)
    if not word.endswith("*"):
        return None
    start = word[:-1].lstrip(_OPENING)
    if _UNSPACED.search(start):
        return None  # without blanks between words, a beginning is any part of a text
    is_word = "*" not in start and _WORD.match(start) and _WORD.match(start[-1])
    letters = sum(map(str.isalnum, start))
    return start if is_word and letters >= _SHORTEST_PREFIX else None
