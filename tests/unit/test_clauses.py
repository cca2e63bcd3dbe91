"""Contracts are divided at their numbered clauses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.chunking import clauses
from ragsql_engine.chunking.nodes import Hints, Node
from unit.node_views import Reader, contents, every

_READER = Reader(clauses.parse)
parse, paths = _READER.parse, _READER.paths


def clause(text: str, *path: str) -> Node:
    return next(node for node in every(parse(text)) if node.path == path)


CONTRACT = """\
SUPPLY AGREEMENT

This Agreement is made on 3 May 2024 between Quarry Ltd and
Mason GmbH.

TABLE OF CONTENTS
Article I Definitions 1
Article II Supply 4
Article III Termination 9
1.1 Terms ............ 2
Schedule A
Schedule B

ARTICLE I
DEFINITIONS

1.1 Terms. In this Agreement, subject to section
3.2 below, the following have these meanings:

(a) "Stone" means granite in blocks of at least
3.5 cubic metres, of which in
2021 was sold:
    (i) the grey kind; or
    (ii) the red kind.
(b) "Fee" means 5 million euro.

1.2 Interpretation
Headings do not matter.

ARTICLE II
Supply

2.1 Scope

Mason shall deliver the Stone. The steps are:
1. break it
2. load it
3. bring it
2.2 Price. As set out in Schedule A, and
Article III shall not change it.

12

2.4 Delay
(a) Mason tells Quarry at once.
(b) Quarry may wait.

ARTICLE III. TERMINATION

Section 3.1 Notice. Either party may end this Agreement.
Section 3.2 Effect of Notice

What was paid stays paid.

SCHEDULE A - Prices

1. Grey stone
100 euro.

2. Red stone
120 euro.

