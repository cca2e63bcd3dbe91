"""rag.evaluate: its measures beside plain ones, its stages, who sees what, and what is kept."""

from __future__ import annotations

import json
import math
import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from ragsql.models import ModelChoice
from support import RoleFactory, as_role, throws_ok
from support.cross_encoder import KNOWN, make_cross_encoder, models_from

Connection = psycopg.Connection[Any]
Row = dict[str, Any]

MEASURES = ("ndcg_10", "mrr_10", "recall_5", "recall_20", "recall_50")
WORDS = (
    "valve pump filter oil gauge pressure motor belt bolt gasket seal bearing coolant piston"
).split()
LEGS = ("semantic", "bm25", "fuzzy")


def measures(ranking: Sequence[str], relevance: Mapping[str, int]) -> dict[str, float]:
    """Plain measures of one ranking of distinct names.

    nDCG with gain 2^rel - 1 (Burges et al., 2005), reciprocal rank (0 beyond ten), recall.
    """
    grades = [relevance.get(name, 0) for name in ranking]
    best = sorted(relevance.values(), reverse=True)

    def gain(of: Sequence[int]) -> float:
        return sum((2**grade - 1) / math.log2(2 + index) for index, grade in enumerate(of[:10]))

    answers = sum(grade > 0 for grade in best)
    first = next((place for place, grade in enumerate(grades[:10], 1) if grade > 0), None)
    found = {f"recall_{k}": sum(g > 0 for g in grades[:k]) / answers for k in (5, 20, 50)}
    return {"ndcg_10": gain(grades) / gain(best), "mrr_10": 1 / first if first else 0.0, **found}


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Of each measure."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in MEASURES}


def evaluate(connection: Connection, dataset: str, **given: Any) -> dict[tuple[str, str], Row]:
    """The rows of rag.evaluate by strategy and stage."""
    arguments = "".join(f", {name} => %({name})s" for name in given)
    with connection.cursor(row_factory=dict_row) as cursor:
        cursor.execute(
            f"select * from rag.evaluate(%(dataset)s{arguments})".encode(),
            {"dataset": dataset, **given},
        )
        return {(row["strategy"], row["stage"]): row for row in cursor}


def add(
    connection: Connection,
    name: str,
    queries: Mapping[str, str],
    judgments: Sequence[Mapping[str, Any]],
    collections: Sequence[str] = ("books",),
) -> None:
    """Keeps a dataset."""
    rows = [{"query_id": number, "query": query} for number, query in queries.items()]
    connection.execute(
        "select rag.add_dataset(%s, %s, %s, %s)",
        (name, json.dumps(rows), json.dumps(judgments), list(collections)),
    )


