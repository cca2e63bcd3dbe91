"""Awkward typing errors that users met, by the id of the case."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest

Connection = psycopg.Connection[Any]


def fill(conn: Connection, *texts: str) -> None:
    """A collection of one passage for each text; its source begins with the text."""
    conn.execute("select rag.create_collection('texts', model => 'none')")
    rows = [{"content": text, "source": f"{text}#{n}"} for n, text in enumerate(texts)]
    conn.execute("select rag.ingest_many('texts', %s)", [json.dumps(rows)])


def found(conn: Connection, query: str, leg: str = "fuzzy") -> list[str]:
    """Texts found, in their order."""
    rows = conn.execute(
        f"select content from rag.{leg}_search(%s, top_k => 1000) order by rank", [query]
    )
    return [content for (content,) in rows]


def corrected_query(conn: Connection, query: str) -> str | None:
    """What the hits say was searched for."""
    rows = conn.execute("select distinct corrected_query from rag.fuzzy_search(%s)", [query])
    ((corrected,),) = rows.fetchall()
    return None if corrected is None else str(corrected)


def corrections(conn: Connection, query: str) -> list[tuple[str, str | None, int]]:
    rows = conn.execute("select original, corrected, distance from rag.correct_query(%s)", [query])
    return [tuple(row) for row in rows]


def fill_dictionary(conn: Connection) -> None:
    """30,000 words of 3 to 14 letters, as after a load and a vacuum."""
    conn.execute(
        "insert into rag_internal.word select distinct"
        " substr(translate(md5(n::text), '0123456789', 'ghijklmnop'), 1, 3 + n % 12)"
        " from generate_series(1, 30000) n"
    )
    conn.execute("select gin_clean_pending_list('rag_internal.word_trigrams')")
    conn.execute("analyze rag_internal.word")


def reads(conn: Connection, table: str) -> tuple[int, int]:
    """Sequential and index scans of a table in this transaction."""
    row = conn.execute(
        "select seq_scan, coalesce(idx_scan, 0) from pg_stat_xact_user_tables"
        " where schemaname = 'rag_internal' and relname = %s",
        [table],
    ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])


@pytest.mark.parametrize(
    ("query", "text", "corrected"),
    [("cta", "the cat sat", "cat"), ("tae", "boil the tea", "tea"), ("gaet", "gate valve", "gate")],
)
def test_h01_short_words_are_corrected_by_edit_distance(
    conn: Connection, query: str, text: str, corrected: str
) -> None:
    fill(conn, "the cat sat", "boil the tea", "gate valve")
    assert found(conn, query) == [text]
    assert corrected_query(conn, query) == corrected
    assert corrections(conn, query) == [(query, corrected, 1)]


def test_h01_shorter_words_are_left_alone(conn: Connection) -> None:
    fill(conn, "pg in short", "to do it")
    for query in ("gp", "od"):
        assert found(conn, query) == []
        assert corrections(conn, query) == [(query, None, 0)]


def test_h02_the_score_does_not_depend_on_the_length_of_the_passage(conn: Connection) -> None:
    conn.execute(
        "select rag.create_collection('k8s', model => 'none', chunk_size => 1000, overlap => 0)"
    )
    long = "filler words " * 150 + "deploying on kubernetes clusters today"
    for source, text in (("long", long), ("short", "kubernetes"), ("none", "nothing of it")):
        conn.execute("select rag.ingest('k8s', %s, %s)", [text, source])
    hits = conn.execute("select source, score from rag.fuzzy_search('kubernets')").fetchall()
    assert sorted(hits) == [("long", pytest.approx(0.9)), ("short", pytest.approx(0.9))]


def test_h03_near_words_are_found_by_the_trigram_index(conn: Connection) -> None:
    fill(conn, "deploying on kubernetes clusters today")
    fill_dictionary(conn)
    before = reads(conn, "word")
    assert found(conn, "kubernets clutsers") == ["deploying on kubernetes clusters today"]
    after = reads(conn, "word")
    assert after[0] == before[0], "the whole dictionary was read"
    assert after[1] > before[1]
    conn.execute("set local pg_trgm.similarity_threshold = 0.2")
    plan = conn.execute(
        "explain (costs off) select distinct w.word from rag_internal.word w"
        " where w.word % 'kubernets' and length(w.word) between 7 and 11"
    ).fetchall()
    assert any("Index Cond: (word % 'kubernets'::text)" in line for (line,) in plan)


def test_h05_words_with_digits_are_never_rewritten(conn: Connection) -> None:
    texts = ["ERR_5010 raised", "host 10.0.0.2", "year 2024"]
    fill(conn, *texts)
    for query, near in (("ERR_5001", texts[0]), ("10.0.0.1", texts[1]), ("2023", texts[2])):
        assert all(row[2] == 0 for row in corrections(conn, query)), query
        rows = conn.execute("select score, corrected_query from rag.fuzzy_search(%s)", [query])
        assert all(score < 1 and corrected is None for score, corrected in rows), query
        assert set(found(conn, query)) <= {near}
    conn.execute("select rag.ingest('texts', 'then ERR_5001 raised', 'x')")
    for leg in ("bm25", "fuzzy"):
        assert found(conn, "ERR_5001", leg)[0] == "then ERR_5001 raised"


def test_h06_rare_words_stay_and_their_frequent_neighbours_are_shown(conn: Connection) -> None:
    clock = "the revered clock"
    fill(conn, clock, *["reversed flow"] * 50, *["familly"] * 3, *["family"] * 200)
    assert found(conn, "revered")[0] == clock
    assert corrected_query(conn, "revered") is None
    assert corrections(conn, "revered")[0] == ("revered", "revered", 0)
    hits = found(conn, "familly")
    assert hits == ["familly"] * 3 + ["family"] * 200
    assert corrections(conn, "familly") == [("familly", "familly", 0), ("familly", "family", 1)]
    assert found(conn, '"familly"') == ["familly"] * 3  # word for word


def test_h07_signs_are_not_ignored(conn: Connection) -> None:
    fill(conn, "C# guide", "C++ guide", "C guide", "bar foo")
    assert found(conn, "C++")[0] == "C++ guide"
    assert found(conn, "C#")[0] == "C# guide"
    before = reads(conn, "word")
    assert found(conn, "!!!") == []
    assert reads(conn, "word") == before
    assert found(conn, "foo bar") == ["bar foo"]
    for leg in ("bm25", "fuzzy"):
        assert found(conn, '"foo bar"', leg) == []
        assert found(conn, '"bar foo"', leg) == ["bar foo"]


def test_h09_long_queries_and_short_ones(conn: Connection) -> None:
    fill(conn, "deploying on kubernetes clusters today", "a b c")
    fill_dictionary(conn)
    filler = [f"unknown{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(190)]
    long = " ".join(["kubrenetes", *filler])
    assert len(long) > 1900
    assert found(conn, long) == ["deploying on kubernetes clusters today"]
    assert found(conn, long, "bm25") == []
    assert found(conn, f"{long} clusters", "bm25") == ["deploying on kubernetes clusters today"]
    before = reads(conn, "word")
    conn.execute("select * from rag.fuzzy_search(%s)", [long])
    after = reads(conn, "word")
    assert after[0] == before[0]
    assert after[1] - before[1] <= 3 * (32 + 8), "words that are looked for are bounded"
    for query in ("a", "x", "ab"):
        found(conn, query)
        assert reads(conn, "word")[1] == after[1], "too short to be misspelt"


def test_h10_words_of_scripts_without_spaces(conn: Connection) -> None:
    text = "\u5009\u5eab\u306e\u9375\u306f\u9752\u3044\u7bb1\u306b\u3042\u308a\u307e\u3059 tls"
    fill(conn, text, "\u9752\u7a7a", "nothing of that")
    for query in ("\u9752\u3044\u7bb1", "\u5009\u5eab"):
        before = reads(conn, "word")
        assert found(conn, query)[0] == text
        assert reads(conn, "word")[0] == before[0]


@pytest.mark.parametrize(
    ("query", "corrected"),
    [
        ("ware house lantrn", "warehouse lantern"),
        ("warehouselantern", "warehouse lantern"),
        ("wearhouse lanten fule", "warehouse lantern fuel"),
        ("warehouse lantrn fuel", "warehouse lantern fuel"),
    ],
)
def test_h11_joined_and_split_words(conn: Connection, query: str, corrected: str) -> None:
    text = "warehouse lantern fuel"
    fill(conn, "ware of clay and no more", "a house by the sea", "fule", "lamp oil", text)
    if "fule" in query:  # which would be known
        conn.execute(
            "select rag.delete_document(document_id) from rag.document where source ~ 'fule'"
        )
    conn.execute("select rag_internal.build_segment('english')")
    assert text in found(conn, query)[:3]
    if query != "ware house lantrn":  # both words are there, too
        assert corrected_query(conn, query) == corrected
    right = set(query.split()) & set(text.split())
    assert all(row[2] == 0 for row in corrections(conn, query) if row[0] in right)


def test_h11_a_word_that_was_written_apart(conn: Connection) -> None:
    fill(conn, "warehouse lantern fuel", "something else", "and no more")
    assert found(conn, "ware house lantrn") == ["warehouse lantern fuel"]
    assert corrected_query(conn, "ware house lantrn") == "warehouse lantern"


@pytest.mark.parametrize(
    "query", ['"lantrn fuel"', "lamp -lantrn", "tag:lantrn", '-"lantrn fuel" lamp']
)
def test_h12_quoted_excluded_and_named_words_are_literal(conn: Connection, query: str) -> None:
    fill(conn, "lantern fuel", "lamp with a lantern", "tag of a lamp")
    rows = conn.execute("select content, corrected_query from rag.fuzzy_search(%s)", [query])
    hits = rows.fetchall()
    assert all(corrected is None for _, corrected in hits)
    assert all(row[2] == 0 for row in corrections(conn, query))
    if "lamp" in query:
        assert {content for content, _ in hits} == {"lamp with a lantern", "tag of a lamp"}
    else:
        assert "lantern fuel" not in {content for content, _ in hits}


def test_h12_filter_values_are_never_changed(conn: Connection) -> None:
    fill(conn, "lantern fuel")
    search = "select content from rag.fuzzy_search('lantrn', filter => %s)"
    conn.execute("select rag.update_document(document_id, tags => '{lantern}') from rag.document")
    assert conn.execute(search, ['{"tags": ["lantrn"]}']).fetchall() == []
    assert conn.execute(search, ['{"tags": ["lantern"]}']).fetchall() == [("lantern fuel",)]
