"""rag.bm25_search is exact, whatever parts of the lexical index the passages lie in."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from support import Database, throws_ok
from support.bm25 import Hit, Passage, assert_ranking, passages, scores, search
from support.database import Server

Connection = psycopg.Connection[Any]

SEED = 20240411
WORDS = (
    "valve valves pump pumping lantern gauge red blue old new open opening close closed leak "
    "leaking rust steam water filter seal bolt"
).split()
# drawn with falling likelihood, so that some are in most passages and some in few
LIKELIHOODS = [1 / (place + 1) for place in range(len(WORDS))]
QUERIES = [
    "valve", "bolt", "rusty bolts seals", "red pump", "valves valve VALVE", "quagga", "the of and",
    "old steam quagga", "open closed leaks gauge lantern", " ".join(WORDS),
]  # fmt: skip
NAMES = ("plain", "titled", "german")


def documents(rng: random.Random, count: int, prefix: str) -> list[dict[str, Any]]:
    """Documents of one passage or several, with titles and headings; some say the same."""
    made: list[dict[str, Any]] = []
    for number in range(count):
        sections = [
            f"## {' '.join(words(rng, 2))}\n\n{' '.join(words(rng, rng.randint(3, 60)))}."
            for _ in range(rng.randint(1, 5))
        ]
        content = "\n\n".join(sections)
        if number % 7 == 6:
            content = made[-1]["content"]
        made.append(
            {
                "content": content,
                "source": f"{prefix}{number}.md",
                "title": " ".join(words(rng, 3)) if number % 3 else None,
                "mime": "text/markdown",
                "language": "de" if number % 5 == 0 else None,
                "tags": ["rare"] if is_rare(number) else [],
                "metadata": {"number": number},
            }
        )
    return made


def is_rare(number: int) -> bool:
    return number % 9 == 4


def number_of(source: str) -> int:
    """The number in a document's source."""
    return int("".join(filter(str.isdigit, source)))


def words(rng: random.Random, count: int) -> list[str]:
    return rng.choices(WORDS, LIKELIHOODS, k=count)


@pytest.fixture(scope="module")
def base(db: Database) -> Database:
    """Three collections of different weights and configurations, all of it pending."""
    rng = random.Random(SEED)
    settings = {
        "plain": "title_weight => 0, heading_weight => 0",
        "titled": "title_weight => 3, heading_weight => 2",
        "german": "text_config => 'german'",
    }
    with db.connect() as owner:
        for name in NAMES:
            owner.execute(
                f"select rag.create_collection(%s, model => 'none', strategy => 'markdown',"
                f" chunk_size => 150, {settings[name]})",
                [name],
            )
            made = json.dumps(documents(rng, 21, name))
            owner.execute("select rag.ingest_many(%s, %s)", [name, made])
        rows = owner.execute("select count(*) from rag_internal.segment").fetchone()
        assert rows == (0,)
    return db


def leave_pending(owner: Connection) -> None:
    """Nothing is built."""


def build_one_segment(owner: Connection) -> None:
    """One segment of each configuration."""
    owner.execute("call rag.maintain()")
    assert count(owner, "segment") == len(configs(owner))
    assert count(owner, "pending") == 0


def build_many_segments(owner: Connection) -> None:
    """A segment for every few documents, as if each lot had been built before the next came."""
    with owner.transaction():
        owner.execute("create temp table aside on commit drop as table rag_internal.pending")
        owner.execute("delete from rag_internal.pending")
        for lot in range(11):
            owner.execute(
                "insert into rag_internal.pending select * from aside"
                " where mod(mod(hashtext(document_id::text), 11) + 11, 11) = %s",
                [lot],
            )
            for config in configs(owner):
                owner.execute("select rag_internal.build_segment(%s)", [config])
    assert count(owner, "segment") > 11
    assert count(owner, "pending") == 0


def build_and_replace(owner: Connection) -> None:
    """Many segments, in which a third of the entries is dead; their successors are pending."""
    build_many_segments(owner)
    owner.execute(
        "select rag_internal.index_document(document_id) from rag_internal.document"
        " where mod(hashtext(document_id::text), 3) = 0"
    )
    assert count(owner, "pending") > 5
    assert count(owner, "tombstone") > 5


def count(owner: Connection, table: str) -> int:
    row = owner.execute(f"select count(*) from rag_internal.{table}").fetchone()
    assert row is not None
    return int(row[0])


def configs(owner: Connection) -> list[str]:
    return [c for (c,) in owner.execute("select distinct text_config from rag_internal.document")]


LAYOUTS: list[Callable[[Connection], None]] = [
    leave_pending, build_one_segment, build_many_segments, build_and_replace,
]  # fmt: skip


@pytest.fixture(scope="module", params=LAYOUTS, ids=lambda layout: layout.__name__)
def laid_out(
    request: pytest.FixtureRequest, server: Server, base: Database
) -> Iterator[Connection]:
    """A copy of the database, with its lexical index in one layout."""
    copy = server.create_database(base.name)
    owner = copy.connect()
    request.param(owner)
    yield owner
    server.drop_database(copy)


@pytest.fixture(scope="module")
def corpus(base: Database) -> list[Passage]:
    with base.connect() as owner:
        found = passages(owner)
    assert len(found) > 3 * 64, "more than the first batch of a ranking"
    assert {passage.config for passage in found} == {"english", "german"}
    return found


@pytest.fixture(scope="module")
def names(base: Database) -> dict[str, str]:
    """The collection of each document."""
    with base.connect() as owner:
        rows = owner.execute("select document_id::text, collection from rag.document").fetchall()
    return dict(rows)


