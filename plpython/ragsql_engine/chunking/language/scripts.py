"""Which rules a text is read by, told from its script."""

import re
from enum import StrEnum


class Script(StrEnum):
    """The script that decides how a text is chunked."""

    ARABIC = "arabic"
    MIXED_ARABIC = "mixed_arabic"
    CJK = "cjk"
    LATIN = "latin"
    OTHER = "other"


_SAMPLE = 20_000
"""Characters read from the beginning, and again from the middle, of a long text."""
_ARABIC_FROM, _ARABIC_ABOVE = 0.3, 0.7
# A word is one or two ideographs but five letters: a third of the letters is most of the words.
_CJK_FROM = 1 / 3

_NO_LETTERS = re.compile(r"[\W\d_]+")
# In what is left when everything but letters is gone; marks and digits have no say.
_NOT_ARABIC = re.compile(
    r"[^\u0620-\u064a\u066e-\u06d3\u06d5\u06e5\u06e6\u06ee\u06ef\u06fa-\u06ff\u0750-\u077f"
    r"\u0870-\u08c9\ufb50-\ufdfb\ufe70-\ufefc]+"
)
_NOT_CJK = re.compile(
    r"[^\u1100-\u11ff\u3005-\u3007\u3041-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]+"
)
_NOT_LATIN = re.compile(
    r"[^A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a]+"
)


def script_of(text: str) -> Script:
    """The script of a text, from its letters; a text without letters counts as Latin.

    Of a long text, two samples are read: the time does not depend on its length.
    """
    sample = text
    if len(text) > 2 * _SAMPLE:
        middle = max(_SAMPLE, len(text) // 2 - _SAMPLE // 2)
        sample = text[:_SAMPLE] + text[middle : middle + _SAMPLE]
    letters = "" if sample.isascii() else _NO_LETTERS.sub("", sample)
    if not letters:
        return Script.LATIN
    arabic = _share(letters, _NOT_ARABIC)
    if arabic >= _ARABIC_FROM:
        return Script.ARABIC if arabic > _ARABIC_ABOVE else Script.MIXED_ARABIC
    if _share(letters, _NOT_CJK) >= _CJK_FROM:
        return Script.CJK
    return Script.LATIN if _share(letters, _NOT_LATIN) >= 0.5 else Script.OTHER


def uses_arabic_rules(text: str) -> bool:
    """Whether at least 30 % of the letters are Arabic; below that, English rules apply."""
    return script_of(text) in (Script.ARABIC, Script.MIXED_ARABIC)


def _share(letters: str, others: re.Pattern[str]) -> float:
    return len(others.sub("", letters)) / len(letters)
