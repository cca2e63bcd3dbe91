"""What a caller can see besides rows: plans, debug output, locks, settings, errors of others' doing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from support import Database, throws_ok

Connection = psycopg.Connection[Any]

HIDDEN = "The zanzibarium merger with Contoso costs 4711."


@pytest.fixture(scope="module")
def reader(db: Database) -> Iterator[Connection]:
    """A reader of the collection open, who may not know of the collection closed."""
    name = f"{db.name}_reader"
    with db.connect(autocommit=True) as owner:
        owner.execute(f'create role "{name}" login in role rag_reader')
        owner.execute("select rag.ingest('open', 'The red valve is closed.', 'open.md')")
        owner.execute("select rag.grant_read('open', %s)", [name])
        owner.execute("select rag.ingest('closed', %s, 'zz-hidden.md')", [HIDDEN])
    with db.connect(name, autocommit=True) as connection:
        yield connection
    with db.connect(autocommit=True) as owner:
        owner.execute(f'drop owned by "{name}"')
        owner.execute(f'drop role "{name}"')


def test_no_plan_tells_of_hidden_rows(reader: Connection) -> None:
    """A leakproof comparison runs before a policy; its plan would answer any question."""
    views = {"document": "content", "chunk": "content", "collection": "name"}
    for view, column in views.items():
        for off in ("enable_hashjoin", "enable_seqscan", "enable_indexscan"):
            reader.execute(f"set {off} = off")
        plans = [
            reader.execute(
                "explain (analyze, timing off, costs off, summary off, buffers off)"
                f" select 1 from rag.{view} where {column} >= '{low}' collate \"C\""
                f" and {column} < '{low}~' collate \"C\""
            ).fetchall()
            for low in ("The zanz", "The zbnz", "clos", "cmos")
        ]
        plan = [json.dumps(rows).replace("zbnz", "zanz").replace("cmos", "clos") for rows in plans]
        assert plan[0] == plan[1]
        assert plan[2] == plan[3]
        reader.execute("reset all")


def test_no_hidden_word_is_a_correction(reader: Connection) -> None:
    """Each typing error is nearer to a hidden word than to any other."""
    corrections = "select original, corrected, distance from rag.correct_query(%s)"
    for query in (
        "zanzibarius merge",
        "zanzibariun",
        "mergr Contosa",
        "zanzi barium",
        "valvemerger",
    ):
        rows = reader.execute(corrections, [query]).fetchall()
        assert rows
        assert all(distance == 0 for *_, distance in rows), rows
        assert reader.execute("select * from rag.fuzzy_search(%s)", [query]).fetchall() == []
        hits = reader.execute(
            "select corrected_query from rag.fuzzy_search(%s)", [f"vlave {query}"]
        ).fetchall()
        assert hits == [(f"valve {query}",)]
    for query in ("zanzibar*", '"zanzibarium merger"', "-valve", "zanzibarium -valve"):
        assert reader.execute("select * from rag.bm25_search(%s)", [query]).fetchall() == []


def test_no_row_shows_where_it_lies(reader: Connection) -> None:
    for column in ("ctid", "xmin", "tableoid", "chunk_id", "acl_id", "collection_id"):
        throws_ok(reader, f"select {column} from rag.document, rag.chunk", "42703")


def test_debug_output_stays_within(db: Database, reader: Connection) -> None:
    with db.connect(reader.info.user, autocommit=True) as connection:
        heard: list[str] = []
        connection.add_notice_handler(lambda notice: heard.append(str(notice.message_primary)))
        connection.add_notice_handler(lambda notice: heard.append(str(notice.message_detail)))
        for setting in ("print_parse", "print_rewritten", "print_plan"):
            connection.execute(f"set debug_{setting} = on")
        connection.execute("set client_min_messages = debug5")
        connection.execute("select * from rag.search('zanzibarius merge valve')")
        connection.execute("select count(*) from rag.chunk")
        assert heard, "the settings show nothing: the test does not test"
        assert not any("zanzibarium" in text or "Contoso" in text for text in heard)
        plain = "".join(heard).replace(" ", "")
        bytes_of = [
            "".join(f"{byte}" for byte in word.encode()) for word in ("zanzibarium", "Contoso")
        ]
        assert not any(number in plain for number in bytes_of)


def test_settings_of_a_session_change_no_result(db: Database, reader: Connection) -> None:
    with db.connect(autocommit=True) as owner:
        documents = [{"content": f"pump number {i}", "source": f"{i}"} for i in range(60)]
        owner.execute("select rag.create_collection('many', model => 'none')")
        owner.execute("select rag.ingest_many('many', %s)", [json.dumps(documents)])
        expected = owner.execute(
            "select source, score from rag.bm25_search(%s, '{many}', 100)", ["it's a pump\\"]
        ).fetchall()
        assert len(expected) == 60
        for setting in (
            "standard_conforming_strings = off", "gin_fuzzy_search_limit = 5", "enable_seqscan = off",
            "enable_bitmapscan = off", "DateStyle = 'SQL, DMY'", "TimeZone = 'Asia/Kolkata'",
            "extra_float_digits = 0", "row_security = off", "plan_cache_mode = force_generic_plan",
            "transform_null_equals = on", "quote_all_identifiers = on", "hnsw.max_scan_tuples = 1",
            "pg_trgm.similarity_threshold = 1", "array_nulls = off", "backslash_quote = on",
        ):  # fmt: skip
            owner.execute(f"set {setting}")
            found = owner.execute(
                "select source, score from rag.bm25_search(%s, '{many}', 100)", ["it's a pump\\"]
            ).fetchall()
            assert [s for s, _ in found] == [s for s, _ in expected], setting
            owner.execute("select * from rag.search('pmup valve', filter => '{\"source\": \"1\"}')")
            owner.execute("select rag.ingest('many', 'sss', 'sss')")
            owner.execute("reset all")


def test_an_open_ingest_is_neither_felt_nor_waited_for(db: Database) -> None:
    """A unique dictionary of words would tell, and stop, every writer who uses the same new word."""
    with db.connect(autocommit=False) as first, db.connect(autocommit=True) as second:
        first.execute("select rag.ingest('wa', 'the codename is quixotronium')")
        second.execute("set lock_timeout = '2s'")
        row = second.execute("select status from rag.ingest('wb', 'about quixotronium')").fetchone()
        assert row == ("created",)
        first.rollback()


def test_nobody_breaks_the_search_of_others(db: Database, reader: Connection) -> None:
    """One stored document or collection must not fail everybody's default search."""
    deep: Any = 1
    for _ in range(70):
        deep = {"a": deep}
    with db.connect(autocommit=True) as owner:
        throws_ok(
            owner,
            "select rag.ingest('open', 'deep', metadata => %s)",
            "22023",
            "64 levels",
            [json.dumps(deep)],
        )
        writer = f"{db.name}_writer"
        owner.execute(f'create role "{writer}" login in role rag_writer')
        owner.execute(f'create schema "{writer}" authorization "{writer}"')
        owner.execute(f'grant usage on schema "{writer}" to rag_owner')
    try:
        with db.connect(writer, autocommit=True) as mine:
            mine.execute(f'create text search configuration "{writer}".cfg (copy = english)')
            mine.execute("create text search configuration pg_temp.cfg (copy = english)")
            for config in (f"{writer}.cfg", "pg_temp.cfg", "-", "0", "3748", "a.b.c.d", "klingon"):
                throws_ok(
                    mine,
                    "select rag.create_collection('trap', text_config => %s)",
                    "42704",
                    None,
                    [config],
                )
                throws_ok(mine, "select rag.analyze('x', %s)", "42704", None, [config])
            mine.execute("select rag.create_collection('fine', text_config => 'pg_catalog.german')")
            row = mine.execute("select text_config from rag.describe_collection('fine')").fetchone()
            assert row == ("german",)
    finally:
        with db.connect(autocommit=True) as owner:
            owner.execute("select rag.drop_collection('fine')")
            owner.execute("delete from rag_internal.principal where name = %s", [writer])
            owner.execute(f'drop owned by "{writer}" cascade')
            owner.execute(f'drop role "{writer}"')


