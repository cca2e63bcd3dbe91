"""Passages are exact, ordered, complete and within bounds, on any text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine import chunking
from ragsql_engine.chunking.clusters import is_boundary
from ragsql_engine.chunking.rulers.word import LONGEST_WORD
from ragsql_engine.errors import InvalidParameter
from ragsql_engine.session import Engine
from ragsql_engine.visibility import is_visible
from support.paths import SHARED
from unit.chunk_checks import MODES, PARSED, assert_sound, gaps, rows
from unit.stand_ins import byte_window

TOKENS = ["token", "documentation", "schemas", "deployments"]
INVISIBLE = {code: "" for code in range(0x110000) if not is_visible(chr(code))}

CORPORA = SHARED / "data" / "chunking" / "corpora"

# Words, white space of every kind, emoji sequences, flags, marks, scripts without spaces,
# zero-width and control characters, and whatever else hypothesis finds.
PIECES = st.one_of(
    st.sampled_from(
        [
            *("la", "Extraordinarily", "x" * 130, " ", "  ", "\t", "\n", "\r\n", "\r", "\u00a0"),
            *("e\u0301", "\U0001f469\u200d\U0001f692", "\U0001f1eb\U0001f1ee", "\u1100\u1161"),
            *("倉庫の鍵", "は青い。", "\u0e01\u0e33", "\u200b", "\ufeff", "\x00", "\x07", "—", "ﷺ"),
        ]
    ),
    st.text(max_size=6),
)
# What structure is made of, so that every strategy finds some.
MARKS = st.sampled_from(
    [
        *("# One\n", "## Two ##\n", "```\n", "~~~ py\n", "- item\n", "  - child\n", "1. first\n"),
        *("| a | b |\n", "|---|---|\n", "> quoted\n", "---\n", "<div>\n", "\n\n", "    code\n"),
        *(
            "def f(x):\n",
            "class A:\n",
            "    return 1\n",
            "{",
            "}",
            ";\n",
            "import os\n",
            "# note\n",
        ),
        *('"key": ', "[", "]", ", ", "key: value\n", "  - name: x\n", "{{ tpl }}\n", "1.1 Term\n"),
        *("Article 2 Notice\n", "(a) one\n", "A sentence ends. ", "قال المدير. ", "هل وصلت؟ "),
    ]
)
TEXTS = st.lists(PIECES | MARKS, max_size=60).map("".join).filter(is_visible)


@given(TEXTS, st.sampled_from(MODES), st.integers(1, 40), st.data())
def test_every_character_is_in_some_chunk(
    text: str, mode: str, size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    least = data.draw(st.sampled_from([None, 0, 1, 20, 200]))
    chunks = rows(text, mode, size, overlap, least)
    assert_sound(text, chunks)
    assert gaps(text, chunks).strip() == ""


@given(TEXTS, st.sampled_from([*MODES, *TOKENS]), st.integers(1, 400), st.data())
def test_every_chunk_fits_the_window(text: str, mode: str, size: int, data: st.DataObject) -> None:
    window = byte_window(64)
    chunks = rows(text, mode, size, data.draw(st.integers(0, size - 1)), window=window)
    assert_sound(text, chunks)
    assert not is_visible(gaps(text, chunks))
    for chunk in chunks:
        assert chunk["token_count"] == len(chunk["content"].encode())
        assert len((chunk["embed_text"] or chunk["content"]).encode()) <= window.capacity


@given(TEXTS, st.sampled_from(PARSED), st.integers(1, 60), st.data())
def test_no_chunk_is_larger_than_asked(
    text: str, mode: str, size: int, data: st.DataObject
) -> None:
    overlap, least = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, 30))
    chunks = rows(text, mode, size, overlap, least)
    for chunk in chunks:
        visible = chunk["content"].translate(INVISIBLE)
        assert len(visible) <= max(size + least, least)


@given(TEXTS, st.sampled_from(TOKENS), st.integers(1, 60), st.data())
def test_no_chunk_has_more_tokens_than_asked(
    text: str, mode: str, size: int, data: st.DataObject
) -> None:
    least = data.draw(st.integers(0, 30))
    for chunk in rows(text, mode, size, None, least, window=byte_window(4096)):
        visible = chunk["content"].translate(INVISIBLE)
        assert len(visible.encode()) <= max(size, 4) + 4 * least


@given(st.lists(st.sampled_from(["la", "Bo", "vole", "\n", " "]), max_size=80), st.integers(1, 9))
def test_size_bound(pieces: list[str], size: int) -> None:
    text = " ".join(["So", *pieces])
    for chunk in rows(text, "word", size, None, 0):
        assert len(chunk["content"].split()) <= size
    for chunk in rows(text, "character", size, None, 0):
        assert chunk["end_offset"] - chunk["start_offset"] <= size


@given(st.text("ab \n", min_size=1).filter(is_visible), st.integers(1, 50), st.integers(0, 60))
def test_a_tail_below_the_minimum_joins_its_neighbour(text: str, size: int, least: int) -> None:
    chunks = rows(text, "character", size, 0, least)
    assert_sound(text, chunks)
    lengths = [chunk["end_offset"] - chunk["start_offset"] for chunk in chunks]
    assert len(chunks) == 1 or lengths[-1] >= min(least, size)
    assert max(lengths) <= size + least


def test_a_tail_that_does_not_fit_the_window_repeats_some_text() -> None:
    text = " ".join(f"w{number:03}" for number in range(13))
    spans = [
        (chunk["start_offset"], chunk["end_offset"])
        for chunk in rows(text, "word", 6, 0, 10, window=byte_window())
    ]
    assert spans == [(0, 29), (30, 59), (50, 64)]


def test_a_text_below_the_minimum_is_one_chunk() -> None:
    assert [row["content"] for row in rows("a b c d", "word", 1)] == ["a b c d"]


def test_overlap_shrinks_with_the_chunk() -> None:
    """A chunk that the window cuts to a third keeps a third of the overlap asked for."""
    text = " ".join(["word"] * 60)
    chunks = rows(text, "word", 18, 6, window=byte_window())
    assert [chunk["start_offset"] for chunk in chunks[:3]] == [0, 20, 40]
    assert chunks[0]["end_offset"] == 29


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        *(("word", "word"), ("words", "word"), ("character", "character"), ("char", "character")),
        *(("chars", "character"), ("semantic", "semantic"), ("sentence", "semantic")),
        *(
            ("paragraph", "semantic"),
            ("token", "token"),
            ("markdown", "markdown"),
            ("code", "code"),
        ),
        *(("json", "json"), ("jsonl", "json"), ("yaml", "json"), ("clause", "clause")),
        *(("auto", "auto"), ("documentation", "documentation"), ("schemas", "schemas")),
        ("deployments", "deployments"),
    ],
)
def test_names_of_strategies(name: str, strategy: str) -> None:
    assert chunking.find_strategy(name).name == strategy


def test_unknown_strategy_names_the_valid_ones() -> None:
    with pytest.raises(InvalidParameter) as caught:
        chunking.plan("sentnce")
    assert caught.value.sqlstate == "22023"
    for strategy in chunking.STRATEGIES:
        assert strategy.name in str(caught.value.hint)


def test_defaults() -> None:
    for name, expected in {
        None: (200, 50, 20),
        "char": (500, 100, 20),
        "semantic": (500, 0, 20),
        "documentation": (1024, 256, 20),
        "schemas": (512, 128, 20),
        "deployments": (2048, 512, 20),
    }.items():
        plan = chunking.plan(name)
        assert (plan.chunk_size, plan.overlap, plan.min_chunk_size) == expected
    assert chunking.plan("word", 40).overlap == 10


def test_lines_are_physical_lines() -> None:
    text = "one\ntwo\r\nthree\rfour\u2028still four\n"
    assert [(row["start_line"], row["end_line"]) for row in rows(text, "word", 1, None, 0)] == [
        (1, 1),
        (2, 2),
        (3, 3),
        (4, 4),
        (4, 4),
        (4, 4),
    ]


def test_row_has_the_columns_of_text_chunk() -> None:
    assert list(rows("real words here")[0]) == [
        *("chunk_index", "content", "start_offset", "end_offset", "start_line", "end_line"),
        *("heading", "section_start", "section_end", "kind", "token_count", "value", "embed_text"),
    ]


def test_negative_minimum_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="min_chunk_size is -1"):
        chunking.plan(min_chunk_size=-1)


def test_a_long_word_is_cut_between_clusters() -> None:
    text = "ก" + "e\u0301" * 500
    chunks = rows(text, "word", 1, 0, 0)
    assert_sound(text, chunks)
    assert all(is_boundary(text, chunk["end_offset"]) for chunk in chunks)
    assert max(len(chunk["content"]) for chunk in chunks) <= LONGEST_WORD


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "name", ["chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts"]
)
def test_real_documents(
    name: str, mode: str, real_engine: Engine, real_model: dict[str, Any]
) -> None:
    file = CORPORA / f"{name}.md"
    if not file.exists():
        pytest.skip("the folder `shared` with its documents is not beside the checkout")
    text = file.read_text("utf-8")[:100_000]
    chunks = real_engine.chunk(text, mode, None, None, None, real_model)
    assert_sound(text, chunks)
    assert gaps(text, chunks).strip() == ""
    assert max(chunk["token_count"] for chunk in chunks) <= real_model["max_tokens"] - 2
