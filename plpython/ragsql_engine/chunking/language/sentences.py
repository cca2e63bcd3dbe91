"""Where sentences end, in all scripts at once, and where one that is too long may be cut.

Rules rather than a model: linear, the same on every machine, exact by construction. The signs are
those of Unicode's Sentence_Terminal property. One pass of one expression finds the candidates;
what it cannot tell is asked of the few that are left.
"""

import re

from ragsql_engine.chunking import clusters
from ragsql_engine.chunking.language.abbreviations import abbreviates, starts_lower

# Signs that end a sentence where white space follows.
_SPACED = (
    r".!?\u2026\u203c\u203d\u2047-\u2049\u037e\u0589\u06d4\u0700-\u0702\u07f9\u0f0d\u0f0e"
    r"\u2cf9\u2cfa\u2cfe\u2e2e\u2e3c\ua4ff\ua60e\ua6f3\ua6f7\uabeb"
)
# Signs of scripts that put no space there, or not always.
_WIDE = (
    r"\u061e\u061f\u0964\u0965\u0df4\u0e5a\u0e5b\u104b\u1362\u1367\u1368\u17d4\u17d5\u1803\u1809"
    r"\u1944\u1945\u1b5a\u1b5b\u1b5e\u1b5f\u1c3b\u1c3c\u1c7e\u1c7f\ua876\ua877\ua8ce\ua8cf"
    r"\ua9c8\ua9c9\uaa5d-\uaa5f\u3002\ufe12\ufe15\ufe16\ufe52\ufe56\ufe57\uff01\uff0e\uff1f\uff61"
)
# What a sentence still takes in after its sign: quotes, brackets, marks, emphasis, note numbers.
_CLOSING = (
    r"\u201d\u2019\u00bb\u203a\u300d\u300f\u3009\u300b\u3011\u3015\u3017\u3019\u301e\u301f"
    r"\uff02\uff09\uff3d\uff5d\uff60\uff63"
    r"\u0300-\u036f\u200c-\u200f\u061c\u2060\u2069\u202c\u20e3\u3099\u309a\ufe00-\ufe0f\ufeff"
)
_SUPERSCRIPT = r"\u00b9\u00b2\u00b3\u2070-\u2079"
_CLOSING_SPACED = rf"{_CLOSING}{_SUPERSCRIPT}\u201c\"')\]}}*_`~"
_AFTER_SPACED = (
    rf"[{_CLOSING_SPACED}]*+"
    rf"(?:(?:[\u00a0\u202f][\u00bb\u203a]|\[\d{{1,3}}\])[{_CLOSING_SPACED}]*+){{0,9}}"
)
_AFTER_WIDE = rf"[{_CLOSING}]*+(?:[\"')\]*_]++(?=\s|\Z))?"
_IDEOGRAPH = (
    r"\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)

# A run of signs is read at once, whether or not a sentence ends there, so that none is read twice.
# Possessive quantifiers stand on single characters only: CPython 3.11.2 forgets where it was when
# a possessive group fails in a lookaround or a counted repeat.
_CANDIDATE = re.compile(
    rf"[{_SPACED}{_WIDE}\r\n\u2029](?:"
    rf"(?<=[{_SPACED}])(?!\w(?<![{_IDEOGRAPH}{_SUPERSCRIPT}]))[{_SPACED}{_WIDE}]*+{_AFTER_SPACED}"
    rf"(?:(?=(?P<space>\s++))|(?=(?P<ideograph>[{_IDEOGRAPH}]))|)"
    rf"|(?<=[{_WIDE}])[{_SPACED}{_WIDE}]*+"
    # verse numbers between dandas, the Khmer "etc."
    r"(?:[ \u00a0]?\d{1,4}[ \u00a0]?[\u0964\u0965]++|\u179b\u17d4)?"
    rf"(?P<wide>){_AFTER_WIDE}"
    r"|(?:(?<=\r)\n|(?<=\r)(?!\n)|(?<=\n))[^\S\r\n\u2029]*+[\r\n\u2029](?P<blank>)\s*+"
    r"|(?<=\u2029)(?P<paragraph>)\s*+"
    r")"
)
_SPACE, _IDEOGRAPHIC, _ANYWHERE = (
    _CANDIDATE.groupindex[name] for name in ("space", "ideograph", "wide")
)
_FIRST_IDEOGRAPH = "\u3041"
_RUN_OF_SIGNS = frozenset(".!?\u2026")

# The same two kinds inside a sentence.
_PAUSE = re.compile(
    rf"[,;:\u2013][{_CLOSING}\"')\]}}*_]*+(?=\s|\Z)"
    r"|(?:\u2014++|[\u060c\u061b\u104a\u1363-\u1366\u3001\uff0c\uff1a\uff1b\ufe50\ufe51\ufe54\ufe55"
    rf"\uff64])[{_CLOSING}]*+"
)


def sentence_ends(text: str, start: int = 0, end: int | None = None) -> list[int]:
    """The offsets where the sentences of `text[start:end]` end, strictly increasing.

    A sentence takes in its closing quotes and brackets; white space stands between sentences and
    belongs to none. A blank line ends a sentence, a single line end does not. The last offset is
    that of the last character that is no white space; without such a character there is none.
    """
    begin, last = _trimmed(text, start, len(text) if end is None else end)
    ends: list[int] = []
    if begin == last:
        return ends
    previous = begin
    for candidate in _CANDIDATE.finditer(text, begin, last):
        kind = candidate.lastindex
        if kind is None:
            continue
        at, stop = candidate.span()
        if kind == _SPACE:
            if not _ends_before_space(text, previous, at, stop, candidate.end(_SPACE)):
                continue
        elif kind == _ANYWHERE:
            if not _ends_anywhere(text, at, stop):
                continue
        elif kind == _IDEOGRAPHIC:
            if text[at - 1 : at] < _FIRST_IDEOGRAPH:
                continue
        else:  # a blank line
            stop = previous + len(text[previous:at].rstrip())
        if stop > previous:
            ends.append(stop)
            previous = stop
    if previous < last:
        ends.append(last)
    return ends


def phrase_end(text: str, start: int, limit: int) -> int | None:
    """The last good place in (`start`, `limit`] to cut inside a sentence: after a comma or dash.

    None where there is none, or only in the first quarter: what is left there is no passage.
    """
    middle = (start + limit) // 2
    for low, high in ((middle, limit), ((start + middle) // 2, middle)):
        found = None
        for pause in _PAUSE.finditer(text, low, high):
            if _parts_phrases(text, pause.start(), pause.end()):
                found = pause.end()
        if found is not None:
            return found
    return None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    if start == 0 and end >= len(text):
        last = len(text.rstrip())
        return min(len(text) - len(text.lstrip()), last), last
    piece = text[start:end]
    begin = start + len(piece) - len(piece.lstrip())
    return begin, max(begin, start + len(piece.rstrip()))


def _ends_before_space(text: str, start: int, at: int, stop: int, following: int) -> bool:
    """Whether the signs `text[at:stop]` end a sentence that white space separates from the next."""
    sign = text[at]
    if text[following] in _RUN_OF_SIGNS:
        return False  # " . . . "
    single = stop - at == 1 or text[at + 1] not in _RUN_OF_SIGNS
    if sign == "." and single and abbreviates(text, start, at, following):
        return False
    if sign not in ".\u2026" and text[stop - 1] in "!?":
        return True
    if sign != "\u2026" and (
        stop - at == 1 or (sign == "." and single and text[at + 1] not in ")]")
    ):
        return True
    return not starts_lower(text, following)  # Wait... what? "Why?" he asked. (Yes!) then


def _ends_anywhere(text: str, at: int, stop: int) -> bool:
    """Whether signs that need no space after them end a sentence."""
    if stop == len(text):
        return True
    following = text[stop]
    if text[at] == "\uff0e" and text[at - 1 : at].isdecimal() and following.isdecimal():
        return False  # a decimal in full width
    if following == "\u3068" and text[stop - 1] in "\u300d\u300f":
        return False  # a quote, and after it the Japanese "said"
    return following not in "\u3001\uff0c\u060c," and clusters.is_boundary(text, stop)


def _parts_phrases(text: str, at: int, stop: int) -> bool:
    following = text[stop : stop + 1]
    if text[at - 1 : at].isdecimal() and following.isdecimal():
        return False
    if text[at] in ",;:\u2013" and following and not following.isspace():
        return False  # the limit hid it from the expression
    return clusters.is_boundary(text, stop)