SCHEDULE B
Part A
1. Place
"""


def test_a_contract() -> None:
    assert paths(CONTRACT) == [
        ("ARTICLE I DEFINITIONS",),
        ("ARTICLE I DEFINITIONS", "1.1 Terms"),
        ("ARTICLE I DEFINITIONS", "1.2 Interpretation"),
        ("ARTICLE II Supply",),
        ("ARTICLE II Supply", "2.1 Scope"),
        ("ARTICLE II Supply", "2.2 Price"),
        ("ARTICLE II Supply", "2.4 Delay"),
        ("ARTICLE III TERMINATION",),
        ("ARTICLE III TERMINATION", "Section 3.1 Notice"),
        ("ARTICLE III TERMINATION", "Section 3.2 Effect of Notice"),
        ("SCHEDULE A Prices",),
        ("SCHEDULE A Prices", "1. Grey stone"),
        ("SCHEDULE A Prices", "2. Red stone"),
        ("SCHEDULE B", "Part A", "1. Place"),
    ]


def test_what_stands_before_the_first_clause_is_prose() -> None:
    before = [node for node in parse(CONTRACT) if node.path is None]
    assert {(node.kind, node.alone) for node in before} == {("prose", False)}
    assert contents(CONTRACT, before)[0] == "SUPPLY AGREEMENT"
    assert CONTRACT[before[-1].start : before[-1].end].startswith("TABLE OF CONTENTS")


def test_an_article_of_clauses_is_never_whole() -> None:
    article = clause(CONTRACT, "ARTICLE I DEFINITIONS")
    assert (article.kind, article.alone, article.whole) == ("clause", True, False)
    first, second = article.parts()
    assert first.start == article.start == CONTRACT.index("ARTICLE I\nDEF")
    assert contents(CONTRACT, first.parts())[0] == "ARTICLE I\nDEFINITIONS"
    assert (second.whole, second.alone) == (True, True)
    assert contents(CONTRACT, second.parts()) == ["1.2 Interpretation", "Headings do not matter."]


def test_items_by_letter_are_parts_of_their_clause() -> None:
    terms = clause(CONTRACT, "ARTICLE I DEFINITIONS", "1.1 Terms")
    _, text, stone, fee = terms.parts()
    assert CONTRACT[text.start : text.end].startswith("1.1 Terms. In this")
    assert CONTRACT[fee.start : fee.end] == '(b) "Fee" means 5 million euro.'
    own, *kinds = stone.parts()
    assert contents(CONTRACT, kinds) == ["(i) the grey kind; or", "(ii) the red kind."]
    assert stone.context == CONTRACT[own.start : own.end].splitlines()[0]
    assert terms.context.endswith("the following have these meanings:")


def test_a_list_inside_a_clause_is_none_of_clauses() -> None:
    scope = clause(CONTRACT, "ARTICLE II Supply", "2.1 Scope")
    assert contents(CONTRACT, scope.parts())[-3:] == ["1. break it", "2. load it", "3. bring it"]


def test_levels_of_decimals() -> None:
    text = "1. A\n\n1.1 B\n\n1.1.1 C\n\nc.\n\n1.1.2 D\n\nd.\n\n1.2 E\n\ne.\n\n2. F\n\nf.\n"
    assert paths(text) == [
        ("1. A",),
        ("1. A", "1.1 B"),
        ("1. A", "1.1 B", "1.1.1 C"),
        ("1. A", "1.1 B", "1.1.2 D"),
        ("1. A", "1.2 E"),
        ("2. F",),
    ]
    assert contents(text, clause(text, "1. A", "1.1 B", "1.1.1 C").parts()) == [
        "1. A",
        "1.1 B",
        "1.1.1 C",
        "c.",
    ]


def test_a_list_of_words_is_a_row_of_clauses() -> None:
    text = "1. Apples\n2. Pears\n3. Plums\n"
    assert contents(text, parse(text)) == ["1. Apples", "2. Pears", "3. Plums"]


def test_markdown_headings_without_a_number_end_a_clause() -> None:
    text = "# Deed\n\nwords\n\n## 1. Term\n\na.\n\n### Detail\n\nb.\n\n## Signed\n\nc.\n"
    assert paths(text) == [("1. Term",), ("1. Term", "Detail"), ("Signed",)]
    assert clause(text, "Signed").kind == "prose"


def test_a_markdown_heading_over_clauses_holds_them() -> None:
    text = "1. One\n\na.\n\n## Money\n\n2. Two\n\nb.\n\n3. Three\n\nc.\n"
    assert paths(text) == [("1. One",), ("Money",), ("Money", "2. Two"), ("Money", "3. Three")]


def test_an_underlined_title_is_a_heading() -> None:
    text = "1. One\n------\n\n1.1 Two\n\na.\n\n1.2 Three\n\nb.\n"
    assert paths(text) == [("1. One",), ("1. One", "1.1 Two"), ("1. One", "1.2 Three")]


def test_a_table_of_fees_is_a_table() -> None:
    text = "1. Fees\n\n| a | b |\n|---|---|\n| c | d |\n"
    (node,) = parse(text)
    assert [part.kind for part in node.parts()] == ["heading", "table"]


def test_items_begin_on_the_line_of_the_clause() -> None:
    text = "1.1 Term. (a) one;\n(b) two:\n(i) three\n(ii) four\n(c) five.\n"
    (node,) = parse(text)
    assert contents(text, node.parts()) == [
        "1.1 Term.",
        "(a) one;",
        "(b) two:\n(i) three\n(ii) four",
        "(c) five.",
    ]


def test_items_past_h_go_on_by_letter() -> None:
    text = "1. Term\n\n" + "".join(f"({letter}) words\n" for letter in "abcdefghijkl")
    (node,) = parse(text)
    assert len(node.parts()) == 13


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_a12_line_ends(newline: str) -> None:
    assert paths(CONTRACT.replace("\n", newline)) == paths(CONTRACT)


def test_a_text_without_clauses_is_divided_into_paragraphs() -> None:
    warnings: list[str] = []
    nodes = clauses.parse("one\ntwo\n\nthree\n", Hints(warn=warnings.append))
    assert [(node.start, node.end, node.kind) for node in nodes] == [
        (0, 7, "prose"),
        (9, 14, "prose"),
    ]
    assert len(warnings) == 1


_PIECES = st.sampled_from(
    (
        "1. _1.1 _1.1.1 _2. _3 _(a) _(b) _(i) _a) _- _Article 1_ARTICLE II_Section 1.1_Schedule A_§ 1"
        "_Term_TERM_text._ shall:_\n_\n_\n\n_\r\n_\r_# _## _**_.... 3_ 4_3.5 million_|_ | _、_（一）"
        "_第一条 _第二条_المادة 1_مادة ٢_أ- _제1조_附件一_\u200b_\ufeff_\u2028_\x0c_---_,"
    ).split("_")
)


@given(st.one_of(st.lists(_PIECES, max_size=60).map("".join), st.text()))
def test_nodes_tile_any_text(text: str) -> None:
    parse(text)


@given(st.recursive(st.just(()), lambda inner: st.lists(inner, max_size=4).map(tuple)))
def test_every_clause_of_a_numbered_tree_is_found(tree: tuple[object, ...]) -> None:
    lines: list[str] = []
    expected: list[tuple[int, ...]] = []

    def write(children: tuple[object, ...], number: tuple[int, ...]) -> None:
        for place, child in enumerate(children, 1):
            own = (*number, place)
            expected.append(own)
            label = ".".join(map(str, own)) + ("." if len(own) == 1 else "")
            lines.append(f"{label} Name\n\nMason shall do as it says.\n\n")
            assert isinstance(child, tuple)
            write(child, own)

    write(tree, ())
    found = [path[-1].split(" ")[0].rstrip(".") for path in paths("".join(lines))]
    assert found == [".".join(map(str, number)) for number in expected if len(number) <= 8]


@pytest.mark.parametrize("unit", ["1. a\n", "1.1.1.1.1.1.1.1 A\n", "(a) b\n(i) c\n", "Article 1\n"])
def test_depth_is_bounded(unit: str) -> None:
    parse(unit * 2000)


def test_long_work_can_be_cancelled() -> None:
    calls = []
    clauses.parse("1. a\n\nb\n\n" * 20_000, Hints(pause=lambda: calls.append(1)))
    assert len(calls) > 2
