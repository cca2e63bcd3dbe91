"""All strategies, with exact vectors, for identities of every kind: hidden documents do not exist.

A database is kept whole, and for each identity once more without what is hidden from it, under the
same ids. Every column must be equal but milliseconds: of hits, steps, lists, counts and errors. In
the whole database one session has asked for everybody before; in the others each asks afresh.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import psycopg
import pytest

from support import Database, RoleFactory
from support.database import Server
from support.identities import Connection, Identity, asking, prepare_tokens
from support.vectors import add_model, literal, near, unit

SEED = 8
DIMENSIONS = 6
SEEN = "valve pump lantern gauge red blue old open closed leak rust steam water".split()
RARE = "valvet pumper lanterm zebra quagga steak merger layoff secret".split()
PLACES = [("open", ""), ("mixed", ""), ("closed", ""), ("mixed", "north"), ("south", "north")]
DOCUMENTS = 90
WORDS_OF_VISIBLE = """
delete from rag_internal.word w where not exists (
    select from rag.chunk c join rag.document d using (document_id)
    where w.word = any (tsvector_to_array(
        rag_internal.surface_forms(concat_ws(' ', d.title, c.content)))))
"""
FORGET = """
delete from rag_internal.document where document_id <> all (%s::uuid[])
"""
SEARCH = "h.* from rag.search(%s, %s, {k}, %s, query_vector => %s, token => %s{more}) h"
EXPLAIN = (
    "s.step, s.route, s.why, s.passages, s.rank, s.score, s.share, s.document_id, s.chunk_index,"
    " s.detail"
    " from rag.explain_search(%s, %s, {k}, %s, query_vector => %s, token => %s{more}) s"
)


class Pair(NamedTuple):
    """An identity's sessions: where everything is, and where what is hidden from it is not."""

    identity: Identity
    full: Connection
    without: Connection
    hidden: list[str]
    shown: list[str]

    def same(self, query: str, *values: Any, needs_token: bool = False) -> Any:
        """What both say: rows, or the whole error. needs_token: the last value is the token."""
        answers = []
        for connection in (self.full, self.without):
            try:
                with asking(connection, self.identity) as token:
                    given = [*values, token] if needs_token else list(values)
                    answers.append(connection.execute(f"select {query}".encode(), given).fetchall())
            except psycopg.Error as error:
                diag = error.diag
                answers.append(
                    [
                        (error.sqlstate, diag.message_primary, diag.message_detail),
                        (diag.message_hint, diag.context),
                    ]
                )
        assert answers[0] == answers[1], (self.identity, query, values)
        return answers[0]


def fill(root: Connection, roles: list[str]) -> None:
    """Random documents with readers and levels of their own, or those of their collection."""
    rng = random.Random(SEED)
    vectors = near(DOCUMENTS, DIMENSIONS, SEED, clusters=8)
    readers = [*(f"role:{role}" for role in roles), "user:ann", "group:staff", "public"]
    for number, (name, tenant) in enumerate(PLACES):
        root.execute(
            "select rag.create_collection(%s, model => 'given', tenant => %s, readers => %s,"
            " security_level => %s)",
            [name, tenant, rng.sample(readers, 0 if name == "closed" else 2), number % 2],
        )
    for number in range(DOCUMENTS):
        name, tenant = rng.choice(PLACES)
        is_own = rng.random() < 0.6
        words = rng.choices(SEEN + RARE, [3] * len(SEEN) + [1] * len(RARE), k=rng.randint(3, 20))
        chunks = [{"content": " ".join(words), "embedding": vectors[number].tolist()}]
        if number % 9 == 0:
            del chunks[0]["embedding"]  # it waits for its vector
        root.execute(
            "select rag.ingest_chunks(%s, %s, source => %s, title => %s, tags => %s,"
            " metadata => %s, readers => %s, security_level => %s, embed => 'later')",
            [
                f"{tenant}/role:postgres/{name}" if tenant else f"role:postgres/{name}",
                json.dumps(chunks), f"{number}.md", rng.choice([None, *RARE]),
                [rng.choice("xy")], json.dumps({"n": rng.choice([0, 1, "zero", None])}),
                rng.sample(readers, rng.randint(0, 2)) if is_own else None,
                rng.choice([0, 1, 2]) if is_own else None,
            ],
        )  # fmt: skip
        if number in (30, 60):
            root.execute("select rag_internal.build_segment('english')")


