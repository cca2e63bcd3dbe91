"""Chunking in the database: strategies, settings, front matter, value, quality."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support import RoleFactory, as_role, throws_ok

Connection = psycopg.Connection[Any]

MANUAL = """---
title: Pump manual
owner: ops
tags: [pumps, safety]
---

# Start

The pump starts when the valve is open and the tank is full of water.

## Stop

Push the red button, then close the valve again and note the time in the log.
"""
LICENCE = """MIT License

Copyright (c) 2020 Somebody

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction.
"""
EXACT = """
    select bool_and(c.content = substr(d.content, c.start_offset + 1,
                                       c.end_offset - c.start_offset)), count(*)
    from rag.document d join rag.chunk c using (document_id)
"""


def _ingest(conn: Connection, collection: str, content: str, source: str, **more: Any) -> Any:
    named = "".join(f", {name} => %({name})s" for name in more)
    row = conn.execute(
        f"select status, chunks_created from rag.ingest(%(c)s, %(t)s, %(s)s{named})",
        {"c": collection, "t": content, "s": source, **more},
    ).fetchone()
    assert row is not None
    return row


@pytest.mark.parametrize(
    ("strategy", "source"),
    [
        *(("word", "a.md"), ("sentence", "b.md"), ("char", "c.md"), ("token", "d.md")),
        *(("markdown", "e.md"), ("code", "f.py"), ("json", "g.json"), ("clause", "h.txt")),
        *(("auto", "i.md"), ("documentation", "j.md"), ("schemas", "k.sql"), ("deployments", "l")),
    ],
)
def test_every_strategy_cuts_exactly(conn: Connection, strategy: str, source: str) -> None:
    text = (
        MANUAL
        + '\r\n\U0001f469\u200d\U0001f692 caf\u0065\u0301 {"a": [1, 2]} def f():\n  return 1\n'
    )
    _ingest(conn, "docs", text, source, strategy=strategy)
    exact, number = conn.execute(EXACT).fetchone() or (None, None)
    assert exact and number >= 1
    same = conn.execute(
        "select count(*) from rag.chunk c join rag.chunk_text(%s, %s, source => %s) t "
        "on (c.chunk_index, c.content, c.embed_text, c.heading, c.kind, c.value) is not distinct "
        "from (t.chunk_index, t.content, t.embed_text, t.heading, t.kind, t.value)",
        [text, strategy, source],
    ).fetchone()
    assert same == (number,)


def test_structure_of_a_manual(conn: Connection) -> None:
    rows = conn.execute(
        "select kind, heading, section_start, section_end, start_line, end_line, embed_text "
        "from rag.chunk_text(%s, 'markdown')",
        [MANUAL],
    ).fetchall()
    end = len(MANUAL.rstrip())
    start, stop = MANUAL.index("# Start"), MANUAL.index("## Stop")
    assert [row[:6] for row in rows] == [
        ("front_matter", [], None, None, 1, 5),
        ("prose", ["Start"], start, end, 7, 9),
        ("prose", ["Start", "Stop"], stop, end, 11, 13),
    ]
    assert [row[6] for row in rows] == [None, None, "Start\n" + MANUAL[stop:end]]


def test_front_matter_is_metadata(conn: Connection) -> None:
    query = "select title, tags, metadata from rag.document where source = %s"
    _ingest(conn, "docs", MANUAL, "a.md", strategy="auto", metadata='{"owner": "me", "floor": 2}')
    assert conn.execute(query, ["a.md"]).fetchone() == (
        "Pump manual",
        ["pumps", "safety"],
        {"title": "Pump manual", "owner": "me", "floor": 2, "tags": ["pumps", "safety"]},
    )
    _ingest(conn, "docs", MANUAL, "b.md", strategy="markdown", title="Mine", tags=["x"])
    row = conn.execute(query, ["b.md"]).fetchone()
    assert row is not None and row[:2] == ("Mine", ["x"])
    _ingest(conn, "docs", MANUAL, "c.txt", strategy="word")
    assert conn.execute(query, ["c.txt"]).fetchone() == (None, [], {})
    again = _ingest(conn, "docs", MANUAL, "b.md", strategy="markdown", title="Mine", tags=["x"])
    assert again == ("unchanged", 0)


def test_an_ingest_can_differ_from_its_collection(conn: Connection) -> None:
    conn.execute("select rag.create_collection('docs', strategy => 'char', chunk_size => 60)")
    text = "One sentence stands here. " * 10
    assert _ingest(conn, "docs", text, "a")[0] == "created"
    assert _ingest(conn, "docs", text, "a") == ("unchanged", 0)
    # the sizes of the collection are in another unit, so they do not count here
    assert _ingest(conn, "docs", text, "a", strategy="word") == ("updated", 1)
    assert _ingest(conn, "docs", text, "a", strategy="words") == ("unchanged", 0)
    assert _ingest(conn, "docs", text, "a", chunk_size=130, overlap=0) == ("updated", 2)
    assert _ingest(conn, "docs", text, "a")[0] == "updated"
    throws_ok(conn, "select rag.ingest('docs', 'text', chunk_size => 0)", "22023")
    throws_ok(conn, "select rag.ingest('docs', 'text', strategy => 'nope')", "22023")


def test_ingest_many_takes_sizes_as_numbers(conn: Connection) -> None:
    rows = conn.execute(
        """select status, chunks_created from rag.ingest_many('docs', '[
            {"content": "one two three four five six", "strategy": "word", "chunk_size": 3,
             "overlap": 0, "min_chunk_size": 0}]')"""
    ).fetchall()
    assert rows == [("created", 2)]
    for wrong in ('"x"', "1.5", "[1]", "true", "99999999999"):
        throws_ok(
            conn,
            f"""select rag.ingest_many('docs', '[{{"content": "a", "chunk_size": {wrong}}}]')""",
            "22023",
        )


