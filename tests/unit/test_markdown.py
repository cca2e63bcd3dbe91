"""The sections of Markdown, and nothing of it lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ragsql_engine.chunking import markdown
from ragsql_engine.chunking.nodes import Hints
from ragsql_engine.visibility import is_visible
from unit.node_views import Reader, contents, every

_READER = Reader(markdown.parse)
parse, paths = _READER.parse, _READER.paths


def path_of(text: str, words: str) -> tuple[str, ...] | None:
    """The path of the innermost section that holds `words`."""
    at, path = text.index(words), None
    for node in every(parse(text)):
        if node.path is not None and node.start <= at < node.end:
            path = node.path
    return path


def test_a10_headings() -> None:
    text = "## C#\none\n## Rates ##\ntwo\n   ### Deep\nthree\n##\nfour\n#hashtag not a heading\n"
    assert paths(text) == [("C#",), ("Rates",), ("Rates", "Deep"), ("",)]
    assert path_of(text, "three") == ("Rates", "Deep")
    assert path_of(text, "#hashtag") == ("",)


def test_a11_nothing_is_lost_and_a_comment_in_code_is_no_heading() -> None:
    text = "# Guide\nintro words stay\n## Sub\nmore\n```py\n# comment\nx=1\n```\ntail"
    assert paths(text) == [("Guide",), ("Guide", "Sub")]
    guide, sub = parse(text)[0], parse(text)[0].parts()[-1]
    assert contents(text, guide.parts())[:2] == ["# Guide", "intro words stay"]
    assert contents(text, sub.parts(), "code") == ["```py\n# comment\nx=1\n```"]
    assert path_of(text, "tail") == ("Guide", "Sub")


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_a12_line_ends(newline: str) -> None:
    text = "# One\nalpha\n\n## Two\nbeta\n".replace("\n", newline)
    assert paths(text) == [("One",), ("One", "Two")]
    assert contents(text, parse(text)) == [text.rstrip()]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_a12_any_line_end_is_a_line_end(newline: str) -> None:
    text = "```\n# a\n```\n# B\nx\n\n<!--\n# c\n-->\n# D\nx\n\n|a|\n|-|\n|b|\n\n- x\n- y\n\nE\n=\nx"
    alike = [(node.kind, node.path) for node in every(parse(text))]
    other = [(node.kind, node.path) for node in every(parse(text.replace("\n", newline)))]
    assert other == alike


def test_a14_front_matter_is_a_node_of_its_own() -> None:
    text = "---\ntitle: Pump notes\nowner: ops\n---\n\n# Start\nbody\n"
    front, start = parse(text)
    assert (front.kind, front.alone) == ("front_matter", True)
    assert text[front.start : front.end] == "---\ntitle: Pump notes\nowner: ops\n---"
    assert start.path == ("Start",)
    assert paths(text) == [("Start",)]


def test_a14_a_page_may_begin_with_a_line_across() -> None:
    text = "---\n\n**Subject: hello**\n\n# Kept\n\n---\n\nend\n"
    assert contents(text, parse(text)) == ["---", "**Subject: hello**", "# Kept\n\n---\n\nend"]
    assert paths(text) == [("Kept",)]


def test_a17_headings_over_nothing_go_with_what_follows() -> None:
    text = "# A\n\n# B\n\n\u200b\ufeff\n\n# C\nreal words here"
    (section,) = parse(text)
    assert section.path == ("C",)
    assert contents(text, section.parts(), "heading") == ["# A", "# B", "# C"]


def test_a_parent_without_text_begins_with_its_first_subsection() -> None:
    text = "# Guide\n## Install\nfirst\n## Use\nsecond\n"
    (guide,) = parse(text)
    assert (guide.path, guide.whole, guide.alone) == (("Guide",), False, True)
    install, use = guide.parts()
    assert (install.path, use.path) == (("Guide", "Install"), ("Guide", "Use"))
    assert text[install.start : install.end] == "# Guide\n## Install\nfirst"
    assert contents(text, install.parts()) == ["# Guide", "## Install", "first"]
    assert contents(text, use.parts()) == ["## Use", "second"]
    assert install.whole and install.alone


def test_a_parent_of_one_subsection_and_nothing_else_is_that_subsection() -> None:
    (node,) = parse("# A\n## B\n### C\nwords\n")
    assert node.path == ("A", "B", "C")


def test_a_heading_over_nothing_at_the_end_stays_in_its_parent() -> None:
    text = "# A\nwords\n## Late\n# B\nwords\n## Last\n### Deeper\n"
    first, second = parse(text)
    assert contents(text, first.parts()) == ["# A", "words", "## Late"]
    assert contents(text, second.parts()) == ["# B", "words", "## Last", "### Deeper"]
    assert paths(text) == [("A",), ("B",)]


def test_a_heading_over_nothing_but_a_line_or_comment_has_no_text() -> None:
    text = "# A\n---\n# B\n<!-- note -->\n# C\nwords"
    assert paths(text) == [("C",)]


def test_headings_alone_are_plain_nodes() -> None:
    nodes = parse("# A\n\n## B\n")
    assert [(node.kind, node.path, node.alone) for node in nodes] == [("heading", None, False)] * 2


def test_text_before_the_first_heading_has_no_path() -> None:
    text = "one\n\n- two\n\n# A\nthree"
    before = parse(text)[:2]
    assert [(node.kind, node.path) for node in before] == [("prose", None), ("list", None)]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# *a* **b** `c_d` [e](f) ![g](h)", "a b c_d e g"),
        ("# a &amp; b \\# c", "a & b # c"),
        ("# a\u2028\u200b \t b", "a b"),
        ("# Use {#use-it}", "Use"),
        ("a  \nb\n===", "a b"),
        ("a\n---", "a"),
        ("# a <br> b", "a b"),
    ],
)
def test_titles(line: str, title: str) -> None:
    assert paths(f"{line}\n\nwords") == [(title,)]


def test_a_paragraph_over_dashes_is_no_title() -> None:
    text = "many words " * 40 + "\n---\nwords\n"
    assert paths(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "```\n# a\n```",
        "~~~ x\n# a\n```\n# a\n",
        "````\n```\n# a\n````",
        "text\n\n    # a\n",
        "<!-- x\n\n# a\n\n-->",
        "<div>\n# a\n</div>",
        "- a\n\n  # b\n",
        "- ```\n  # a\n  ```\n",
        "> # a\n",
        "#a",
        "####### a",
        "\\# a",
    ],
)
def test_what_is_no_heading(text: str) -> None:
    assert paths(text) == []


def test_a_byte_order_mark_hides_no_heading() -> None:
    text = "\ufeff# A\nwords"
    (section,) = parse(text)
    assert (section.start, section.path) == (0, ("A",))


def test_the_kind_of_a_section_is_that_of_most_of_its_text() -> None:
    (section,) = parse("# A\n\nwords\n\n```\n" + "code\n" * 20 + "```\n")
    assert section.kind == "code"


_PIECES = st.sampled_from(
    (
        "# _## _a_b _é_\U0001f600_\n_\n_\n\n_\r\n_\r_- _1. _> _```_~~~_    _  _\t_|---|_===_***_<!--"
        "_-->_<div>_[r]: u_[^1]: _\\_\u200b_\ufeff_\u2028_\x0c_*_`_:_---\na: b\n---\n_|_ | _| a |\n"
    ).split("_")
)
_TEXTS = st.one_of(st.lists(_PIECES, max_size=60).map("".join), st.text())


@given(_TEXTS)
def test_nodes_tile_any_text(text: str) -> None:
    parse(text)


@given(_TEXTS)
def test_a_section_has_text_besides_headings(text: str) -> None:
    for node in every(parse(text)):
        if node.path is not None and node.whole:
            parts = node.parts()
            assert any(
                part.kind != "heading" and is_visible(text, part.start, part.end) for part in parts
            )


_LINES = st.sampled_from(
    (
        "# A_## B ##_   ### C_words_more____===_---_- item_  goes on_    code_1. one_   # in the item"
        "_> quote_```_~~~_<!-- note_-->_<div>_  - inner_* * *_| a | b |_|---|---|_# C#_#tag_##"
    ).split("_")
)


@given(st.lists(_LINES, max_size=20).map("\n".join))
def test_headings_are_those_another_parser_finds(text: str) -> None:
    if text.startswith("---"):
        text = "words\n\n" + text
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    lines = [t.map[0] for t in tokens if t.type == "heading_open" and t.level == 0 and t.map]
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    found = [node.start for node in every(parse(text)) if node.kind == "heading"]
    assert [max(s for s in starts if s <= offset) for offset in found] == [
        starts[line] for line in lines
    ]


@pytest.mark.parametrize("unit", ["> ", "- ", "1. ", "> - ", "* > ", "[", "*a ", "|", "<a "])
def test_depth_is_bounded(unit: str) -> None:
    parse(unit * 3000 + "a\n" + "b\n" * 50)


def test_long_work_can_be_cancelled() -> None:
    calls = []
    markdown.parse("# a\n\nb\n\n" * 10_000, Hints(pause=lambda: calls.append(1)))
    assert len(calls) > 2
