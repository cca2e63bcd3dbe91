"""How likely a passage answers a question by itself.

The value is the quality of the text, lowered to a limit where the passage is boilerplate:

    quality = whole * readable * (base + size + sentences + letters + explains)
    value   = min(quality, the limit of each sort of boilerplate that it is)

where each summand is a feature from 0 to 1 by its weight (`_WEIGHTS`, `_quality`); lists, tables,
data and code have formulas of their own. Everything is read off the first 400 characters (2,000 of code and data) by
counting, and patterns are tried only where a word of theirs occurs: a passage takes microseconds.
The weights are set by hand so that the labelled passages of the tests come out right.
"""

import re
from collections.abc import Callable, Sequence

from ragsql_engine.chunking.assessment import boilerplate
from ragsql_engine.chunking.assessment.boilerplate import Shape

_SAMPLE = 400  # characters of text, and of code or data, whose words stand further apart
_LONG_SAMPLE = 2_000
_WIDE_KINDS = frozenset({"code", "data", "table", "front_matter"})

_WEIGHTS = {
    "base": 0.2,
    "size": 0.2,  # a sentence or two hold an answer, a fragment hardly does
    "sentences": 0.25,  # somebody says something, in sentences or running lines
    "letters": 0.2,  # neither numbers nor symbols nor markup
    "explains": 0.15,  # what something is, or what to do
}
_ENOUGH_LETTERS = 160  # bytes: some 30 English words, 55 ideographs
_WHOLE_LETTERS = 60  # bytes: less is a fragment
_LETTERS_A_SENTENCE = 320  # bytes: what goes on longer without an end is no sentence
_WORDS_A_LINE = 10  # of running text
_RUNNING_LINE = 0.6  # what a line of running text is worth without a full stop
_LIST_ITEM = 0.6  # steps and properties answer too, without being sentences
_FEWEST_LETTERS, _MANY_LETTERS = 0.45, 0.8  # shares of the visible bytes: markup, text

_LONGEST_WORDS = 25  # letters on average: encoded data, addresses
_ENCODED = 0.25  # what a letter of these counts

_NO_LETTERS = bytes(byte for byte in range(128) if not chr(byte).isalpha())
_LAST_ENDS = tuple('.!?:"')
# Sentence ends of other scripts: ideographic, Arabic, Urdu, Devanagari; Ethiopic, Burmese, Khmer.
_FOREIGN_ENDS, _RARE_ENDS = "。！？؟۔।", "．…።။។"
# Bytes a character: above the first, the script is not Latin; above the second and without an
# end mark, it is one that has none (Thai, Lao).
_FOREIGN_BYTES, _UNMARKED_BYTES = 1.2, 2.5

# Words of definitions and instructions.
_ENOUGH_EXPLAINING = 2
_EXPLAINING = (" is ", " are ", " means ", " must ", " you ", " can ", " if ")

# Comments and documentation strings, in the marks of common languages.
_COMMENT = re.compile(r"(?:#|;|%|//|/\*|--|\n\s*\*|\"{3}|'{3})([^\n]*)")
_FEW_COMMENT_WORDS, _ENOUGH_COMMENT_WORDS = 5, 25


def predict_chunk_value(content: str, heading: Sequence[str] = (), kind: str = "prose") -> float:
    """0 to 1, rounded to two decimals, for any text, heading path and kind of chunk."""
    head = content[: _LONG_SAMPLE if kind in _WIDE_KINDS else _SAMPLE].strip()
    if kind == "code":
        head = boilerplate.without_notice(head)
    lower = head.lower()
    shape, letters = _shape(head)
    if not shape.letters:
        return 0.0
    quality = _BY_KIND.get(kind, _prose)(head, lower, shape, letters)
    return round(min(quality, boilerplate.limit(lower, heading, shape)), 2)