def judged(relevance: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
    """The judgments of rag.add_dataset."""
    return [
        {"query_id": number, "source": source, "relevance": grade}
        for number, grades in relevance.items()
        for source, grade in grades.items()
    ]


def asked(connection: Connection, query: str, strategy: str, **given: Any) -> list[str]:
    """Sources that a search finds, each at its best passage."""
    arguments = "".join(f", {name} => %({name})s" for name in given)
    rows = connection.execute(
        f"""select source from rag.search(%(query)s, '{{books}}', 1000, %(strategy)s{arguments})
            order by rank""".encode(),
        {"query": query, "strategy": strategy, **given},
    ).fetchall()
    return list(dict.fromkeys(row[0] for row in rows))


@pytest.fixture
def books(conn: Connection) -> dict[str, dict[str, int]]:
    """Sixty documents of up to three passages, eight queries; relevance by query and source."""
    chance = random.Random(6)
    conn.execute("select rag.create_collection('books')")
    for number in range(60):
        passages = [
            " ".join(chance.choices(WORDS, k=chance.randint(4, 9)))
            for _ in range(chance.randint(1, 3))
        ]
        conn.execute(
            "select rag.ingest_chunks('books', %s, source => %s)",
            (json.dumps([{"content": passage} for passage in passages]), f"{number}.md"),
        )
    queries = {f"q{number}": " ".join(chance.sample(WORDS, 3)) for number in range(8)}
    relevance = {
        number: {f"{source}.md": chance.randint(0, 4) for source in chance.sample(range(60), 9)}
        for number in queries
    }
    relevance["q7"] = dict.fromkeys(relevance["q7"], 0)  # without an answer
    queries["q8"] = "never judged"
    add(conn, "books", queries, judged(relevance))
    return relevance


@pytest.fixture(scope="module")
def rerankers(short_dir: Path, model: ModelChoice) -> Iterator[Path]:
    """A folder of models with a cross-encoder."""
    folder = short_dir / "evaluate-models"
    make_cross_encoder(folder, model.directory)
    yield folder
    shutil.rmtree(folder)


def queries_of(connection: Connection) -> dict[str, str]:
    """The queries of the dataset books."""
    rows = connection.execute("select query_id, query from rag_internal.dataset_query").fetchall()
    return dict(rows)


def test_measures_of_a_ranking_equal_plain_ones(conn: Connection) -> None:
    chance = random.Random(1)
    for _ in range(300):
        names = [str(number) for number in range(chance.randint(1, 80))]
        relevance = {name: chance.randint(0, 5) for name in chance.sample(names, len(names) // 2)}
        relevance["missing"] = chance.randint(1, 5)
        chance.shuffle(names)
        places = [place for place, name in enumerate(names, 1) if name in relevance]
        row = conn.execute(
            "select (rag_internal.ranking_scores('x', %s::bigint[], %s::integer[], %s)).*",
            (places, [relevance[names[place - 1]] for place in places], [*relevance.values()]),
        ).fetchone()
        assert row is not None
        assert dict(zip(MEASURES, row[1:], strict=True)) == pytest.approx(
            measures(names, relevance)
        )


@pytest.mark.parametrize("strategy", ["hybrid", *LEGS])
def test_results_are_those_of_the_search(
    conn: Connection, books: dict[str, dict[str, int]], strategy: str
) -> None:
    queries = queries_of(conn)
    found = evaluate(conn, "books", strategies=[strategy])[strategy, "result"]
    wanted = mean(
        [
            measures(asked(conn, queries[number], strategy)[:50], relevance)
            for number, relevance in books.items()
            if any(relevance.values())
        ]
    )
    assert {name: found[name] for name in MEASURES} == pytest.approx(wanted)
    assert (found["queries"], found["answered"]) == (7, 7)
    assert 0 < wanted["ndcg_10"] < 1


def test_settings_are_those_of_the_search(
    conn: Connection, books: dict[str, dict[str, int]]
) -> None:
    queries = queries_of(conn)
    settings = {"weights": json.dumps({"bm25": 0.1, "semantic": 1}), "rrf_k": 3}
    found = evaluate(
        conn,
        "books",
        strategies=["rrf"],
        settings=json.dumps({"weights": {"bm25": 0.1, "semantic": 1}, "rrf_k": 3}),
    )["hybrid", "result"]
    rankings = [
        measures(asked(conn, queries[number], "hybrid", **settings)[:50], relevance)
        for number, relevance in books.items()
        if any(relevance.values())
    ]
    assert {name: found[name] for name in MEASURES} == pytest.approx(mean(rankings))
    plain = evaluate(conn, "books", strategies=["hybrid"])["hybrid", "result"]
    assert plain["mrr_10"] != found["mrr_10"]


def test_stages_of_a_hybrid(conn: Connection, books: dict[str, dict[str, int]]) -> None:
    found = evaluate(conn, "books")
    assert [stage for strategy, stage in found if strategy == "hybrid"] == [
        *LEGS, "recall", "fusion", "result",
    ]  # fmt: skip
    for name in MEASURES:
        assert found["hybrid", "fusion"][name] == found["hybrid", "result"][name]
    queries = queries_of(conn)
    union = dict.fromkeys((5, 20, 50), 0.0)
    for number, relevance in books.items():
        answers = {source for source, grade in relevance.items() if grade > 0}
        legs = [asked(conn, queries[number], leg) for leg in LEGS]
        for k in union if answers else ():
            first = {source for leg in legs for source in leg[:k]}
            union[k] += len(answers & first) / len(answers) / 7
    recall = found["hybrid", "recall"]
    assert recall["ndcg_10"] is recall["mrr_10"] is None
    assert {k: recall[f"recall_{k}"] for k in (5, 20)} == pytest.approx(
        {5: union[5], 20: union[20]}
    )
    for leg in LEGS:
        for name in ("ndcg_10", "mrr_10", "recall_5", "recall_20"):
            assert found["hybrid", leg][name] == found[leg, "result"][name], (leg, name)


def test_a_reranker_has_a_stage(
    conn: Connection,
    books: dict[str, dict[str, int]],
    rerankers: Path,
) -> None:
    with models_from(conn, rerankers):
        conn.execute("select rag.add_reranker(%s, 'fastembed', '{\"revision\": \"1\"}')", (KNOWN,))
        found = evaluate(
            conn,
            "books",
            strategies=["bm25"],
            settings=json.dumps({"rerank": KNOWN, "rerank_candidates": 1000}),
        )
        queries = queries_of(conn)
        reranked = [
            asked(conn, queries[number], "bm25", rerank=KNOWN)
            for number, relevance in books.items()
            if any(relevance.values())
        ]
    assert [stage for _, stage in found] == ["recall", "rerank", "result"]
    judgments = [relevance for relevance in books.values() if any(relevance.values())]
    wanted = mean(
        [measures(names, grades) for names, grades in zip(reranked, judgments, strict=True)]
    )
    for name in ("ndcg_10", "mrr_10", "recall_5"):
        assert found["bm25", "rerank"][name] == pytest.approx(wanted[name])
        assert found["bm25", "result"][name] == pytest.approx(wanted[name])
    plain = evaluate(conn, "books", strategies=["bm25"])["bm25", "result"]
    assert found["bm25", "recall"]["ndcg_10"] == pytest.approx(plain["ndcg_10"])
    assert found["bm25", "rerank"]["ndcg_10"] != plain["ndcg_10"]


def test_an_excerpt_is_found_by_a_passage_that_shares_half_of_it(conn: Connection) -> None:
    conn.execute("select rag.create_collection('books', model => 'none')")
    passages = ["the valve is red today", "the pump is blue today", "the oil is black today"]
    content = "\n\n".join(passages)
    conn.execute(
        "select rag.ingest_chunks('books', %s, content => %s, source => 'a.md')",
        (json.dumps([{"content": passage} for passage in passages]), content),
    )
    start = content.index("pump")
    for first, past, expected in (
        (start, start + 11, 1.0),
        (start - 30, start + 11, 1.0),  # just half of the passage
        (start - 40, start + 4, 0.0),
        (start + 30, start + 40, 0.0),
    ):
        excerpt = {"start_offset": max(first, 0), "end_offset": past}
        add(conn, "excerpt", {"1": "pump"}, [{**judged({"1": {"a.md": 1}})[0], **excerpt}])
        found = evaluate(conn, "excerpt", strategies=["bm25"])["bm25", "result"]
        assert (found["recall_5"], found["answered"]) == (expected, 1), excerpt
    # one passage that holds two of them has found both
    whole = [
        {
            "query_id": "1",
            "source": "a.md",
            "relevance": 2,
            "start_offset": at,
            "end_offset": at + 4,
        }
        for at in (start, start + 5)
    ]
    add(conn, "excerpt", {"1": "pump"}, whole)
    found = evaluate(conn, "excerpt", strategies=["bm25"])["bm25", "result"]
    assert found["recall_5"] == found["ndcg_10"] == 1.0


def test_runs_are_kept_and_compared(conn: Connection, books: dict[str, dict[str, int]]) -> None:
    key = ("bm25", "result")
    first = evaluate(conn, "books", strategies=["bm25"])[key]
    assert first["last"] is None
    unsaved = evaluate(conn, "books", strategies=["bm25"], save=False)[key]
    second = evaluate(conn, "books", strategies=["bm25"], settings='{"filter": {"title": "x"}}')[
        key
    ]
    for row in (unsaved, second):
        assert {name: row["last"][name] for name in MEASURES} == pytest.approx(
            {name: first[name] for name in MEASURES}
        )
    assert (second["answered"], second["recall_50"]) == (0, 0.0)
    third = evaluate(conn, "books", strategies=["bm25"])[key]
    assert third["last"]["recall_50"] == 0.0
    assert third["last"]["settings"] == {"filter": {"title": "x"}}
    kept = conn.execute(
        "select stage, settings, recall_50 from rag.list_evaluations('books')"
    ).fetchall()
    assert [(stage, recall > 0) for stage, _, recall in kept] == [
        ("result", True), ("result", False), ("result", True),
    ]  # fmt: skip
    # what is judged otherwise, or looked at otherwise, is not compared
    assert evaluate(conn, "books", strategies=["bm25"], top_k=10)[key]["last"] is None
    add(conn, "books", queries_of(conn), judged({"q0": {"1.md": 1}}))
    assert evaluate(conn, "books", strategies=["bm25"])[key]["last"] is None
    conn.execute("select rag.drop_dataset('books')")
    assert conn.execute("select from rag.list_evaluations()").fetchall() == []


def test_evaluating_leaves_the_log_of_searches_alone(
    conn: Connection, books: dict[str, dict[str, int]]
) -> None:
    before = conn.execute("select count(*) from rag.search_log").fetchone()
    evaluate(conn, "books")
    assert conn.execute("select count(*) from rag.search_log").fetchone() == before


def test_a_dataset_is_its_owners(conn: Connection, role_factory: RoleFactory) -> None:
    alice, bob = role_factory(["rag_writer"], "alice"), role_factory(["rag_writer"], "bob")
    with as_role(conn, alice):
        conn.execute("select rag.ingest('books', 'the valve', 'a.md')")
        add(conn, "mine", {"1": "valve"}, judged({"1": {"a.md": 1}}))
        assert evaluate(conn, "mine", strategies=["bm25"])["bm25", "result"]["mrr_10"] == 1.0
    with as_role(conn, bob):
        assert conn.execute("select from rag.list_datasets()").fetchall() == []
        assert conn.execute("select from rag.list_evaluations()").fetchall() == []
        message = 'dataset "mine" does not exist or is not yours'
        for call in ("* from rag.evaluate('mine')", "rag.drop_dataset('mine')"):
            throws_ok(conn, f"select {call}", "P0002", message)
        throws_ok(
            conn,
            'select rag.add_dataset(\'mine\', \'[{"query_id": "1", "query": "x"}]\', \'[]\','
            " '{books}')",
            "P0002",
            'collection "books" does not exist or is not visible to you',
        )
    # an administrator evaluates it too, but what that finds is not the owner's to see
    assert evaluate(conn, "mine", strategies=["bm25"])["bm25", "result"]["last"] is None
    with as_role(conn, alice):
        assert len(conn.execute("select from rag.list_evaluations()").fetchall()) == 1
    assert len(conn.execute("select from rag.list_evaluations()").fetchall()) == 2


def test_a_role_that_is_made_again_can_inherit_its_datasets(conn: Connection) -> None:
    for _ in range(2):
        conn.execute("create role t_heir in role rag_writer")
        with as_role(conn, "t_heir"):
            assert conn.execute("select from rag.list_datasets()").fetchall() == []
            conn.execute("select rag.add_dataset('mine', %s, '[]')", [QUERIES])
        conn.execute("drop role t_heir")
    conn.execute("create role t_heir in role rag_writer")
    throws_ok(conn, "select rag.adopt_role('t_heir')", "42710", "datasets of the same name")
    throws_ok(conn, "select rag.drop_dataset('mine')", "42P09", "several datasets are named")
    conn.execute(
        "delete from rag_internal.dataset where dataset_id in"
        " (select min(dataset_id) from rag_internal.dataset)"
    )
    conn.execute("select rag.adopt_role('t_heir')")
    with as_role(conn, "t_heir"):
        assert len(conn.execute("select from rag.list_datasets()").fetchall()) == 1
        conn.execute("select rag.drop_dataset('mine')")
    assert conn.execute("select from rag.list_datasets()").fetchall() == []


def test_hidden_documents_change_nothing(conn: Connection, role_factory: RoleFactory) -> None:
    owner, reader = role_factory(["rag_writer"], "owner"), role_factory(["rag_writer"], "reader")
    with as_role(conn, owner):
        conn.execute("select rag.create_collection('books', readers => %s)", [[reader]])
        for number in range(8):
            conn.execute(
                "select rag.ingest('books', %s, %s)", (f"valve {number} pump", f"{number}.md")
            )
    with as_role(conn, reader):
        grades = {"3.md": 2, "5.md": 1, "secret.md": 3}
        add(conn, "test", {"1": "valve pump"}, judged({"1": grades}))
        before = evaluate(conn, "test", save=False)
    with as_role(conn, owner):
        conn.execute(
            "select rag.ingest('books', 'valve pump', 'secret.md', readers => %s)", [[owner]]
        )
    with as_role(conn, reader):
        assert evaluate(conn, "test", save=False) == before


def test_a_redacted_source_cannot_be_guessed(conn: Connection, role_factory: RoleFactory) -> None:
    owner, reader = role_factory(["rag_writer"], "owner"), role_factory(["rag_writer"], "reader")
    with as_role(conn, owner):
        conn.execute("select rag.create_collection('books', readers => %s)", [[reader]])
        conn.execute("select rag.ingest('books', 'the valve is closed', 'quagga.md')")
        conn.execute(
            "select rag.add_redaction_rule('books', 'animal', pattern => 'quagga',"
            " replacement => '?')"
        )
    for role, source, recall in (
        (owner, "quagga.md", 1.0),
        (reader, "quagga.md", 0.0),
        (reader, "?.md", 1.0),
    ):
        with as_role(conn, role):
            add(conn, "test", {"1": "valve"}, judged({"1": {source: 1}}))
            found = evaluate(conn, "test", strategies=["bm25"])["bm25", "result"]
            assert (found["recall_5"], found["answered"]) == (recall, 1), (role, source)


def test_a_judgment_may_name_its_collection(conn: Connection) -> None:
    for name in ("books", "other"):
        conn.execute("select rag.create_collection(%s, model => 'none')", [name])
        conn.execute("select rag.ingest(%s, 'the valve', 'a.md')", [name])
    both = [
        {"query_id": "1", "source": "a.md", "relevance": 1, "collection": name}
        for name in ("books", "other")
    ]
    for judgments, recall in ((both, 0.5), (both[:1], 1.0), (both[1:], 0.0)):
        add(conn, "test", {"1": "valve"}, judgments)
        found = evaluate(conn, "test", strategies=["bm25"])["bm25", "result"]
        assert found["recall_5"] == recall


def test_erasure_reaches_questions_and_judgments(
    conn: Connection, role_factory: RoleFactory
) -> None:
    alice, bob = role_factory(["rag_writer"], "alice"), role_factory(["rag_writer"], "bob")
    for role in (alice, bob):
        with as_role(conn, role):
            conn.execute("select rag.ingest('books', 'the valve of Jane', 'a.md')")
            grades = {"1": {"a.md": 1, "b.md": 1}, "2": {"b.md": 1, "Jane.md": 1}}
            add(conn, "mine", {"1": "valve", "2": "oil", "3": "who is Jane"}, judged(grades))
            settings = '{"filter": {"title": "Jane"}}'
            evaluate(conn, "mine", strategies=["bm25"], settings=settings)
    # two sources (one of a document that goes), one question, one run
    erase = (
        "select entries from rag.erase_content('%%Jane%%', dry_run => %s) where kind = 'dataset'"
    )
    with as_role(conn, alice):
        for dry_run in (True, False):
            assert conn.execute(erase, [dry_run]).fetchall() == [(4,)]
        assert conn.execute(erase, [False]).fetchall() == []
        (run,) = conn.execute("select settings from rag.list_evaluations()").fetchall()
        assert run == ({},)
        assert evaluate(conn, "mine", strategies=["bm25"])["bm25", "result"]["last"] is None
    left = "select queries, judgments from rag.list_datasets() order by queries"
    assert conn.execute(left).fetchall() == [(2, 2), (3, 4)]


QUERIES = '[{"query_id": "1", "query": "valve"}]'


@pytest.mark.parametrize(
    ("queries", "judgments", "message"),
    [
        ("{}", "[]", "queries is not a JSON array"),
        ("[]", "[]", "needs a query"),
        ("[1]", "[]", "element 1 of queries is not a JSON object"),
        ('[{"query_id": "1"}]', "[]", "element 1 of queries has no query"),
        ('[{"query": "x"}]', "[]", "has no query_id"),
        ('[{"query_id": "1", "query": " "}]', "[]", "query has no visible character"),
        ('[{"query_id": "1", "query": "x", "y": 1}]', "[]", "unknown keys: y"),
        (f"[{QUERIES[1:-1]}, {QUERIES[1:-1]}]", "[]", "query_id 1 is given twice"),
        (QUERIES, '[{"query_id": "2", "source": "a", "relevance": 1}]', "query_id 2 is judged"),
        (QUERIES, '[{"query_id": "1", "relevance": 1}]', "has no source"),
        (QUERIES, '[{"query_id": "1", "source": "a", "relevance": 31}]', "no relevance from 0"),
        (QUERIES, '[{"query_id": "1", "source": "a", "relevance": -1}]', "no relevance from 0"),
        (
            QUERIES,
            '[{"query_id": "1", "source": "a", "relevance": 1, "start_offset": 3}]',
            "an excerpt that is none",
        ),
    ],
)
def test_datasets_that_measure_nothing_are_refused(
    conn: Connection, queries: str, judgments: str, message: str
) -> None:
    call = "select rag.add_dataset('test', %s, %s)"
    throws_ok(conn, call, "22023", message, [queries, judgments])


def test_evaluations_that_cannot_be_are_refused(conn: Connection) -> None:
    conn.execute("select rag.add_dataset('test', %s, '[]')", [QUERIES])
    call = "select * from rag.evaluate('test'{})"
    throws_ok(conn, call.format(""), "22023", "no query with an answer")
    for settings, message in (
        ("[]", "settings is not a JSON object"),
        ('{"top_k": 3}', "settings has an unknown key: top_k"),
        ('{"query": "x"}', "settings has an unknown key: query"),
        ('{"fusion": "sum"}', "fusion is sum"),
    ):
        throws_ok(conn, call.format(f", settings => '{settings}'"), "22023", message)
    throws_ok(conn, call.format(", '{best}'"), "22023", 'unknown strategy "best"')
    conn.execute(
        "select rag.add_dataset('test', %s, %s)",
        [QUERIES, '[{"query_id": "1", "source": "a", "relevance": 1}]'],
    )
    throws_ok(conn, call.format(", top_k => 0"), "22023", "top_k is 0")
    throws_ok(conn, "select * from rag.evaluate('none')", "P0002", "does not exist or is not yours")
