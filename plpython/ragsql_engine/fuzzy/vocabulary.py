"""What corrections ask of the index, and what they answer."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

# For each of the words, whether the text configurations searched leave it out.
IsStop = Callable[[list[str]], list[bool]]


class Vocabulary(Protocol):
    """The surface forms of the passages that are searched, as one caller sees them."""

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """Visible passages that hold each word; 0 for a word that this caller cannot see."""
        ...

    def near(self, word: str, max_distance: int) -> list[str]:
        """All dictionary words that may be within `max_distance` edits, and maybe others.

        Not filtered by visibility and not limited: a limit would let hidden words crowd out
        visible ones.
        """
        ...


class Word(NamedTuple):
    """A folded word of a query, not empty.

    literal: never changed (it was quoted, or is part of an identifier). follows: nothing but
    white space lies between it and the word before.
    """

    text: str
    literal: bool = False
    follows: bool = True


class Alternative(NamedTuple):
    """What a query word may stand for: a word, or two that a passage must both hold.

    similarity: 1 - distance / length of the longer, in (0, 1]; a missing or superfluous blank is
    one edit. distance: optimal string alignment distance.
    """

    words: tuple[str, ...]
    similarity: float
    distance: int


class Meaning(NamedTuple):
    """What one query word, or two that were written apart, can mean in the visible passages.

    alternatives: best first; empty where nothing visible is like it. corrected: what to write
    instead, None where the words stay as they are.
    """

    words: tuple[str, ...]
    alternatives: tuple[Alternative, ...]
    corrected: str | None
