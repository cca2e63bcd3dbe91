"""The words of a query where they stand in its text, so that they can be replaced there."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ragsql_engine.fuzzy.vocabulary import Word
from ragsql_engine.lexical.question import _phrases as phrase_spans
from ragsql_engine.lexical.question import _prefix as prefix_of

# The surface forms of each text, as the index has them.
Forms = Callable[[list[str]], Sequence[Sequence[str]]]

_TOKEN = re.compile(r"\S+")
_EXCLUDED = re.compile(r"-\w")
# What ends a word; a comma between digits belongs to a number.
_SIGNS = r"\s,;!?()\[\]{}<>|`´…—–\x22“”„‟＂〝〞〟«»‹›"
_SEPARATED = re.compile(rf"(?:[^{_SIGNS}]|(?<=\d),(?=\d))+")
# A sign that makes a name, a number, an address or a filter of the letters around it.
_CODE = re.compile(r"[\d_]|\w[.:=@/\\#&~$%^*+]+\w|[#+]$|^[.@#$/\\~-]+\w")
_OPENING, _CLOSING = "'’*", "'’*.:-"  # signs around a name that are not of it
_PARTED = re.compile(r"[-‐‑'’ʼ＇]")
_NEXT = re.compile(r"\s+|[-‐‑]")


class Piece(NamedTuple):
    """A word, or an identifier, of a query: `text[start:end]`.

    literal: quoted, or an identifier. follows: only white space, or a hyphen, lies before it.
    """

    text: str
    start: int
    end: int
    literal: bool
    follows: bool


def pieces(text: str) -> list[Piece]:
    """The words of a query in order of writing, without exclusions, prefixes and OR.

    Letters that signs or digits join into a name (`foo.bar`, `tag:lantern`, `C++`) are one piece.
    """
    found: list[Piece] = []
    for start, end, literal in _spans(text):
        before = found[-1].end if found else 0
        follows = bool(found) and _NEXT.fullmatch(text, before, start) is not None
        found.append(Piece(text[start:end], start, end, literal, follows))
    return found


def words_of(found: Sequence[Piece], forms: Forms) -> list[tuple[int, Word]]:
    """The folded words to look up: (index of the piece, word), in order.

    A piece of several forms (a compound, a text in a script without blanks) is literal. Of an
    identifier only the whole counts: what two of them have in common says little.
    """
    words: list[tuple[int, Word]] = []
    for at, (piece, written) in enumerate(
        zip(found, forms([piece.text for piece in found]) if found else (), strict=True)
    ):
        own = _telling_forms(list(dict.fromkeys(filter(None, written))))
        literal = piece.literal or len(own) > 1
        words += [(at, Word(form, literal, piece.follows)) for form in own]
    return words


def _telling_forms(forms: list[str]) -> list[str]:
    longest = max(forms, key=len, default="")
    if all(form in longest for form in forms):
        return [longest] if longest else []
    return [form for form in forms if len(form) > 1] or forms


def _spans(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, literal) of each piece; operators are read as `question.parse` does."""
    done = 0
    for start, end in phrase_spans(text):
        excluded = text[done:start].endswith("-") and _begins(text, start - 1)
        yield from _plain(text, done, start)
        if not excluded:
            for token in _TOKEN.finditer(text, start + 1, end - 1):
                yield from ((s, e, True) for s, e, _ in _within(text, *token.span()))
        done = end
    yield from _plain(text, done, len(text))


def _plain(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """The pieces outside quotes."""
    for token in _TOKEN.finditer(text, start, end):
        excluded = _begins(text, token.start()) and _EXCLUDED.match(token[0])
        if not excluded and token[0] != "OR" and prefix_of(token[0]) is None:
            yield from _within(text, *token.span())


def _begins(text: str, at: int) -> bool:
    """Whether nothing or white space lies before a place."""
    return at == 0 or text[at - 1].isspace()


def _within(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """The pieces of a token without white space."""
    for separated in _SEPARATED.finditer(text, start, end):
        whole = separated[0].rstrip(_CLOSING)
        if not any(map(_is_word, whole)):
            continue
        at = separated.start()
        if _CODE.search(whole):
            yield at + len(whole) - len(whole.lstrip(_OPENING)), at + len(whole), True
            continue
        for part in _PARTED.split(whole):
            if any(map(_is_word, part)):
                yield *_trimmed(text, at, at + len(part)), False
            at += len(part) + 1


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without signs at its ends."""
    while not _is_word(text[start]):
        start += 1
    while not _is_word(text[end - 1]):
        end -= 1
    return start, end


def _is_word(character: str) -> bool:
    """Whether a character is a letter, a mark on one, or a number."""
    return unicodedata.category(character)[0] in "LMN"
