"""Phrases, exclusions, prefixes and filters of rag.bm25_search, and of the other legs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from support import Database, throws_ok
from support.bm25 import Passage, assert_ranking, passages, scores, search

Connection = psycopg.Connection[Any]

# source -> (title, content)
DOCUMENTS = {
    "art": ("Notes", "the state of the art pump"),
    "apart": ("Notes", "state art without the words between, and a pump"),
    "reversed": ("Notes", "art of the state of a pump"),
    "title": ("Red pump", "Valve number seven leaks"),
    "across": ("Seven red", "pump drawings for the lantern"),
    "repeated": ("Echo", "echo or no echo"),
    "lamp": ("Lamps", "a lamp with a lantern, lit by fuel"),
    "fuel": ("Lamps", "lantern fuel for the old lamp"),
    "pumping": ("Verbs", "he pumped while they were pumping"),
    "foolish": ("Prefixes", "foolish footing on foot"),
    "ten": ("Prefixes", "tenant, tenable, tense and ten"),
    "code": ("Codes", "raised ERR_5001 in retry_policy_max"),
}


@pytest.fixture(scope="module")
def filled(db: Database) -> Iterator[Connection]:
    """The documents with a model; half of them in a segment, the others pending."""
    owner = db.connect()
    owner.execute("select rag.create_collection('notes', title_weight => 2)")
    rows = [
        {"source": source, "title": title, "content": content, "tags": [source[0]]}
        for source, (title, content) in DOCUMENTS.items()
    ]
    owner.execute("select rag.ingest_many('notes', %s)", [json.dumps(rows[::2])])
    owner.execute("select rag_internal.build_segment('english')")
    owner.execute("select rag.ingest_many('notes', %s)", [json.dumps(rows[1::2])])
    yield owner
    owner.close()


@pytest.fixture(scope="module")
def corpus(filled: Connection) -> list[Passage]:
    return passages(filled)


def sources(connection: Connection, query: str, strategy: str = "bm25") -> list[str]:
    """Sources found, sorted."""
    found = connection.execute(
        "select source from rag.search(%s, strategy => %s, top_k => 1000)", [query, strategy]
    )
    return sorted(source for (source,) in found)


MATCHES = [
    # phrases
    ('"state of the art"', "art"),
    ("“state of the art”", "art"),
    ("„state of the art“", "art"),
    ("«state of the art»", "art"),
    ('"state art"', "apart"),
    ('"States of the ART"', "art"),
    ('"art pump"', "art"),
    ('"red pump"', "title"),
    ('"pump valve"', ""),  # the end of a title and the beginning of its text
    ('"red red"', ""),  # a title that counts twice
    ('"echo echo"', ""),
    ('"pump" "art"', "apart art reversed"),
    ('"lantern fuel" "state of the art"', ""),
    ('lantern "old lamp"', "fuel"),
    ('"lantern', "across fuel lamp"),
    ('pump "the"', "across apart art pumping reversed title"),
    ('"ERR_5001"', "code"),
    ('"such quagga"', ""),
    ('"such words"', "apart"),  # a stop word at an end is not looked for
    # exclusions
    ("lantern -fuel", "across"),
    ("lantern -fuels", "across"),
    ('lantern -"lantern fuel"', "across lamp"),
    ("lantern -“lantern fuel”", "across lamp"),
    ("lantern -lamp -pump", ""),
    ("lantern -quagga -the", "across fuel lamp"),
    ("lantern lit-up", "across fuel lamp"),
    ('pump -"state of the art" -red -"state art" -pumping', ""),
    ('pump -"state of the art" -red -"state art" -verbs', "reversed"),
    ('"lantern lit" -valve', "lamp"),
    # prefixes
    ("foo*", "foolish"),
    ("FOOT*", "foolish"),
    ("ten*", "ten"),
    ("tena*", "ten"),
    ("pum*", "across apart art pumping reversed title"),
    ("pum* -state", "across pumping title"),
    ("foo* ten*", "foolish ten"),
    ('foo* "tense and"', "ten"),
    ("zzz*", ""),
    ("err*", "code"),
]


@pytest.mark.parametrize(("query", "expected"), MATCHES)
def test_what_a_query_matches(filled: Connection, query: str, expected: str) -> None:
    assert sources(filled, query) == expected.split()


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ('"state of the art"', "state of the art"),
        ("lantern -fuel", "lantern"),
        ('red lantern "old lamp"', "red lantern old lamp"),
        ('pump -"state of the art" art', "pump art"),
        ('"old lamp" OR seven OR art', "old lamp seven art"),
    ],
)
def test_operators_choose_passages_and_move_no_score(
    filled: Connection, corpus: list[Passage], query: str, plain: str
) -> None:
    hits = search(filled, query)
    found = {hit.key for hit in hits}
    expected = scores(filled, corpus, plain)
    assert hits
    assert_ranking(hits, {key: score for key, score in expected.items() if key in found})


def test_a_prefix_counts_like_a_word(filled: Connection, corpus: list[Passage]) -> None:
    texts = {source: f"{title} {content}" for source, (title, content) in DOCUMENTS.items()}

    def words_of(passage: Passage) -> list[str]:
        return texts[passage.source].lower().replace(",", " ").split()

    for query, plain, prefixes in (
        ("pum*", "", ["pum"]),
        ("la* pump", "pump", ["la"]),
        ("la* foo* art", "art", ["la", "foo"]),
    ):
        assert_ranking(search(filled, query), scores(filled, corpus, plain, prefixes, words_of))


@pytest.mark.parametrize(
    ("query", "left_out"),
    [
        ("-lantern", "across fuel lamp"),
        ('-"state of the art"', "art"),
        ("-pump -lantern", "across apart art fuel lamp pumping reversed title"),
        ("-quagga", ""),
        ('-foolish -"red pump"', "foolish title"),
    ],
)
def test_exclusions_alone_give_all_other_passages(
    filled: Connection, corpus: list[Passage], query: str, left_out: str
) -> None:
    hits = search(filled, query)
    others = sorted(p.key for p in corpus if p.source not in left_out.split())
    assert [hit.key for hit in hits] == others
    assert {hit.score for hit in hits} == {0.0}
    for k in (1, 2, len(others), 1000):
        assert search(filled, query, top_k=k) == hits[:k]
    for strategy in ("fuzzy", "semantic"):
        assert sources(filled, query, strategy) == []  # nothing that anything could be like
    assert sources(filled, query, "hybrid") == sources(filled, query)


def test_stop_words_alone_find_nothing(filled: Connection) -> None:
    for query in ("the of and", '"the of"', "-the", '-"of the"'):
        assert search(filled, query) == [], query


@pytest.mark.parametrize(
    ("contained", "path"),
    [
        ('{"tags": ["a"]}', None),
        (None, '$.title == "Lamps"'),
        ('{"tags": ["f"]}', '$.title == "Lamps"'),
        ('{"tags": ["z"]}', None),
    ],
)
def test_operators_and_filters_together(
    filled: Connection, contained: str | None, path: str | None
) -> None:
    passing = {
        source
        for source, (title, _) in DOCUMENTS.items()
        if (contained is None or f'"{source[0]}"' in contained)
        and (path is None or title == "Lamps")
    }
    queries = [query for query, _ in MATCHES] + ["-lantern", '-"state of the art"', "pump lantern"]
    for query in queries:
        hits = search(filled, query, filter=contained, filter_path=path)
        assert hits == [hit for hit in search(filled, query) if hit.source in passing], query


CONDITIONS = [
    ('"lantern fuel"', ["fuel"]),
    ('lamp "state of the art"', ["art"]),
    ("“old lamp” pump", ["fuel"]),
]


@pytest.mark.parametrize(("query", "expected"), CONDITIONS)
@pytest.mark.parametrize("strategy", ["semantic", "fuzzy", "hybrid"])
def test_every_leg_honours_phrases(
    filled: Connection, query: str, expected: list[str], strategy: str
) -> None:
    assert sources(filled, query, strategy) == expected


@pytest.mark.parametrize(
    ("query", "left_out"),
    [
        ("lantern -fuel", ["fuel", "lamp"]),
        ('lantern -"lantern fuel"', ["fuel"]),
        ("lantern -“lamp with a lantern” -art", ["apart", "art", "lamp", "reversed"]),
    ],
)
def test_every_leg_honours_exclusions(filled: Connection, query: str, left_out: list[str]) -> None:
    others = sorted(DOCUMENTS.keys() - left_out)
    assert sources(filled, query, "semantic") == others
    assert sources(filled, query, "hybrid") == others
    word = {"lamp", "fuel", "across"}
    assert sources(filled, query, "fuzzy") == sorted(word - set(left_out))


def test_the_semantic_leg_embeds_what_is_meant(filled: Connection) -> None:
    """Signs of the syntax and excluded words would move the vector."""
    search_all = "select source, score from rag.semantic_search(%s, top_k => 1000)"
    plain = dict(filled.execute(search_all, ["lantern old lamp"]).fetchall())
    rows = filled.execute(search_all, ['lantern "old lamp" -quagga']).fetchall()
    assert rows == [("fuel", plain["fuel"])]


@pytest.mark.parametrize(
    ("arguments", "pattern"),
    [
        ("''", "query"),
        ("' '", "query"),
        ("null", "query"),
        (f"repeat('{'x' * 9} ', 60000)", "500,000"),
        ("(select string_agg('w' || i, ' ') from generate_series(1, 1500) i)", "1,000"),
        ("'x', top_k => 0", "top_k is 0"),
        ("'x', top_k => -1", "top_k is -1"),
        ("'x', top_k => null", "top_k is null"),
        ("'x', skip => -1", "skip is -1"),
        ("'x', skip => null", "skip is null"),
        ("'x', filter => '[]'", "filter"),
        ("'x', filter_path => '$.n'", "filter_path"),
    ],
)
def test_bad_arguments(filled: Connection, arguments: str, pattern: str) -> None:
    for leg in ("bm25", "fuzzy"):
        throws_ok(filled, f"select * from rag.{leg}_search({arguments})", "22023", pattern)


@pytest.mark.parametrize("query", ["''", "' '", "null", "repeat('xxxxxxxxx ', 60000)"])
def test_bad_queries_of_the_other_functions(filled: Connection, query: str) -> None:
    for call in (f"correct_query({query})", f"explain_bm25({query}, gen_random_uuid(), 0)"):
        throws_ok(filled, f"select * from rag.{call}", "22023", "query")


def test_a_missing_collection(filled: Connection) -> None:
    for call in ("bm25_search('x', '{no}')", "fuzzy_search('x', '{no}')",
                 "correct_query('x', '{no}')",
                 "explain_bm25('x', gen_random_uuid(), 0, '{no}')"):  # fmt: skip
        throws_ok(filled, f"select * from rag.{call}", "P0002", "no")


def test_a_query_of_many_hundred_words(filled: Connection, corpus: list[Passage]) -> None:
    """No word is left out, wherever it stands."""
    filler = [f"word{number}" for number in range(900)]
    query = " ".join([*filler[:450], "lantern", *filler[450:], "pump"])
    assert_ranking(search(filled, query), scores(filled, corpus, "lantern pump"))
    assert sources(filled, query + " -fuel") == sources(filled, "lantern pump -fuel")
    assert sources(filled, f'"{" ".join(filler)}" lantern') == []
    filled.execute("select * from rag.search(%s)", [query])


@pytest.mark.parametrize("function", ["bm25_search", "fuzzy_search", "search"])
def test_too_many_operators(filled: Connection, function: str) -> None:
    many = " ".join(f"lamp{number}*" for number in range(101))
    throws_ok(filled, f"select from rag.{function}('{many}')", "22023", "more than 100")
    repeated = "lamp* " * 5000 + "-fuel " * 5000
    assert filled.execute(f"select from rag.{function}(%s)", [repeated]).fetchall() is not None


def test_a_repeated_prefix_is_one_term(filled: Connection) -> None:
    assert search(filled, "lamp* lamp*") == search(filled, "lamp*")


@pytest.mark.parametrize("prefix", ["err-50*", "ERR_5*", "err5*", "retry_pol*", "retrypol*"])
def test_a_prefix_may_have_signs(filled: Connection, prefix: str) -> None:
    assert sources(filled, prefix) == ["code"]


def test_a_beginning_in_a_script_without_blanks_is_text(conn: Connection) -> None:
    conn.execute("select rag.create_collection('places', model => 'none')")
    conn.execute("select rag.ingest('places', '東京大学の図書館', 'tokyo')")
    assert sources(conn, "東京大*") == ["tokyo"]


def test_names_with_signs_are_themselves_in_quotes_and_exclusions(conn: Connection) -> None:
    conn.execute("select rag.create_collection('guides', model => 'none')")
    for name in ("C", "C++", "C#"):
        conn.execute("select rag.ingest('guides', %s, %s)", [f"A guide to {name}", name])
    assert sources(conn, 'guide "C#"') == ["C#"]
    assert sorted(sources(conn, "guide -C++")) == ["C", "C#"]
