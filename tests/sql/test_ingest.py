"""Documents go in whole: split, embedded, indexed, or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest

from support import throws_ok

Connection = psycopg.Connection[Any]

LONG = " ".join(f"Sentence number {i} tells of valve {i} and its pump." for i in range(200))


def ingest(conn: Connection, collection: str, content: str, **arguments: Any) -> Any:
    named = "".join(f", {name} => %({name})s" for name in arguments)
    row = conn.execute(
        f"select document_id, status, chunks_created, job_id"
        f" from rag.ingest(%(collection)s, %(content)s{named})",
        {"collection": collection, "content": content, **arguments},
    ).fetchone()
    assert row is not None
    return row


def rows_of(conn: Connection) -> dict[str, int]:
    """How many rows each table of content holds."""
    tables = [
        "rag_internal.collection",
        "rag_internal.document",
        "rag_internal.chunk",
        "rag_internal.embedding",
        "rag_internal.acl",
    ]
    return {t: conn.execute(f"select count(*) from {t}").fetchone()[0] for t in tables}


def test_a_document_is_created_updated_unchanged(conn: Connection) -> None:
    first = ingest(conn, "docs", "Close the red valve.", source="a.md", title="Valves")
    assert (first[1], first[2], first[3]) == ("created", 1, None)
    again = ingest(conn, "docs", "Close the red valve.", source="a.md", title="Valves")
    assert again[:3] == (first[0], "unchanged", 0)
    changed = ingest(conn, "docs", "Close the blue valve.", source="a.md", title="Valves")
    assert changed[:3] == (first[0], "updated", 1)
    assert rows_of(conn)["rag_internal.document"] == 1
    assert rows_of(conn)["rag_internal.chunk"] == 1
    assert rows_of(conn)["rag_internal.embedding"] == 1


def test_every_chunk_cuts_exactly_its_passage_out_of_the_document(conn: Connection) -> None:
    ingest(conn, "docs", "é 👩‍🚒\r\n" + LONG, source="long.md")
    row = conn.execute(
        """select count(*), bool_and(c.content = substr(d.content, c.start_offset + 1,
                                                         c.end_offset - c.start_offset)),
                  bool_and(c.token_count + 2 <= m.max_tokens)
           from rag_internal.chunk c join rag_internal.document d using (document_id)
           join rag_internal.collection k using (collection_id) join rag_internal.model m using (model_id)"""
    ).fetchone()
    assert row is not None
    assert row[0] > 5
    assert row[1:] == (True, True)


def test_a_null_source_becomes_the_content_hash(conn: Connection) -> None:
    ingest(conn, "docs", "Close the red valve.")
    row = conn.execute(
        "select source = encode(sha256(convert_to(content, 'UTF8')), 'hex') from rag_internal.document"
    ).fetchone()
    assert row == (True,)


def test_g13_a_reload_of_a_one_chunk_document_has_exactly_one_vector(conn: Connection) -> None:
    ingest(conn, "docs", "The lantern is red.", source="one.md")
    ingest(conn, "docs", "The lantern is green.", source="one.md")
    hits = conn.execute("select content from rag.semantic_search('green lantern')").fetchall()
    assert hits == [("The lantern is green.",)]
    assert rows_of(conn)["rag_internal.embedding"] == 1


def test_equal_text_is_embedded_once(conn: Connection) -> None:
    ingest(conn, "docs", "Close the red valve.", source="a.md")
    ingest(conn, "more", "Close the red valve.", source="b.md")
    row = conn.execute(
        "select count(*), count(distinct embed_hash), count(distinct v::text) from rag_internal.embedding"
    ).fetchone()
    assert row == (2, 1, 1)
    # the second came from the first: changing the first vector by hand shows it
    conn.execute(
        "update rag_internal.embedding set v = (select rag.embed(array['other']))[1]::halfvec"
    )
    ingest(conn, "third", "Close the red valve.", source="c.md")
    row = conn.execute("select count(distinct v::text) from rag_internal.embedding").fetchone()
    assert row == (1,)


def test_settings_of_the_collection_changed_means_split_anew(conn: Connection) -> None:
    ingest(conn, "docs", LONG, source="a.md")
    conn.execute("select rag.alter_collection('docs', chunk_size => 20, overlap => 0)")
    assert ingest(conn, "docs", LONG, source="a.md")[1] == "updated"
    assert ingest(conn, "docs", LONG, source="a.md")[1] == "unchanged"


@pytest.mark.parametrize("content", ["", "   \n\t", "\u200b\ufeff", None])
def test_a17_blank_content_is_refused_and_nothing_written(conn: Connection, content: str) -> None:
    before = rows_of(conn)
    throws_ok(
        conn, "select rag.ingest('docs', %s)", "22023", "content too small to chunk", [content]
    )
    assert rows_of(conn) == before


def test_a17_one_character_is_one_chunk(conn: Connection) -> None:
    assert ingest(conn, "docs", "x")[2] == 1


def test_bad_arguments_are_refused(conn: Connection) -> None:
    throws_ok(conn, "select rag.ingest('docs', 'text', metadata => '[1]')", "22023", "JSON object")
    throws_ok(conn, "select rag.ingest('  ', 'text')", "22023", "collection has no visible")
    throws_ok(conn, "select rag.ingest(null, 'text')", "22023", "collection has no visible")
    throws_ok(conn, "select rag.ingest('docs', 'text', repeat('s', 3000))", "22023", "2,000 bytes")
    throws_ok(conn, "select rag.ingest('docs', 'text', readers => '{nobody_here}')", "42704")
    throws_ok(conn, "select rag.ingest('docs', 'text', readers => '{user:}')", "22023")
    throws_ok(
        conn,
        "select rag.ingest('docs', 'text', valid_from => '2020-01-02', valid_until => '2020-01-01')",
        "22023",
    )
    throws_ok(
        conn, "select rag.ingest('docs', 'text', title => repeat('t', 2001))", "22023", "title"
    )
    throws_ok(conn, "select rag.ingest('docs', 'text', tags => '{{a,b},{c,d}}')", "22023", "tags")
    throws_ok(conn, "select rag.ingest('docs', 'text', tags => '{a,null}')", "22023", "tags")
    throws_ok(conn, "select rag.embed('{{a,b},{c,d}}')", "22023", "dimension")
    assert rows_of(conn)["rag_internal.document"] == 0


def test_what_the_system_does_not_know_metadata_cannot_claim(conn: Connection) -> None:
    claims = '{"title": "FAKE", "valid_until": "2000-01-01", "version": "9", "team": "ops"}'
    conn.execute(
        "select rag.ingest('docs', 'text', 'a', metadata => %s, valid_from => '-infinity')",
        [claims],
    )
    row = conn.execute("select attributes, metadata ->> 'title' from rag.document").fetchone()
    assert row is not None
    assert row[1] == "FAKE"
    assert {"title", "valid_until"}.isdisjoint(row[0])
    assert (row[0]["version"], row[0]["team"], row[0]["valid_from"]) == ("", "ops", "-infinity")


def test_one_document_and_its_chunks_by_id(conn: Connection) -> None:
    document = ingest(conn, "docs", LONG, source="a.md")[0]
    ingest(conn, "docs", "Another one.", source="b.md")
    row = conn.execute("select source, content from rag.get_document(%s)", [document]).fetchone()
    assert row == ("a.md", LONG)
    indexes = conn.execute("select chunk_index from rag.get_chunks(%s)", [document]).fetchall()
    assert len(indexes) > 1
    assert indexes == [(i,) for i in range(len(indexes))]
    for function in ("get_document", "get_chunks"):
        for nothing in ("gen_random_uuid()", "null"):
            assert conn.execute(f"select * from rag.{function}({nothing})").fetchall() == []


def test_ingest_many_is_all_or_nothing(conn: Connection) -> None:
    rows = conn.execute(
        """select status, chunks_created from rag.ingest_many('docs', '[
               {"content": "Close the red valve.", "source": "a.md", "tags": ["x"]},
               {"content": "Open the blue valve.", "source": "b.md", "metadata": {"team": "ops"}}]')"""
    ).fetchall()
    assert rows == [("created", 1), ("created", 1)]
    before = rows_of(conn)
    throws_ok(
        conn,
        """select rag.ingest_many('docs', '[{"content": "Good text."}, {"content": " "}]')""",
        "22023",
    )
    throws_ok(
        conn, """select rag.ingest_many('docs', '[{"contents": "x"}]')""", "22023", "unknown keys"
    )
    throws_ok(conn, """select rag.ingest_many('docs', '{}')""", "22023", "JSON array")
    throws_ok(conn, """select rag.ingest_many('docs', null)""", "22023", "JSON array")
    throws_ok(
        conn, """select rag.ingest_many('docs', '[{"content": "x", "tags": "a"}]')""", "22023"
    )
    assert rows_of(conn) == before


