"""From structure to passages: what goes together, what is cut, what is embedded with it."""

import itertools
from typing import Any

import pytest

from ragsql_engine import chunking
from ragsql_engine.chunking.language.sentences import sentence_ends
from ragsql_engine.errors import InvalidParameter
from unit.chunk_checks import assert_sound, gaps, rows
from unit.stand_ins import word_window


def _contents(chunks: list[dict[str, Any]]) -> list[str]:
    return [chunk["content"] for chunk in chunks]


def _headings(chunks: list[dict[str, Any]]) -> list[list[str]]:
    return [chunk["heading"] for chunk in chunks]


# cases of real users, end to end ----------------------------------------------------------------


def test_a07_code_after_wide_characters_is_not_shifted() -> None:
    text = (
        "# pump control \u2014 r\u00e9vision 2 \U0001f600\ndef open_valve(a):\n    return a\n\n"
        "def close_valve(b):\n    return b\n\ndef bleed(c):\n    return c\n"
    )
    chunks = rows(text, "code", 40, source="pump.py")
    assert_sound(text, chunks)
    assert gaps(text, chunks).strip() == ""
    for line in ("def open_valve(a):", "def close_valve(b):", "def bleed(c):"):
        assert any(content.startswith(line) for content in _contents(chunks))


@pytest.mark.parametrize(
    "text",
    ["def a(:\n  pass\n\ndef b():\n  return 1\n", "x = 1\n" * 3_000, "(" * 5000 + ")" * 5000],
)
def test_a08_code_that_does_not_parse(text: str) -> None:
    chunks = rows(text, "code", 400, source="a.py")
    assert_sound(text, chunks)
    assert gaps(text, chunks).strip() == ""
    assert max(len(content) for content in _contents(chunks)) <= 420


def test_a10_headings_of_markdown() -> None:
    text = "## C#\none\n## Rates ##\ntwo\n   ### Deep\nthree\n##\nfour\n#hashtag not a heading\n"
    chunks = rows(text, "markdown", None, None, 0)
    assert_sound(text, chunks)
    assert _headings(chunks) == [["C#"], ["Rates"], ["Rates", "Deep"], [""]]
    assert chunks[3]["content"].endswith("#hashtag not a heading")


def test_a11_nothing_before_a_heading_is_dropped() -> None:
    text = "# Guide\nintro words stay\n## Sub\nmore\n```py\n# comment\nx=1\n```\ntail"
    for size in (10, 30, 1000):
        chunks = rows(text, "markdown", size)
        assert_sound(text, chunks)
        assert gaps(text, chunks).strip() == ""
    assert _headings(chunks) == [["Guide"], ["Guide", "Sub"]]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_a12_headings_whatever_ends_a_line(newline: str) -> None:
    text = newline.join(["# One", "alpha", "", "## Two", "beta", ""])
    chunks = rows(text, "markdown", None, None, 0)
    assert_sound(text, chunks)
    assert _headings(chunks) == [["One"], ["One", "Two"]]


def test_a14_front_matter_and_what_only_looks_like_it() -> None:
    text = "---\ntitle: Pump notes\nowner: ops\n---\n\n# Start\nbody\n"
    chunks = rows(text, "markdown", None, None, 0)
    assert [(chunk["kind"], chunk["heading"]) for chunk in chunks] == [
        ("front_matter", []),
        ("prose", ["Start"]),
    ]
    text = "---\n\n**Subject: hello**\n\n# Kept\n\n---\n\nend\n"
    chunks = rows(text, "markdown", None, None, 0)
    assert gaps(text, chunks).strip() == ""
    assert ["Kept"] in _headings(chunks)
    assert "front_matter" not in {chunk["kind"] for chunk in chunks}


