"""The lexical index tells nobody of what is hidden: random documents, readers and layouts.

A database is kept twice under the same ids: whole, and for one reader without what is hidden from
that reader. There the documents were indexed in another order and built into other segments. Every
column of BM25, the fuzzy leg, corrections and explanations must be equal, errors too.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg
import pytest
from psycopg import sql

from support import Database
from support.database import Server

Connection = psycopg.Connection[Any]

COMMON = "valve pump lantern gauge red blue old open closed leak rust steam water filter".split()
RARE = "valvet pumper lanterm zebra quagga steak watch leafy secret merger layoff gauze".split()
TITLES = "Manual Notes Merger Pumps Layoffs Valves".split()
FILTERS = [
    "", "", """, filter => '{"tags": ["x"]}'""", ", filter_path => '$.n > 3'", ", top_k => 3",
    """, filter => '{"tags": ["y"]}', filter_path => '$.n < 7', top_k => 2""", ", skip => 2",
]  # fmt: skip
SEEDS = (3, 14, 159)
READERS = 2
DOCUMENTS = 60
COLLECTIONS = {"a": "english", "b": "english", "c": "german", "d": "simple"}


class World(NamedTuple):
    """reader: a role. full: its session where all is, without: where what is hidden is not.

    visible: the words it can read. hidden: documents that it must not know of.
    """

    reader: str
    full: Connection
    without: Connection
    visible: frozenset[str]
    hidden: list[str]


def documents(rng: random.Random, roles: list[str]) -> list[dict[str, Any]]:
    """Documents of a collection each; some have readers of their own, or none but the owner."""
    made = []
    for number in range(DOCUMENTS):
        words = rng.choices(
            COMMON + RARE, [4] * len(COMMON) + [1] * len(RARE), k=rng.randint(2, 30)
        )
        own = rng.random()
        made.append(
            {
                "collection": rng.choice(list(COLLECTIONS)),
                "source": f"{number}.md",
                "content": " ".join(words),
                "title": rng.choice([None, *TITLES]),
                "tags": [rng.choice("xy")],
                "metadata": {"n": number % 10},
                "language": rng.choice([None, None, "en", "de"]),
                "readers": None
                if own < 0.5
                else [f"role:{role}" for role in roles if rng.random() < 0.4],
            }
        )
    return made


def fill(owner: Connection, rng: random.Random, roles: list[str]) -> None:
    """The whole database, with segments built now and then."""
    for name, config in COLLECTIONS.items():
        owner.execute(
            "select rag.create_collection(%s, model => 'none', text_config => %s)", [name, config]
        )
        for role in roles:
            if rng.random() < 0.6:
                owner.execute("select rag.grant_read(%s, %s)", [name, role])
    for document in documents(rng, roles):
        collection = document.pop("collection")
        owner.execute("select rag.ingest_many(%s, %s)", [collection, json.dumps([document])])
        upkeep(owner, rng)
    owner.execute("vacuum analyze rag_internal.document, rag_internal.chunk")


def upkeep(owner: Connection, rng: random.Random) -> None:
    """Now and then builds, or merges too."""
    if rng.random() < 0.08:
        config = rng.choice(list(COLLECTIONS.values()))
        owner.execute("select rag_internal.build_segment(%s)", [config])
    elif rng.random() < 0.02:
        owner.execute("call rag.maintain()")


def forget(owner: Connection, rng: random.Random, hidden: list[str], places: list[str]) -> None:
    """Leaves what one reader sees, indexed from nothing in another order."""
    owner.execute(
        "delete from rag_internal.document where document_id = any (%s::uuid[])", [hidden]
    )
    for name in COLLECTIONS.keys() - places:
        owner.execute("select rag.drop_collection(%s)", [name])
    owner.execute(
        "truncate rag_internal.pending, rag_internal.posting, rag_internal.segment,"
        " rag_internal.tombstone, rag_internal.indexed_document, rag_internal.word"
    )
    rows = owner.execute("select document_id from rag_internal.document").fetchall()
    rng.shuffle(rows)
    for row in rows:
        owner.execute("select rag_internal.index_document(%s)", row)
        upkeep(owner, rng)


@pytest.fixture(scope="module", params=[(s, r) for s in SEEDS for r in range(READERS)])
def world(
    request: pytest.FixtureRequest, server: Server, template: str, worlds: dict[int, Database]
) -> Iterator[World]:
    seed, number = request.param
    rng = random.Random(seed * 100 + number)
    full = worlds[seed]
    reader = f"{full.name}_reader_{number}"
    with full.connect(reader) as session:
        seen = [d for (d,) in session.execute("select document_id::text from rag.document")]
        places = [name for (name,) in session.execute("select name from rag.collection")]
        texts = session.execute("select concat_ws(' ', title, content) from rag.document")
        visible = frozenset(word for (text,) in texts for word in text.lower().split())
    with full.connect() as owner:
        rows = owner.execute(
            "select document_id::text from rag_internal.document"
            " where document_id <> all (%s::uuid[])",
            [seen],
        )
        hidden = [document for (document,) in rows]
    copy = server.create_database(full.name)
    with copy.connect() as owner:
        forget(owner, rng, hidden, places)
    yield World(reader, full.connect(reader), copy.connect(reader), visible, hidden)
    full.close()
    server.drop_database(copy)


@pytest.fixture(scope="module")
def worlds(server: Server, template: str) -> Iterator[dict[int, Database]]:
    """A whole database for each seed, with readers of its own."""
    made: dict[int, Database] = {}
    roles: list[sql.Identifier] = []
    for seed in SEEDS:
        made[seed] = server.create_database(template)
        names = [f"{made[seed].name}_reader_{number}" for number in range(READERS)]
        with made[seed].connect() as owner:
            for name in names:
                roles.append(sql.Identifier(name))
                owner.execute(sql.SQL("create role {} login in role rag_reader").format(roles[-1]))
            fill(owner, random.Random(seed), names)
    yield made
    for database in made.values():
        server.drop_database(database)
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        for role in roles:
            admin.execute(sql.SQL("drop role {}").format(role))


def misspelt(rng: random.Random, word: str) -> str:
    """A word with one or two letters wrong."""
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(word))
        kind = rng.randrange(4)
        if kind == 0:
            word = word[:at] + word[at + 1 :]
        elif kind == 1:
            word = word[:at] + rng.choice("aestx") + word[at:]
        elif kind == 2:
            word = word[:at] + rng.choice("aestx") + word[at + 1 :]
        else:
            word = word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
    return word


def question(rng: random.Random) -> str:
    """A query with words that are visible, hidden or misspelt, and with any syntax."""
    words = []
    for _ in range(rng.randint(1, 5)):
        word = rng.choice(COMMON + 2 * RARE)
        kind = rng.random()
        if kind < 0.35:
            word = misspelt(rng, word)
        elif kind < 0.45:
            word = f'"{word} {rng.choice(COMMON)}"'
        elif kind < 0.6:
            word = f"-{word}"
        elif kind < 0.7:
            word = f"{word[: rng.randint(2, 4)]}*"
        words.append(word or "x")
    return " ".join(words)


def outcome(connection: Connection, query: str, params: Any = None) -> Any:
    """The rows, or the whole error."""
    try:
        return connection.execute(query, params).fetchall()
    except psycopg.Error as error:
        diag = error.diag
        return (
            error.sqlstate,
            diag.message_primary,
            diag.message_detail,
            diag.message_hint,
            diag.context,
        )


def same(world: World, query: str, params: Any = None) -> Any:
    """What both databases say."""
    full, without = (outcome(c, query, params) for c in (world.full, world.without))
    assert full == without, (query, params)
    return full


def test_both_databases_say_the_same(world: World) -> None:
    rng = random.Random(len(world.visible) * 1000 + len(world.hidden))
    assert world.hidden
    rows = 0
    for _ in range(60):
        asked = question(rng)
        scope = rng.choice([None, None, ["a"], ["b", "c"], ["a", "c", "d"], ["d"]])
        kept = rng.choice(FILTERS)
        for leg in ("bm25", "fuzzy"):
            hits = same(world, f"select h.* from rag.{leg}_search(%s, %s{kept}) h", [asked, scope])
            rows += isinstance(hits, list) and len(hits)
        corrected = same(world, "select * from rag.correct_query(%s, %s)", [asked, scope])
        if isinstance(corrected, list):
            assert_visible(world, corrected)
    assert rows > 100, "the test compares next to nothing"


def assert_visible(world: World, corrected: list[tuple[str, str | None, int]]) -> None:
    """Expects that every correction is made of words that the reader can read."""
    for _, meant, distance in corrected:
        assert not distance or meant is None or set(meant.split()) <= world.visible


def test_explanations_are_the_same(world: World) -> None:
    rng = random.Random(len(world.hidden))
    explain = "select t.* from rag.explain_bm25(%s, %s, %s, %s) t"
    explained = 0
    for _ in range(25):
        asked = question(rng)
        hits = outcome(world.full, "select * from rag.bm25_search(%s, top_k => 3)", [asked])
        for hit in hits if isinstance(hits, list) else []:
            explained += len(same(world, explain, [asked, hit[2], hit[3], None]))
            same(world, explain, [asked, hit[2], hit[3], ["a"]])
        unseen = rng.choice(world.hidden)
        error = same(world, explain, [asked, unseen, 0, None])
        assert error[0] == "P0002"
        missing = outcome(world.full, explain, [asked, "0" * 32, 0, None])
        assert str(error).replace(unseen, "X") == str(missing).replace(
            "00000000-0000-0000-0000-000000000000", "X"
        )
    assert explained > 20


def test_the_owner_would_see_the_difference(world: World) -> None:
    """Otherwise nothing that is hidden could have mattered."""
    differences = 0
    with psycopg.connect(world.full.info.dsn, user="postgres") as owner:
        for query in (*COMMON, *RARE):
            for call in ("bm25_search(%s)", "fuzzy_search(%s)", "correct_query(%s)"):
                statement = f"select t.*::text from rag.{call} t"
                shown = outcome(world.full, statement, [query])
                differences += outcome(owner, statement, [query]) != shown
    assert differences > 20