def test_update_document_embeds_nothing(conn: Connection) -> None:
    document = ingest(conn, "docs", "Close the red valve.", source="a.md", metadata="{}")[0]
    vectors = conn.execute("select chunk_id, v::text from rag_internal.embedding").fetchall()
    row = conn.execute(
        """select status from rag.update_document(%s, title => 'Zeppelin', tags => '{new}',
                                                  metadata => '{"team": "ops", "title": "mine"}')""",
        [document],
    ).fetchone()
    assert row == ("updated",)
    assert (
        conn.execute("select chunk_id, v::text from rag_internal.embedding").fetchall() == vectors
    )
    for strategy in ("bm25", "fuzzy"):
        hits = conn.execute("select source from rag.search('zeppelin', strategy => %s)", [strategy])
        assert hits.fetchall() == [("a.md",)]
    attributes = conn.execute("select attributes from rag_internal.document").fetchone()
    assert attributes is not None
    assert attributes[0]["title"] == "Zeppelin"  # system keys win
    assert attributes[0]["team"] == "ops"
    assert attributes[0]["created_at"].endswith("Z")
    again = conn.execute("select status from rag.update_document(%s)", [document]).fetchone()
    assert again == ("unchanged",)
    throws_ok(conn, "select rag.update_document(%s, status => 'gone')", "22023", params=[document])
    throws_ok(conn, "select rag.update_document(gen_random_uuid())", "P0002")


