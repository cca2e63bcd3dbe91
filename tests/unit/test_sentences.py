"""Where sentences end."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragsql_engine.chunking.clusters import is_boundary
from ragsql_engine.chunking.language.sentences import phrase_end, sentence_ends


def sentences(text: str) -> list[str]:
    """The sentences, after a check that only white space lies between them."""
    position, found = 0, []
    for end in sentence_ends(text):
        found.append(text[position:end].lstrip())
        assert found[-1] == text[position:end].strip() != ""
        position = end
    assert text[position:].strip() == ""
    return found


def split(marked: str) -> tuple[str, list[str]]:
    """A text written with "|" where its sentences part, and those sentences."""
    return marked.replace("|", ""), [part.strip() for part in marked.split("|")]


def test_a16_white_space_stays_outside() -> None:
    text = "attach the  report. \n\n  Then, seal it.\tDone!"
    assert sentences(text) == ["attach the  report.", "Then, seal it.", "Done!"]


def test_a19_all_scripts_and_no_stops_inside_words() -> None:
    text = (
        "第一文です．第二文。終わり？ See v1.2.3 at docs.quarry.example e.g. page 4. "
        "हाँ। Fin...… ok?"
    )
    assert sentences(text) == [
        "第一文です．",
        "第二文。",
        "終わり？",
        "See v1.2.3 at docs.quarry.example e.g. page 4.",
        "हाँ।",
        "Fin...… ok?",
    ]


def test_a23_arabic() -> None:
    text = "قال: «الضَّغط ٣٫٥ بار». هل أغلق؟ نعم۔"
    assert sentences(text) == ["قال: «الضَّغط ٣٫٥ بار».", "هل أغلق؟", "نعم۔"]


@pytest.mark.parametrize(
    "marked",
    [
        # plain
        "One. |Two! |Three? |Four",
        'He said "go." |She went. |(They stayed.) |End',
        "“Quoted.” |‘Single.’ |«Guillemets.» |Done",
        "**Bold.** |Then *this.* |`code.` |End",
        'He said "go." |she went. |*Stop.* |then',
        "A fact.[1] |Another.[2][13] |And a third.¹ |End",
        "i went home. |then i slept.",
        "Really?! |Yes!!! |Why...? |Because",
        # what goes on
        '"Why?" he asked. |He left (really!) at noon.',
        "Wait... what. |Wait… what. |Wait... |What. |Wait… |What",
        "and . . . so on. |Next",
        # abbreviations
        "Dr. Ada, Mrs. Bo and Prof. J. R. R. Smith, Ph.D. and J.-P. Sartre met.",
        "See e.g. this, i.e. Smith et al. and cf. Brown vs. Green. |End",
        "Apples, pears, etc. are fruit. |Apples, pears, etc. |They are fruit.",
        "Acme Inc. is here. |Acme Ltd. |Then",
        "The U.S. Navy sails. |He left the U.S. |The end.",
        "At 5 p.m. he left. |At 5 p.m. |He left.",
        "No. 5, Nos. 6, Fig. 2a, pp. 3, p. 4, Art. IV, Sec. 4.2, Jan. 3 and § 5. |End",
        "He said no. |Then he left the art. |And so on.",
        "St. Louis and Main St. |The end.",
        "P. falciparum is ca. 5 µm. |End",
        "z. B. Haus, d. h. Wohnung, bzw. Zimmer u.a. Dinge usw. und so fort. |Ende",
        "Am 3. Mai und im 21. Jahrhundert. |Ludwig XIV. war da. |Ende",
        "и т.д. и т. п. |Потом др. слова.",
        "د. محمد هنا. |نعم",
        # numbers, names
        "It is 3.5 or .5 or v1.2.3. |See package.json. |Node.js at a.example. |End",
        "It was 1998. |Then 12. |End",
        # enumerators
        "1. One. |2. Two. |b. Three.",
        "Text:\n1. One\nb. two\n iv. three\n- 1.2. four\n> (3. five",
        # lines
        "one\nline\r\nmore\rhere",
        "one\n\ntwo".replace("\n\n", "|\n\n"),
        "one|\r\n\r\ntwo|\r\rthree|\n \t\nfour|\r\n  \r\n\r\nfive|\u2029six",
        "etc.|\n\nDr.|\n\nfive",
        # other scripts
        "「はい。」と言った。|「はい。」|彼。|３．５メートル！|終",
        "他问“好吗？”|然后。|什么?|好吗.|世界！？|嗯",
        "अ॥१॥|ब।|क॥ २ ॥|ड",
        "ነው።|ነው፧ |ነው",
        "ខ្ញុំ។ល។ |ខ្ញុំ។|ខ",
        "မ။|မ၊က။|မ",
        "Բարև։ |3։16 Բարև",
        "یہ ہے۔ |ڈبلیو۔ایچ۔او ہے۔ |وہ",
        "« Bonjour\u00a0! » |Oui.".replace("! »", "!\u00a0»"),
        "هل؟نعم".replace("؟", "؟|"),
        # marks belong to the sign
        "Next!\ufe0f |Yes.\u200f |No",
    ],
)
def test_boundaries(marked: str) -> None:
    text, expected = split(marked)
    assert sentences(text) == expected


@pytest.mark.parametrize("text", ["", " \n\t\u3000", "\n\n\n"])
def test_nothing_to_see(text: str) -> None:
    assert sentence_ends(text) == []


def test_a_range_is_read_as_if_it_stood_alone() -> None:
    text = "Dr. Foo. |1. Bar. Etc. and  ".replace("|", "")
    assert sentence_ends(text, 9, len(text)) == [16, 25]
    assert sentence_ends(text, 4, 6) == [6]
    assert sentence_ends(text, 8, 9) == []
    assert sentence_ends("a\r\n\r\nb", 2, 5) == []


SIGNS = [". ", "! ", "?", "…", "...", "。", "」", "\u00a0»", '"', ")", "[1]", "।", "។", "ល"]
LINE_ENDS = ["\n", "\r\n", "\r", " ", "\u2029"]
WORDS = ["a", "B", "Dr", "e.g", "3", "٣", "\u094d", "\u0301", "\u200d", "ب", "文", "と"]
PIECES = st.sampled_from([*SIGNS, *LINE_ENDS, *WORDS])
COMPOSED = st.lists(PIECES, max_size=40).map("".join)
TEXTS = st.one_of(st.text(), COMPOSED)


@given(TEXTS, st.integers(0, 60), st.integers(0, 60))
@example("a\r\n\r\nb", 0, 6)
def test_ends_are_ordered_visible_and_complete(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    for begin, stop in ((0, len(text)), (start, end)):
        ends = sentence_ends(text, begin, stop)
        position = begin
        for sentence_end in ends:
            assert text[position:sentence_end].strip()
            assert not text[sentence_end - 1].isspace()
            position = sentence_end
        assert position <= stop
        assert text[position:stop].strip() == ""
    assert sentence_ends(text, start, end) == [
        start + offset for offset in sentence_ends(text[start:end])
    ]


@given(COMPOSED)
def test_blank_lines_part_and_otherwise_only_signs_do(text: str) -> None:
    text = text.strip()
    blank = {
        gap.start()
        for gap in re.finditer(r"\s+", text)
        if "\u2029" in gap[0] or len(re.findall(r"\r\n|\r|\n", gap[0])) > 1
    }
    ends = sentence_ends(text)
    assert blank <= set(ends)
    for end in set(ends) - blank - {len(text)}:
        assert re.search(r"[.!?…。।។](ល។|[^\w\s]|\u00a0»|\[1\])*$", text[:end])


@pytest.mark.parametrize(
    "text",
    [
        "." * 300_000 + "x",
        " . " * 100_000,
        "a." * 150_000,
        '."' * 150_000 + "x",
        "!\u00a0" * 150_000,
        ".[1]" * 80_000,
        "word " * 60_000,
        "x" + " " * 300_000 + "y",
        "a\n \n" * 80_000,
        "\n x" * 100_000,
        "J. " * 100_000,
        "。「" * 150_000,
        "," * 300_000 + "x",
    ],
    ids=lambda text: repr(text[:6]),
)
def test_hostile_text_is_read_in_one_pass(text: str) -> None:
    ends = sentence_ends(text)
    assert ends[-1] == len(text.rstrip())
    phrase_end(text, 0, len(text))


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("one two, three four", "one two,"),
        ("one, two, three four", "one, two,"),
        ("a very long beginning, then", "a very long beginning,"),
        ('they said "so," and left', 'they said "so,"'),
        ("as follows: 12:30 and 1,000", "as follows:"),
        ("one two—three four", "one two—"),
        ("pages 12–14 and more", None),
        ("読む、書く，話す", "読む、書く，"),
        ("１，０００メートル", None),
        ("واحد، اثنان ثلاثة", "واحد،"),
        ("So, there was nothing else to be found", None),
        ("nothing to cut at", None),
        ("", None),
    ],
)
def test_phrases(text: str, phrase: str | None) -> None:
    end = phrase_end(text, 0, len(text))
    assert (None if end is None else text[:end]) == phrase


def test_a_phrase_ends_where_white_space_follows_the_limit() -> None:
    assert phrase_end("one, two", 0, 4) == 4
    assert phrase_end("1,000", 0, 2) is None
    assert phrase_end("one,two", 0, 4) is None


@given(TEXTS.map(lambda text: text.replace("a", ", ")), st.integers(0, 30), st.integers(0, 60))
def test_a_phrase_ends_within_its_limits(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    limit = min(start + length, len(text))
    end = phrase_end(text, start, limit)
    if end is not None:
        assert start < end <= limit
        assert is_boundary(text, end)
        assert re.search("[,;:–—、，；：،؛]", text[start:end])