@pytest.fixture(scope="module")
def people(db: Database) -> Iterator[tuple[str, list[Identity]]]:
    """A pool's login, and who asks in it."""
    factory = RoleFactory(db)
    reader = factory(name="reader")
    service = factory(["rag_reader", "rag_service"], "service")
    gateway = factory(name="gateway")
    pool = factory([], "pool")
    root = db.connect()
    root.execute(f'alter role "{pool}" noinherit')
    root.execute(f'grant "{reader}", "{service}", "{gateway}" to "{pool}"')
    root.execute("select rag.configure_role(%s, clearance => 1)", [reader])
    prepare_tokens(root)
    add_model(root, "given", dimensions=DIMENSIONS)
    fill(root, [reader])
    db.close()
    yield (
        pool,
        [
            Identity("role", reader),
            Identity("service", service, "ann", ("staff",), clearance=1),
            Identity("service", service, "nobody in particular"),
            Identity("setting", gateway, "ann", tenant="north", clearance=2),
            Identity("argument", gateway, "ben", ("staff",)),
        ],
    )
    db.close()
    factory.drop_all()


@pytest.fixture(scope="module")
def pairs(db: Database, server: Server, people: tuple[str, list[Identity]]) -> Iterator[list[Pair]]:
    login, identities = people
    copies = []
    warm: Connection | None = None
    for identity in identities:
        db.close()
        copy = server.create_database(db.name)
        copies.append((identity, copy))
    warm = db.connect(login)
    pairs = []
    for identity, copy in copies:
        # one row of each document; a search by words that everybody's documents have some of
        seen, known = _visible(warm, identity)
        with copy.connect() as root:
            everything = {d for (d,) in root.execute("select document_id::text from rag.document")}
            root.execute(FORGET, [seen])
            for name, tenant in PLACES:
                if (name, tenant) not in known:
                    place = f"{tenant}/role:postgres/{name}" if tenant else f"role:postgres/{name}"
                    root.execute("select rag.drop_collection(%s)", [place])
            root.execute(WORDS_OF_VISIBLE)
            root.execute("call rag.maintain()")
        hidden = sorted(everything - set(seen))
        pairs.append(Pair(identity, warm, copy.connect(login), hidden, seen))
    yield pairs
    for _, copy in copies:
        server.drop_database(copy)


def _visible(connection: Connection, identity: Identity) -> tuple[list[str], set[tuple[str, str]]]:
    """Ids of the documents that the identity reads, and the collections that it knows."""
    # by hand, only sessions can say who asks
    of_session = identity if identity.way != "argument" else replace(identity, way="setting")
    with asking(connection, of_session):
        rows = connection.execute("select document_id::text from rag.document order by 1")
        seen = [document_id for (document_id,) in rows]
        places = connection.execute("select name, tenant from rag.list_collections()").fetchall()
    return seen, set(places)


def questions(count: int, seed: int) -> Iterator[tuple[str, str | None, str]]:
    """Queries in words, with a vector or without, and whatever else a search can be given."""
    rng = random.Random(seed)
    more = [
        "", "", ", skip => 2", """, filter => '{"tags": ["x"]}'""", ", filter_path => '$.n == 0'",
        """, weights => '{"fuzzy": 1, "bm25": 0}'""", ", rrf_k => 1", ", allow_degraded => true",
        ", fusion => 'linear', highlight => true", ", fusion => 'convex', expand => 'neighbours'",
        ", mmr_lambda => 0.5", ", max_per_document => 1, collapse => true",
        ", correct_typos => true, highlight => true", ", min_score => 0.2",
        ", include_archived => true", ", as_of => '2020-01-01', expand => 'section'",
        ", min_updated_at => '2020-01-01', candidates => 200",
    ]  # fmt: skip
    for number in range(count):
        words = rng.choices(SEEN + RARE, k=rng.randint(1, 4))
        if rng.random() < 0.3:
            words[0] = words[0][1:]
        if rng.random() < 0.2:
            words.append(f"-{rng.choice(SEEN)}")
        if rng.random() < 0.2:
            words.append(f'"{rng.choice(SEEN)} {rng.choice(SEEN)}"')
        vector = literal(unit(np.random.default_rng(seed + number).normal(size=DIMENSIONS)))
        yield " ".join(words), vector if rng.random() < 0.9 else None, rng.choice(more)


@pytest.mark.parametrize("strategy", ["hybrid", "semantic", "bm25", "fuzzy"])
def test_every_column_and_every_step_is_equal(pairs: list[Pair], strategy: str) -> None:
    rng = random.Random(SEED)
    hits = 0
    for query, vector, more in questions(10, SEED * 100):
        collections = rng.choice(
            [None, None, ["mixed"], ["open", "mixed"], ["role:postgres/mixed"]]
        )
        k = rng.choice([3, 10, 1000])
        for pair in pairs:
            values = (query, collections, strategy, vector)
            found = pair.same(SEARCH.format(k=k, more=more), *values, needs_token=True)
            hits += len(found) if found and len(found[0]) > 3 else 0
            pair.same(EXPLAIN.format(k=k, more=more), *values, needs_token=True)
    assert hits > 40, "the test compares next to nothing"