def test_archived_and_outdated_documents_are_not_searched(conn: Connection) -> None:
    first = ingest(conn, "docs", "Close the red valve.", source="a.md")[0]
    second = ingest(conn, "docs", "Open the red valve.", source="b.md")[0]
    conn.execute("select rag.update_document(%s, status => 'archived')", [first])
    conn.execute("select rag.update_document(%s, valid_until => '2020-01-01')", [second])
    for strategy in ("hybrid", "semantic", "bm25", "fuzzy"):
        hits = conn.execute("select source from rag.search('valve', strategy => %s)", [strategy])
        assert hits.fetchall() == []
    conn.execute("select rag.update_document(%s, valid_until => 'infinity')", [second])
    assert conn.execute("select source from rag.search('valve')").fetchall() == [("b.md",)]


def test_a_later_load_brings_nothing_back(conn: Connection) -> None:
    archived = ingest(conn, "docs", "Close the red valve.", source="a.md")[0]
    expired = ingest(conn, "docs", "Open the red valve.", source="b.md")[0]
    conn.execute("select rag.update_document(%s, status => 'archived')", [archived])
    conn.execute("select rag.update_document(%s, valid_until => '2020-01-01')", [expired])
    assert ingest(conn, "docs", "Close the red valve.", source="a.md")[1] == "unchanged"
    assert ingest(conn, "docs", "Open the blue valve.", source="b.md")[1] == "updated"
    assert conn.execute("select source from rag.search('valve')").fetchall() == []
    throws_ok(
        conn,
        "select rag.ingest('docs', 'Open the blue valve.', 'b.md', valid_from => '2021-01-01')",
        "22023",
        "valid_from is not before",
    )
    ingest(conn, "docs", "Open the blue valve.", source="b.md", valid_until="infinity")
    assert conn.execute("select source from rag.search('valve')").fetchall() == [("b.md",)]


def test_deleting_leaves_no_chunk_and_no_vector(conn: Connection) -> None:
    document = ingest(conn, "docs", LONG, source="a.md")[0]
    conn.execute("select rag.delete_document(%s)", [document])
    assert rows_of(conn)["rag_internal.chunk"] == rows_of(conn)["rag_internal.embedding"] == 0
    throws_ok(conn, "select rag.delete_document(%s)", "P0002", params=[document])


