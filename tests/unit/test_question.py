"""The query syntax."""

import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.lexical import question
from ragsql_engine.lexical.question import Question, parse

PIECES = st.sampled_from(
    ['"', "“", "”", "„", "«", "»", "‹", "-", "*", "OR", " ", "\n", "ab", "a", "5", ":", "(", "日本"]
)
QUERIES = st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=40))


def read(query: str) -> dict[str, object]:
    """What a query has besides plain words; plain words under 'plain'."""
    asked = parse(query)
    names = ("plain", "phrases", "excluded", "excluded_phrases", "prefixes")
    return {name: value for name in names if (value := getattr(asked, name))}


@pytest.mark.parametrize(
    "query",
    [
        "how do I rotate keys",
        "Ops <ops@quarry.example>",
        '":* | & | ! | (((',
        "foo:*",
        "a\\b",
        '"open quote',
        "it\u02bcs",
        "it\uff07s",
        "team:red",
        "%_",
        ";--",
        "to be or not to be",
        "C++ -",
        "--force",
        "a-b",
        "a - b",
        "(-b)",
        '-"open',
        "a*",
        "_*",
        "2*3",
        "**bold**",
        "ab**",
        "*ab",
        "a*b*",
        '5"',
        '19" rack 24" deep',
        "OR gate",
        "gate OR",
        "oxford OREGON Or or",
        "”",
        "\u00ab open",
        '"mixed\u00bb',
    ],
)
def test_case_c04_what_is_no_syntax_is_plain_text(query: str) -> None:
    assert parse(query) == Question(plain=query, text=query, literal=parse(query).literal)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {}),
        (" \n\u3000", {}),
        ("two  words\n", {"plain": "two words"}),
        ('"state of the art"', {"phrases": ("state of the art",)}),
        ('"state of the', {"plain": '"state of the'}),
        ("\u201cstate of the art\u201d", {"phrases": ("state of the art",)}),
        ("\u201estate of the art\u201c", {"phrases": ("state of the art",)}),
        ("\u201dstate of the art\u201d", {"phrases": ("state of the art",)}),
        ('\u201cstate of the art"', {"phrases": ("state of the art",)}),
        ("\uff02state of the art\uff02", {"phrases": ("state of the art",)}),
        ("«state of» »the art«", {"phrases": ("state of", "the art")}),
        ("‹state of› ›the art‹", {"phrases": ("state of", "the art")}),
        ('«say "ah" now»', {"phrases": ('say "ah" now',)}),
        ('"two\n lines"', {"phrases": ("two lines",)}),
        ('"19" rack" x', {"phrases": ("19",), "plain": 'rack" x'}),
        ("pump OR valve", {"plain": "pump valve"}),
        ('"a b" OR -c OR d', {"phrases": ("a b",), "excluded": ("c",), "plain": "d"}),
        ("lamp -lantrn", {"plain": "lamp", "excluded": ("lantrn",)}),
        ("-lamp\t-a-b", {"excluded": ("lamp", "a-b")}),
        ("\u65e5 -\u65e5\u672c", {"plain": "\u65e5", "excluded": ("\u65e5\u672c",)}),
        ('lamp -"oil fuel"', {"plain": "lamp", "excluded_phrases": ("oil fuel",)}),
        ("-“oil fuel” x", {"plain": "x", "excluded_phrases": ("oil fuel",)}),
        ('-a"b c"-"d e"', {"excluded": ("a",), "phrases": ("b c", "d e"), "plain": "-"}),
        ('"a b"-c', {"phrases": ("a b",), "plain": "-c"}),
        ('"a b" -c', {"phrases": ("a b",), "excluded": ("c",)}),
        ('"a b"c -d', {"phrases": ("a b",), "plain": "c", "excluded": ("d",)}),
        ('--"a b"', {"plain": "--", "phrases": ("a b",)}),
        ('"" x "!?"', {"plain": "x"}),
        ('-"" x', {"plain": "x"}),
        ("rotat* keys", {"prefixes": ("rotat",), "plain": "keys"}),
        ("(rotat*), v2.1* err_50*!", {"prefixes": ("rotat", "v2.1", "err_50")}),
        ("-rotat*", {"excluded": ("rotat*",)}),
    ],
)
def test_case_c16_syntax(query: str, expected: dict[str, object]) -> None:
    assert read(query) == expected


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ('"lantrn fuel" lamp', {"lantrn", "fuel"}),
        ("lamp -lantrn", {"lantrn"}),
        ('lamp -"lantrn fuel"', {"lantrn", "fuel"}),
        ("lamp tag:lantrn", {"tag", "lantrn"}),
        ("https://lantrn.example/x", {"https", "lantrn", "example", "x"}),
        ("note: lantrn", set()),
        ("lantrn fuel", set()),
        ('"lantrn fuel', set()),
        ("lantrn*", set()),
    ],
)
def test_case_h12_words_that_no_correction_may_change(query: str, words: set[str]) -> None:
    assert parse(query).literal == words


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ('how -not "to do" it OR that', "how to do it that"),
        ("-not", ""),
        ('-"not this"', ""),
        ("rotat* keys", "keys"),
    ],
)
def test_text_is_what_is_asked_in_order_of_writing(query: str, text: str) -> None:
    assert parse(query).text == text


@pytest.mark.parametrize("query", ['"a b"', '""', "-a", '-"a b"', "ab*", "a OR b"])
def test_a_query_with_an_operator_is_not_plain(query: str) -> None:
    assert not parse(query).is_plain
    assert parse(f"x {query} y").text == parse(f"x {parse(query).text} y").text


@given(QUERIES)
def test_nothing_is_lost_or_made_up(query: str) -> None:
    """Every letter of a query is in exactly one field, and plain queries stay as they are."""
    asked = parse(query)
    kept = [asked.plain, *asked.phrases, *asked.excluded, *asked.excluded_phrases, *asked.prefixes]
    letters = sorted("".join(kept).replace("OR", ""))
    assert [c for c in letters if c.isalnum()] == sorted(
        c for c in query.replace("OR", "") if c.isalnum()
    )
    if asked.is_plain:
        assert asked.text == asked.plain == " ".join(query.split())
    assert asked.text.split() != [] or not (asked.plain or asked.phrases)


@pytest.mark.parametrize(
    "unit",
    [
        '"',
        '-"',
        '"-',
        '" ',
        "«",
        '«"',
        "»“",
        "(",
        "*",
        "a*",
        "(a*",
        "-",
        "-a ",
        "OR ",
        " ",
        "a:",
        '5"',
    ],
)
def test_time_grows_with_the_text_only(unit: str) -> None:
    """Counted in executed lines: a few for each character, however long the text is."""

    def lines(query: str) -> int:
        count = 0

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal count
            count += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            question.parse(query)
        finally:
            sys.settrace(before)
        return count

    short, long = lines(unit * 200), lines(unit * 2000)
    assert long <= 10.5 * short + 200
