"""Spellings of other scripts that mean the same word."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

Connection = psycopg.Connection[Any]


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