def test_settings_of_a_collection_are_checked(conn: Connection) -> None:
    row = conn.execute(
        "select strategy, min_value from rag.create_collection('a', strategy => 'paragraph', "
        "min_value => 0.5)"
    ).fetchone()
    assert row == ("semantic", 0.5)
    throws_ok(conn, "select rag.create_collection('b', strategy => 'nope')", "22023")
    throws_ok(conn, "select rag.create_collection('b', min_value => 1.1)", "22023")
    throws_ok(conn, "select rag.create_collection('b', min_value => 'nan')", "22023")
    for strategy in ("token", "documentation", "schemas", "deployments"):
        query = f"select rag.create_collection('b', strategy => '{strategy}', model => 'none')"
        throws_ok(conn, query, "22023")
    throws_ok(conn, "select rag.alter_collection('a', strategy => 'nope')", "22023")
    row = conn.execute("select min_value from rag.alter_collection('a', min_value => 0)").fetchone()
    assert row == (0,)


def test_passages_of_little_value_are_stored_but_not_embedded(conn: Connection) -> None:
    conn.execute("select rag.create_collection('docs', strategy => 'semantic', min_value => 0.4)")
    _ingest(conn, "docs", LICENCE, "LICENSE")
    _ingest(conn, "docs", "The pump stops when the red button is pushed by an operator.", "pump")
    rows = conn.execute(
        """select d.source, bool_and(c.value < 0.4), bool_and(e.chunk_id is null)
           from rag_internal.document d join rag_internal.chunk c using (document_id)
           left join rag_internal.embedding e using (chunk_id) group by 1 order by 1"""
    ).fetchall()
    assert rows == [("LICENSE", True, True), ("pump", False, False)]
    sources = "select distinct source from rag.{}('permission free of charge', top_k => 9)"
    assert conn.execute(sources.format("semantic_search")).fetchall() == [("pump",)]
    assert conn.execute(sources.format("bm25_search")).fetchall() == [("LICENSE",)]
    conn.execute("select rag.alter_collection('docs', min_value => 0)")
    assert _ingest(conn, "docs", LICENCE, "LICENSE")[0] == "updated"
    assert ("LICENSE",) in conn.execute(sources.format("semantic_search")).fetchall()


