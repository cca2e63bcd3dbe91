"""Edit distance with transposition, and the dictionary words that are one edit away."""

import functools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from ragsql_engine.errors import InvalidParameter

# A short misspelling may share no trigram with the word that was meant.
SHORTEST, LONGEST_SHORT = 3, 5
# Folding takes these off a letter or replaces it, so that no stored word holds it.
_FOLDED_LETTERS = "ىة"
_FOLDED_MARKS = re.compile(r"[\u0300-\u036f\u064b-\u065f]")
# Where a script's letters lie, and the letters elsewhere that its languages use.
_ALPHABETS = (
    ("\u0061", "\u007a", "ßæðøþđħıłŋœ"),  # Latin
    ("\u03b1", "\u03c9", ""),  # Greek
    ("\u0430", "\u045f", "ґғқңүұһәөҳҷ"),  # Cyrillic
    ("\u0561", "\u0586", ""),  # Armenian
    ("\u05d0", "\u05ea", ""),  # Hebrew
    ("\u0621", "\u064a", "پچژگٹڈڑںے"),  # Arabic
    ("\u0900", "\u0963", ""),  # Devanagari
    ("\u0980", "\u09cd", ""),  # Bengali
    ("\u0a01", "\u0a4d", ""),  # Gurmukhi
    ("\u0a81", "\u0acd", ""),  # Gujarati
    ("\u0b01", "\u0b4d", ""),  # Odia
    ("\u0b82", "\u0bcd", ""),  # Tamil
    ("\u0c00", "\u0c4d", ""),  # Telugu
    ("\u0c80", "\u0ccd", ""),  # Kannada
    ("\u0d00", "\u0d4d", ""),  # Malayalam
    ("\u0d81", "\u0ddf", ""),  # Sinhala
    ("\u0e01", "\u0e4e", ""),  # Thai
    ("\u0e81", "\u0ece", ""),  # Lao
    ("\u10d0", "\u10f0", ""),  # Georgian
    ("\u3041", "\u3094", ""),  # Hiragana
    ("\u30a1", "\u30f4", "ー"),  # Katakana
)


def edits(left: str, right: str) -> int:
    """The optimal string alignment distance of two strings; see `closest_words`."""
    return int(OSA.distance(left, right))


def closest_words(word: str, candidates: Iterable[str], max_distance: int) -> list[dict[str, Any]]:
    """Candidates within `max_distance` edits of `word`, sorted by (distance, word).

    The distance is the optimal string alignment distance: insertions, deletions, substitutions
    and transpositions of neighbours cost 1, and no substring is edited twice (Boytsov 2011,
    "Indexing methods for approximate dictionary searching", section 2).
    InvalidParameter where `max_distance` is negative.
    """
    if max_distance < 0:
        raise InvalidParameter(f"max_distance is {max_distance}, below 0")
    matches = process.extract(
        word,
        list(dict.fromkeys(candidates)),
        scorer=OSA.distance,
        score_cutoff=max_distance,
        limit=None,
    )
    found = [{"word": match, "distance": int(distance)} for match, distance, _ in matches]
    return sorted(found, key=lambda row: (row["distance"], row["word"]))


def variants(word: str) -> list[str] | None:
    """The strings at distance 1 from a folded word of 3 to 5 letters, to be looked up exactly.

    They are made of the letters of the word's own scripts, about 300 for five Latin letters.
    None for other lengths, and for a word with a character of no such alphabet: Han, Hangul and
    Ethiopic have too many letters.
    """
    if not SHORTEST <= len(word) <= LONGEST_SHORT:
        return None
    letters: set[str] = set()
    for character in word:
        alphabet = next((a for a in _alphabets() if character in a), None)
        if alphabet is None:
            return None
        letters |= alphabet
    return sorted(set(_edited(word, letters)) - {word})


def _edited(word: str, letters: Iterable[str]) -> Iterable[str]:
    """Every string one edit from `word`, some of them twice."""
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        yield from (head + letter + tail for letter in letters)
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in letters)
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]


@functools.cache
def _alphabets() -> Sequence[frozenset[str]]:
    """The letters, and the vowel signs that count as letters, of each script."""
    return [
        frozenset(extra) | frozenset(filter(_is_letter, map(chr, range(ord(first), ord(last) + 1))))
        for first, last, extra in _ALPHABETS
    ]


def _is_letter(character: str) -> bool:
    """Whether a folded word can hold this character as a letter or a vowel sign."""
    return (
        unicodedata.category(character) in ("Ll", "Lo", "Mn", "Mc")
        and character not in _FOLDED_LETTERS
        and character == unicodedata.normalize("NFKC", character)
        and not _FOLDED_MARKS.search(unicodedata.normalize("NFKD", character))
    )
