"""The lexical index follows what changes: documents, their languages, weights of a collection."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from support import RoleFactory, as_role, throws_ok
from support.bm25 import assert_ranking, passages, scores, search

Connection = psycopg.Connection[Any]

QUERIES = ("valve", "red pump", "lantern valve quagga", "the", "Ventile valves")


@pytest.fixture(params=[False, True], ids=["pending", "built"])
def built(request: pytest.FixtureRequest) -> bool:
    """Whether what is there is built into a segment before it changes."""
    return bool(request.param)


@pytest.fixture
def settle(conn: Connection, built: bool) -> Callable[[], None]:
    """Builds what is pending, where the test is to find it in segments."""

    def build() -> None:
        if built:
            conn.execute(
                "select rag_internal.build_segment(text_config)"
                " from (select distinct text_config from rag_internal.document) d"
            )
            assert conn.execute("select 1 from rag_internal.pending").fetchone() is None

    return build


@pytest.fixture
def filled(conn: Connection, settle: Callable[[], None]) -> Connection:
    """Twelve documents of the collection docs."""
    conn.execute("select rag.create_collection('docs', model => 'none', strategy => 'markdown')")
    for number in range(12):
        conn.execute(
            "select rag.ingest('docs', %s, %s, title => %s, mime => 'text/markdown')",
            [
                f"# Lantern {number % 4}\n\nThe red valve {'and the pump ' * (number % 3)}is closed.",
                f"{number}.md",
                "Pump manual" if number % 2 else None,
            ],
        )
    settle()
    return conn


def assert_exact(connection: Connection, collections: list[str] | None = None) -> None:
    """Expects of several queries what the formula says of what is there now."""
    corpus = passages(connection, collections)
    for query in QUERIES:
        hits = search(connection, query, collections)
        assert_ranking(hits, scores(connection, corpus, query))


def sources(connection: Connection, query: str) -> list[str]:
    return sorted(hit.source for hit in search(connection, query))


def document_id(connection: Connection, source: str) -> str:
    row = connection.execute(
        "select document_id::text from rag.document where source = %s", [source]
    ).fetchone()
    assert row is not None
    return str(row[0])


@pytest.mark.parametrize("weights", [(0, 0), (1, 1), (2, 1), (5, 3), (10, 0)])
def test_weights_apply_at_once(filled: Connection, weights: tuple[int, int]) -> None:
    before = [(hit.key, hit.score) for hit in search(filled, "red pump")]
    filled.execute(
        "select rag.alter_collection('docs', title_weight => %s, heading_weight => %s)", weights
    )
    assert_exact(filled)
    after = [(hit.key, hit.score) for hit in search(filled, "red pump")]
    assert (after == before) == (weights == (2, 1))
    manuals = [f"{number}.md" for number in range(12) if number % 2]
    assert sources(filled, "manual") == (sorted(manuals) if weights[0] else [])
    terms = filled.execute(
        "select tf from rag.explain_bm25('lantern', %s, 0)", [document_id(filled, "1.md")]
    ).fetchall()
    assert terms == [(1 + weights[1],)]  # a heading is in its own passage as well


def test_bad_weights(filled: Connection) -> None:
    for weight in ("title_weight => 11", "heading_weight => -1"):
        throws_ok(filled, f"select rag.alter_collection('docs', {weight})", "22023", "0 to 10")


def test_a_document_has_its_own_language(filled: Connection, settle: Callable[[], None]) -> None:
    filled.execute(
        "select rag.ingest('docs', 'Die Ventile sind geschlossen', 'de', language => 'de')"
    )
    settle()
    assert_exact(filled)
    assert sources(filled, "Ventil") == ["de"]
    assert sources(filled, "Ventilen valves") == sorted(["de", *(f"{n}.md" for n in range(12))])
    assert sources(filled, '"die ventil" -valve') == ["de"]
    # articles are stop words of the one language and words of the other
    assert sources(filled, "die") == []
    filled.execute(
        "select rag.ingest('docs', 'Die Ventile sind geschlossen', 'de', language => 'en')"
    )
    assert_exact(filled)
    assert sources(filled, "die") == ["de"]
    assert sources(filled, "Ventile") == ["de"]


def test_collections_of_several_configurations(
    conn: Connection, settle: Callable[[], None]
) -> None:
    texts = {
        "english": "The valves are closing",
        "german": "Die Ventile und valves schließen",
        "simple": "valves the Ventile closing",
    }
    for config, text in texts.items():
        conn.execute(
            "select rag.create_collection(%s, model => 'none', text_config => %s)", [config, config]
        )
        for number in range(4):
            content = f"{text}{' valves' * number}"
            conn.execute("select rag.ingest(%s, %s, %s)", [config, content, f"{config}{number}"])
    settle()
    for collections in (None, ["english"], ["german", "simple"], list(texts)):
        assert_exact(conn, collections)
    # each under its own stop words and stems
    assert {source[:-1] for source in sources(conn, "the")} == {"simple"}
    assert {source[:-1] for source in sources(conn, "closes")} == {"english"}
    assert {source[:-1] for source in sources(conn, "ventil")} == {"german"}
    assert len(sources(conn, "valves")) == 12
    assert sources(conn, '"valves the ventile"') == [f"simple{n}" for n in range(4)]
    conn.execute("select rag.alter_collection('simple', text_config => 'english')")
    assert_exact(conn)
    assert {source[:-1] for source in sources(conn, "the")} == set()
    assert {source[:-1] for source in sources(conn, "closes")} == {"english", "simple"}


def test_only_what_is_active_and_valid_is_found_or_counted(filled: Connection) -> None:
    everything = [f"{number}.md" for number in range(12)]
    gone = {
        "1.md": "status => 'archived'",
        "2.md": "valid_until => now() - interval '1 second'",
        "3.md": "valid_from => now() + interval '1 hour'",
    }
    for source, change in gone.items():
        filled.execute(f"select rag.update_document(%s, {change})", [document_id(filled, source)])
    assert sources(filled, "valve") == sorted(set(everything) - set(gone))
    assert_exact(filled)
    back = ("status => 'active'", "valid_until => 'infinity'", "valid_from => '-infinity'")
    for source, change in zip(gone, back, strict=True):
        filled.execute(f"select rag.update_document(%s, {change})", [document_id(filled, source)])
    assert sources(filled, "valve") == sorted(everything)
    assert_exact(filled)


def test_validity_ends_without_a_change(filled: Connection) -> None:
    """What a session keeps of an answer is kept no longer than it holds."""
    filled.execute(
        "select rag.update_document(%s, valid_until => clock_timestamp() + interval '600 ms')",
        [document_id(filled, "1.md")],
    )
    filled.execute(
        "select rag.update_document(%s, valid_from => clock_timestamp() + interval '600 ms')",
        [document_id(filled, "2.md")],
    )
    filled.execute("select rag_internal.build_segment('english')")
    before = sources(filled, "valve")
    deadline = time.monotonic() + 30
    while (found := sources(filled, "valve")) == before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert {"1.md", "2.md"} & set(before) == {"1.md"}
    while "1.md" in found or "2.md" not in found:
        assert time.monotonic() < deadline
        found = sources(filled, "valve")
    assert_exact(filled)


def test_a_title_or_text_that_changes(filled: Connection) -> None:
    filled.execute(
        "select rag.update_document(%s, title => 'Quagga')", [document_id(filled, "1.md")]
    )
    assert sources(filled, "quagga") == ["1.md"]
    assert "1.md" not in sources(filled, "manual")
    assert_exact(filled)
    filled.execute("select rag.ingest('docs', 'A zebra and no more', '1.md')")
    assert sources(filled, "zebra") == ["1.md"]
    assert "1.md" not in sources(filled, "valve")
    assert_exact(filled)
    for source in ("1.md", "2.md"):
        filled.execute("select rag.delete_document(%s)", [document_id(filled, source)])
    assert sources(filled, "zebra quagga") == []
    assert "2.md" not in sources(filled, "valve")
    assert_exact(filled)
    filled.execute("select rag.drop_collection('docs')")
    assert search(filled, "valve") == []


def test_the_index_agrees_with_the_passages_after_all_that(
    filled: Connection, settle: Callable[[], None]
) -> None:
    filled.execute("select rag.ingest('docs', 'A zebra and no more', '1.md')")
    filled.execute("select rag.delete_document(%s)", [document_id(filled, "2.md")])
    settle()
    filled.execute("select rag.update_document(%s, title => 'x')", [document_id(filled, "3.md")])
    assert filled.execute("select * from rag.verify_index('docs')").fetchall() == []
    before = {query: search(filled, query) for query in QUERIES}
    row = filled.execute("select rag.rebuild_index('docs')").fetchone()
    assert row == (len(passages(filled)),)
    assert filled.execute("select * from rag.verify_index('docs')").fetchall() == []
    assert {query: search(filled, query) for query in QUERIES} == before
    while filled.execute("select rag.maintain_step()").fetchone() == (True,):
        pass
    assert filled.execute("select count(*) from rag_internal.tombstone").fetchone() == (0,)
    assert {query: search(filled, query) for query in QUERIES} == before


def test_a_hidden_passage_is_explained_like_a_missing_one(
    filled: Connection, role_factory: RoleFactory
) -> None:
    reader = role_factory()
    hidden = document_id(filled, "1.md")
    filled.execute("select rag.create_collection('open', model => 'none')")
    filled.execute("select rag.grant_read('open', %s)", [reader])
    filled.execute("select rag.ingest('open', 'a red valve', 'open.md')")
    mine = document_id(filled, "open.md")
    missing = "00000000-0000-0000-0000-00000000dead"
    explain = "select term, df, n from rag.explain_bm25('valve', %s, %s, %s)"
    with as_role(filled, reader):
        assert filled.execute(explain, [mine, 0, None]).fetchall() == [("valv", 1, 1)]
        said = set()
        for document in (hidden, missing):
            for names in (None, ["open"]):
                error = throws_ok(filled, explain, "P0002", None, [document, 0, names])
                diag = error.diag
                assert diag.message_primary
                said.add(
                    (
                        diag.message_primary.replace(document, "X"),
                        diag.message_detail,
                        diag.message_hint,
                    )
                )
        assert len(said) == 1
        throws_ok(filled, explain, "P0002", "docs", [hidden, 0, ["docs"]])
    # a document of the caller's own outside the collections searched
    throws_ok(filled, explain, "P0002", "does not exist", [hidden, 0, ["open"]])


def test_a_rebuild_mends_what_no_trigger_saw(filled: Connection) -> None:
    filled.execute("set local session_replication_role = replica")
    filled.execute("delete from rag_internal.document where source in ('1.md', '2.md')")
    filled.execute("set local session_replication_role = origin")
    found = filled.execute("select kind from rag.verify_index('docs')").fetchall()
    assert set(found) == {("dead",)}
    filled.execute("select rag.rebuild_index('docs')")
    assert filled.execute("select from rag.verify_index('docs')").fetchall() == []
    assert_exact(filled)


def test_an_owner_is_told_nothing_of_what_it_cannot_see(
    filled: Connection, role_factory: RoleFactory
) -> None:
    owner, reader = role_factory(member_of=["rag_writer"]), role_factory(member_of=["rag_reader"])
    with as_role(filled, owner):
        filled.execute("select rag.create_collection('own', model => 'none')")
        filled.execute("select rag.ingest('own', 'one', 'a')")
        ingest = "select rag.ingest('own', 'hidden words', 'b', readers => array[%s])"
        filled.execute(ingest, [f"role:{reader}"])
        assert filled.execute("select rag.rebuild_index('own')").fetchone() == (1,)
    filled.execute("set local session_replication_role = replica")  # no trigger sees it
    filled.execute(
        "update rag_internal.chunk c set content = c.content || ' lantern' "
        "from rag_internal.document d where d.document_id = c.document_id and d.source in ('a', 'b')"
    )
    filled.execute("set local session_replication_role = origin")
    with as_role(filled, owner):
        rows = filled.execute("select kind from rag.verify_index('own')").fetchall()
        assert sorted(rows) == [("outdated",), ("wrong",)]
    assert len(filled.execute("select from rag.verify_index('own')").fetchall()) == 4


def test_verifying_only_reads(filled: Connection) -> None:
    filled.execute("set local transaction_read_only = on")
    assert filled.execute("select from rag.verify_index('docs')").fetchall() == []


@pytest.mark.parametrize("arguments", ["null, 0", "gen_random_uuid(), null"])
def test_an_explanation_wants_a_passage(filled: Connection, arguments: str) -> None:
    throws_ok(filled, f"select rag.explain_bm25('valve', {arguments})", "22023", "is null")