def _shape(head: str) -> tuple[Shape, float]:
    """The shape of a passage, and the share of letters in what is visible of it."""
    encoded = head.encode("utf-8", "replace")
    letters = len(encoded.translate(None, _NO_LETTERS))
    spaces, breaks = head.count(" "), head.count("\n")
    ends = head.count(". ") + head.count("?") + head.count("!") + head.endswith(_LAST_ENDS)
    if breaks:
        ends += head.count(".\n")
    if len(encoded) > _FOREIGN_BYTES * len(head):
        ends += sum(map(head.count, _FOREIGN_ENDS))
        ends = ends or sum(map(head.count, _RARE_ENDS))
        if not ends and len(encoded) > _UNMARKED_BYTES * len(head):
            ends = 1 + letters // _LETTERS_A_SENTENCE
    shape = Shape(letters, ends, breaks + 1, spaces + breaks + 1)
    share = letters / max(len(encoded) - spaces - breaks, 1)
    is_encoded = letters > _LONGEST_WORDS * shape.words and len(encoded) == len(head)
    return shape, share * _ENCODED if is_encoded else share


def _prose(head: str, lower: str, shape: Shape, letters: float) -> float:
    return _quality(lower, shape, letters, _sentences(shape))


def _list(head: str, lower: str, shape: Shape, letters: float) -> float:
    return _quality(lower, shape, letters, max(_sentences(shape), _LIST_ITEM))


def _sentences(shape: Shape) -> float:
    running = min(shape.words / (_WORDS_A_LINE * shape.lines), 1)
    return max(min(shape.ends * _LETTERS_A_SENTENCE / shape.letters, 1), _RUNNING_LINE * running)


def _quality(lower: str, shape: Shape, letters: float, sentences: float) -> float:
    """The formula of well-formed text."""
    explaining = 0
    for word in _EXPLAINING:
        if word in lower:
            explaining += 1
            if explaining == _ENOUGH_EXPLAINING:
                break
    text = (letters - _FEWEST_LETTERS) / (_MANY_LETTERS - _FEWEST_LETTERS)
    total = (
        _WEIGHTS["base"]
        + _WEIGHTS["size"] * _size(shape)
        + _WEIGHTS["sentences"] * sentences
        + _WEIGHTS["letters"] * min(max(text, 0), 1)
        + _WEIGHTS["explains"] * explaining / _ENOUGH_EXPLAINING
    )
    whole = 0.4 + 0.6 * min(shape.letters / _WHOLE_LETTERS, 1)
    readable = min(letters / 0.5, 1)
    return whole * readable * total


def _size(shape: Shape) -> float:
    return min(shape.letters / _ENOUGH_LETTERS, 1)


def _table(head: str, lower: str, shape: Shape, letters: float) -> float:
    """Numbers are the point of a table, so they cost nothing."""
    return 0.35 + 0.2 * _size(shape) + 0.15 * letters


def _data(head: str, lower: str, shape: Shape, letters: float) -> float:
    """Keys and values; sentences in the values count."""
    running = min(shape.words / (_WORDS_A_LINE * shape.lines), 1) * min(shape.ends, 1)
    return 0.25 + 0.2 * _size(shape) + 0.2 * running


def _code(head: str, lower: str, shape: Shape, letters: float) -> float:
    """At most 0.5 without words about it."""
    bare = 0.3 + 0.2 * _size(shape)
    words = sum(map(str.isalpha, " ".join(_COMMENT.findall(head)).split()))
    if words < _FEW_COMMENT_WORDS:
        return bare
    return bare + 0.3 * min(words / _ENOUGH_COMMENT_WORDS, 1)


def _heading(head: str, lower: str, shape: Shape, letters: float) -> float:
    """It says what follows, and nothing of it."""
    return 0.2


def _front_matter(head: str, lower: str, shape: Shape, letters: float) -> float:
    return 0.1


_BY_KIND: dict[str, Callable[[str, str, Shape, float], float]] = {
    "list": _list,
    "table": _table,
    "data": _data,
    "code": _code,
    "heading": _heading,
    "front_matter": _front_matter,
}
