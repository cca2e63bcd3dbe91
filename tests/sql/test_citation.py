"""Citations, and what they stand for after their document was ingested again."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from support import Database, RoleFactory, as_role, throws_ok

Connection = psycopg.Connection[Any]

PLACES = ["quarry", "harbour", "mill", "tunnel", "bridge", "tower", "garden", "market"]
FACTS = [f"The {place} at kilometre {i} opens at {i} o'clock." for i, place in enumerate(PLACES)]
TEXT = "\n\n".join(FACTS)


@pytest.fixture(scope="module")
def session(db: Database) -> Iterator[Connection]:
    connection = db.connect(autocommit=True)
    connection.execute(
        "select rag.create_collection('facts', model => 'none', strategy => 'word',"
        " chunk_size => 8, overlap => 2)"
    )
    yield connection
    connection.close()


@pytest.fixture
def told(session: Connection) -> Connection:
    """The text as it was first."""
    session.execute("delete from rag_internal.document")
    tell(session, TEXT)
    return session


def tell(conn: Connection, content: str) -> None:
    conn.execute("select rag.ingest('facts', %s, 'facts.md', 'Facts')", [content])


def cite(conn: Connection, query: str) -> dict[str, Any]:
    """The best hit."""
    with conn.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute("select * from rag.bm25_search(%s, top_k => 1)", [query]).fetchone()
    assert row is not None
    return row


def resolve(conn: Connection, citation: str) -> dict[str, Any]:
    with conn.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute("select * from rag.resolve_citation(%s)", [citation]).fetchone()
    assert row is not None
    return row


def test_a_citation_has_the_hashes_of_document_and_passage(told: Connection) -> None:
    hit = cite(told, "tunnel")
    document, passage = (
        hashlib.sha256(text.encode()).hexdigest()[:16] for text in (TEXT, hit["content"])
    )
    assert hit["citation"] == (
        f"{hit['document_id']}/{hit['chunk_index']}@{document}.{passage}"
        f":{hit['start_offset']}-{hit['end_offset']}"
    )


SAME = (
    "document_id", "chunk_index", "collection", "source", "version", "title", "content",
    "start_offset", "end_offset", "start_line", "end_line", "page",
)  # fmt: skip


def test_each_citation_resolves_to_its_hit(told: Connection) -> None:
    told.execute("select rag.ingest('facts', %s, 'crlf.md')", [TEXT.replace("\n", "\r\n")])
    told.execute("select rag.ingest('facts', %s, 'lines.md')", ["\n".join("水 öl" for _ in "abc")])
    with told.cursor(row_factory=dict_row) as cursor:
        hits = cursor.execute(
            "select * from rag.bm25_search('opens kilometre clock 水', top_k => 100)"
        ).fetchall()
    assert len(hits) > 20
    for hit in hits:
        found = resolve(told, hit["citation"])
        assert found["status"] == "current"
        assert {name: found[name] for name in SAME} == {name: hit[name] for name in SAME}


def test_a_passage_that_moved_is_found_by_its_text(told: Connection) -> None:
    """Although other passages are cut around it."""
    hit = cite(told, "tunnel")
    for text in ("A preface of three. " + TEXT, TEXT.split("\n\n", 1)[1], TEXT[::-1] + TEXT):
        tell(told, text)
        found = resolve(told, hit["citation"])
        assert (found["status"], found["content"]) == ("moved", hit["content"])
        start = text.index(hit["content"])
        assert (found["start_offset"], found["end_offset"]) == (start, start + len(hit["content"]))
        assert found["start_line"] == 1 + text[:start].count("\n")
        with told.cursor(row_factory=dict_row) as cursor:
            chunk = cursor.execute(
                "select * from rag.chunk where chunk_index = %s", [found["chunk_index"]]
            ).fetchone()
        assert chunk is not None
        assert chunk["start_offset"] < found["end_offset"]
        assert found["start_offset"] < chunk["end_offset"]
    tell(told, TEXT + " More.")
    assert resolve(told, hit["citation"])["status"] == "current"


def test_a_passage_within_a_word_is_found(session: Connection) -> None:
    session.execute("delete from rag_internal.document")
    session.execute(
        "select rag.ingest_chunks('facts', %s, 'unbreakable', 'x.md')",
        [json.dumps([{"content": "un"}, {"content": "break"}, {"content": "able"}])],
    )
    citation = cite(session, "break")["citation"]
    session.execute(
        "select rag.ingest_chunks('facts', %s, 'is unbreakable', 'x.md')",
        [json.dumps([{"content": "is"}, {"content": "unbreakable"}])],
    )
    found = resolve(session, citation)
    assert (found["status"], found["content"], found["chunk_index"]) == ("moved", "break", 1)


def test_of_a_passage_that_is_gone_what_stands_there_is_shown(told: Connection) -> None:
    hit = cite(told, "tunnel")
    tell(told, TEXT.replace("tunnel", "subway"))
    found = resolve(told, hit["citation"])
    assert found["status"] == "changed"
    assert "subway" in found["content"]
    document = told.execute("select content from rag.document").fetchone()
    assert document is not None
    assert document[0][found["start_offset"] : found["end_offset"]] == found["content"]
    tell(told, "short")
    found = resolve(told, hit["citation"])
    assert (found["status"], found["content"], found["chunk_index"]) == ("changed", "short", 0)


def test_a_citation_of_before_knows_only_whether_the_document_changed(told: Connection) -> None:
    hit = cite(told, "tunnel")
    old = re.sub(r"\.[0-9a-f]{16}:", ":", hit["citation"])
    assert old != hit["citation"]
    found = resolve(told, old)
    assert (found["status"], found["content"]) == ("current", hit["content"])
    tell(told, TEXT + " ")
    assert resolve(told, old)["status"] == "changed"


@pytest.mark.parametrize(
    "citation",
    [
        "", "x", "facts.md", None,
        "{id}/0@{hash}:0-1 and more", "{id}/-1@{hash}:0-1", "{id}/0@{hash}:1-1",
        "{id}/0@{hash}:5-2", "{id}/0@{hash}:0-9999999999", "{id}/9999999999@{hash}:0-1",
        "{id}/0@short:0-1", "{id}/0@{hash}.{hash}.{hash}:0-1", "zz{id}/0@{hash}:0-1",
    ],
)  # fmt: skip
def test_what_is_no_citation_is_refused(told: Connection, citation: str | None) -> None:
    given = citation and citation.format(id="0" * 8 + "-0000" * 3 + "-" + "0" * 12, hash="0" * 16)
    throws_ok(told, "select rag.resolve_citation(%s)", "22023", "is no citation", [given])


def test_any_span_of_a_known_document_resolves(told: Connection) -> None:
    """Nobody made these; they show a passage that the caller can read, and no more."""
    hit = cite(told, "tunnel")
    for span in ("0-1", "5-100000", "2147483646-2147483647"):
        made = re.sub(r"@.*", f"@{'0' * 16}.{'0' * 16}:{span}", hit["citation"])
        found = resolve(told, made)
        assert found["status"] == "changed"
        contents = told.execute("select content from rag.chunk").fetchall()
        assert (found["content"],) in contents


def test_hidden_and_missing_documents_are_one(told: Connection, role_factory: RoleFactory) -> None:
    hit = cite(told, "tunnel")
    other = role_factory()
    errors = []
    for citation in (hit["citation"], "1" * 8 + hit["citation"][8:]):
        with as_role(told, other):
            error = throws_ok(
                told, "select rag.resolve_citation(%s)", "P0002", "not visible to you", [citation]
            )
        shown = citation.split("/")[0]
        errors.append([
            (d or "").replace(shown, "ID")
            for d in (error.diag.message_primary, error.diag.message_detail,
                      error.diag.message_hint, error.diag.context)
        ])  # fmt: skip
    assert errors[0] == errors[1]
    with as_role(told, told.info.user):
        told.execute("select rag.grant_read('facts', %s)", [other])
    with as_role(told, other):
        assert resolve(told, hit["citation"])["status"] == "current"
    told.execute("delete from rag_internal.document")
    throws_ok(told, "select rag.resolve_citation(%s)", "P0002", None, [hit["citation"]])


def test_a_long_document_is_searched_in_bounded_time(session: Connection) -> None:
    """Found among word boundaries; not found, it ends."""
    session.execute("delete from rag_internal.document")
    tell(session, TEXT)
    hit = cite(session, "tunnel")
    filler = " ".join(f"word{i}" for i in range(60_000))
    row = session.execute(
        "select rag_internal.find_passage(%(text)s || ' ' || %(passage)s, %(hash)s, length(%(passage)s),"
        " 0, null), rag_internal.find_passage(%(text)s, %(hash)s, length(%(passage)s), 0, null)",
        {
            "text": filler,
            "passage": hit["content"],
            "hash": hit["citation"].split(".")[1].split(":")[0],
        },
    ).fetchone()
    assert row == (len(filler) + 1, None)
