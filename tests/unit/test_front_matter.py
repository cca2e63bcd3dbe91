"""What a document says about itself is read as plain data, or not at all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.chunking.markdown.front_matter import (
    DEEPEST,
    LONGEST,
    front_matter_end,
    metadata,
)


def test_a14_front_matter_is_metadata() -> None:
    text = "---\ntitle: Pump notes\nowner: ops\n---\n\n# Start\nbody\n"
    assert metadata(text) == {"title": "Pump notes", "owner": "ops"}
    assert front_matter_end(text) == text.index("\n\n# Start")


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n**Subject: hello**\n\n# Kept\n\n---\n\nend\n",
        "\n---\na: b\n---\n",
        " ---\na: b\n---\n",
        "----\na: b\n---\n",
        "---\na: b\n",
        "---\na: b\n ---\n",
        "---\n---\n",
        "---\n- a\n---\n",
        "---\nJust a sentence.\n---\n",
        "---\na: b\nJust a sentence.\n---\n",
        "+++\nJust a sentence.\n+++\n",
        "",
        "---",
    ],
)
def test_a14_a_line_across_is_no_front_matter(text: str) -> None:
    assert metadata(text) == {}
    assert front_matter_end(text) == 0


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("close", ["---", "...", "---  "])
def test_line_ends_marks_and_closings(newline: str, mark: str, close: str) -> None:
    text = mark + newline.join(["---", "a: b", close, "text"])
    assert metadata(text) == {"a": "b"}
    assert text[front_matter_end(text) :] == f"{newline}text"


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("1", 1),
        ("-12", -12),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ("[a, 2, [true]]", ["a", 2, [True]]),
        ("{a: {b: 1}}", {"a": {"b": 1}}),
        ("|\n  one\n  two\n", "one\ntwo\n"),
        ("2024-01-05", "2024-01-05"),
        ("2024-1-5", "2024-01-05"),
        ("2024-01-05 10:00:00", "2024-01-05T10:00:00"),
        ("2024-01-05T10:00:00Z", "2024-01-05T10:00:00+00:00"),
    ],
)
def test_values(yaml: str, value: Any) -> None:
    assert metadata(f"---\nkey: {yaml}\n---\n") == {"key": value}


@pytest.mark.parametrize(
    "written",
    [".nan", ".inf", "-.inf", "1e999", "no", "on", "12:30", "007", "2024-13-45", "0x1F", "9" * 19],
)
def test_what_fits_no_type_stays_as_written(written: str) -> None:
    assert metadata(f"---\nkey: {written}\n---\n") == {"key": written}


def test_keys_are_text() -> None:
    text = "---\n1: a\ntrue: b\n2024-1-5: c\n? d\n: e\n---\n"
    assert metadata(text) == {"1": "a", "true": "b", "2024-1-5": "c", "d": "e"}


def test_what_a_database_cannot_store_is_left_out() -> None:
    assert metadata('---\n"k\\0": "a\\0b"\n---\n') == {"k": "ab"}


@pytest.mark.parametrize(
    "yaml",
    [
        "a: &x [1]\nb: *x",
        "a: &x 1",
        "a: !thing 1",
        "a: !!python/object/apply:os.system ['true']",
        "a: " + "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
        "a: " + "[" * 60_000,
        "? [a]\n: b",
        "title: One: two",
        "title: {{ name }}",
    ],
)
def test_what_is_no_plain_data_gives_no_metadata(yaml: str) -> None:
    assert metadata(f"---\n{yaml}\n---\n# Heading\n") == {}


@pytest.mark.parametrize("yaml", ["title: One: two\nby: me", "a: &x 1", "# note\nt: {{ x }}\n- a"])
def test_front_matter_that_fails_by_its_values_is_still_no_text(yaml: str) -> None:
    text = f"---\n{yaml}\n---\ntext"
    assert text[front_matter_end(text) :] == "\ntext"


def test_toml_is_front_matter_but_not_read() -> None:
    text = '+++\ntitle = "a"\n[extra]\nlist = [\n  1,\n]\n+++\ntext'
    assert metadata(text) == {}
    assert text[front_matter_end(text) :] == "\ntext"


def test_size_is_bounded() -> None:
    assert front_matter_end("---\n" + "a: b\n" * (LONGEST // 5 - 1) + "---\n") > 0
    assert front_matter_end("---\n" + "a: b\n" * (LONGEST // 5 + 1) + "---\n") == 0


_YAML = st.lists(
    st.sampled_from(
        [
            "a: ",
            "b:",
            "- ",
            "[",
            "]",
            "{",
            "}",
            "&x",
            "*x",
            "!t",
            "'",
            '"',
            "|",
            "\n",
            "  ",
            "1",
            "#",
        ]
    )
).map("".join)


@given(st.one_of(st.text(), _YAML))
def test_never_raises_and_is_json(body: str) -> None:
    text = f"---\n{body}\n---\n"
    value = metadata(text)
    assert "\x00" not in json.dumps(value, allow_nan=False, ensure_ascii=False)
    assert 0 <= front_matter_end(text) <= len(text)
    assert metadata(body) == {} or body.startswith(("---", "\ufeff---"))
