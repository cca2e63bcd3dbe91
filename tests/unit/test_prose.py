"""Prose: paragraphs and, where they do not fit, the lines that stand for themselves."""

from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.chunking import prose
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
