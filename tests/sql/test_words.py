"""The legs that look at words, at the edges: signs, stop words, accents, typing errors."""

from __future__ import annotations

import math
from typing import Any

import psycopg
import pytest

Connection = psycopg.Connection[Any]


@pytest.fixture
def filled(conn: Connection) -> Connection:
    conn.execute("select rag.ingest('words', 'A red pump, number n7.')")
    return conn


@pytest.mark.parametrize(
    "query",
    [
        "Ops <ops@quarry.example>", "'\":*", "&", "|", "!", "(((", "pump:*", "a\\b", '"open quote',
        "it\u02bcs", "it\uff07s", "team:red", "%_", ";--", "???", "!!!", "to be or not to be", "\\", "'",
    ],
)  # fmt: skip
def test_c04_no_query_is_a_syntax_error(filled: Connection, query: str) -> None:
    for strategy in ("hybrid", "bm25", "fuzzy"):
        filled.execute("select * from rag.search(%s, strategy => %s)", [query, strategy])


def test_c04_plain_words_inside_still_match(filled: Connection) -> None:
    for query in ("(((pump", "pump:*", "'pump\"", "n7 & | !"):
        assert filled.execute("select 1 from rag.bm25_search(%s)", [query]).fetchone(), query


def test_c05_stop_words(conn: Connection) -> None:
    for text in ("Don Quixote notes", "The Who tour", "Will and Can"):
        conn.execute("select rag.ingest('names', %s, %s)", [text, text])
    assert conn.execute("select * from rag.bm25_search('to be or not to be')").fetchall() == []
    for query, source in (("don", "Don Quixote notes"), ("the who", "The Who tour")):
        row = conn.execute("select source from rag.fuzzy_search(%s)", [query]).fetchone()
        assert row == (source,)


def test_c12_accents_and_forms_fold(conn: Connection) -> None:
    conn.execute("select rag.ingest('menu', 'crème brûlée', 'nfc')")
    conn.execute("select rag.ingest('menu', %s, 'nfd')", ["cre\u0300me bru\u0302le\u0301e"])
    for query in ("creme brulee", "crème brûlée", "cre\u0300me bru\u0302le\u0301e"):
        for leg in ("bm25", "fuzzy"):
            hits = conn.execute(f"select source from rag.{leg}_search(%s)", [query]).fetchall()
            assert sorted(hits) == [("nfc",), ("nfd",)], (query, leg)


def test_c21_scores_are_finite_and_do_not_depend_on_the_limit(conn: Connection) -> None:
    conn.execute("select rag.create_collection('p')")
    assert conn.execute("select * from rag.bm25_search('pump', '{p}')").fetchall() == []
    conn.execute("select rag.ingest('p', 'one pump among many other things of the house', 'once')")
    one = conn.execute("select score from rag.bm25_search('pump', '{p}')").fetchone()
    assert one is not None
    assert 0 <= one[0] < math.inf
    conn.execute("select rag.ingest('p', 'pump pump pump', 'short')")
    conn.execute(
        "select rag.ingest('p', %s, 'long')", ["pump " + "filler words of all kinds " * 30]
    )
    search = "select source, score from rag.bm25_search('pump', '{p}', top_k => %s)"
    hits = conn.execute(search, [50]).fetchall()
    assert hits[0][0] == "short"
    assert all(score >= 0 for _, score in hits)
    assert conn.execute(search, [1]).fetchall() == hits[:1]


def test_h01_short_words_are_corrected_by_edit_distance(conn: Connection) -> None:
    for text in ("the cat sat", "boil the tea", "gate valve"):
        conn.execute("select rag.ingest('short', %s, %s)", [text, text])
    for query, source in (("cta", "the cat sat"), ("tae", "boil the tea"), ("gaet", "gate valve")):
        row = conn.execute("select source from rag.fuzzy_search(%s)", [query]).fetchone()
        assert row == (source,)


def test_h02_the_score_does_not_depend_on_the_length_of_the_passage(conn: Connection) -> None:
    conn.execute(
        "select rag.create_collection('k8s', model => 'none', chunk_size => 1000, overlap => 0)"
    )
    conn.execute(
        "select rag.ingest('k8s', %s, 'long')",
        ["filler words " * 150 + "deploying on kubernetes clusters today"],
    )
    conn.execute("select rag.ingest('k8s', 'kubernetes', 'short')")
    hits = conn.execute("select source, score from rag.fuzzy_search('kubernets')").fetchall()
    assert sorted(hits) == [("long", pytest.approx(0.9)), ("short", pytest.approx(0.9))]


def test_h05_words_with_digits_are_never_rewritten(conn: Connection) -> None:
    for text in ("ERR5010 raised", "host 10.0.0.2", "year 2024"):
        conn.execute("select rag.ingest('codes', %s, %s)", [text, text])
    for query in ("ERR5001", "10.0.0.1", "2023"):
        assert conn.execute("select * from rag.fuzzy_search(%s)", [query]).fetchall() == []


