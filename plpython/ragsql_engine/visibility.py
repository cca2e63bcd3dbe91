"""Which characters a reader can see.

A text of white space, control characters, zero-width marks or blank fillers has no meaning to
embed, and some models return garbage for it.
"""

import re

# White space, controls (Cc) and format characters (Cf) that draw nothing, then the characters
# that Unicode counts as letters, marks or symbols although they are blank: grapheme joiner,
# Hangul and Khmer fillers, the empty braille cell, variation selectors.
_INVISIBLE = (
    r"\s\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    r"\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    r"\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0\ufe00-\ufe0f"
)
VISIBLE = re.compile(f"[^{_INVISIBLE}]")


def is_visible(text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether `text[start:end]` holds at least one character that a reader can see."""
    return VISIBLE.search(text, start, len(text) if end is None else end) is not None
