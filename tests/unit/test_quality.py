"""How well a text is cut, counted."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine import chunking
from ragsql_engine.chunking.assessment.quality import count_document, measure, structures

MARKDOWN = """\
# Title

- Never:
  - open valve 3

  a paragraph

  ```py
  | a | b |
  |---|---|
  ```
* * *
1. one
2. two
goes on
# Heading
| a | b |
| c | d |
|---|:-:|
| 1 | 2 |
no row
a || b

````
```
- no list
````

> - quoted
> - list
>
> | x |
> |---|

in the year
1998. Then

~~~ open
- no list
"""


def quality(
    text: str,
    chunks: Sequence[str],
    size: int = 10,
    kinds: Sequence[str] | None = None,
    markdown: bool = True,
) -> dict[str, int]:
    """The counts for chunks given by what they hold, each found after the start of the last."""
    spans, start = [], 0
    for chunk in chunks:
        start = text.index(chunk, start)
        spans.append((start, start + len(chunk)))
    kinds = kinds or ["prose"] * len(spans)
    return measure(text, spans, kinds, lambda start, end: end - start, size, markdown)


def test_structures_of_markdown() -> None:
    found = structures(MARKDOWN)
    nested = MARKDOWN[MARKDOWN.index("- Never") : MARKDOWN.index("\n* * *")]
    assert [[MARKDOWN[start:end] for start, end in part] for part in found] == [
        ["```py\n  | a | b |\n  |---|---|\n  ```", "````\n```\n- no list\n````"],
        ["| a | b |\n| c | d |\n|---|:-:|\n| 1 | 2 |", "| x |\n> |---|"],
        [nested, "1. one\n2. two\ngoes on", "- quoted\n> - list"],
    ]


@pytest.mark.parametrize(
    ("text", "chunks", "count"),
    [
        ("a\n```\nx\n\ny\n```\nb", ["a", "```\nx\n\ny\n```", "b"], 0),
        ("a\n```\nx\n\ny\n```\nb", ["a\n```\nx", "y\n```\nb"], 1),
        ("a\n```\nx\n\ny\n```\nb", ["a\n```\nx\n\ny\n```\nb"], 0),
        ("a\n```\nx\n\ny\n```\nb", ["a\n```\nx", "```\nx\n\ny\n```"], 0),
        ("a\n```\nx\n\ny\n```\nb", ["a", "b"], 0),
        ("a\n```\nx\n\ny", ["a\n```\nx", "y"], 0),
        ("```\na\n```\n```\nb\n```", ["```\na", "b\n```"], 2),
    ],
)
def test_split_fences(text: str, chunks: list[str], count: int) -> None:
    assert quality(text, chunks)["split_fences"] == count
    assert quality(text, chunks, markdown=False)["split_fences"] == 0


def test_split_tables() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    text = f"before\n\n{table}\n\nafter"
    assert quality(text, ["before", table, "after"])["split_tables"] == 0
    cut = ["before\n\n| a | b |\n|---|---|", "| 1 | 2 |\n\nafter"]
    assert quality(text, cut)["split_tables"] == 1
    assert quality(text, cut, markdown=False)["split_tables"] == 0


@pytest.mark.parametrize(
    ("chunks", "count"),
    [
        (["- one\n- two words\n  - deep", "end"], 0),
        (["- one", "- two words\n  - deep", "end"], 1),
        (["- one\n- two", "words\n  - deep", "end"], 1),
        (["- one\n- two words", "- deep", "end"], 1),
        (["end"], 0),
    ],
)
def test_cut_lists(chunks: list[str], count: int) -> None:
    text = "- one\n- two words\n  - deep\n\nend"
    assert quality(text, chunks)["cut_lists"] == count
    assert quality(text, chunks, markdown=False)["cut_lists"] == 0


@pytest.mark.parametrize(
    ("text", "chunks", "count"),
    [
        ("One. Two three. Four", ["One.", "Two three.", "Four"], 0),
        ("One. Two three. Four", ["One. Two", "three. Four"], 1),
        ("One. Two three. Four", ["One. ", "Two three. Four"], 0),
        ("One, Dr. Two. Three", ["One, Dr.", "Two."], 1),
        ("# Head\nOne two", ["# Head", "One two"], 0),
        ("# Head two\nOne two", ["# Head", "two\nOne two"], 1),
        ("Head\n====\nOne", ["Head\n====", "One"], 0),
        ("First\n- one\n- two", ["First", "- one", "- two"], 0),
        ("First\n\nNext", ["First", "Next"], 0),
        ("First\nNext", ["First", "Next"], 1),
        ("First\r\n- one\r\n- two", ["First", "- one", "- two"], 0),
    ],
)
def test_cut_sentences(text: str, chunks: list[str], count: int) -> None:
    assert quality(text, chunks)["cut_sentences"] == count
    assert quality(text, chunks, kinds=["code"] * len(chunks))["cut_sentences"] == 0


def test_sizes_within_half() -> None:
    text = "x" * 100
    spans = [(0, length) for length in (4, 5, 10, 15, 16)]
    counts = measure(text, spans, ["prose"] * 5, lambda start, end: end - start, 10)
    assert (counts["chunks"], counts["within_size"]) == (5, 3)


