"""Which lines begin a clause, and what it is called."""

import pytest

from ragsql_engine.chunking import clauses
from ragsql_engine.chunking.clauses.sequence import follows
from unit.node_views import Reader, contents

_READER = Reader(clauses.parse)
parse, paths = _READER.parse, _READER.paths


def names(text: str) -> list[str]:
    return [path[-1] for path in paths(text)]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Article 1", "Article 1"),
        ("Article 1 Termination", "Article 1 Termination"),
        ("Article 1: Termination", "Article 1 Termination"),
        ("Article 1 – Termination", "Article 1 Termination"),
        ("ARTICLE I.", "ARTICLE I"),
        ("Article One Term", "Article One Term"),
        ("Section A Term", "Section A Term"),
        ("Clause 1 Term", "Clause 1 Term"),
        ("Schedule A", "Schedule A"),
        ("Annex 1", "Annex 1"),
        ("Exhibit B - Form", "Exhibit B Form"),
        ("§ 1 Geltung", "§ 1 Geltung"),
        ("§1", "§1"),
        ("Art. 1 Zweck", "Art. 1 Zweck"),
        ("Artikel 1 Zweck", "Artikel 1 Zweck"),
        ("Article 1er Objet", "Article 1er Objet"),
        ("Artículo 1º Objeto", "Artículo 1º Objeto"),
        ("1. Term", "1. Term"),
        ("1) Term", "1) Term"),
        ("1 Term", "1 Term"),
        ("1.1 Term", "1.1 Term"),
        ("1.1. Term", "1.1. Term"),
        ("1.1", "1.1"),
        ("1.0 Term", "1.0 Term"),
        ("## 1. Term", "1. Term"),
        ("## 1. Term ##", "1. Term"),
        ("**1.1** Term", "1.1 Term"),
        ("**1.1 Term**", "1.1 Term"),
        ("**Article 1. Term.**", "Article 1 Term"),
        ("1. Term.", "1. Term"),
        ("1. TERM:", "1. TERM"),
        ("1. Notice Of Delay. Mason shall write.", "1. Notice Of Delay"),
        ("1. Mason shall write.", "1"),
        ("1. mason writes", "1"),
        ("1. " + "Word " * 30, "1"),
        ("المادة 1", "المادة 1"),
        ("المادة ١: التعريفات", "المادة ١ التعريفات"),
        ("مادة (1) التعريفات", "مادة (1) التعريفات"),
        ("المادة الأولى", "المادة الأولى"),
        ("المادة الاولى", "المادة الاولى"),
        ("الملحق رقم (1)", "الملحق رقم (1)"),
        ("١- الثمن", "١ الثمن"),
        ("第一条", "第一条"),
        ("第一条　定义", "第一条 定义"),
        ("第1章 总则", "第1章 总则"),
        ("第一条（目的）", "第一条 目的"),
        ("第一条（目的）この契約は、目的を定める。", "第一条 目的"),
        ("附件一 清单", "附件一 清单"),
        ("一、定义", "一、定义"),
        ("제1조 (목적) 이 계약은 목적을 정한다.", "제1조 목적"),
    ],
)
def test_labels(line: str, name: str) -> None:
    assert names(f"before.\n\n{line}\n\nSome text of it. And more!\n") == [name]


@pytest.mark.parametrize(
    "line",
    [
        "3.5 million euro",
        "1.5 million euro",
        "2021 was a year",
        "1 apple",
        "1",
        "12",
        "1.1.2024",
        "1,000 euro",
        "1.1% of it",
        "Article 1 of the Treaty applies.",
        "Section 1, which is long",
        "Article 1.",
        "Part of it",
        "Section",
        "§",
        "1. Definitions ........ 3",
        "1. Definitions\t3",
        "Article 1 Definitions      12",
        "1. [Definitions](#definitions)",
        "第一",
        "一二三",
        "المادة",
    ],
)
def test_what_is_no_clause(line: str) -> None:
    expected = ["Article 1"] if line == "Article 1." else []
    assert names(f"before.\n\n{line}\n\nSome text.\n") == expected