def test_a_chunk_beyond_the_window_is_never_cut_off(conn: Connection) -> None:
    """However large a chunk is asked for, each passage fits the model."""
    conn.execute("select rag.create_collection('big', chunk_size => 5000, overlap => 0)")
    ingest(conn, "big", LONG, source="a.md")
    row = conn.execute(
        "select max(token_count), min(start_offset), max(end_offset), count(*) from rag_internal.chunk"
    ).fetchone()
    assert row is not None
    window = conn.execute("select max_tokens from rag_internal.model where is_default").fetchone()
    assert window is not None
    assert row[0] + 2 <= window[0]
    assert row[1:3] == (0, len(LONG))


def test_e01_dimensions_are_refused_naming_both(conn: Connection) -> None:
    name = conn.execute("select name from rag_internal.model where is_default").fetchone()
    throws_ok(
        conn, "select rag.add_model(%s, 'fastembed', 768)", "22023", "384 dimensions, not 768", name
    )


def test_models_are_checked_before_they_are_registered(conn: Connection) -> None:
    for bad in (
        "'none'", "''", "'m', 'magic'", "'m', dimensions => 0", "'m', dimensions => 16001", "'m', dimensions => null",
        "'m', options => '[]'", """'m', options => '{"colour": 1}'""", """'m', options => '{"max_tokens": "abc"}'""",
        """'m', options => '{"max_tokens": 1}'""", """'m', options => '{"is_default": "maybe"}'""",
        """'m', options => '{"metric": "hamming"}'""",
    ):  # fmt: skip
        throws_ok(conn, f"select rag.add_model({bad})", "22023")
    assert conn.execute("select count(*) from rag_internal.model").fetchone() == (1,)
    ingest(conn, "docs", "Text.")
    name = conn.execute("select name from rag_internal.model").fetchone()
    for option in ("revision", "passage_prefix", "metric"):
        value = "l2" if option == "metric" else "other"
        options = json.dumps({option: value})
        throws_ok(
            conn, "select rag.add_model(%s, options => %s)", "55000", None, [*(name or ()), options]
        )


def test_a_missing_model_is_an_error_with_the_next_step(conn: Connection) -> None:
    conn.execute("select rag.add_model('BAAI/bge-base-en-v1.5', 'fastembed', 768)")
    error = throws_ok(
        conn, "select rag.create_collection('ghost', model => 'BAAI/bge-base-en-v1.5')", "55000"
    )
    assert error.diag.message_hint
    assert rows_of(conn)["rag_internal.document"] == 0
    conn.execute("select rag.create_collection('plain', model => 'none')")
    ingest(conn, "plain", "Close the red valve.", source="p.md")
    hits = conn.execute(
        "select source, degraded from rag.search('valve', array['plain'])"
    ).fetchall()
    assert hits == [("p.md", ["semantic: no collection of this search has an embedding model"])]
    throws_ok(conn, "select rag.semantic_search('valve', array['plain'])", "55000", "no collection")


def test_d05_a_leg_without_its_model_is_an_error_or_a_degraded_note(conn: Connection) -> None:
    ingest(conn, "docs", "Close the red valve.", source="a.md")
    conn.execute("update rag_internal.model set name = 'gone/model', revision = 'r2'")
    throws_ok(conn, "select * from rag.search('valve')", "55000")
    throws_ok(
        conn,
        "select * from rag.search('valve', strategy => 'semantic', allow_degraded => true)",
        "55000",
    )
    row = conn.execute(
        "select source, degraded[1] from rag.search('valve', allow_degraded => true)"
    ).fetchone()
    assert row is not None
    assert row[0] == "a.md"
    assert row[1].startswith("semantic: ")
    assert conn.execute("select source from rag.bm25_search('valve')").fetchall() == [("a.md",)]


def test_a_backend_with_the_model_keeps_to_one_thread(conn: Connection) -> None:
    """Neither more threads for the model, nor a thread that reports on its use to somebody."""
    conn.execute("select rag.embed(array['valve'])")
    assert len(list(Path(f"/proc/{conn.info.backend_pid}/task").iterdir())) == 1
