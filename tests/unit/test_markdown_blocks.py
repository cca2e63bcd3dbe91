"""The blocks of Markdown: lists by item, tables by row, code by group of lines."""

import pytest

from ragsql_engine.chunking import markdown
from ragsql_engine.chunking.nodes import Node
from unit.node_views import Reader, contents, every

_READER = Reader(markdown.parse)
parse = _READER.parse


def only(text: str, kind: str) -> Node:
    """The first node of `kind` whose parts matter: no section."""
    return next(node for node in every(parse(text)) if node.kind == kind and node.path is None)


def test_a15_a_table_of_two_header_rows() -> None:
    rows = [f"| P{i} | {i} |" for i in range(60)]
    text = "| Part | Bar |\n| | max |\n|---|---|\n" + "\n".join(rows) + "\n"
    (table,) = parse(text)
    assert (table.kind, table.context) == ("table", "| Part | Bar | | | max |")
    header, *rest = table.parts()
    assert text[header.start : header.end] == "| Part | Bar |\n| | max |\n|---|---|"
    assert contents(text, rest, "table") == rows


def test_rows_over_a_header_leave_the_paragraph_before_them() -> None:
    text = "Sizes:\n| Part | Bar |\n| | max |\n|---|---|\n| a | b |\n"
    prose, table = parse(text)
    assert text[prose.start : prose.end] == "Sizes:"
    assert table.context == "| Part | Bar | | | max |"


def test_rows_without_a_header_are_a_table() -> None:
    text = "before\na | b\nc | d\nafter\n\na | b alone\n"
    nodes = parse(text)
    assert [node.kind for node in nodes] == ["prose", "table", "prose", "prose"]
    assert contents(text, nodes[1].parts()) == ["a | b", "c | d"]
    assert nodes[1].context == ""


def test_a_long_header_is_a_short_context() -> None:
    text = "|" + "name|" * 200 + "\n|" + "---|" * 200 + "\n|" + "a|" * 200 + "\n"
    assert len(only(text, "table").context) == 300


def test_a25_a_nested_item_lies_in_its_parent() -> None:
    text = (
        "- Never do the following:\n  - open valve 3 under load\n  - vent indoors\n"
        "- Always:\n  - wear gloves\n"
    )
    (whole,) = parse(text)
    never, always = whole.parts()
    assert (never.context, always.context) == ("- Never do the following:", "- Always:")
    own, inner = never.parts()
    assert text[own.start : own.end] == "- Never do the following:"
    assert contents(text, inner.parts()) == ["- open valve 3 under load", "- vent indoors"]
    assert {node.kind for node in every([whole])} == {"list"}


def test_an_item_holds_its_blocks() -> None:
    text = "1. one\n   goes on\nlazily\n\n   ```sh\n   # no heading\n   ```\n\n2. two\n"
    first, second = only(text, "list").parts()
    assert contents(text, first.parts()) == [
        "1. one\n   goes on\nlazily",
        "```sh\n   # no heading\n   ```",
    ]
    assert text[second.start : second.end] == "2. two"


def test_the_words_before_a_list_are_its_context() -> None:
    assert only("# A\n\nBring these:\n\n- a\n- b\n", "list").context == "Bring these:"
    assert only("# A\n\nThat is all.\n\n- a\n- b\n", "list").context == ""


def test_a_list_of_one_item_keeps_its_first_line() -> None:
    node = only("Bring:\n\n- a\n\n  b\n", "list")
    assert node.context == "Bring: - a"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_code_is_cut_at_blank_lines(newline: str) -> None:
    text = "```py\na\nb\n\nc\n\n\nd\n```\n".replace("\n", newline)
    code = only(text, "code")
    groups = [group.split() for group in contents(text, code.parts())]
    assert groups == [["```py", "a", "b"], ["c"], ["d", "```"]]


def test_an_open_fence_reaches_the_end() -> None:
    text = "~~~\na\n\n# b\n"
    (code,) = parse(text)
    assert (code.kind, code.end) == ("code", len(text) - 1)


def test_indented_code_has_no_context() -> None:
    code = only("words\n\n    a\n\n    b\n", "code")
    assert code.context == ""
    assert len(code.parts()) == 2


def test_a_quote_is_cut_at_its_blank_lines() -> None:
    text = "> a\n> b\n>\n> c\n> > d\n"
    quote = only(text, "quote")
    assert contents(text, quote.parts()) == ["> a\n> b\n>", "> c\n> > d"]


def test_other_blocks() -> None:
    text = "<div>\nx\n</div>\n\n***\n\n[r]: http://x\n\nsee [r][^1]\n\n[^1]: a note\n"
    assert [node.kind for node in parse(text)] == ["html", "prose", "prose", "prose", "prose"]


def test_deep_lists_stay_whole_below_a_depth() -> None:
    text = "".join("  " * depth + f"- item {depth}\n" for depth in range(60))
    assert any(
        not node.parts() and "item 59" in text[node.start : node.end] for node in every(parse(text))
    )
