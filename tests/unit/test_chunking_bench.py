"""The arithmetic of the retrieval benchmark, on numbers worked out by hand."""

import pytest

from bench.scores import Passage, Range, score
from bench.splitters import split_recursively

A, B, C, D = (Passage(start, start + 100, "") for start in (0, 100, 200, 250))
EXCERPTS = [Range(90, 120), Range(260, 280)]


def test_scores_of_a_part() -> None:
    scores = score(EXCERPTS, [A, B, C], [B, C])
    assert scores == pytest.approx((40 / 50, 40 / 200, 40 / 210, 50 / 300))


def test_overlapping_passages_are_read_twice_but_found_once() -> None:
    scores = score(EXCERPTS, [A, B, C, D], [C, D])
    assert scores == pytest.approx((20 / 50, 20 / 200, 20 / 230, 50 / 350))


def test_what_no_passage_holds_counts_as_missed() -> None:
    scores = score(EXCERPTS, [C], [C])
    assert scores == pytest.approx((20 / 50, 20 / 100, 20 / 130, 20 / 130))


def test_passages_that_touch_an_excerpt_hold_nothing_of_it() -> None:
    assert score([Range(100, 200)], [A, B, C], [A, C]) == (0, 0, 0, 1)


RECURSIVE = "One two. Three four five? Six\n\nseven eight nine ten.\nEleven"


@pytest.mark.parametrize(
    ("size", "shared", "expected"),
    [
        (
            20,
            0,
            ["One two", ". Three four five", "? Six", "seven eight nine", "ten", ".", "Eleven"],
        ),
        (
            20,
            8,
            [
                "One two",
                ". Three four five",
                "? Six",
                "seven eight nine",
                "nine ten",
                ".",
                "Eleven",
            ],
        ),
    ],
)
def test_recursive_splitter_cuts_as_the_library_does(
    size: int, shared: int, expected: list[str]
) -> None:
    """The expected passages are those of LangChain's RecursiveCharacterTextSplitter."""
    found = [RECURSIVE[start:end] for start, end in split_recursively(RECURSIVE, size, shared)]
    assert found == expected
