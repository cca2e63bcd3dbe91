"""Where a text may be cut without breaking what a reader sees as one character.

The rules are those of Unicode Standard Annex 29 that matter for plain text: CR LF, combining
marks, emoji joined by U+200D or followed by a modifier, tag sequences, pairs of regional
indicators (flags) and Hangul jamo. Looking back is bounded, so a cut costs constant time for
well-formed text.
"""

import unicodedata

from ragsql_engine.chunking.strings import trimmed

_ZERO_WIDTH_JOINER = "\u200d"
# A longer row of regional indicators is no row of flags; it is cut anywhere.
_LONGEST_FLAG_ROW = 64


def is_boundary(text: str, position: int) -> bool:
    """Whether `text` may be cut between `position` - 1 and `position`."""
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if after < "\u0300":
        return not (before == "\r" and after == "\n")
    if before in "\r\n":
        return True
    if before == _ZERO_WIDTH_JOINER or _extends(after):
        return False
    if _is_regional(before) and _is_regional(after):
        return _regional_run(text, position) % 2 == 0
    return True


def floor(text: str, start: int, position: int) -> int:
    """The last boundary in (start, position]; `position` itself where one cluster fills it all."""
    for candidate in range(position, start, -1):
        if is_boundary(text, candidate):
            return candidate
    return position


def ceil(text: str, position: int, end: int) -> int:
    """The first boundary in [position, end]; `end` where there is none before it."""
    for candidate in range(position, end):
        if is_boundary(text, candidate):
            return candidate
    return end


def word_end(text: str, start: int, position: int) -> int:
    """The last place in (start, position] to end a passage: white space, else a cluster."""
    if position >= len(text):
        return trimmed(text, start, len(text))[1]
    before = text[start:position]
    if text[position].isspace() or before[-1].isspace():
        return start + len(before.rstrip())
    words = before.rsplit(None, 1)
    return start + len(words[0]) if len(words) == 2 else floor(text, start, position)


def _extends(char: str) -> bool:
    return (
        unicodedata.category(char)[0] == "M"
        or char in "\u200c\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or "\u1160" <= char <= "\u11ff"
        or "\ud7b0" <= char <= "\ud7ff"
    )


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _regional_run(text: str, position: int) -> int:
    """How many regional indicators stand directly before `position`."""
    start = position
    while start > 0 and position - start < _LONGEST_FLAG_ROW and _is_regional(text[start - 1]):
        start -= 1
    return position - start