ARABIC_SPELLINGS = [
    ("مَدْرَسَةٌ", "مدرسة"),  # vowel marks
    ("الرَّحْمٰن", "الرحمن"),  # the small alef
    ("لَهُۥ", "له"),  # Koranic signs
    ("أحمد", "احمد"),
    ("إدارة", "ادارة"),
    ("آلات", "الات"),
    ("ٱلله", "الله"),
    ("المدرسة", "المدرسه"),  # teh marbuta
    ("مستشفى", "مستشفي"),  # alef maqsura
    ("مسؤول", "مسوول"),  # carriers of hamza
    ("رئيس", "رييس"),
    ("كـــتاب", "كتاب"),  # tatweel
    ("كت\u200bاب", "كتاب"),
    ("كت\u200dاب", "كتاب"),
    ("\u200fكتاب\u200e", "كتاب"),
    ("\u2067كتاب\u2069", "كتاب"),
    ("\ufeffكتاب", "كتاب"),
    ("ﻛﺘﺎﺏ", "كتاب"),  # forms of old encodings
    ("ﻻ", "لا"),
    ("کتابی", "كتابي"),  # Persian keheh and yeh
    ("٣٫٥", "3.5"),
    ("۱۲", "12"),
]


@pytest.mark.parametrize(("written", "asked"), ARABIC_SPELLINGS)
def test_arabic_spellings_have_the_same_lexemes(conn: Connection, written: str, asked: str) -> None:
    for config in ("arabic", "simple"):
        analyze = "select rag.analyze(%s, %s), rag.analyze(%s, %s)"
        ((found, wanted),) = conn.execute(analyze, [written, config, asked, config]).fetchall()
        assert found == wanted != "", config


def test_arabic_spellings_find_each_other(conn: Connection) -> None:
    conn.execute("select rag.create_collection('ar', model => 'none', text_config => 'arabic')")
    marked = "أُغْلِقَتِ المَدْرَسَةُ القَدِيمَةُ يَوْمَ ٣ مِنَ الشَّهْر"
    bare = "اغلقت المدرسه القديمه يوم 3 من الشهر"
    conn.execute("select rag.ingest('ar', %s, 'marked')", [marked])
    conn.execute("select rag.ingest('ar', %s, 'bare')", [bare])
    for query in ("المدرسة", "مدرسه", "مَدْرَسَة", "القديمة", "أغلقت", "اغلقت 3", "المـدرسة ٣"):
        hits = conn.execute("select source from rag.bm25_search(%s, '{ar}')", [query]).fetchall()
        assert sorted(hits) == [("bare",), ("marked",)], query
    for query in ("المدرسة", "المَدْرَسَهُ", "الشهر"):
        hits = conn.execute("select source from rag.fuzzy_search(%s, '{ar}')", [query]).fetchall()
        assert sorted(hits) == [("bare",), ("marked",)], query
    stored = conn.execute("select content from rag.document where source = 'marked'").fetchone()
    assert stored == (marked,)


@pytest.mark.parametrize(
    ("noun", "with_article"),
    [("مدرسة", "المدرسة"), ("شركه", "الشركة"), ("مؤسسة", "للمؤسسه"), ("مياه", "المياه")],
)
def test_an_article_leaves_the_stem_of_a_noun_alone(
    conn: Connection, noun: str, with_article: str
) -> None:
    analyze = "select rag.analyze(%s, 'arabic'), rag.analyze(%s, 'arabic')"
    ((plain, definite),) = conn.execute(analyze, [noun, with_article]).fetchall()
    assert plain == definite != ""


def test_a_persian_word_is_found_joined_parted_and_by_its_stem(conn: Connection) -> None:
    conn.execute("select rag.create_collection('fa', model => 'none', text_config => 'simple')")
    conn.execute("select rag.ingest('fa', 'این کتاب\u200cها را می\u200cخواهم', 'written')")
    for query in ("کتاب\u200cها", "کتابها", "کتاب ها", "کتاب", "كتابها", "میخواهم", "خواهم"):
        for leg in ("bm25", "fuzzy"):
            search = f"select source from rag.{leg}_search(%s, '{{fa}}')"
            assert conn.execute(search, [query]).fetchall() == [("written",)], (query, leg)


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("foo\u200bbar so\u00adft \u2060x\ufe0f", "foobar soft x"),
        ("ខ្ញុំ\u200bទៅ", "ខ្ញុំ ទៅ"),  # there it stands between words
        ("क्\u200dष क्\u200cष", "क्ष क्ष"),
        ("कि हाँ ไทย 각 日本語 ё", "कि हाँ ไทย 각 日本語 е"),
        ("PLAIN Ascii\t1", "plain ascii\t1"),
        ("Ünïcode ﬁ", "unicode fi"),
        ("", ""),
    ],
)
def test_folding_other_scripts(conn: Connection, written: str, folded: str) -> None:
    for text in (written, written + " ا\u200c"):
        row = conn.execute("select rag_internal.fold_text(%s)", [text]).fetchone()
        assert row == (folded + text[len(written) :].rstrip("\u200c"),)
    twice = "select rag_internal.fold_text(rag_internal.fold_text(%s))"
    assert conn.execute(twice, [written]).fetchone() == (folded,)