@pytest.mark.parametrize("line", ["as set out in section", "see Article 3 and", "first,", "§"])
def test_a_number_that_a_sentence_goes_on_with_is_no_clause(line: str) -> None:
    assert names(f"1.1 One\n\ntext, {line}\n1.2 Two\n\ntext\n") == ["1.1 One"]


def test_a_number_out_of_row_is_no_clause() -> None:
    text = "1. One\n\ntext\n\n3.7 Three\n\ntext\n\n2. Two\n\ntext\n\n9. Nine\n\ntext\n"
    assert names(text) == ["1. One", "2. Two"]


def test_a_document_may_begin_in_the_middle() -> None:
    text = "7.2 Two\n\ntext\n\n7.3 Three\n\ntext\n\n8. Eight\n\ntext\n"
    assert paths(text) == [("7.2 Two",), ("7.3 Three",), ("8. Eight",)]


def test_deleted_clauses_may_be_missing() -> None:
    text = "1.1 One\n\na\n\n1.5 Five\n\nb\n\n1.6 Six\n\nc\n"
    assert names(text) == ["1.1 One", "1.5 Five", "1.6 Six"]


def test_articles_may_be_inserted() -> None:
    text = "Article 5 One\n\na\n\nArticle 5A Two\n\nb\n\nArticle 6 Three\n\nc\n"
    assert names(text) == ["Article 5 One", "Article 5A Two", "Article 6 Three"]


def test_articles_may_start_again_in_each_part() -> None:
    text = (
        "".join(f"Part {part}\n\nArticle {i} Name\n\ntext\n\n" for part in "AB" for i in (1, 2))
        .replace("Part A\n\nArticle 2", "Article 2")
        .replace("Part B\n\nArticle 2", "Article 2")
    )
    assert paths(text) == [
        ("Part A",),
        ("Part A", "Article 1 Name"),
        ("Part A", "Article 2 Name"),
        ("Part B",),
        ("Part B", "Article 1 Name"),
        ("Part B", "Article 2 Name"),
    ]


def test_letters_and_roman_numerals_are_told_apart() -> None:
    schedules = [f"Schedule {letter}\n\ntext\n\n" for letter in "ABCDEFGHIJ"]
    assert len(paths("".join(schedules))) == 10
    articles = [f"ARTICLE {n}\n\ntext.\n\n" for n in "I II III IV V VI VII VIII IX X XI".split()]
    assert len(paths("".join(articles))) == 11


def test_what_holds_what_is_the_order_of_the_document() -> None:
    text = "Section 1\n\nArticle 1\n\na.\n\nArticle 2\n\nb.\n\nSection 2\n\nArticle 3\n\nc.\n"
    assert paths(text) == [
        ("Section 1",),
        ("Section 1", "Article 1"),
        ("Section 1", "Article 2"),
        ("Section 2", "Article 3"),
    ]


def test_contents_that_stand_twice_are_no_clauses() -> None:
    entries = "1. One\n2. Two\n3. Three\n"
    text = f"Contents\n{entries}\n1. One\n\na.\n\n2. Two\n\nb.\n\n3. Three\n\nc.\n"
    assert names(text) == ["1. One", "2. Two", "3. Three"]
    assert contents(text, parse(text))[0] == f"Contents\n{entries}".strip()


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((4, 2), (4, 3), True),
        ((4, 2), (4, 2, 1), True),
        ((4, 2), (5,), True),
        ((4, 2), (5, 1), True),
        ((4, 2), (5, 0), True),
        ((4, 2, 9), (4, 3), True),
        ((4, 2), (4, 4), False),
        ((4, 2), (4, 2), False),
        ((4, 2), (6,), False),
        ((4, 2), (5, 2), False),
        ((4, 2), (4, 2, 2), False),
        ((4, 2), (4,), False),
        ((4,), (5,), True),
        ((4,), (3,), False),
    ],
)
def test_what_follows(before: tuple[int, ...], after: tuple[int, ...], expected: bool) -> None:
    assert follows(before, after) is expected
