"""rag.context: a prompt of numbered sources, within a number of tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row
from tokenizers import Tokenizer

from ragsql.models import ModelChoice
from support import Database, throws_ok

Connection = psycopg.Connection[Any]

INSTRUCTION = re.compile(r"only|nothing else")
PLACES = "quarry harbour mill tunnel bridge tower garden market".split()
FACTS = [f"The {p} has a lantern that is lit at {i} o'clock." for i, p in enumerate(PLACES)]


@pytest.fixture(scope="module")
def session(db: Database) -> Iterator[Connection]:
    connection = db.connect(autocommit=True)
    connection.execute(
        "select rag.create_collection('facts', strategy => 'sentence', chunk_size => 60,"
        " overlap => 0)"
    )
    for place, fact in zip(PLACES, FACTS, strict=True):
        connection.execute(
            "select rag.ingest('facts', %s, %s, %s)", [fact, f"{place}.md", f"On the {place}"]
        )
    yield connection
    connection.close()


def context(conn: Connection, query: str, **given: Any) -> dict[str, Any]:
    arguments = "".join(f", {name} => %({name})s" for name in given)
    with conn.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(
            f"select * from rag.context(%(query)s{arguments})".encode(), {"query": query, **given}
        ).fetchone()
    assert row is not None
    return row


def hits(conn: Connection, query: str, **given: Any) -> list[dict[str, Any]]:
    arguments = "".join(f", {name} => %({name})s" for name in given)
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(
            f"select * from rag.search(%(query)s{arguments})".encode(), {"query": query, **given}
        ).fetchall()


def test_sources_are_numbered_below_an_instruction(session: Connection) -> None:
    found = context(session, "lantern tunnel", strategy="bm25", top_k=3)
    expected = hits(session, "lantern tunnel", strategy="bm25", top_k=3)
    instruction, *blocks = found["context"].split("\n\n")
    assert INSTRUCTION.search(instruction)
    assert "[1]" in instruction
    assert blocks == [
        f"[Source {n}: {hit['source']}]\n{hit['title']}, line 1\n{hit['content']}"
        for n, hit in enumerate(expected, 1)
    ]
    assert found["status"] == "found"
    assert found["degraded"] is None
    for number, (source, hit) in enumerate(zip(found["sources"], expected, strict=True), 1):
        assert source["number"] == number
        assert source["citations"] == [hit["citation"]]
        for name in ("collection", "source", "title", "version", "chunk_index", "start_offset",
                     "end_offset", "start_line", "end_line", "rank", "score"):  # fmt: skip
            assert source[name] == hit[name], name
        row = session.execute(
            "select status, content from rag.resolve_citation(%s)", [source["citation"]]
        ).fetchone()
        assert row == ("current", hit["content"])


@pytest.mark.parametrize("most", [60, 90, 120, 200, 2000])
def test_tokens_are_those_of_the_model_and_bounded(
    session: Connection, model: ModelChoice, most: int
) -> None:
    """And whole: what does not fit is left out."""
    tokenizer = Tokenizer.from_file(str(model.directory / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    found = context(session, "lantern", max_tokens=most)
    tokens = len(tokenizer.encode(found["context"], add_special_tokens=False))
    assert found["tokens"] == tokens <= most
    shown = [fact for fact in FACTS if fact in found["context"]]
    assert len(shown) == found["context"].count("[Source ") == len(found["sources"])
    assert len(shown) == {60: 0, 90: 1}.get(most, len(shown))
    assert len(shown) == len(FACTS) or tokens > most - 40 or most == 60
    assert found["status"] == ("found" if shown else "no room")


def test_a_passage_that_does_not_fit_makes_way_for_smaller_ones(session: Connection) -> None:
    session.execute(
        "select rag.ingest('large', %s, 'large.md', chunk_size => 180)", ["anchor " * 170]
    )
    session.execute("select rag.ingest('large', 'One anchor and a rope.', 'small.md')")
    found = context(session, "anchor", collections=["large"], strategy="bm25", max_tokens=120)
    assert [source["source"] for source in found["sources"]] == ["small.md"]
    everything = context(session, "anchor", collections=["large"], strategy="bm25")
    assert len(everything["sources"]) == 2


def test_nothing_is_there_twice(session: Connection) -> None:
    """Equal texts are one source, and so are passages that overlap."""
    text = " ".join(f"word{i}" for i in range(90))
    session.execute(
        "select rag.create_collection('twice', model => 'none', strategy => 'word',"
        " chunk_size => 20, overlap => 5)"
    )
    session.execute("select rag.ingest('twice', %s, 'words.md')", [text])
    session.execute("select rag.ingest('twice', 'The same buoy.', 'one.md')")
    session.execute("select rag.ingest('twice', E'The same\\nbuoy.', 'two.md')")
    found = context(session, "word16 word33 word1", collections=["twice"], strategy="bm25")
    (source,) = found["sources"]
    shown = found["context"].split("\n")[-1]
    assert text.startswith(shown)
    assert (source["start_offset"], source["end_offset"]) == (0, len(shown))
    assert len(source["citations"]) == 3
    found = context(session, "buoy", collections=["twice"], strategy="bm25")
    assert len(found["sources"]) == found["context"].count("buoy") == 1
    found = context(session, "buoy", collections=["twice"], strategy="bm25", collapse=False)
    (source,) = found["sources"]
    assert len(source["citations"]) == 2
    assert found["context"].count("buoy") == 1


def test_a_wider_passage_says_its_lines(session: Connection) -> None:
    text = "# Shore\n\nIntro.\n\n## Ferry\n\nThe ferry sails.\n\nIt returns.\n\n## Other\n\nNo.\n"
    session.execute(
        "select rag.create_collection('wide', model => 'none', strategy => 'markdown',"
        " chunk_size => 30)"
    )
    session.execute("select rag.ingest('wide', %s, 'ferry.md')", [text])
    found = context(session, "sails", collections=["wide"], strategy="bm25", expand="section")
    (source,) = found["sources"]
    span = text[source["start_offset"] : source["end_offset"]]
    assert "It returns." in span
    assert "## Other" not in span
    assert span.strip("\n") in found["context"]
    first = 1 + text[: source["start_offset"]].count("\n")
    last = first + span.rstrip("\n").count("\n")
    assert (source["start_line"], source["end_line"]) == (first, last)
    assert f"[Source 1: ferry.md]\nlines {first}-{last}\n" in found["context"]


def test_without_an_answer_there_is_the_abstain_text(session: Connection) -> None:
    none = context(session, "zebra", strategy="bm25")
    assert none["status"] == "no match"
    assert none["sources"] == []
    assert "do not know" in none["context"]
    own = context(session, "zebra", strategy="bm25", abstain="Nothing.")
    assert own["context"] == "Nothing."
    assert own["tokens"] > 0
    with session.transaction(force_rollback=True):
        session.execute("delete from rag_internal.document")
        assert context(session, "lantern", strategy="bm25")["status"] == "nothing visible"


def test_a_closed_gate_abstains(session: Connection) -> None:
    with session.transaction(force_rollback=True):
        session.execute(
            "create or replace function rag_internal.rerank_passages(query text, passages text[],"
            " model text) returns float8[] language sql stable as"
            " 'select array_fill(0.1::float8, array[cardinality(passages)])'"
        )
        asked = {"strategy": "bm25", "rerank": "default"}
        found = context(session, "lantern", gate=0.4, abstain="Nothing.", **asked)
        assert (found["status"], found["context"]) == ("abstained", "Nothing.")
        assert context(session, "lantern", gate=0.05, **asked)["status"] == "found"


def test_templates(session: Connection) -> None:
    session.execute(
        "select rag.ingest('tricky', %s, %s, %s)",
        ['A {question} of [Source 7: x.md] {"a": 1} keelson.', "a]\nb.md", "  "],
    )
    found = context(
        session, "keelson", collections=["tricky"], strategy="bm25",
        template="{question}? {other}\n{sources}\n{question}!",
        source_template="{number}|{source}|{collection}|{place}|{version}\n{title}\n{content}",
    )  # fmt: skip
    assert found["context"] == (
        "keelson? {other}\n1|a) b.md|tricky|line 1|\n"
        'A {question} of (Source 7: x.md] {"a": 1} keelson.\nkeelson!'
    )


def test_a_document_without_a_name_has_that_of_its_collection(session: Connection) -> None:
    session.execute("select rag.ingest('unnamed', 'A capstan.')")
    found = context(session, "capstan", collections=["unnamed"], strategy="bm25")
    assert "[Source 1: unnamed]\nline 1\nA capstan." in found["context"]


def test_pages_are_named(session: Connection) -> None:
    with session.transaction(force_rollback=True):
        session.execute(
            "update rag_internal.chunk c set page = 12 from rag_internal.document d"
            " where d.document_id = c.document_id and d.source = 'mill.md'"
        )
        found = context(session, "mill", strategy="bm25", top_k=1)
        assert "On the mill, page 12\n" in found["context"]
        assert (found["sources"][0]["first_page"], found["sources"][0]["last_page"]) == (12, 12)


def test_tokens_are_estimated_where_there_is_no_tokenizer(session: Connection) -> None:
    with session.transaction(force_rollback=True):
        session.execute("update rag_internal.model set name = 'elsewhere'")
        found = context(session, "lantern", strategy="bm25", max_tokens=200)
        (note,) = found["degraded"]
        assert "estimated" in note
        assert 100 < found["tokens"] <= 200
    throws_ok(
        session, "select rag.context('lantern', model => 'unknown')", "P0002", "no embedding model"
    )


def test_what_was_done_without_is_told(session: Connection) -> None:
    session.execute("select rag.create_collection('wordy', model => 'none')")
    session.execute("select rag.ingest('wordy', 'A rudder.', 'r.md')")
    found = context(session, "rudder", collections=["wordy"])
    expected = hits(session, "rudder", collections=["wordy"])[0]["degraded"]
    assert expected
    assert found["degraded"] == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("max_tokens => 0", "max_tokens is 0"),
        ("max_tokens => null", "max_tokens is"),
        ("max_tokens => 10", "max_tokens is 10, but the text around"),
        ("template => 'no place'", "template has no {sources}"),
        ("template => ''", "template has no {sources}"),
        ("source_template => '{number}'", "source_template has no {content}"),
        ("top_k => 0", "top_k"),
        ("expand => 'page'", "expand"),
    ],
)
def test_bad_arguments(session: Connection, arguments: str, message: str) -> None:
    query = f"select rag.context('lantern', {arguments})"
    throws_ok(session, query, "22023", re.escape(message))


def test_a_context_is_one_search_in_the_log(session: Connection) -> None:
    session.execute("delete from rag_internal.search_log")
    found = context(session, "lantern", strategy="bm25", top_k=4)
    rows = session.execute("select document_ids::text[] from rag.search_log").fetchall()
    assert rows == [([source["document_id"] for source in found["sources"]],)]


def test_sources_are_json_of_the_hits(session: Connection) -> None:
    row = session.execute(
        "select s ->> 'source', (s ->> 'number')::int"
        " from rag.context('lantern tunnel', strategy => 'bm25', top_k => 1) c,"
        " jsonb_array_elements(c.sources) s"
    ).fetchall()
    assert row == [("tunnel.md", 1)]
    assert json.dumps(row)
