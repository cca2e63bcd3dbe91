"""Prose: paragraphs and, where they do not fit, the lines that stand for themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.chunking import prose
from ragsql_engine.chunking.headings import find_headings
from ragsql_engine.chunking.nodes import Hints
from unit.node_checks import assert_tree


def _texts(text: str) -> list[list[str]]:
    return [
        [text[part.start : part.end] for part in node.parts()] or [text[node.start : node.end]]
        for node in prose.parse(text, Hints())
    ]


@given(st.text(" \t\r\nab.A؟\u2028\u200b", max_size=60))
def test_paragraphs_and_lines_tile_the_text(text: str) -> None:
    assert_tree(text, prose.parse(text, Hints()))


def test_paragraphs_end_at_blank_lines_of_every_kind() -> None:
    assert _texts("one\n\ntwo\r\n \t\r\nthree\r\rfour\n") == [["one"], ["two"], ["three"], ["four"]]


def test_lines_that_stand_for_themselves_are_parts() -> None:
    assert _texts("Name: Bo\nAge: 7\nTown: Ulm") == [["Name: Bo", "Age: 7", "Town: Ulm"]]


def test_a_line_that_goes_on_is_no_part() -> None:
    assert _texts(
        "A line that is\nbroken to a width. It goes\non here.\nThe Next one\nBegins."
    ) == [["A line that is\nbroken to a width. It goes\non here.", "The Next one\nBegins."]]


@given(st.text("=# -~\r\nab.", max_size=60))
def test_headings_leave_nothing_out(text: str) -> None:
    assert_tree(text, prose.parse(text, Hints()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("= Guide\n== Keys ==\ntext\n= = Deep = =\ntext\n# Last #\ntext", "Guide Keys Deep Last"),
        ("Guide\n=====\n\ntext\n\nKeys\n----\ntext", "Guide Keys"),
        ("Guide\r\n=====\r\n\r\ntext\r\n", "Guide"),
        ("a long line of text that goes on\n---\n\n# ends like a sentence.\n== 5\n---\n####", ""),
        ("x\ntitle\n=====\n#hashtag\n= = =\n", ""),
        ("# " + "x" * 200, ""),
    ],
)
def test_headings_of_plain_text(text: str, expected: str) -> None:
    assert " ".join(heading.name for heading in find_headings(text)) == expected


def test_sections_of_plain_text_have_paths() -> None:
    text = (
        "before\n\n= Guide =\n\n== Keys ==\nRotate them often, and keep the old ones for a day.\n"
    )
    nodes = prose.parse(text, Hints())
    assert [(text[node.start : node.end].split("\n")[0], node.path) for node in nodes] == [
        ("before", None),
        ("= Guide =", ("Guide", "Keys")),
    ]