def test_counts_lists_and_tables_are_equal(pairs: list[Pair]) -> None:
    for pair in pairs:
        pair.same("w.* from rag.whoami(%s) w", needs_token=True)
        if pair.identity.way == "argument":
            continue
        documents = pair.same("count(*) from rag.document")
        assert documents == [(len(pair.shown),)]
        for query in (
            "l.* from rag.list_collections() l", "name, status, detail from rag.doctor()",
            "d.* from rag.describe_collection('mixed') d", "r.* from rag.check_recall('mixed') r",
            "d.* from rag.describe_collection('closed') d",
            *(f"t.* from rag.{view} t order by 1" for view in (
                "document", "chunk", "collection", "principal", "model", "job_status",
                "dead_letter", "ingest_log")),
            *(f"c.* from rag.correct_query('{word}') c" for word in ("vlave", "zebre", "merge")),
        ):  # fmt: skip
            pair.same(query)


OTHER_WAYS = (
    "rag.count_matches(%s, null, 'bm25', token => %s)",
    "rag.count_matches(%s, null, 'fuzzy', token => %s)",
    "c.* from rag.context(%s, 400, null, strategy => 'bm25', token => %s) c",
    "h.* from rag.search_multi(%s, null, 20, strategy => 'bm25', threshold => 9, token => %s) h",
    "h.* from rag.bm25_search(%s, highlight => true, include_archived => true, token => %s) h",
)


def test_other_ways_to_ask_are_equal(pairs: list[Pair]) -> None:
    told = 0
    for query, _, _ in questions(8, SEED * 1000):
        for way in OTHER_WAYS:
            for pair in pairs:
                told += pair.same(way, query, needs_token=True) not in ([], [(0,)])
                if pair.identity.way != "argument" and "count_matches" not in way:
                    pair.same("rag.search_status()")
    assert told > 100, "the test compares next to nothing"


def test_one_hidden_document_is_as_good_as_none(pairs: list[Pair]) -> None:
    for pair in pairs:
        if pair.identity.way == "argument":
            continue
        assert pair.hidden
        for document_id in pair.hidden[:5]:
            assert pair.same("d.* from rag.get_document(%s) d", document_id) == []
            assert pair.same("c.* from rag.get_chunks(%s) c", document_id) == []
            error = pair.same("e.* from rag.explain_bm25('valve', %s, 0) e", document_id)
            assert error[0][0] == "P0002"
        for document_id in pair.shown[:5]:
            assert len(pair.same("d.* from rag.get_document(%s) d", document_id)) == 1


def test_filters_that_raise_raise_the_same(pairs: list[Pair]) -> None:
    """F14: over every leg; those that could look at a value alone are refused for all."""
    vector = literal(unit(np.ones(DIMENSIONS)))
    for more in (
        ", filter_path => '1 / $.n == 1'", ", filter_path => 'strict $.n.x == 1'",
        ", filter_path => '$.n.double() == 1'", ", filter_path => '$.n'",
        ", filter_path => '$.title like_regex \"(a+)+b\"'", ", filter => '[]'",
        ", filter_path => '$.n.datetime() < \"2020-01-01\"'", ", vars => '[]'",
        ", filter_path => '$.n > $limit'", ", weights => '{\"semantic\": -1}'",
    ):  # fmt: skip
        for strategy, collections in (
            ("hybrid", None),
            ("semantic", ["mixed"]),
            ("bm25", ["closed"]),
            ("fuzzy", ["missing"]),
        ):
            values = ("valve zebra", collections, strategy, vector)
            for pair in pairs[:4]:
                pair.same(SEARCH.format(k=10, more=more), *values, needs_token=True)


def test_the_owner_would_see_the_difference(db: Database, pairs: list[Pair]) -> None:
    """Otherwise nothing that is hidden could have mattered."""
    root = db.connect()
    differences = 0
    for query, vector, _ in questions(10, 1):
        row = root.execute(
            "select count(*) from rag.search(%s, top_k => 1000, query_vector => %s)",
            [query, vector],
        ).fetchone()
        for pair in pairs[:4]:
            found = pair.same(
                SEARCH.format(k=1000, more=""), query, None, None, vector, needs_token=True
            )
            differences += row != (len(found),)
    assert differences > 10
