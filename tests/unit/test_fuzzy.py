"""Edit distance with transposition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.errors import InvalidParameter
from ragsql_engine.fuzzy import closest_words


def osa(left: str, right: str) -> int:
    """Optimal string alignment by its recurrence."""
    rows = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) + 1):
        for j in range(len(right) + 1):
            if not i or not j:
                rows[i][j] = i or j
                continue
            rows[i][j] = min(
                rows[i - 1][j] + 1,
                rows[i][j - 1] + 1,
                rows[i - 1][j - 1] + (left[i - 1] != right[j - 1]),
            )
            if i > 1 and j > 1 and left[i - 2 : i] == right[j - 2 : j][::-1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


WORDS = st.text("abc", max_size=6)


@given(WORDS, st.lists(WORDS, max_size=12), st.integers(0, 4))
def test_equals_the_recurrence(word: str, candidates: list[str], limit: int) -> None:
    expected = sorted(
        (osa(word, candidate), candidate)
        for candidate in set(candidates)
        if osa(word, candidate) <= limit
    )
    found = closest_words(word, candidates, limit)
    assert [(row["distance"], row["word"]) for row in found] == expected


def test_a_transposition_is_one_edit() -> None:
    assert closest_words("recieve", ["relieve", "receive", "retrieve"], 2) == [
        {"word": "receive", "distance": 1},
        {"word": "relieve", "distance": 1},
        {"word": "retrieve", "distance": 2},
    ]


def test_no_candidates() -> None:
    assert closest_words("word", [], 2) == []


def test_negative_distance_is_refused() -> None:
    with pytest.raises(InvalidParameter):
        closest_words("word", ["word"], -1)