def test_a15_later_pieces_of_a_table_know_its_header() -> None:
    text = "| Part | Bar |\n| | max |\n|---|---|\n" + "".join(
        f"| P{i} | {i} |\n" for i in range(60)
    )
    first, *others = rows(text, "markdown", 200)
    assert_sound(text, [first, *others])
    assert first["embed_text"] is None and others
    for chunk in [first, *others]:
        assert chunk["kind"] == "table" and len(chunk["content"]) <= 220
        assert all((line.startswith("| ") and line.endswith(" |")) or "---" in line
                   for line in chunk["content"].splitlines())  # fmt: skip
    for chunk in others:
        assert chunk["embed_text"].startswith("| Part | Bar |")
        assert chunk["embed_text"].endswith(chunk["content"])


def test_a16_white_space_between_sentences_stays() -> None:
    text = "attach the  report. \n\n  Then, seal it.\tDone!"
    chunks = rows(text, "sentence", 20, 0, 0)
    assert _contents(chunks) == ["attach the  report.", "Then, seal it.\tDone!"]
    assert gaps(text, chunks).isspace()


def test_a17_headings_alone_make_no_chunk() -> None:
    text = "# A\n\n# B\n\n\u200b\ufeff\n\n# C\nreal words here"
    for least in (0, None):
        chunks = rows(text, "markdown", None, None, least)
        assert _contents(chunks) == [text]
        assert _headings(chunks) == [["C"]]
    for size in (200, 240):  # the heading fits, and the paragraph does, but not both
        text = "# A title of some length\n\n" + "A sentence stands here. " * 9
        assert all("sentence" in content for content in _contents(rows(text, "markdown", size)))


def test_a21_no_key_of_json_is_dropped() -> None:
    empty = ["{}", "[]", "null", '""']
    members = [f'"tank{i:02}":{empty[i % 4]}' for i in range(1, 40)]
    text = '{"site":{' + ",".join(members) + ',"tank40":{"v":1}}}'
    chunks = rows(text, "json", 60)
    assert_sound(text, chunks)
    assert gaps(text, chunks) == ""
    for number in range(1, 41):
        assert any(f'"tank{number:02}":' in content for content in _contents(chunks))
    assert max(len(content) for content in _contents(chunks)) <= 60
    assert all(heading[:1] == ["site"] for heading in _headings(chunks))