@pytest.mark.parametrize("collections", [None, ["plain"], ["titled", "german"]])
def test_scores_and_order_equal_the_formula(
    laid_out: Connection,
    corpus: list[Passage],
    names: dict[str, str],
    collections: list[str] | None,
) -> None:
    searched = [p for p in corpus if collections is None or names[p.document_id] in collections]
    matched = 0
    for query in QUERIES:
        hits = search(laid_out, query, collections)
        assert_ranking(hits, scores(laid_out, searched, query))
        matched += len(hits)
    assert matched > len(searched)


@pytest.mark.parametrize("query", ["valve", "red pump", " ".join(WORDS)])
def test_any_top_k_is_a_prefix(laid_out: Connection, query: str) -> None:
    for contained, path in ((None, None), ('{"tags": ["rare"]}', None), (None, "$.number > 3")):
        everything = search(laid_out, query, filter=contained, filter_path=path)
        assert everything
        for k in (1, 2, 3, 10, 63, 64, 65, 129, len(everything), 10_000, 2**31 - 1):
            hits = search(laid_out, query, top_k=k, filter=contained, filter_path=path)
            assert hits == everything[:k]


def test_pages_are_disjoint(laid_out: Connection) -> None:
    page = (
        "select document_id::text, chunk_index, source, score from rag.bm25_search(%s, skip => %s)"
    )
    for query in ("valve", "-bolt"):
        pages = [laid_out.execute(page, [query, skip]).fetchall() for skip in range(0, 70, 10)]
        hits = [Hit(*row) for rows in pages for row in rows]
        assert hits == search(laid_out, query, top_k=70)
        assert len(hits) == 70


def test_a_filter_moves_no_score(laid_out: Connection) -> None:
    for query in QUERIES:
        everything = search(laid_out, query)
        rare = [hit for hit in everything if is_rare(number_of(hit.source))]
        assert search(laid_out, query, filter='{"tags": ["rare"]}') == rare
        assert search(laid_out, query, filter_path='$.tags[*] == "rare"') == rare


def test_scores_have_the_same_bits_in_every_layout(laid_out: Connection, base: Database) -> None:
    syntax = ['"red valve"', "pump -bolt", "-bolt", "va*", "le* lantern", 'red -"valve valve"']
    with base.connect() as pending:
        for query in [*QUERIES, *syntax]:
            hits = search(laid_out, query)
            assert hits == search(pending, query)
            assert bool(hits) == (query not in ("quagga", "the of and"))


def test_typing_errors_mean_the_same_in_every_layout(laid_out: Connection, base: Database) -> None:
    rng = random.Random(SEED)
    hits = "select h.*::text from rag.fuzzy_search(%s, top_k => 1000) h"
    corrections = "select * from rag.correct_query(%s)"
    corrected = 0
    with base.connect() as pending:
        for _ in range(60):
            letters = list(rng.choice(WORDS))
            for at in (rng.randrange(len(letters)), rng.randrange(len(letters))):
                letters[at] = rng.choice(letters)
            for statement in (hits, corrections):
                rows = laid_out.execute(statement, ["".join(letters)]).fetchall()
                assert rows == pending.execute(statement, ["".join(letters)]).fetchall(), letters
            corrected += rows[0][2] > 0
    assert corrected > 10


def test_explain_adds_up_to_the_score(laid_out: Connection, corpus: list[Passage]) -> None:
    by_key = {passage.key: passage for passage in corpus}
    explain = "select * from rag.explain_bm25(%s, %s, %s)"
    columns = "term tf df n idf length average_length length_factor contribution".split()
    for query in ("valve", "old steam quagga", "open closed leaks gauge lantern", "va* red"):
        hits = search(laid_out, query)
        for hit in [*hits[:6], *hits[-2:]]:
            rows = laid_out.execute(explain, [query, *hit.key]).fetchall()
            terms = [dict(zip(columns, row, strict=True)) for row in rows]
            total = 0.0
            for term in terms:
                total += term["contribution"]
            assert total == hit.score
            assert terms == sorted(terms, key=lambda t: (-t["idf"], t["term"]))
            passage = by_key[hit.key]
            own = [p for p in corpus if p.config == passage.config]
            for term in terms:
                assert term["n"] == len(own)
                assert term["length"] == passage.counts.total()
                assert term["average_length"] * len(own) == pytest.approx(
                    sum(p.counts.total() for p in own)
                )
                if not term["term"].endswith("*"):
                    assert term["tf"] == passage.counts[term["term"]]
                    assert term["df"] == sum(1 for p in own if p.counts[term["term"]])
                assert term["contribution"] == pytest.approx(term["idf"] * term["length_factor"])
                assert (term["contribution"] > 0) == (term["tf"] > 0)


def test_explain_of_a_passage_that_is_not_there(laid_out: Connection) -> None:
    row = laid_out.execute("select document_id from rag.document limit 1").fetchone()
    assert row is not None
    explain = "select * from rag.explain_bm25('valve', %s, %s)"
    for index in (-1, 100, 2**31 - 1, -(2**31)):
        pattern = f"^ragsql: passage {index} of document {row[0]} does not exist or is not visible"
        throws_ok(laid_out, explain, "P0002", pattern, [row[0], index])
    missing = "00000000-0000-0000-0000-000000000001"
    throws_ok(laid_out, explain, "P0002", "does not exist or is not visible to you", [missing, 0])
