"""What misspelt words stand for, and how passages are ranked by it."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.errors import InvalidParameter
from ragsql_engine.fuzzy import (
    Alternative,
    Corrected,
    Meaning,
    Word,
    correct_query,
    corrections,
    interpret,
    pieces,
    rank,
    variants,
    words_of,
)
from ragsql_engine.fuzzy.distance import closest_words
from ragsql_engine.lexical.question import parse
from unit.fuzzy_stand_ins import TextPart, TextVocabulary, forms, is_stop


def osa(left: str, right: str) -> int:
    """Optimal string alignment by its recurrence."""
    rows = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) + 1):
        for j in range(len(right) + 1):
            if not i or not j:
                rows[i][j] = i or j
                continue
            rows[i][j] = min(
                rows[i - 1][j] + 1,
                rows[i][j - 1] + 1,
                rows[i - 1][j - 1] + (left[i - 1] != right[j - 1]),
            )
            if i > 1 and j > 1 and left[i - 2 : i] == right[j - 2 : j][::-1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


def meanings_in(texts: Sequence[str], query: str, hidden: Sequence[str] = ()) -> list[Meaning]:
    words = [word for _, word in words_of(pieces(query), forms)]
    return corrections(words, TextVocabulary.of(texts, hidden), is_stop)


def corrected(texts: Sequence[str], query: str) -> Corrected:
    return correct_query(query, forms, TextVocabulary.of(texts), is_stop)


def found(texts: Sequence[str], query: str, k: int = 10) -> list[tuple[str, float]]:
    """(text, score) of the best passages, each text a document."""
    ids = [(uuid.UUID(int=number), 0, [text]) for number, text in enumerate(texts)]
    ranking = rank([TextPart(ids)], meanings_in(texts, query), k)
    return [
        (texts[int(at)], float(score))
        for at, score in zip(ranking.ordinals, ranking.scores, strict=True)
    ]


WORDS = st.text("abc", max_size=6)


@given(WORDS, st.lists(WORDS, max_size=12), st.integers(0, 4))
def test_equals_the_recurrence(word: str, candidates: list[str], limit: int) -> None:
    expected = sorted(
        (osa(word, candidate), candidate)
        for candidate in set(candidates)
        if osa(word, candidate) <= limit
    )
    rows = closest_words(word, candidates, limit)
    assert [(row["distance"], row["word"]) for row in rows] == expected


def test_a_transposition_is_one_edit() -> None:
    assert closest_words("recieve", ["relieve", "receive", "retrieve"], 2) == [
        {"word": "receive", "distance": 1},
        {"word": "relieve", "distance": 1},
        {"word": "retrieve", "distance": 2},
    ]


def test_no_candidates() -> None:
    assert closest_words("word", [], 2) == []


def test_negative_distance_is_refused() -> None:
    with pytest.raises(InvalidParameter):
        closest_words("word", ["word"], -1)
    with pytest.raises(InvalidParameter):
        corrections([Word("word")], TextVocabulary.of([]), is_stop, -1)


@given(st.text("abxyz", min_size=2, max_size=6), st.text("abxyz", min_size=1, max_size=7))
def test_variants_are_all_strings_one_edit_away(word: str, other: str) -> None:
    made = variants(word)
    if not 3 <= len(word) <= 5:
        assert made is None
        return
    assert made is not None
    assert (other in made) == (osa(word, other) == 1)
    assert made == sorted(set(made))


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("тра", "труба"), ("трба", "труба"), ("λόγς", None), ("λογς", "λογος"), ("שלמ", "שלום"),
        ("مدرة", None), ("كتب", "كتاب"), ("کتب", None), ("नमस्", "नमस्त"), ("øl1", None),
        ("bær", "bøær"), ("ძმა", "ძმაა"), ("물펌프", None), ("青い箱", None), ("pуmp", "pump"),
    ],
)  # fmt: skip
def test_variants_use_the_letters_of_the_words_own_scripts(word: str, meant: str | None) -> None:
    made = variants(word)
    if meant is None:
        assert made is None
    else:
        assert made is not None
        assert (meant in made) == (osa(word, meant) == 1)


def test_variants_of_latin_words_are_few() -> None:
    made = variants("lamps")
    assert made is not None
    assert {"lamp", "lamsp", "clamps", "ramps", "lamps1"} & set(made) == {
        "lamp", "lamsp", "clamps", "ramps"
    }  # fmt: skip
    assert len(made) < 450


H01 = ["the cat sat", "boil the tea", "gate valve"]


@pytest.mark.parametrize(
    ("query", "meant", "text"),
    [("cta", "cat", H01[0]), ("tae", "tea", H01[1]), ("gaet", "gate", H01[2])],
)
def test_h01_short_words_by_edit_distance(query: str, meant: str, text: str) -> None:
    assert found(H01, query)[0][0] == text
    assert corrected(H01, query) == (meant, ((query, meant, 1),))


def test_h02_the_score_does_not_depend_on_the_length() -> None:
    texts = ["filler words " * 150 + "deploying on kubernetes clusters today", "kubernetes"]
    assert found(texts, "kubernets") == [(texts[0], 0.9), (texts[1], 0.9)]


H05 = ["ERR_5010 raised", "host 10.0.0.2", "year 2024"]


@pytest.mark.parametrize("query", ["ERR_5001", "10.0.0.1", "2023", "year2024", "n7-lantrn"])
def test_h05_words_with_digits_are_never_changed(query: str) -> None:
    assert found(H05, query) == []
    assert corrected(H05, query) == (query, ((query, None, 0),))
    text = f"it says {query} here"
    assert found([*H05, text], query) == [(text, 1.0)]


def test_h05_a_word_is_never_taken_for_one_with_digits() -> None:
    assert found(["lantern7 oil"], "lantern") == []


H06 = (
    ["the revered clock"] + ["reversed flow"] * 50 + ["the familly"] * 3 + ["a family"] * 200
)  # fmt: skip


def test_h06_a_rare_word_is_kept() -> None:
    assert found(H06, "revered") == [("the revered clock", 1.0)]
    assert corrected(H06, "revered") == ("revered", (("revered", "revered", 0),))


def test_h06_a_rare_misspelling_shows_the_frequent_word_too() -> None:
    hits = found(H06, "familly", 300)
    assert [text for text, _ in hits] == ["the familly"] * 3 + ["a family"] * 200
    assert {score for _, score in hits} == {1.0, 1 - 1 / 7}
    rows = (("familly", "familly", 0), ("familly", "family", 1))
    assert corrected(H06, "familly") == ("familly", rows)
    assert len(found(H06, '"familly"', 300)) == 3


@pytest.mark.parametrize(("own", "other", "shown"), [(1, 63, 1), (1, 64, 2), (10, 640, 2)])
def test_h06_how_much_more_frequent(own: int, other: int, shown: int) -> None:
    (meaning,) = meanings_in(["familly"] * own + ["family"] * other, "familly")
    assert len(meaning.alternatives) == shown
    assert meaning.corrected is None


def test_h06_a_word_that_is_not_rare_is_not_looked_up() -> None:
    vocabulary = TextVocabulary(Counter({"familly": 11, "family": 5000}))
    (meaning,) = corrections([Word("familly")], vocabulary, is_stop)
    assert meaning.alternatives == (Alternative(("familly",), 1.0, 0),)
    assert vocabulary.looked_near == []


def test_h07_signs() -> None:
    texts = ["C# guide", "C++ guide", "bar foo"]
    assert found(texts, "C++") == [("C++ guide", 1.0)]
    assert found(texts, "!!!") == []
    assert found(texts, "foo bar") == [("bar foo", 1.0)]
    for query in ("C++", "!!!", "foo bar"):
        assert corrected(texts, query).text == query
    assert corrected(texts, "!!!").rows == ()


def test_h09_a_long_query_asks_for_little() -> None:
    query = " ".join(f"wordy{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10 % 10]}" for n in range(250))
    assert len(query) == 1_999
    vocabulary = TextVocabulary.of(["words in a passage"])
    words = [word for _, word in words_of(pieces(query), forms)]
    assert len(corrections(words, vocabulary, is_stop)) == 32
    assert len(vocabulary.asked) <= 2
    assert vocabulary.asked[0] <= 32 + 64
    assert len(vocabulary.looked_near) <= 32 + 8


@pytest.mark.parametrize("query", ["a", "x", "xq", "x" * 2_000, "ab " * 700, "x-" * 1_000])
def test_h09_no_search_for_what_cannot_be_corrected(query: str) -> None:
    vocabulary = TextVocabulary.of(["word in a passage"])
    correct_query(query, forms, vocabulary, is_stop)
    assert sum(vocabulary.asked) <= 100
    assert len(vocabulary.looked_near) <= 8


def test_h09_pairs_of_known_words_are_not_searched_for() -> None:
    vocabulary = TextVocabulary.of(["lantern fuel house"] * 11)
    correct_query("lantern fuel house", forms, vocabulary, is_stop)
    assert vocabulary.looked_near == []


def test_h09_the_first_words_count_in_order_of_writing() -> None:
    words = [Word(chr(97 + n // 26) + chr(97 + n % 26) * 3) for n in range(40)]
    found = corrections([Word("the"), *reversed(words), words[-1]], TextVocabulary.of([]), is_stop)
    assert [meaning.words for meaning in found] == [(w.text,) for w in words[:-33:-1]]


def test_h10_text_without_blanks() -> None:
    texts = ["倉庫には青い箱があります。赤い箱はありません。", "別の倉庫", "箱"]
    assert found(texts, "青い箱")[0] == (texts[0], 1.0)
    assert found(texts, "倉庫") == [(texts[0], 1.0), (texts[1], 1.0)]
    assert corrected(texts, "青い箱") == ("青い箱", (("青い箱", "青い箱", 0),))
    assert meanings_in(["青い鳥は"], "青い花")[1].alternatives == ()
    (meaning,) = corrections([Word("青い花")], TextVocabulary(Counter({"青い鳥": 3})), is_stop)
    assert meaning.alternatives == ()


def test_the_words_of_a_compound_are_literal() -> None:
    words = words_of(pieces("lantrnfule"), lambda texts: [["lantrn", "fule"] for _ in texts])
    assert words == [(0, Word("lantrn", True, False)), (0, Word("fule", True, False))]


H11 = ["warehouse lantern fuel", "a house", "some fuel", "lantern", "ships at sea"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("ware house lantrn", "warehouse lantern"), ("warehouselantern", "warehouse lantern"),
        ("wearhouse lanten fule", "warehouse lantern fuel"), ("Ware-house", "warehouse"),
        ("ware  houses lantern", "warehouse lantern"), ("the fuel, wharehouse!",) * 2,
    ],
)  # fmt: skip
def test_h11_joined_and_split_words(query: str, text: str) -> None:
    assert found(H11, query)[0][0] == H11[0]
    expected = text.replace("wharehouse", "warehouse")
    assert corrected(H11, query).text == expected


def test_h11_words_already_right_are_left_alone() -> None:
    texts = [*H11, "ware is sold"]
    assert corrected(texts, "ware house fuel").text == "ware house fuel"
    (first, second) = meanings_in(["house", "warehouse"], "house warehouse")
    assert (first.corrected, second.corrected) == (None, None)


def test_h11_a_pair_is_one_meaning() -> None:
    (pair, fuel) = meanings_in(H11, "ware house fuel")
    assert pair == (("ware", "house"), (Alternative(("warehouse",), 0.9, 1),), "warehouse")
    assert fuel.words == ("fuel",)
    assert found(H11, "ware house fuel")[0] == (H11[0], (0.9 + 1) / 2)


def test_h11_two_words_as_one_must_both_be_there() -> None:
    (meaning,) = meanings_in(H11, "warehouselantern")
    assert meaning.alternatives == (Alternative(("warehouse", "lantern"), 1 - 1 / 17, 1),)
    assert found(H11, "warehouselantern") == [(H11[0], 1 - 1 / 17)]


def test_h11_the_likeliest_place_of_a_missing_blank() -> None:
    texts = ["pump"] * 3 + ["works"] * 3 + ["pumpw orks"]
    (meaning,) = meanings_in(texts, "pumpworks")
    assert meaning.corrected == "pump works"


@pytest.mark.parametrize(
    "query",
    [
        "ware, house",
        "ware OR house",
        'ware house "house"',
        '"ware" ware house',
        "ware -x house",
        'ware "house"',
        "ware\tlan* house",
    ],
)
def test_h11_only_neighbours_are_joined(query: str) -> None:
    assert ("ware", "house") not in [meaning.words for meaning in meanings_in(H11, query)]


def test_h11_a_blank_in_the_wrong_place() -> None:
    found = meanings_in(["abaabba"], "b aaabba")  # three edits, although two without the blank
    assert [meaning.words for meaning in found] == [("b",), ("aaabba",)]
    assert corrected(H11, "wareh ouse lan tern").text == "warehouse lantern"
    assert corrected(H11, "ware ouse").rows == (("ware ouse", "warehouse", 1),)


def test_h11_each_word_by_itself_where_that_is_nearer() -> None:
    texts = ["house paint", "housepinta"]
    assert corrected(texts, "house pint").text == "house paint"


@pytest.mark.parametrize(
    "query",
    [
        '"lantrn fuel"', "lamp -lantrn", 'lamp -"lantrn fuel"', "tag:lantrn", "lantr*", "lantrn=x",
        "“lantrn fuel”", "«lantrn»", "„lantrn“", "lantrn@fuel", "a/lantrn", "lantrn_fule",
        "lantrn.fule", "#lantrn", "--lantrn", 'fuel "fule" -fule',
    ],
)  # fmt: skip
def test_h12_what_is_never_corrected(query: str) -> None:
    texts = ["lamp", "lantern fuel"]
    assert corrected(texts, query).text == query
    assert all(row.distance == 0 for row in corrected(texts, query).rows)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('  lantrn "fual"\t-lantrn (fule)!', '  lantern "fual"\t-lantrn (fuel)!'),
        ('"lantrn fule', '"lantern fuel'),
        ("Lantrn's fule; lantrn…", "lantern's fuel; lantern…"),
        ("fule,lantrn", "fuel,lantern"),
        ("- fule", "- fuel"),
        ("fule: lantrn. fule?", "fuel: lantern. fuel?"),
    ],
)
def test_h12_the_rest_of_the_query_is_untouched(query: str, expected: str) -> None:
    assert corrected(["lantern fuel"], query).text == expected


def test_the_rows_of_a_corrected_query() -> None:
    query = "the Lantrn wharf fule 'zzzzzz' lantrn"
    assert corrected(["lantern fuel", "the wharf"], query).rows == (
        ("Lantrn", "lantern", 1),
        ("wharf", "wharf", 0),
        ("fule", "fuel", 1),
        ("zzzzzz", None, 0),
        ("lantrn", "lantern", 1),
    )


def test_the_best_alternative() -> None:
    texts = ["bore", "core", "core", "care", "care", "cone"]
    (meaning,) = meanings_in(texts, "cnre")  # three at distance 1
    assert [a.words[0] for a in meaning.alternatives] == ["care", "core"]
    (meaning,) = meanings_in(["lamp", "bump", "bump"], "lump")
    assert meaning.corrected == "lamp"  # the first letter counts before the frequency
    (meaning,) = meanings_in(["manual", "annual", "annual"], "nanual")
    assert meaning.corrected == "annual"
    (meaning,) = meanings_in(["carpets", "car pet", "car pet"], "carpet")
    assert [a.words for a in meaning.alternatives] == [("carpets",), ("car", "pet")]


def test_how_wrong_a_word_may_be() -> None:
    assert meanings_in(["abcde"], "abxye")[0].alternatives == ()
    assert meanings_in(["abcdef"], "abxyef")[0].corrected == "abcdef"
    assert meanings_in(["ab"], "ax")[0].alternatives == ()
    vocabulary = TextVocabulary.of(["abcdef ware house abc xyz"])
    for limit, expected in ((0, None), (1, None), (2, "abcdef")):
        (meaning,) = corrections([Word("abxyef")], vocabulary, is_stop, limit)
        assert meaning.corrected == expected
    assert corrections([Word("abcxyz")], vocabulary, is_stop, 0)[0].corrected is None


def test_stop_words_are_neither_changed_nor_offered() -> None:
    texts = ["to be with the", "wits"]
    assert [m.words for m in meanings_in(texts, "the witx")] == [("witx",)]
    assert meanings_in(texts, "witx")[0].corrected == "wits"
    assert meanings_in(["with"], "witx")[0].alternatives == ()
    assert [m.words for m in meanings_in(texts, "to be or")] == [("to",), ("be",), ("or",)]
    assert meanings_in(["ore"], "or")[0].alternatives == ()
    assert meanings_in(["not for the"], "forthe")[0].alternatives == ()
    assert meanings_in(["not for lamps"], "forlamps")[0].corrected == "for lamps"


def test_hidden_words_do_not_crowd_out_visible_ones() -> None:
    hidden = [f"lante{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(600)]
    assert meanings_in(["lantern"], "lantrn", hidden)[0].corrected == "lantern"


LETTERS = st.text("ab", min_size=1, max_size=7)
QUERIES = st.lists(st.tuples(LETTERS, st.booleans(), st.booleans()), max_size=6)


@given(st.lists(LETTERS, max_size=30), st.sets(LETTERS, max_size=30), QUERIES)
def test_hidden_words_change_nothing(
    visible: list[str], hidden: set[str], query: list[tuple[str, bool, bool]]
) -> None:
    words = [Word(*parts) for parts in query]
    without = corrections(words, TextVocabulary.of(visible), is_stop)
    assert corrections(words, TextVocabulary.of(visible, hidden - set(visible)), is_stop) == without


@given(st.lists(LETTERS, max_size=30), QUERIES)
def test_every_alternative_is_visible_near_and_scored(
    visible: list[str], query: list[tuple[str, bool, bool]]
) -> None:
    words = [Word(*parts) for parts in query]
    literal = {word.text for word in words if word.literal}
    for meaning in corrections(words, TextVocabulary.of(visible), is_stop):
        written = " ".join(meaning.words)
        known = len(meaning.words) == 1 and written in visible
        assert known == (meaning.alternatives[:1] == (Alternative((written,), 1.0, 0),))
        assert (meaning.corrected is None) == (known or not meaning.alternatives)
        for alternative in meaning.alternatives:
            meant = " ".join(alternative.words)
            assert set(alternative.words) <= set(visible)
            assert alternative.distance == osa(written, meant) <= 2
            assert alternative.similarity == 1 - alternative.distance / max(
                len(written), len(meant)
            )
            assert not literal & set(meaning.words) or alternative.distance == 0


QUERY_TEXTS = st.text(st.sampled_from('ab cd-"*,.:“”«»1_OR\n箱'), max_size=40)


@given(QUERY_TEXTS)
def test_any_text_is_read_and_what_is_not_replaced_stays(query: str) -> None:
    before = 0
    for piece in pieces(query):
        assert piece.start >= before
        assert piece.text == query[piece.start : piece.end] != ""
        before = piece.end
    assert corrected([], query).text == query


@given(QUERY_TEXTS)
def test_operators_are_those_of_the_query_syntax(query: str) -> None:
    question = parse(query)
    quoted = " ".join(question.phrases)
    found = pieces(query)
    for piece in found:
        assert piece.text in question.plain or (piece.literal and piece.text in quoted)
    read = " ".join(piece.text for piece in found)
    for word in re.findall(r"[^\W_]+", f"{question.plain} {quoted}"):
        assert word in read or word == "OR"


@given(st.lists(LETTERS, max_size=30), st.lists(st.sampled_from(["ab", "aab", "bbabb", '"a"'])))
def test_one_reading_serves_the_leg_and_the_caller(visible: list[str], query: list[str]) -> None:
    text = " ".join(query)
    vocabulary = TextVocabulary.of(visible)
    both = interpret(text, forms, vocabulary, is_stop)
    assert len(vocabulary.asked) <= 2
    assert both.meanings == meanings_in(visible, text)
    assert both.corrected == corrected(visible, text)
    assert (both.corrected.text == text) == all(m.corrected is None for m in both.meanings)
