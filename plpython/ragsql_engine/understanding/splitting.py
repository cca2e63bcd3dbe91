"""Where a question falls into several.

A cut is made only where both sides stand by themselves: "backup and restore" is one thing, "what
is a segment and how does it grow" hangs together by "it".
"""

from collections.abc import Sequence
from typing import NamedTuple

from ragsql_engine.understanding.tokens import Token, are_balanced, contents
from ragsql_engine.understanding.vocabulary import (
    AUXILIARIES,
    BACKWARD,
    BINDERS,
    CONNECTORS,
    DUMMIES,
    IMPERATIVES,
    NO_CONTENT,
    PREPOSITIONS,
    QUESTION_WORDS,
    RELATIVE_WORDS,
    SUBJECTS,
    SUBORDINATORS,
)

MOST_PARTS = 8


class Piece(NamedTuple):
    """A run of words that stands by itself. cut: what set it off from the piece before."""

    tokens: Sequence[Token]
    cut: str | None


def split(question: Sequence[Token]) -> list[Piece]:
    """The question in pieces, at most 8; what follows the last cut stays together."""
    use_depth = are_balanced(question)
    pieces: list[Piece] = []
    start, cut = 0, None
    at = 1
    while at < len(question) and len(pieces) < MOST_PARTS - 1:
        after = _behind_connectors(question, at)
        ends = _sentence_end(question[at - 1])
        is_outside = not use_depth or question[at - 1].depth == 0
        if (ends or after > at) and is_outside and after < len(question):
            left, right = question[start:at], _until_next_cut(question, after)
            words = [token.word for token in question[at:after]]
            follows = "," in question[at - 1].after
            if (
                _stand_as_sentences(left, right, ends)
                if ends
                else _stand_as_clauses(left, right, words, follows)
            ):
                pieces.append(Piece(left, cut))
                start, cut = after, " ".join(words) or ends
        at = max(after, at + 1)
    pieces.append(Piece(question[start:], cut))
    return pieces


def opens(sequence: Sequence[Token]) -> bool:
    """Whether it begins as a question or a request does."""
    first = sequence[0].word if sequence else ""
    if first == "please":
        return opens(sequence[1:])
    return first in QUESTION_WORDS or first in IMPERATIVES or first in AUXILIARIES


def _behind_connectors(question: Sequence[Token], at: int) -> int:
    """The first word from `at` on that is not "and", "then" or "also"."""
    while at < len(question) and question[at].word in CONNECTORS:
        at += 1
    return at


def _sentence_end(token: Token) -> str:
    """The ? or ; behind a word."""
    return "?" if "?" in token.after else ";" if ";" in token.after else ""


def _until_next_cut(question: Sequence[Token], start: int) -> Sequence[Token]:
    """The words up to the next place where a cut may be."""
    end = start + 1
    while (
        end < len(question)
        and question[end].word not in CONNECTORS
        and not _sentence_end(question[end - 1])
    ):
        end += 1
    return question[start:end]


def _stand_as_sentences(left: Sequence[Token], right: Sequence[Token], sign: str) -> bool:
    if _points_back(right):
        return False
    if any(contents(side) == 0 for side in (left, right)):
        return False
    # a ; stands in code and in lists as well
    return sign == "?" or all(opens(side) or _real_words(side) >= 2 for side in (left, right))


def _real_words(sequence: Sequence[Token]) -> int:
    return sum(token.is_content and len(token.word) > 1 for token in sequence)


def _stand_as_clauses(
    left: Sequence[Token], right: Sequence[Token], words: Sequence[str], after_comma: bool
) -> bool:
    if (
        left[0].word in SUBORDINATORS
        or left[-1].word in NO_CONTENT - AUXILIARIES
        or any(token.word in BINDERS for token in left)
        or contents(left) < 1
        or contents(right) < 1
        or _points_back(right)
    ):
        return False
    if "then" in words and (after_comma or "and" in words):  # one step, then the next
        return contents(left) >= 2 and contents(right) >= 2
    return _asks_anew(left, right)


def _asks_anew(left: Sequence[Token], right: Sequence[Token]) -> bool:
    """Whether the right side is a question of its own, not more of what the left one says."""
    first, second = right[0].word, right[1].word if len(right) > 1 else ""
    if first in RELATIVE_WORDS:
        return opens(left) and (contents(right) >= 2 or second in AUXILIARIES)
    if first in QUESTION_WORDS:
        return True
    if first in DUMMIES:
        return opens(left)
    if first in AUXILIARIES:  # "and is old" has no subject
        return opens(left) and second in SUBJECTS
    if first == "please":
        return True
    return first in IMPERATIVES and _commands(left) and contents(left) >= 2


def _commands(sequence: Sequence[Token]) -> bool:
    return sequence[0].word in IMPERATIVES or sequence[0].word == "please"


def _points_back(sequence: Sequence[Token]) -> bool:
    """Whether it speaks of something that is named elsewhere."""
    for at, token in enumerate(sequence):
        if token.is_literal:
            continue
        if token.word in BACKWARD:
            return True
        if token.word == "that":
            before = sequence[at - 1].word if at else ""
            is_last = at == len(sequence) - 1
            if is_last or before in AUXILIARIES or before in PREPOSITIONS:
                return True
    return False
