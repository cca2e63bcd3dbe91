"""Awkward texts and queries of full-text search that users met, by the id of the case."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest

Connection = psycopg.Connection[Any]


def fill(conn: Connection, *texts: str) -> None:
    """A collection of one passage for each text, which is its source too."""
    conn.execute("select rag.create_collection('texts', model => 'none')")
    rows = [{"content": text, "source": text} for text in texts]
    conn.execute("select rag.ingest_many('texts', %s)", [json.dumps(rows)])


def found(conn: Connection, query: str, leg: str = "bm25") -> list[str]:
    """Texts found, in their order."""
    rows = conn.execute(
        f"select source from rag.{leg}_search(%s, top_k => 1000) order by rank", [query]
    )
    return [source for (source,) in rows]


def test_c01_a_text_of_two_megabytes(conn: Connection) -> None:
    """The largest passages that a collection can have are of 5,000 words, so there are twelve."""
    conn.execute(
        "select rag.create_collection('huge', model => 'none', strategy => 'word',"
        " chunk_size => 5000, overlap => 0)"
    )
    words = [f"w{hashlib.md5(str(number).encode()).hexdigest()}" for number in range(60_000)]
    row = conn.execute(
        "select status, chunks_created, words_skipped from rag.ingest('huge', %s, 'huge')",
        [" ".join(words)],
    ).fetchone()
    assert row == ("created", 12, 0)
    for word in (words[0], words[4999], words[31_415], words[-1]):
        assert found(conn, word) == ["huge"]


def test_c01_a_passage_of_two_megabytes_is_cut_and_flagged(conn: Connection) -> None:
    """What no collection makes, the analyzer survives all the same."""
    words = [f"w{hashlib.md5(str(number).encode()).hexdigest()}" for number in range(60_000)]
    row = conn.execute(
        "select length(t), t @@ %s::tsquery, rag_internal.words_skipped(%s) from rag.analyze(%s) t",
        [words[0], " ".join(words), " ".join(words)],
    ).fetchone()
    assert row is not None
    kept, has_first, skipped = row
    assert has_first
    assert kept > 20_000
    assert kept + skipped == len(words)


def test_c02_words_that_are_too_long_are_counted_in_one_line(conn: Connection) -> None:
    notices: list[str] = []
    conn.add_notice_handler(lambda notice: notices.append(str(notice.message_primary)))
    conn.execute(
        "select rag.create_collection('long', model => 'none', strategy => 'paragraph',"
        " chunk_size => 3200)"
    )
    text = "\n\n".join(f"id47 x{number} {'Q' * 3000} tail word" for number in range(200))
    ingest = "select document_id, status, words_skipped from rag.ingest('long', %s, 'a')"
    row = conn.execute(ingest, [text]).fetchone()
    assert row is not None
    assert row[1:] == ("created", 200)
    assert len(notices) == 1
    assert "200" in notices[0]
    assert len(found(conn, "tail")) == len(found(conn, "id47")) == 200
    assert len(found(conn, "x31")) == 1
    conn.execute("select rag.update_document(%s, title => 'x')", [row[0]])
    assert len(notices) == 1


C04 = [
    "Ops <ops@quarry.example>", "'\":*", "&", "|", "!", "(((", "foo:*", "a\\b", '"open quote',
    "it\u02bcs", "it\uff07s", "team:red", "%_", ";--", "???", "!!!", "\\", "'", '"', '""', '-""',
    "-", "--", "*", "**", "a*", "-*", "- -a", "<->", "a <-> b", "a & !b", "\x01", "\x02x", "x\u200b",
]  # fmt: skip


@pytest.mark.parametrize("query", C04)
def test_c04_no_query_is_a_syntax_error(conn: Connection, query: str) -> None:
    fill(conn, "a red pump, number n7")
    for strategy in ("bm25", "fuzzy"):
        search = "select * from rag.search(%s, strategy => %s)"
        if query == "\x01":  # no visible character
            with pytest.raises(psycopg.errors.InvalidParameterValue), conn.transaction():
                conn.execute(search, [query, strategy])
        else:
            conn.execute(search, [query, strategy])
            conn.execute("select * from rag.correct_query(%s)", [query])


def test_c04_plain_words_inside_still_match(conn: Connection) -> None:
    texts = [
        "ops at work", "an open quote", "the red team", "foo and more", "path a\\b", "5% of _total",
    ]  # fmt: skip
    fill(conn, *texts)
    for query, text in (
        ("Ops <ops@quarry.example>", "ops at work"),
        ('"open quote', "an open quote"),
        ("team:red", "the red team"),
        ("foo:*", "foo and more"),
        ("(((foo", "foo and more"),
        ("'quote\"", "an open quote"),
        ("red & | !", "the red team"),
        ("%total_", "5% of _total"),
    ):
        assert found(conn, query)[:1] == [text], query


def test_c05_stop_words(conn: Connection) -> None:
    names = ["Don Quixote notes", "The Who tour", "Will and Can"]
    for name in names:
        conn.execute("select rag.ingest('names', %s, %s)", [name, name])
    assert found(conn, "to be or not to be") == []
    for query, name in (("don", names[0]), ("the who", names[1]), ("will", names[2])):
        assert found(conn, query, "fuzzy")[:1] == [name]
        hybrid = conn.execute("select source from rag.search(%s)", [query]).fetchone()
        assert hybrid == (name,)


def test_c06_parts_after_a_hyphen_are_no_negative_numbers(conn: Connection) -> None:
    wanted = ["part ZK-7310 shipped", "part ZK 7310 shipped"]
    fill(conn, *wanted, "part ZK-7310A shipped", "part QX-1000 shipped")
    for query in ("ZK-7310", "ZK 7310", "7310", "zk-7310"):
        assert sorted(found(conn, query)[:2]) == sorted(wanted), query
    # a hyphen does not exclude what follows it
    assert len(found(conn, "shipped ZK-7310")) == 4


def test_c06_compounds_are_found_joined_and_apart(conn: Connection) -> None:
    spellings = ["t-shirt sizes", "tshirt sizes", "t shirt sizes"]
    fill(conn, *spellings, "jacket sizes")
    assert set(found(conn, "t-shirt")) == set(spellings)
    assert set(found(conn, "tshirt")) >= {"t-shirt sizes", "tshirt sizes"}
    assert set(found(conn, "t shirt")) >= {"t-shirt sizes", "t shirt sizes"}


def test_c07_identifiers_are_found_whole_and_in_parts(conn: Connection) -> None:
    whole = "raised ERR_5001 in retry_policy_max"
    apart = "err on the side of 5001 retries, policy max"
    fill(conn, apart, whole, "def __init__ of nothing")
    for query in ("ERR_5001", "err_5001", "retry_policy_max"):
        assert found(conn, query) == [whole, apart], query
    assert set(found(conn, "5001")) == {whole, apart}  # a number like any other in both
    assert found(conn, "__init__") == ["def __init__ of nothing"]


def test_c08_versions_with_and_without_their_letter(conn: Connection) -> None:
    with_letter, without = "upgrade to v2.14.0 now", "upgrade to 2.14.0 now"
    other = "upgrade to 2.140 now"
    fill(conn, other, with_letter, without)
    for query in ("2.14.0", "v2.14.0", "2.14"):
        assert set(found(conn, query)[:2]) == {with_letter, without}, query
    assert {with_letter, without} <= set(found(conn, "v2.14*"))
    assert found(conn, "2.140")[0] == other


C09 = (
    "edit settings.local.json and src/core/loader.py, mail ops.desk@quarry.example, "
    "see https://docs.quarry.example/setup/tls.html"
)


@pytest.mark.parametrize(
    "query",
    [
        "settings", "loader", "loader.py", "quarry", "ops.desk", "tls.html", "settings.local.json",
        "src/core/loader.py", "ops.desk@quarry.example", "docs.quarry.example", "desk", "core/loader.py",
    ],
)  # fmt: skip
def test_c09_parts_of_names_are_found(conn: Connection, query: str) -> None:
    fill(conn, "nothing to be found in this one", C09)
    assert found(conn, query) == [C09]


def test_c10_an_address_as_the_query(conn: Connection) -> None:
    fill(conn, "see the other docs for an example of setup", C09)
    for query in ("https://docs.quarry.example/setup/tls.html", "docs.quarry.example/setup"):
        assert found(conn, query)[0] == C09
    found(conn, "http://docs.quarry.example/setup/tls.html?x=1&y=2")


def test_c12_accents_and_forms_fold(conn: Connection) -> None:
    composed, decomposed = "cr\u00e8me br\u00fbl\u00e9e", "cre\u0300me bru\u0302le\u0301e"
    fill(conn, composed, decomposed)
    for query in ("creme brulee", composed, decomposed, "CRÈME"):
        for leg in ("bm25", "fuzzy"):
            assert sorted(found(conn, query, leg)) == sorted([composed, decomposed]), (query, leg)
    stored = conn.execute(
        "select content, substr(content, start_offset + 1, end_offset - start_offset)"
        " from rag.bm25_search('creme')"
    ).fetchall()
    assert sorted(stored) == sorted([(composed, composed), (decomposed, decomposed)])


def test_c14_apostrophes(conn: Connection) -> None:
    lamp, valve, music = "the miner’s lamp", "O’Neil valve", "rock 'n' roll"
    fill(conn, "nothing of all that", lamp, valve, music)
    for query in (
        "miner's",
        "miner’s",
        "miners",
        "miner",
        "MINER'S",
        "miner\u02bcs",
        "miner\uff07s",
    ):
        assert found(conn, query) == [lamp], query
    for query in ("o'neil", "O’Neil", "oneil", "neil"):
        assert found(conn, query) == [valve] or found(conn, query, "fuzzy")[:1] == [valve], query
    assert found(conn, "rock 'n' roll") == [music]


def test_c16_phrases(conn: Connection) -> None:
    text = "the state of the art pump"
    fill(conn, text)
    for query, matches in (
        ('"state of the art"', True),
        ('"state art"', False),
        ('"state of the', True),
        ("pump OR valve", True),
        ("“state of the art”", True),
    ):
        assert found(conn, query) == [text] * matches, query


def test_c17_scripts_without_spaces(conn: Connection) -> None:
    text = "\u5009\u5eab\u306e\u9375\u306f\u9752\u3044\u7bb1\u306b\u3042\u308a\u307e\u3059 tls"
    box, store, tls = "\u9752\u3044\u7bb1", "\u5009\u5eab", "only tls here"
    fill(conn, tls, text, "\u9752\u7a7a\u306e\u4e0b\u306e\u5eab")
    for query in (box, store, "\u9375 \u7bb1"):
        assert found(conn, query)[0] == text, query
    ranked = found(conn, f"tls {box}")
    assert ranked[:2] == [text, tls]


def test_c20_names_made_of_signs(conn: Connection) -> None:
    sharp, plus, node = "Intro to C#", "Intro to C++", "node.js and .NET tips"
    fill(conn, "Intro to C", plus, sharp, node)
    assert found(conn, "C#")[0] == sharp
    assert found(conn, "c++")[0] == plus
    for query in (".net", ".NET", "node", "node.js", "net"):
        assert found(conn, query)[:1] == [node], query


def test_c21_scores_are_finite_and_do_not_depend_on_the_limit(conn: Connection) -> None:
    def scored(top_k: int) -> Sequence[tuple[str, float]]:
        search = "select source, score from rag.bm25_search('pump', '{p}', top_k => %s)"
        return conn.execute(search, [top_k]).fetchall()

    conn.execute("select rag.create_collection('p', model => 'none')")
    assert scored(50) == []
    conn.execute("select rag.ingest('p', 'one pump among many other things of the house', 'once')")
    ((_, score),) = scored(50)
    assert 0 <= score < math.inf
    conn.execute("select rag.ingest('p', 'pump pump pump', 'short')")
    long = "pump " + "filler words of all kinds " * 30
    conn.execute("select rag.ingest('p', %s, 'long')", [long])
    hits = scored(50)
    assert [source for source, _ in hits] == ["short", "once", "long"]
    assert all(0 < score < math.inf for _, score in hits)
    for top_k in (1, 2, 3):
        assert scored(top_k) == hits[:top_k]
