"""A version that is hidden from a reader displaces none that the reader can see.

A database is kept twice under the same ids: whole, and for one reader without what is hidden from
that reader. Every column must be equal but milliseconds, at any moment and with old versions too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg
import pytest

from support import RoleFactory
from support.database import Server
from support.vectors import add_model, literal, near
from support.versions import WORDS, Asked, any_asked, considered, fill, stored

Connection = psycopg.Connection[Any]

DIMENSIONS = 6
HIT = (
    "h.rank, h.score, h.document_id, h.chunk_index, h.version, h.semantic_rank, h.semantic_score,"
    " h.bm25_rank, h.bm25_score, h.fuzzy_rank, h.fuzzy_score, h.corrected_query, h.degraded"
)
STEP = "s.step, s.route, s.why, s.passages, s.rank, s.score, s.share, s.document_id, s.chunk_index"


class World(NamedTuple):
    """full, without: the reader's sessions. owner: of the whole database."""

    full: Connection
    without: Connection
    owner: Connection


@pytest.fixture(scope="module", params=[2, 22])
def world(request: pytest.FixtureRequest, server: Server, template: str) -> Iterator[World]:
    database = server.create_database(template)
    factory = RoleFactory(database)
    reader = factory(name=f"reader_{request.param}")
    owner = database.connect()
    add_model(owner, "given", dimensions=DIMENSIONS)
    for name in "ab":
        owner.execute("select rag.create_collection(%s, model => 'given')", [name])
    owner.execute("select rag.grant_read('a', %s)", [reader])
    rng = random.Random(request.param)
    readers = [[], [f"role:{reader}"]]
    fill(owner, rng, near(120, DIMENSIONS, 1), readers)
    owner.execute("select rag_internal.build_segment('english')")
    fill(owner, rng, near(60, DIMENSIONS, 2), readers)
    with database.connect(reader) as session:
        seen = [d for (d,) in session.execute("select document_id::text from rag.document")]
    database.close()
    copy = server.create_database(database.name)
    with copy.connect() as editor:
        editor.execute(
            "delete from rag_internal.document where document_id <> all (%s::uuid[])", [seen]
        )
        editor.execute("call rag.maintain()")
    yield World(database.connect(reader), copy.connect(reader), database.connect())
    server.drop_database(copy)
    factory.drop_all()
    server.drop_database(database)


def same(world: World, query: str, values: list[Any]) -> list[Any]:
    """What both databases say to the reader."""
    full, without = (c.execute(query.encode(), values).fetchall() for c in world[:2])
    assert full == without, (query, values)
    return full


def arguments(rng: random.Random, asked: Asked) -> tuple[str, dict[str, Any]]:
    """Named arguments of a search, as text and with their values."""
    given: dict[str, Any] = {
        "collections": rng.choice([None, ["a"], ["a", "b"]]),
        "query_vector": literal(near(1, DIMENSIONS, rng.randrange(1000))[0]),
        "filter": rng.choice([None, None, '{"n": 1}']),
        **asked.given,
    }
    return "".join(f", {name} => %s" for name in given), given


def test_both_databases_say_the_same(world: World) -> None:
    rng = random.Random(1)
    hits = 0
    for _ in range(60):
        named, given = arguments(rng, any_asked(rng))
        query = " ".join(rng.sample(["valvve", *WORDS], rng.randint(1, 3)))
        strategy = rng.choice(["hybrid", "bm25", "fuzzy", "semantic"])
        values = [query, strategy, *given.values()]
        more = f"strategy => %s{named}"
        top_k = rng.choice([1, 5, 10, 200])
        search = f"select {HIT} from rag.search(%s, {more}, top_k => {top_k}) h"
        hits += len(same(world, search, values))
        same(world, f"select {STEP} from rag.explain_search(%s, {more}) s", values)
        same(world, f"select rag.count_matches(%s, {more})", values)
    assert hits > 200


def test_a_reader_gets_the_newest_that_it_sees(world: World) -> None:
    """Often another one than who sees all."""
    documents = stored(world.owner)
    now = world.owner.execute("select now()").fetchone()
    seen = {d for (d,) in world.full.execute("select document_id::text from rag.document")}
    assert now is not None
    expected = considered((d for d in documents if d.document_id in seen), Asked(), now[0])
    for connection in (world.full, world.without):
        for strategy in ("bm25", "fuzzy"):
            hits = connection.execute(
                "select h.document_id::text from rag.search('valve', top_k => 500,"
                " strategy => %s) h",
                [strategy],
            )
            assert {document for (document,) in hits} == expected
    assert len(expected - considered(documents, Asked(), now[0])) > 1


def test_who_loses_the_newest_version_gets_the_one_before(world: World) -> None:
    """In the same session, whose plans and masks were made with the newest one."""
    owner = world.owner
    reader = world.full
    role = reader.info.user
    question = literal(near(1, DIMENSIONS, 3)[0])
    searches = [
        ("rag.search(%s, strategy => 'bm25')", "quokka"),
        ("rag.search(%s, strategy => 'fuzzy')", "quokka"),
        ("rag.semantic_search(null, top_k => 500, query_vector => %s)", question),
    ]
    restrict = "select rag.set_readers(readers => %s, document_id => %s)"
    made = {}
    for version in "12":
        row = owner.execute(
            "select (rag.ingest_chunks('a', %s, source => 'quokka.md', version => %s,"
            " readers => %s)).document_id::text",
            [
                f'[{{"content": "quokka {version}", "embedding": [1, 0, 0, 0, 0, 0]}}]',
                version,
                [f"role:{role}"],
            ],
        ).fetchone()
        assert row is not None
        made[version] = row[0]

    def shown() -> list[set[str]]:
        return [
            {
                version
                for (version,) in reader.execute(
                    f"select h.version from {call} h where h.source = 'quokka.md'".encode(), [value]
                )
            }
            for call, value in searches
        ]

    for _ in range(2):
        assert shown() == [{"2"}] * 3
        owner.execute(restrict, [[], made["2"]])
        assert shown() == [{"1"}] * 3
        owner.execute(restrict, [[f"role:{role}"], made["2"]])
    owner.execute("select rag.delete_source('a', 'quokka.md')")