def test_a_language_without_a_grammar_is_said(conn: Connection) -> None:
    heard: list[str] = []
    conn.add_notice_handler(lambda notice: heard.append(str(notice.message_primary)))
    _ingest(conn, "docs", "local x = 1\n", "a.lua", strategy="code")
    _ingest(conn, "docs", "x = 1\n", "a.py", strategy="code")
    assert len(heard) == 1 and "lua" in heard[0]


def test_quality_counts_what_the_caller_can_see(
    conn: Connection, role_factory: RoleFactory
) -> None:
    table = "| Part | Bar |\n|---|---|\n" + "".join(f"| P{n} | {n} |\n" for n in range(12))
    text = f"# Parts\n\n{table}\n```\nx = 1\n```\n\nOne sentence. Another sentence follows it.\n"
    _ingest(conn, "open", text, "cut", strategy="word", chunk_size=9, overlap=0)
    _ingest(conn, "open", text, "kept", strategy="markdown", chunk_size=2000, readers=[])
    conn.execute("select rag.grant_read('open', 'public')")
    query = """select documents, chunks > 1, split_fences, split_tables, coverage
               from rag.chunk_quality({})"""
    per_document = query.format("(select document_id from rag.document where source = %s)")
    assert conn.execute(per_document, ["cut"]).fetchone() == (1, True, 1, 1, 1)
    assert conn.execute(per_document, ["kept"]).fetchone() == (1, False, 0, 0, 1)
    whole = query.format("collection => 'open'")
    assert conn.execute(whole).fetchone() == (2, True, 1, 1, 1)
    hidden = conn.execute("select document_id from rag.document where source = 'kept'").fetchone()
    assert hidden is not None
    with as_role(conn, role_factory(member_of=["rag_reader"])):
        assert conn.execute(whole).fetchone() == (1, True, 1, 1, 1)
        throws_ok(conn, f"select rag.chunk_quality('{hidden[0]}')", "P0002")
        throws_ok(conn, "select rag.chunk_quality(collection => 'missing')", "P0002")
        throws_ok(conn, "select rag.chunk_quality()", "22023")


def test_type_and_value(conn: Connection) -> None:
    for content, source, expected in [
        ("def f():\n    return 1\n", "f.py", "code"),
        ('{"a": [1, 2, {"b": null}]}', None, "structured"),
        (MANUAL, None, "markdown"),
        ("The pump starts when the valve is open. It stops when the tank is empty.", None, "prose"),
    ]:
        row = conn.execute("select rag.detect_document_type(%s, %s)", [content, source])
        assert row.fetchone() == (expected,)
    row = conn.execute(
        "select rag.predict_chunk_value(%s), rag.predict_chunk_value(%s), "
        "rag.predict_chunk_value('x = f(y)', kind => 'code')",
        [LICENCE, "The pump stops when the red button is pushed, and starts again by itself."],
    ).fetchone()
    assert row is not None
    assert row[0] <= 0.3 and row[1] >= 0.6 and row[2] <= 0.5
    throws_ok(conn, "select rag.detect_document_type(' ')", "22023")
    throws_ok(conn, "select rag.predict_chunk_value(' ')", "22023")


@pytest.mark.parametrize(
    ("language", "unit"), [("c", "a=>"), ("rust", "%q("), ("java", "a<"), ("c", "%q(")]
)
def test_text_that_ends_a_parser_does_not_end_the_session(
    conn: Connection, language: str, unit: str
) -> None:
    heard: list[str] = []
    conn.add_notice_handler(lambda notice: heard.append(str(notice.message_primary)))
    backend = "select pg_backend_pid()"
    before = conn.execute(backend).fetchone()
    row = conn.execute(
        "select sum(length(content)) from rag.chunk_text(repeat(%s, 20000), 'code', "
        "language => %s, model => 'none')",
        [unit, language],
    ).fetchone()
    assert row == (20000 * len(unit),)
    assert any("cut at brace and indent blocks" in message for message in heard)
    assert conn.execute(backend).fetchone() == before