def test_search_within_a_parallel_query(db: Database, reader: Connection) -> None:
    with db.connect(autocommit=True) as owner:
        owner.execute(
            "create table public.big as select i, repeat('x', 100) t from generate_series(1, 50000) i"
        )
        owner.execute("analyze public.big")
        for name in ("parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size"):
            owner.execute(f"set {name} = 0")
        for call in (
            "rag.search('valve')",
            "rag.bm25_search('valve')",
            "rag.document",
            "rag.list_collections()",
        ):
            owner.execute(f"select count(*) from {call} h, public.big where big.i < 5")
        row = owner.execute(
            "select count(*) from public.big where rag.analyze(t) @@ 'x'::tsquery"
        ).fetchone()
        assert row == (0,)
        owner.execute("drop table public.big")


def test_no_filter_runs_on_a_hidden_row(db: Database, reader: Connection) -> None:
    """A deep expression overflows the stack, behind a condition only where that holds."""
    deep = "(1" + " + 1" * 1600 + " == 3)"
    slow = "$v[*] == $w[*]"
    values = json.dumps({"v": list(range(4000)), "w": list(range(4000, 8000))})
    with db.connect(autocommit=True) as owner:
        owner.execute(
            """select rag.ingest('secret', 'text of a valve', 'secret', metadata => '{"code": "alpha7"}')"""
        )
        for i in range(40):
            owner.execute(
                "select rag.create_collection(%s, readers => '{public}', model => 'none')",
                [f"p{i}"],
            )
            owner.execute("select rag.ingest(%s, 'text of a valve')", [f"p{i}"])
        owner.execute("vacuum analyze rag_internal.document, rag_internal.chunk")
    ran = []
    with db.connect(autocommit=True) as owner:
        owner.execute("set max_stack_depth = '300kB'")  # where the expression cannot be evaluated
        throws_ok(
            owner, "select jsonb_path_match('{}', %s::jsonpath, '{}', true)", "54001", None, [deep]
        )
        owner.execute(f'set role "{reader.info.user}"')
        for strategy in ("hybrid", "semantic", "bm25", "fuzzy"):
            for code in ("alpha7", "nope"):
                path = f'$.code == "{code}" && {deep}'
                query = "select count(*) from rag.search(%s, strategy => %s, filter_path => %s::jsonpath)"
                for asked in ("text", 'text "a valve" -quagga'):
                    ran.append(owner.execute(query, [asked, strategy, path]).fetchone())
    assert ran == [(0,)] * 16
    too_long = "$.code == 1 && (1" + " + 1" * 12000 + " == 3)"
    throws_ok(
        reader,
        "select rag.search('text', filter_path => %s::jsonpath)",
        "22023",
        "10,000",
        [too_long],
    )
    query = "select count(*) from rag.search('text', filter_path => %s::jsonpath, vars => %s)"
    assert reader.execute(query, [f'$.code == "alpha7" && {slow}', values]).fetchone() == (0,)


