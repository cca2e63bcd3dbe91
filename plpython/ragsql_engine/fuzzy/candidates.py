"""The visible words that an unknown word of a query may stand for."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ragsql_engine.fuzzy.asked import Asked, Pair, edits_allowed, is_plain
from ragsql_engine.fuzzy.distance import closest_words, edits
from ragsql_engine.fuzzy.vocabulary import Alternative, IsStop, Vocabulary

RARE = 10
"""Passages; a word in more of them is no typing error."""
_SHORTEST_HALF = 3  # letters of each of two words that were written as one
_SHORTEST_JOINT = 6  # letters of a word that was written apart and misspelt as well
_MOST_JOINTS = 8  # pairs of a query that are looked up as such a word


class Found(NamedTuple):
    """An alternative and the number of visible passages with it (with its rarer word)."""

    alternative: Alternative
    frequency: int

    def rank(self, meant: str) -> tuple[int, int, bool, int, tuple[str, ...]]:
        """Sorts the alternatives of `meant`, best first.

        By distance, one word before two, the same first letter, frequency, alphabet.
        """
        words = self.alternative.words
        return (
            self.alternative.distance,
            len(words),
            words[0][0] != meant[0],
            -self.frequency,
            words,
        )


class Candidates:
    """Looks up what lies near the words and pairs of a query, all in one call for frequencies.

    known: visible passages with each word that counts, and with each pair written as one word.
    """

    def __init__(
        self,
        asked: Asked,
        known: Mapping[str, int],
        vocabulary: Vocabulary,
        is_stop: IsStop,
        max_distance: int,
    ) -> None:
        self._max_distance = max_distance
        self._near: dict[str, list[str]] = {}
        for word, distance in _searches(asked, known, max_distance):
            rows = closest_words(word, vocabulary.near(word, distance), distance)
            self._near[word] = [
                row["word"] for row in rows if row["distance"] and is_plain(row["word"])
            ]
        halves = {w: _halves(w) for w in self._near if w in asked.telling and not known[w]}
        self._read([*self._near.values(), *halves.values()], vocabulary, is_stop)
        self._halves = {word: self._likeliest(word, pairs) for word, pairs in halves.items()}

    def _read(
        self, candidates: Iterable[Iterable[str]], vocabulary: Vocabulary, is_stop: IsStop
    ) -> None:
        """Count all candidates; those that are hidden go before anything is chosen."""
        words = list(dict.fromkeys(word for group in candidates for word in group))
        counts = vocabulary.frequencies(words) if words else []
        self._counts = {word: n for word, n in zip(words, counts, strict=True) if n > 0}
        visible = list(self._counts)
        stops = is_stop(visible) if visible else []
        self._stops = {word for word, stop in zip(visible, stops, strict=True) if stop}

    def of(self, word: str) -> list[Found]:
        """What an unknown word may stand for, best first."""
        found = self.near(word)
        halves = self._halves.get(word)
        return found if halves is None else sorted([*found, halves], key=lambda f: f.rank(word))

    def near(self, written: str) -> list[Found]:
        """The single words near `written`: a word, or a pair with its blank; best first."""
        found = []
        for word in self._near.get(written.replace(" ", ""), ()):
            # with its blank a pair can be further from a word than by one edit more
            distance = edits(written, word)
            if distance <= self._max_distance and word in self._counts and word not in self._stops:
                longer = max(len(written), len(word))
                alternative = Alternative((word,), 1 - distance / longer, distance)
                found.append(Found(alternative, self._counts[word]))
        return sorted(found, key=lambda f: f.rank(written))

    def _likeliest(self, word: str, halves: list[str]) -> Found | None:
        """The two visible words, written as one, of which the rarer is the most frequent."""
        pairs: Iterator[Pair] = zip(halves[::2], halves[1::2], strict=True)
        found = [
            Found(Alternative(pair, 1 - 1 / (len(word) + 1), 1), rarer)
            for pair in pairs
            if (rarer := min(self._counts.get(half, 0) for half in pair))
            and not self._stops.issuperset(pair)
        ]
        return min(found, key=lambda f: (-f.frequency, f.alternative.words), default=None)


def has_unknown(pair: Pair, asked: Asked, known: Mapping[str, int]) -> bool:
    """Whether a word of the pair counts, may be changed and is in no visible passage."""
    return any(asked.changeable(word) and not known[word] for word in pair)


def _searches(
    asked: Asked, known: Mapping[str, int], max_distance: int
) -> Iterator[tuple[str, int]]:
    """What to look near of, and how far."""
    searches: dict[str, int] = {}
    for word in filter(asked.changeable, asked.telling):
        distance = edits_allowed(word, max_distance)
        if known[word]:
            distance = min(1, distance) if known[word] <= RARE else 0
        searches[word] = distance
    if max_distance > 1:
        joints = (
            joint
            for pair in asked.pairs
            if len(joint := "".join(pair)) >= _SHORTEST_JOINT
            and not known[joint]
            and has_unknown(pair, asked, known)
        )
        for joint, _ in zip(joints, range(_MOST_JOINTS), strict=False):
            searches.setdefault(joint, 1)
    return ((word, distance) for word, distance in searches.items() if distance)


def _halves(word: str) -> list[str]:
    """Both parts of a word, for every place where a blank may be missing."""
    return [
        half
        for at in range(_SHORTEST_HALF, len(word) - _SHORTEST_HALF + 1)
        for half in (word[:at], word[at:])
    ]
