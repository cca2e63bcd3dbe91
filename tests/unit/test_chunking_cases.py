"""Inputs that broke other chunkers. Each test carries the id of its case."""

import itertools
from typing import Any

import pytest

from ragsql_engine import chunking
from ragsql_engine.chunking.clusters import is_boundary
from ragsql_engine.chunking.rulers.word import LONGEST_WORD
from ragsql_engine.errors import InvalidParameter
from ragsql_engine.tokens import TokenWindow
from unit.chunk_checks import MODES, assert_sound, gaps, rows
from unit.stand_ins import byte_window, word_window


@pytest.mark.parametrize(
    ("size", "overlap"), [(20, 20), (20, 25), (0, 0), (-5, 0), (20, -1), (0, None)]
)
@pytest.mark.parametrize("mode", MODES)
def test_a01_sizes_that_never_advance_are_refused(
    mode: str, size: int, overlap: int | None
) -> None:
    with pytest.raises(InvalidParameter) as caught:
        chunking.plan(mode, size, overlap)
    assert caught.value.sqlstate == "22023"


def test_a02_the_end_does_not_repeat() -> None:
    text = "abcdefghijklmnopqrstuvwxy"
    chunks = rows(text, "char", 10, 3)
    assert_sound(text, chunks)
    assert [chunk["start_offset"] for chunk in chunks] == [0, 7, 14, 21]
    assert chunks[-1]["end_offset"] == 25


@pytest.mark.parametrize("mode", MODES)
def test_a03_large_overlap_terminates(mode: str) -> None:
    text = "ab\n" * 200
    chunks = rows(text, mode, 20, 12)
    assert_sound(text, chunks)
    assert len(chunks) <= len(text)


def test_a04_offsets_in_repeated_text() -> None:
    text = "la la la la la la la la"
    chunks = rows(text, "word", 2, 1, 0)
    assert_sound(text, chunks)
    assert [chunk["start_offset"] for chunk in chunks] == list(range(0, 21, 3))
    assert chunks[-1]["end_offset"] == 23
    assert rows(text, "word", 2, 1)[-1]["end_offset"] == 23


def test_a05_overlap_in_words_does_not_drift() -> None:
    text = "A hippopotamus is big. I am. Extraordinarily tiny voles vanish. So be it, said Bo."
    chunks = rows(text, "word", 4, 2, 0)
    assert_sound(text, chunks)
    words = text.split()
    assert [chunk["content"].split() for chunk in chunks] == [
        words[start : start + 4] for start in range(0, len(words) - 2, 2)
    ]


def test_a06_clusters_are_not_cut() -> None:
    text = "Z\u0301eta \U0001f469\u200d\U0001f692 na\u00efve \U0001f1eb\U0001f1ee caf\u00e9 \u2014 end\r\n"
    chunks = rows(text, "char", 5, 2)
    assert_sound(text, chunks)
    for chunk in chunks:
        assert is_boundary(text, chunk["start_offset"])
        assert is_boundary(text, chunk["end_offset"])
    for cluster in ("Z\u0301", "\U0001f469\u200d\U0001f692", "\U0001f1eb\U0001f1ee"):
        assert any(cluster in chunk["content"] for chunk in chunks)


def test_a17_invisible_text_makes_no_chunk() -> None:
    for blank in ("\n\n \t\n", "", "\u200b\ufeff", "\x00\x07", "\u3164\u2800\ufe0f"):
        with pytest.raises(InvalidParameter, match="content too small to chunk") as caught:
            rows(blank)
        assert caught.value.sqlstate == "22023"
    text = "# A\n\n# B\n\n\u200b\ufeff\n\n# C\nreal words here"
    for mode, size in itertools.product(MODES, range(1, 12)):
        assert_sound(text, rows(text, mode, size, None, 0))
    assert [row["content"] for row in rows("x")] == ["x"]


@pytest.mark.parametrize("windowed", [False, True])
def test_a18_text_without_spaces_is_cut(windowed: bool) -> None:
    text = "倉庫の鍵は青い箱にあります" * 60
    window = byte_window(128) if windowed else None
    chunks = rows(text, "word", 50, window=window)
    assert_sound(text, chunks)
    assert gaps(text, chunks) == ""
    assert max(len(chunk["content"]) for chunk in chunks) <= (128 // 3 if windowed else 50)


A20 = {
    "one line": "x" * 2_000_000,
    "encoded": "".join(chr(ord("A") + number * number % 58) for number in range(1_000_000)),
    "short words": "a " * 500_000,
    "ideographs": "倉庫の鍵は青い箱にあります" * 40_000,
    "stacked marks": "a" + "\u0301" * 500_000,
    "flags": "\U0001f1eb\U0001f1ee" * 250_000,
    "zeros": "\x00" * 300_000 + "a" + "\x00" * 300_000,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", A20)
def test_a20_long_runs(name: str, mode: str) -> None:
    text = A20[name]
    for chunk in (chunks := rows(text, mode)):
        assert chunk["content"] == text[chunk["start_offset"] : chunk["end_offset"]]
        if name != "zeros":
            assert len(chunk["content"]) <= 200 * LONGEST_WORD
    assert gaps(text, chunks).strip() == ""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [None, 5_000])
@pytest.mark.parametrize("name", A20)
def test_a20_tokenised_text_grows_linearly(name: str, size: int | None, mode: str) -> None:
    """Whatever size is asked for, each character is tokenised a few times at most."""
    text = f"a{A20[name][-30_000:]}"
    window = word_window(256)
    assert_sound_quickly(text, rows(text, mode, size, window=window), window)
    assert window.characters <= 8 * len(text)


def assert_sound_quickly(text: str, chunks: list[dict[str, Any]], window: TokenWindow) -> None:
    for chunk in chunks:
        assert chunk["content"] == text[chunk["start_offset"] : chunk["end_offset"]]
        assert chunk["token_count"] == window.count(chunk["content"]) <= window.capacity


def test_a20_blank_lines_only() -> None:
    with pytest.raises(InvalidParameter):
        rows("\n" * 300_000)