def test_a24_a_sentence_larger_than_what_the_overlap_leaves() -> None:
    long = " ".join(["word"] * 29 + ["end."])
    text = f"{long} One two three. Four five six. Seven eight nine."
    chunks = rows(text, "sentence", len(long) + 10, len(long) // 4, 0)
    assert_sound(text, chunks)
    assert chunks[0]["content"].startswith(long)
    assert gaps(text, chunks).strip() == ""


def test_a25_a_child_item_carries_its_parent() -> None:
    text = (
        "- Never do the following:\n  - open valve 3 under load\n  - vent indoors\n"
        "- Always:\n  - wear gloves\n"
    )
    chunks = rows(text, "markdown", 40)
    assert_sound(text, chunks)
    for child, parent in {
        "open valve 3": "Never do",
        "vent indoors": "Never do",
        "wear gloves": "Always",
    }.items():
        (chunk,) = [chunk for chunk in chunks if child in chunk["content"]]
        assert parent in (chunk["embed_text"] or chunk["content"])


# what goes together -----------------------------------------------------------------------------


def test_a_large_paragraph_is_cut_into_equal_pieces() -> None:
    text = "One two three four five. " * 25  # 624 characters
    lengths = [len(content) for content in _contents(rows(text, "semantic"))]
    assert lengths == [324, 299]


def test_small_paragraphs_are_put_together_up_to_half_the_size() -> None:
    paragraph = "A short paragraph of sixty characters stands here, like it does."
    text = "\n\n".join([paragraph] * 12)
    chunks = rows(text, "semantic")
    assert {content.count("short paragraph") for content in _contents(chunks)} == {3}


def test_what_ends_with_a_colon_stays_with_what_follows() -> None:
    steps = "\n".join(f"{number}. Turn valve {number} by hand." for number in range(1, 11))
    text = f"{'Before that, read the manual of the pump. ' * 8}\n\nThen go on with this:\n\n{steps}"
    assert any(
        "Then go on" in content and "valve 10" in content
        for content in _contents(rows(text, "markdown", 500))
    )


def test_overlap_of_prose_is_whole_sentences() -> None:
    text = "One two three four five. " * 25
    chunks = rows(text, "semantic", 200, 60)
    ends = set(sentence_ends(text))
    assert len(chunks) > 2
    for before, after in itertools.pairwise(chunks):
        shared = before["end_offset"] - after["start_offset"]
        assert 0 < shared <= 60
        assert after["start_offset"] - 1 in ends


def test_tables_and_lists_do_not_overlap() -> None:
    table = "| a | b |\n|---|---|\n" + "| some cell | another cell |\n" * 40
    items = "\n".join(f"- item number {number} of a long list" for number in range(40))
    for text in (table, items):
        chunks = rows(text, "markdown", 300, 100)
        assert len(chunks) > 2
        for before, after in itertools.pairwise(chunks):
            assert before["end_offset"] <= after["start_offset"]


def test_arabic_carries_the_last_two_sentences_over() -> None:
    sentence = "أغلق المدير الصمام القديم في المدينة البعيدة."
    text = " ".join([sentence] * 30)
    chunks = rows(text, "semantic")
    assert len(chunks) > 2
    for before, after in itertools.pairwise(chunks):
        shared = text[after["start_offset"] : before["end_offset"]]
        assert shared == f"{sentence} {sentence}"
    english = rows("The manager closed the old valve in the far town today. " * 30, "semantic")
    assert english[0]["end_offset"] < english[1]["start_offset"]


def test_an_overlap_shrinks_with_the_window() -> None:
    text = "\n\n".join(f"Sentence {number} of the text stands here alone." for number in range(60))
    chunks = rows(text, "documentation", window=word_window(66))
    assert len(chunks) > 5
    repeated = sum(before["end_offset"] - after["start_offset"]
                   for before, after in itertools.pairwise(chunks)
                   if before["end_offset"] > after["start_offset"])  # fmt: skip
    assert repeated <= len(text) // 3


def test_an_overlap_that_is_asked_for_takes_the_place_of_what_arabic_carries() -> None:
    text = "أغلق المدير الصمام القديم في المدينة البعيدة. " * 30
    for before, after in itertools.pairwise(rows(text, "semantic", None, 0)):
        assert before["end_offset"] <= after["start_offset"]


def test_lines_keep_their_indentation() -> None:
    text = "class Cart:\n" + "".join(
        f"    def get_{number}(self):\n        return self.items[{number}]\n\n"
        for number in range(12)
    )
    chunks = rows(text, "code", 150, source="cart.py")
    assert_sound(text, chunks)
    assert len(chunks) > 3
    assert all(content.startswith("    def") for content in _contents(chunks[1:]))


def test_a_bare_title_goes_with_what_it_stands_over() -> None:
    text = (
        "The history of the bridge\n\nThe first bridge was built of wood and stood for long.\n\n"
        "Reconstruction\n\nIn 1620 the wooden bridge burnt down. A tax on salt paid for stone.\n"
    )
    chunks = rows(text, "semantic")
    assert _headings(chunks) == [["The history of the bridge"], ["Reconstruction"]]
    assert chunks[1]["content"].startswith("Reconstruction")


def test_sections_begin_where_their_chunks_do() -> None:
    for text, mode, source in [
        (MODULE, "code", "a.py"),
        ("# A\nx\n\n# B\n" + "y. " * 90, "md", ""),
    ]:
        for chunk in rows(text, "markdown" if mode == "md" else mode, 200, source=source):
            if chunk["section_start"] is not None:
                assert chunk["section_start"] <= chunk["start_offset"]
                assert chunk["section_end"] >= chunk["end_offset"]


# what is embedded with it -----------------------------------------------------------------------

MODULE = (
    "import os\nfrom re import sub\n\n\nclass Pump:\n    def run(self, speed):\n"
    + "".join(f"        self.value_{number} = speed + {number}\n" for number in range(30))
    + "\n    def stop(self):\n        return 0\n"
)


def test_code_knows_its_imports_and_signature() -> None:
    chunks = rows(MODULE, "code", 300, source="pump.py")
    assert_sound(MODULE, chunks)
    middle = chunks[2]
    assert middle["heading"] == ["Pump", "run"]
    context = middle["embed_text"].removesuffix(middle["content"]).splitlines()
    assert context[0] == "Pump > run"
    assert any("os" in line and "import" in line for line in context)
    assert any("def run(self, speed)" in line for line in context)
    assert "import" not in middle["content"]
    section = MODULE[middle["section_start"] : middle["section_end"]]
    assert section.startswith("def run") and section.endswith("speed + 29")


def test_what_a_chunk_says_itself_is_not_put_before_it() -> None:
    for chunk in rows(MODULE, "code", 300, source="pump.py"):
        lines = (chunk["embed_text"] or chunk["content"]).splitlines()
        assert sum("def run(self, speed)" in line for line in lines) <= 1


def test_context_takes_at_most_a_quarter_of_the_window() -> None:
    deep = "".join(f"{'#' * level} {'Heading ' * 12}{level}\n\n" for level in range(1, 7))
    text = deep + "Words of a long section. " * 80
    window = word_window(66)
    chunks = rows(text, "markdown", window=window)
    assert_sound(text, chunks)
    for chunk in chunks:
        embedded = chunk["embed_text"] or chunk["content"]
        assert window.count(embedded) <= window.capacity
        assert window.count(embedded) - chunk["token_count"] <= window.capacity // 4
    assert any(chunk["embed_text"] for chunk in chunks)


CONTRACT = "Agreement between the parties\n\n" + "\n".join(
    f"{article}.{number} Each party shall keep to what is agreed in number {number}."
    for article in (1, 2)
    for number in (1, 2, 3)
)


# settings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["token", "documentation", "schemas", "deployments"])
def test_tokens_need_a_model(strategy: str) -> None:
    with pytest.raises(InvalidParameter, match="counts tokens, but there is no model"):
        rows("some text", strategy)


def test_token_chunks_are_full() -> None:
    text = "word " * 1000
    chunks = rows(text, "token", 100, 20, window=word_window(512))
    assert {chunk["token_count"] for chunk in chunks[:-1]} == {100}
    assert chunks[1]["start_offset"] == 5 * 80


@pytest.mark.parametrize(
    ("text", "source", "kind"),
    [
        ("def f(x):\n    return x\n", "f.py", "code"),
        ('{"a": [1, 2], "b": {"c": null}}', None, "data"),
        (CONTRACT, "lease.txt", "clause"),
        ("# Title\n\nText.\n\n| a | b |\n|---|---|\n| some | cells |\n", None, "table"),
        ("Plain words make a sentence. Here is one more of them.", None, "prose"),
    ],
)
def test_auto_goes_by_the_type_of_the_text(text: str, source: str | None, kind: str) -> None:
    assert kind in {chunk["kind"] for chunk in rows(text, "auto", source=source)}
    plan = chunking.plan("auto", 300, 30).for_text(text, chunking.Hints(source))
    assert (plan.chunk_size, plan.overlap) == (300, 30)
    assert plan.strategy.name != "auto"


def test_a_language_without_a_grammar_is_said_once() -> None:
    heard: list[str] = []
    rows("local x = 1\n" * 400, "code", 100, source="a.lua", warn=heard.append)
    assert len(heard) == 1 and "lua" in heard[0]


def test_long_work_can_be_cancelled() -> None:
    def cancel() -> None:
        raise KeyboardInterrupt

    for mode, text in {
        "semantic": "A sentence. " * 20_000,
        "markdown": "- item\n" * 50_000,
        "code": "x = 1\n" * 50_000,
        "json": "[" + "1," * 100_000 + "1]",
    }.items():
        with pytest.raises(KeyboardInterrupt):
            rows(text, mode, 50, pause=cancel)
