"""Which words of a query are looked at, and which of them may be changed."""

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from ragsql_engine.fuzzy.distance import LONGEST_SHORT, SHORTEST
from ragsql_engine.fuzzy.vocabulary import IsStop, Word

MAX_DISTANCE = 2
MOST_WORDS = 32
"""Words of a query that count: the first, in order of writing."""
_MOST_PAIRS = 64
_MOST_READ = 1024  # distinct words among which those that count are looked for
_LONGEST = 64  # letters; a longer string is no word that somebody misspelt

Pair = tuple[str, str]


def edits_allowed(word: str, max_distance: int = MAX_DISTANCE) -> int:
    """How many edits a word of this shape may be wrong by."""
    if not SHORTEST <= len(word) <= _LONGEST or not is_plain(word) or any(map(_is_han, word)):
        return 0
    return min(1, max_distance) if len(word) <= LONGEST_SHORT else max_distance


def is_plain(word: str) -> bool:
    """Whether a word is made of letters: no digit in it, no sign at either end."""
    return (
        unicodedata.category(word[0])[0] == "L"
        and unicodedata.category(word[-1])[0] in "LM"
        and not any(c.isdigit() or c.isspace() or c in '"*' for c in word)
    )


def may_be_meant(word: str) -> bool:
    """Whether a typing error can mean this word: 2 to 64 letters, see `is_plain`."""
    return 2 <= len(word) <= _LONGEST and is_plain(word)


def _is_han(character: str) -> bool:
    """Whether a character is a word in itself: with another one the meaning is another."""
    return (
        "\u3400" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
    )


class Asked:
    """The words of a query that count.

    sequence: all words read, in order of writing. telling: the distinct words that count, the
    first 32 that are not stop words, or the first 32 where there are no others. pairs: distinct
    neighbours that may be one word written apart, 64 at most.
    """

    def __init__(self, words: Sequence[Word], is_stop: IsStop) -> None:
        self.sequence = _read(words)
        texts = list(dict.fromkeys(word.text for word in self.sequence))
        stops = dict(zip(texts, is_stop(texts), strict=True)) if texts else {}
        telling = [text for text in texts if not stops[text]] or texts
        self.telling = dict.fromkeys(telling[:MOST_WORDS])
        # quoted once, a word is meant as it is wherever it stands
        self._literal = {word.text for word in self.sequence if word.literal}
        self._changeable = {t for t in self.telling if t not in self._literal and not stops[t]}
        pairs = dict.fromkeys(
            (first.text, second.text)
            for first, second in pairwise(self.sequence)
            if self.may_be_one(first, second)
        )
        self.pairs: list[Pair] = list(pairs)[:_MOST_PAIRS]

    def changeable(self, word: str) -> bool:
        """Whether a word counts and is neither literal nor a stop word."""
        return word in self._changeable

    def may_be_one(self, first: Word, second: Word) -> bool:
        """Whether two neighbours may be one word that was written apart."""
        return (
            second.follows
            and first.text not in self._literal
            and second.text not in self._literal
            and (self.changeable(first.text) or self.changeable(second.text))
            and is_plain(first.text)
            and is_plain(second.text)
            and edits_allowed(first.text + second.text) > 0
        )


def _read(words: Sequence[Word]) -> list[Word]:
    """The words up to the 1,024th distinct one."""
    sequence: list[Word] = []
    seen: set[str] = set()
    for word in words:
        seen.add(word.text)
        if len(seen) > _MOST_READ:
            break
        sequence.append(word)
    return sequence