def test_settings_of_a_reader_break_nothing(db: Database, reader: Connection) -> None:
    with db.connect(reader.info.user, autocommit=True) as connection:
        for setting in (
            "row_security = off",
            "standard_conforming_strings = off",
            "client_min_messages = debug5",
        ):
            connection.execute(f"set {setting}")
            assert connection.execute(
                "select count(*) > 0 from rag.search('valve')"
            ).fetchone() == (True,)
            assert connection.execute("select count(*) > 0 from rag.document").fetchone() == (True,)
            connection.execute("reset all")


def test_a_collection_without_readable_documents_breaks_no_search(
    db: Database, reader: Connection
) -> None:
    with db.connect(autocommit=True) as owner:
        owner.execute("select rag.add_model('BAAI/bge-base-en-v1.5', dimensions => 768)")
        owner.execute(
            "select rag.create_collection('imposter', readers => '{public}', model => 'none')"
        )
        owner.execute(
            """update rag_internal.collection
               set model_id = (select model_id from rag_internal.model where name = 'BAAI/bge-base-en-v1.5'),
                   search_defaults = '{"strategy": "bm25"}' where name = 'imposter'"""
        )
        row = reader.execute("select count(semantic_rank) > 0 from rag.search('valve')").fetchone()
        assert row == (True,)
        owner.execute("select rag.drop_collection('imposter')")


def test_a_created_again_role_does_not_read_the_log_of_its_namesake(db: Database) -> None:
    name = f"{db.name}_logger"
    with db.connect(autocommit=True) as owner:
        for step in ("first", "second"):
            owner.execute(f'create role "{name}" login in role rag_writer')
            with db.connect(name, autocommit=True) as connection:
                assert connection.execute("select * from rag.ingest_log").fetchall() == []
                connection.execute(
                    "select rag.log_ingest(gen_random_uuid(), 'c', %s, 'failed')", [step]
                )
                assert connection.execute("select source from rag.ingest_log").fetchall() == [
                    (step,)
                ]
                for bad in (
                    "'c', 's', 'magic'",
                    "'c', 's', null",
                    "null, 's', 'failed'",
                    "'c', 's', 'failed', null, -1",
                ):
                    throws_ok(
                        connection, f"select rag.log_ingest(gen_random_uuid(), {bad})", "22023"
                    )
            owner.execute(f'drop role "{name}"')
