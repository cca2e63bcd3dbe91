"""Where the words of a text are, as the analyzer sees words, in characters of the text itself.

The analyzer folds a text before it takes words out of it, and folding moves places. So words are
found here in the text as it is written, and only each of them is folded.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

# Every character becomes one of its class: w of a word, u of a script without blanks between its
# words, z what goes with the character before it; a sign that can join words is itself.
_SIGNS = "-._@'+#"
_ASCII = {
    code: "w" if chr(code).isalnum() else chr(code) if chr(code) in _SIGNS else " "
    for code in range(128)
}
_ALIKE = dict.fromkeys("\u2018\u2019\u201b\u2032\u02bc", "'") | dict.fromkeys(
    "\u2010\u2011\u2012\u2013\u2212", "-"
)
_UNSPACED = re.compile(
    "[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
)

_WORD = re.compile("w[wz]*|(?:uz*)+")
_LETTER = re.compile("uz*")
_COMPOUND = re.compile(r"\.?w[wz]*(?:(?:[-.@']|_+)w[wz]*)*(?:\+\+|#)?")
_LONGEST_COMPOUND = 300
_MOST_IN_PART = 6


class Word(NamedTuple):
    """A word of a text: text[start:end]. is_pair: of a script without blanks between words."""

    start: int
    end: int
    text: str
    is_pair: bool = False


class Words:
    """The words of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._classes = _classes(text)

    def in_order(self) -> Iterator[Word]:
        """Words one after the other, as a phrase counts them; of unspaced scripts, pairs."""
        for match in _WORD.finditer(self._classes):
            start, end = match.span()
            if self._classes[start] == "u":
                yield from self._pairs(start, end)
            elif not self._is_genitive(start, end):
                yield self._word(start, end)

    def characters(self) -> Iterator[Word]:
        """The characters of unspaced scripts, each with its marks."""
        for match in _LETTER.finditer(self._classes):
            yield self._word(*match.span(), is_pair=True)

    def compounds(self) -> Iterator[Word]:
        """Words with the signs that join them or belong to them: ERR_5001, node.js, C++."""
        for match in _COMPOUND.finditer(self._classes):
            if match[0].strip("wz") and len(match[0]) <= _LONGEST_COMPOUND:
                yield self._word(*match.span())

    def _pairs(self, start: int, end: int) -> Iterator[Word]:
        places = [match.span() for match in _LETTER.finditer(self._classes, start, end)]
        if len(places) == 1:
            yield self._word(start, end, is_pair=True)
        for (first, _), (_, last) in pairwise(places):
            yield self._word(first, last, is_pair=True)

    def _is_genitive(self, start: int, end: int) -> bool:
        """The s of an English 's, which is no word."""
        return (
            end - start == 1
            and start > 1
            and self._classes[start - 1] == "'"
            and self._text[start] in "sS"
            and self._classes[start - 2] in "wz"
        )

    def _word(self, start: int, end: int, is_pair: bool = False) -> Word:
        return Word(start, end, self._text[start:end], is_pair)


def parts(compound: Word) -> Iterator[Word]:
    """Parts of a compound from word to word, the shortest first, and last the whole."""
    found = [word for word in Words(compound.text).in_order() if not word.is_pair]
    ends = {word.start: word.end for word in found}
    starts = sorted(ends)
    for length in range(2, min(len(starts), _MOST_IN_PART) + 1):
        for at in range(len(starts) - length + 1):
            first, last = starts[at], ends[starts[at + length - 1]]
            yield Word(compound.start + first, compound.start + last, compound.text[first:last])
    yield compound


def unspaced_characters(text: str) -> set[str]:
    """The characters of unspaced scripts in a text, as the analyzer has them."""
    return set(_UNSPACED.findall(unicodedata.normalize("NFKC", text)))


def _classes(text: str) -> str:
    if text.isascii():
        return text.translate(_ASCII)
    beyond = {ord(c): _class_of(c) for c in set(text) if c > "\x7f"}
    return text.translate(_ASCII | beyond)


@lru_cache(maxsize=4096)
def _class_of(character: str) -> str:
    if character in _ALIKE:
        return _ALIKE[character]
    category = unicodedata.category(character)
    if category[0] == "M" or (category == "Cf" and character != "\u200b"):
        return "z"
    composed = unicodedata.normalize("NFKC", character)
    is_letter = category == "Nl" or unicodedata.category(composed[0])[0] == "L"
    if is_letter and _UNSPACED.match(composed):
        return "u"
    return "w" if any(map(str.isalnum, unicodedata.normalize("NFKD", character))) else " "
