"""The script of a text decides by which rules it is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.chunking.language.scripts import Script, script_of, uses_arabic_rules

ARABIC, LATIN = "ب", "b"


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("", Script.LATIN),
        ("12, 34!", Script.LATIN),
        ("Plain English, naïve café.", Script.LATIN),
        ("الضَّغط ٣٫٥ بار", Script.ARABIC),
        ("این کتاب‌ها را می‌خواهم", Script.ARABIC),
        ("یہ ایک جملہ ہے۔", Script.ARABIC),
        ("倉庫の鍵は青い箱にあります", Script.CJK),
        ("한국어 문장입니다", Script.CJK),
        ("使用 pgvector 扩展来存储向量", Script.CJK),
        ("Это русский текст", Script.OTHER),
        ("यह हिंदी है", Script.OTHER),
        ("ประโยคไทย", Script.OTHER),
    ],
)
def test_scripts(text: str, script: Script) -> None:
    assert script_of(text) == script
    assert uses_arabic_rules(text) == (script == Script.ARABIC)


@pytest.mark.parametrize(
    ("arabic", "script"),
    [
        (0, Script.LATIN),
        (29, Script.LATIN),
        (30, Script.MIXED_ARABIC),
        (70, Script.MIXED_ARABIC),
        (71, Script.ARABIC),
        (100, Script.ARABIC),
    ],
)
def test_shares_of_arabic_letters(arabic: int, script: Script) -> None:
    text = ARABIC * arabic + " 123 \u064e\u064e " + LATIN * (100 - arabic)
    assert script_of(text) == script
    assert uses_arabic_rules(text) == (arabic >= 30)


def test_the_middle_of_a_long_text_has_a_say() -> None:
    assert script_of("a " * 20_000 + "ب " * 1_000_000) == Script.MIXED_ARABIC
    assert script_of("ب " * 20_000 + "ب " * 1_000_000) == Script.ARABIC


def test_only_samples_of_a_long_text_are_read() -> None:
    head, middle, rest = "a" * 20_000, "b" * 20_000, "ب" * 980_000
    assert script_of(head + rest[: len(rest) // 2] + middle + rest[: len(rest) // 2]) != (
        Script.ARABIC
    )


@given(st.text())
def test_every_text_has_a_script(text: str) -> None:
    assert script_of(text) in Script
