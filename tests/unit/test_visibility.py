"""What counts as visible, checked against Unicode's categories."""

import sys
import unicodedata

import pytest

from ragsql_engine.visibility import is_visible

# Format characters that draw a glyph around or before a number.
DRAWN_FORMATS = {
    *range(0x600, 0x606),
    *(0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD),
    *range(0x13430, 0x13456),
}


def test_controls_formats_and_separators_are_invisible() -> None:
    for code in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        if category in {"Cc", "Cf", "Zs", "Zl", "Zp"} and code not in DRAWN_FORMATS:
            assert not is_visible(chr(code)), hex(code)


def test_letters_digits_punctuation_and_symbols_are_visible() -> None:
    blank = {0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0}
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code))[0] in "LNPS" and code not in blank:
            assert is_visible(chr(code)), hex(code)


@pytest.mark.parametrize("text", ["", "\u034f", "\ufe0f", "\u3164\u115f\u2800", "\U000e0100"])
def test_blank_fillers_and_selectors_are_invisible(text: str) -> None:
    assert not is_visible(text)


def test_a_part_of_a_text() -> None:
    assert is_visible("a \u200b", 0, 1)
    assert not is_visible("a \u200b", 1)