def test_coverage_counts_overlaps_once_and_no_white_space() -> None:
    text = "ab \u3000cd\n\n\tef\u00a0gh"
    counts = measure(text, [(9, 11), (0, 3), (1, 6), (1, 2)], ["code"] * 4, lambda *_: 1, 1)
    assert (counts["characters_covered"], counts["characters_total"]) == (6, 8)
    assert measure(text, [], [], lambda *_: 1, 1)["characters_covered"] == 0


def test_nothing_is_cut_where_there_are_no_chunks() -> None:
    counts = quality(MARKDOWN, [])
    assert counts.pop("characters_total") > 0
    assert set(counts.values()) == {0}


MARKDOWN_PIECES = st.sampled_from(
    [*"`~|-*#>1.a é", "```", "~~~", "\n", "\n\n", "\r\n", "\r", "\t", "- a", "1. b", "|-|", "Dr. "]
)
TEXTS = st.lists(MARKDOWN_PIECES, max_size=60).map("".join)


@given(TEXTS, st.data())
def test_any_spans_are_counted(text: str, data: st.DataObject) -> None:
    offset = st.integers(0, len(text))
    spans = data.draw(st.lists(st.tuples(offset, offset).map(lambda span: (min(span), max(span)))))
    counts = measure(
        text, spans, ["list"] * len(spans), lambda start, end: end - start, 5, markdown=True
    )
    inside = {position for span in spans for position in range(*span)}
    visible = {position for position, char in enumerate(text) if not char.isspace()}
    assert counts["chunks"] == len(spans)
    assert counts["characters_covered"] == len(inside & visible)
    assert counts["characters_total"] == len(visible)
    assert counts["cut_sentences"] <= len(spans)
    assert counts["within_size"] == sum(5 <= 2 * (end - start) <= 15 for start, end in spans)


@given(TEXTS, st.integers(1, 9))
def test_line_ends_make_no_difference(text: str, size: int) -> None:
    text = text.replace("\r", "\n")
    spans = [(start, start + size) for start in range(0, len(text) - size, size)]
    kinds = ["list"] * len(spans)
    counts = [
        measure(changed, spans, kinds, lambda start, end: end - start, size, markdown=True)
        for changed in (text, text.replace("\n", "\r"))
    ]
    assert counts[0] == counts[1]


@given(TEXTS)
def test_the_whole_text_in_one_chunk_is_not_cut(text: str) -> None:
    counts = measure(text, [(0, len(text))], ["prose"], lambda start, end: 1, 1, markdown=True)
    cuts = [counts[name] for name in counts if name.startswith(("split", "cut"))]
    assert cuts == [0, 0, 0, 0]
    assert counts["characters_covered"] == counts["characters_total"]


@given(TEXTS.map(lambda text: text.replace("\r\n", " \n").replace("\r", "\n")))
def test_structures_are_ordered_and_trimmed(text: str) -> None:
    for ranges in structures(text):
        position = 0
        for start, end in ranges:
            assert position <= start < end <= len(text)
            assert text[start:end].strip() == text[start:end]
            position = end


def test_a_document_is_measured_in_the_unit_of_its_strategy() -> None:
    text = "one two three four. " * 3
    spans = [(0, 19), (20, 39), (40, 59)]
    arguments = text, spans, ["prose"] * 3
    plan = chunking.plan("word", 4, 0)
    assert count_document(*arguments, [None] * 3, plan, None)["within_size"] == 3
    plan = chunking.plan("word", 40, 0)
    assert count_document(*arguments, [None] * 3, plan, None)["within_size"] == 0
    assert count_document(*arguments, [4, 5, 2], plan, 8)["within_size"] == 2, "the window is full"
    plan = chunking.plan("token", 4, 0)
    assert count_document(*arguments, [2, 6, 7], plan, None)["within_size"] == 2
    plan = chunking.plan("semantic", 20, 0)
    assert count_document(*arguments, [None] * 3, plan, None)["within_size"] == 3


def test_markdown_is_recognised_whatever_the_strategy() -> None:
    text = "# Title\n\nSome text here.\n\n```py\nx = 1\n\ny = 2\n```\n\n## More\n\n- a\n- b\n"
    cut = text.index("y = 2")
    arguments = text, [(0, cut), (cut, len(text))], ["prose"] * 2, [None] * 2
    for strategy in ("word", "markdown"):
        assert count_document(*arguments, chunking.plan(strategy), None)["split_fences"] == 1


@pytest.mark.parametrize(
    "text",
    [
        sign * 50_000
        for sign in ("```\n", "- a\n", "|\n|-\n", "- ", ">", "`", "x\n\n", "word ", "2. b\n")
    ],
    ids=lambda text: repr(text[:5]),
)
def test_hostile_text_is_read_in_one_pass(text: str) -> None:
    spans = [(start, start + 500) for start in range(0, len(text) - 500, 500)]
    counts = measure(
        text, spans, ["prose"] * len(spans), lambda start, end: end - start, 500, markdown=True
    )
    assert counts["chunks"] == counts["within_size"] == len(spans)
