"""What the words of a query stand for in the passages that the caller sees."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf

from ragsql_engine.errors import InvalidParameter
from ragsql_engine.fuzzy.asked import MAX_DISTANCE, Asked, Pair
from ragsql_engine.fuzzy.candidates import Candidates, Found, has_unknown
from ragsql_engine.fuzzy.vocabulary import Alternative, IsStop, Meaning, Vocabulary, Word

MOST_ALTERNATIVES = 32
"""Alternatives of a word that count: the best."""
_TIMES = 64  # so much more frequent must the neighbour of a rare word be to be shown too


def corrections(
    words: Sequence[Word],
    vocabulary: Vocabulary,
    is_stop: IsStop,
    max_distance: int = MAX_DISTANCE,
) -> list[Meaning]:
    """What each distinct word stands for, in order of writing.

    A word that visible passages hold stands for itself; one in at most 10 passages also for a
    neighbour at distance 1 that is in 64 times as many. Another word stands for the visible words
    within `max_distance` edits: at most 1 for 3 to 5 letters, none below. Two neighbours of which
    one is unknown may be a word written apart; an unknown word may be two written as one. Never
    changed: literal words, words with a digit or a Han character, stop words. Never offered:
    words with a digit, stop words, words that no visible passage holds.

    Of a query the first 32 words count that are not stop words, or the first 32 if it has no
    others. Calls `frequencies` at most twice, `near` for unknown and rare words only.
    InvalidParameter where `max_distance` is negative.
    """
    return list(
        dict.fromkeys(meaning for _, meaning in place(words, vocabulary, is_stop, max_distance))
    )


def place(
    words: Sequence[Word],
    vocabulary: Vocabulary,
    is_stop: IsStop,
    max_distance: int = MAX_DISTANCE,
) -> list[tuple[int, Meaning]]:
    """The meanings along the query: (index of its first word, meaning), repeated ones again.

    No word is empty.
    """
    if max_distance < 0:
        raise InvalidParameter(f"max_distance is {max_distance}, below 0")
    asked = Asked(words, is_stop)
    if not asked.telling:
        return []
    pairs = asked.pairs if max_distance else ()
    looked_up = list(dict.fromkeys([*asked.telling, *map("".join, pairs)]))
    known = dict(zip(looked_up, vocabulary.frequencies(looked_up), strict=True))
    found = Candidates(asked, known, vocabulary, is_stop, max_distance)
    single = {word: _single(word, asked, known, found) for word in asked.telling}
    joint = {
        pair: meaning
        for pair in pairs
        if has_unknown(pair, asked, known)
        and (meaning := _joint(pair, known, found, single)) is not None
    }
    return list(_along(asked, single, joint))


def _along(
    asked: Asked, single: Mapping[str, Meaning], joint: Mapping[Pair, Meaning]
) -> Iterator[tuple[int, Meaning]]:
    """From left to right; a pair takes two places."""
    taken = False
    following = [*asked.sequence[1:], None]
    for at, (first, second) in enumerate(zip(asked.sequence, following, strict=True)):
        if taken:
            taken = False
        elif (
            second is not None
            and (pair := (first.text, second.text)) in joint
            and asked.may_be_one(first, second)
        ):
            taken = True
            yield at, joint[pair]
        elif first.text in single:
            yield at, single[first.text]


def _single(word: str, asked: Asked, known: Mapping[str, int], found: Candidates) -> Meaning:
    if known[word]:
        others = (f for f in found.near(word) if f.frequency >= _TIMES * known[word])
        itself = Alternative((word,), 1.0, 0)
        return Meaning((word,), (itself, *(f.alternative for f in others)), None)
    return _corrected((word,), found.of(word) if asked.changeable(word) else [])


def _joint(
    pair: Pair, known: Mapping[str, int], found: Candidates, single: Mapping[str, Meaning]
) -> Meaning | None:
    """The pair as one word, unless its words are nearer to visible words each by itself."""
    written, joint = " ".join(pair), "".join(pair)
    if known[joint]:
        alternative = Alternative((joint,), 1 - 1 / len(written), 1)
        return _corrected(pair, [Found(alternative, known[joint])])
    near = found.near(written)
    apart = sum(_edits(single[word]) for word in pair if word in single)
    return _corrected(pair, near) if near and near[0].alternative.distance <= apart else None


def _edits(meaning: Meaning) -> float:
    return meaning.alternatives[0].distance if meaning.alternatives else inf


def _corrected(words: tuple[str, ...], found: Sequence[Found]) -> Meaning:
    alternatives = tuple(f.alternative for f in found[:MOST_ALTERNATIVES])
    return Meaning(words, alternatives, " ".join(alternatives[0].words) if alternatives else None)
