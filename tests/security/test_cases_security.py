"""Awkward cases of row-level security that users met, by the id of the case."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg
import pytest

from ragsql.cluster import Cluster
from support import Database, RoleFactory, as_role, throws_ok
from support.identities import Connection
from support.vectors import add_model, ask, near, place, unit

STRATEGIES = ("hybrid", "semantic", "bm25", "fuzzy")
SECRET = "The zanzibarium merger with Contoso costs 4711."


@pytest.fixture
def two(conn: Connection, role_factory: RoleFactory) -> tuple[Connection, str, str]:
    """A superuser's session, and two writers; each has a document with vectors of its own."""
    alice, bob = (role_factory(["rag_writer"], name) for name in ("alice", "bob"))
    for writer in (alice, bob):
        with as_role(conn, writer):
            conn.execute(
                "select rag.ingest('notes', %s, 'plan.md')", [f"The red valve of {writer}."]
            )
    return conn, alice, bob


def found(conn: Connection, query: str = "red valve") -> dict[str, list[str]]:
    """Contents that each strategy finds."""
    return {
        strategy: [
            content
            for (content,) in conn.execute(
                "select content from rag.search(%s, strategy => %s)", [query, strategy]
            )
        ]
        for strategy in STRATEGIES
    }


def test_f01_an_operator_that_leaks_is_not_declared_leakproof_to_use_its_index(
    conn: Connection, role_factory: RoleFactory
) -> None:
    """1,000 passages, of which the caller sees 1 %: it gets k of them, by a route that is safe."""
    reader = role_factory()
    add_model(conn, "given", dimensions=8)
    for name in ("seen", "unseen"):
        conn.execute("select rag.create_collection(%s, model => 'given')", [name])
    conn.execute("select rag.grant_read('seen', %s)", [reader])
    readers = ["seen" if number % 100 == 7 else "unseen" for number in range(1000)]
    place(conn, "unseen", near(1000, 8, 1), model="given", readers_of=readers)
    vector = str(near(1, 8, 2)[0].tolist())
    with as_role(conn, reader):
        asked = ["word", vector]
        rows = conn.execute("select source from rag.search(%s, query_vector => %s)", asked)
        sources = [source for (source,) in rows]
        assert len(sources) == 10
        assert all(int(source) % 100 == 7 for source in sources)
        steps = conn.execute(
            "select route, passages from rag.explain_search(%s, query_vector => %s)"
            " where step = 'semantic'",
            asked,
        )
        assert steps.fetchall() == [("exact", 10)]
    leakproof = conn.execute(
        "select proname from pg_proc where proleakproof and (oid >= 16384 or proname ="
        " any (array['ts_match_vq', 'ts_match_qv', 'similarity_op', 'jsonb_contains',"
        " 'jsonb_path_match_opr', 'jsonb_path_exists_opr', 'cosine_distance']))"
    )
    assert leakproof.fetchall() == []


def test_f09_who_asks_is_found_out_once_a_statement(
    conn: Connection, role_factory: RoleFactory
) -> None:
    """Not once a row: how often our functions ran does not grow with what they ran over."""
    reader = role_factory()
    calls: list[dict[str, int]] = []
    query = (
        "select funcname, calls from pg_stat_xact_user_functions"
        " where funcname in ('authenticate', 'role_identity', 'readable_acls', 'visible_acls')"
    )
    conn.execute("set local track_functions = 'all'")
    conn.execute("select rag.create_collection('many', model => 'none')")
    conn.execute("select rag.grant_read('many', %s)", [reader])
    conn.execute("grant usage on schema rag_internal to rag_reader")
    conn.execute("grant select on rag_internal.document, rag_internal.chunk to rag_reader")
    before = dict(conn.execute(query).fetchall())
    for number in (20, 150):
        rows = [{"content": f"valve {i}", "source": f"{number}/{i}"} for i in range(number)]
        conn.execute("select rag.ingest_many('many', %s)", [json.dumps(rows)])
        start = dict(conn.execute(query).fetchall())
        with as_role(conn, reader):
            for asked in (
                "select from rag.search('valve', top_k => 1000, strategy => 'bm25')",
                "select from rag.document", "select from rag.chunk",
                "select from rag_internal.document", "select from rag_internal.chunk",
            ):  # fmt: skip
                assert conn.execute(asked.encode()).rowcount >= number
        end = dict(conn.execute(query).fetchall())
        calls.append({name: end[name] - start.get(name, 0) for name in end})
    assert all(calls[1][name] <= calls[0][name] for name in calls[0])
    assert sum(calls[0].values()) < 40
    assert before.keys() <= calls[0].keys()
    index = conn.execute(
        "select count(*) from pg_index where indrelid = 'rag_internal.acl_reader'::regclass"
        " and pg_get_indexdef(indexrelid) like '%(principal_id, acl_id)%'"
    ).fetchone()
    assert index == (1,)


def test_f10_no_answer_is_kept_for_another(two: tuple[Connection, str, str]) -> None:
    """The same question in one session: as alice, as bob, and as alice whose right has ended."""
    conn, alice, bob = two
    team = f"{alice}_team"
    conn.execute(f'create role "{team}"')
    conn.execute(f'grant "{team}" to "{alice}"')
    conn.execute("select rag.ingest('docs', 'The red valve of the team.', 'team.md')")
    conn.execute("select rag.grant_read('docs', %s)", [team])
    mine, theirs = f"The red valve of {alice}.", f"The red valve of {bob}."
    for _ in range(2):
        with as_role(conn, alice):
            assert all(set(c) == {mine, "The red valve of the team."} for c in found(conn).values())
        with as_role(conn, bob):
            assert all(contents == [theirs] for contents in found(conn).values())
    conn.execute("select rag.revoke_read('docs', %s)", [team])
    with as_role(conn, alice):
        assert all(contents == [mine] for contents in found(conn).values())
    conn.execute("select rag.grant_read('docs', %s)", [team])
    conn.execute(f'revoke "{team}" from "{alice}"')
    with as_role(conn, alice):
        assert all(contents == [mine] for contents in found(conn).values())


def test_f11_hidden_neighbours_of_the_question_change_nothing(
    conn: Connection, role_factory: RoleFactory
) -> None:
    """300 hidden passages are nearer than all that are visible, or there are none."""
    reader = role_factory()
    add_model(conn, "given", dimensions=8)
    asked = unit(np.ones((1, 8)))[0]
    for name in ("seen", "unseen"):
        conn.execute("select rag.create_collection(%s, model => 'given')", [name])
    conn.execute("select rag.grant_read('seen', %s)", [reader])
    place(conn, "seen", near(100, 8, 3), model="given")
    explain = (
        "select step, route, why, passages from rag.explain_search(null, null, 10, 'semantic',"
        " query_vector => %s)"
    )
    with as_role(conn, reader):
        before = ask(conn, asked, ["seen"]), conn.execute(explain, [str(asked.tolist())]).fetchall()
    noise = np.random.default_rng(5).normal(size=(300, 8)) * 0.01
    place(conn, "unseen", unit(asked + noise), model="given", first=1000)
    with as_role(conn, reader):
        after = ask(conn, asked, ["seen"]), conn.execute(explain, [str(asked.tolist())]).fetchall()
        everywhere = conn.execute(
            "select source, score from rag.semantic_search(null, query_vector => %s)",
            [str(asked.tolist())],
        ).fetchall()
    assert after == before
    assert everywhere == before[0]
    assert len(before[0]) == 10


def test_f12_the_same_file_under_the_same_name(two: tuple[Connection, str, str]) -> None:
    """Both have a collection `notes` with plan.md; then with the very same bytes."""
    conn, alice, bob = two
    text = "The plan of the red valve."
    ids = []
    for writer in (alice, bob):
        with as_role(conn, writer):
            row = conn.execute(
                "select document_id, status from rag.ingest('notes', %s, 'same.md')", [text]
            ).fetchone()
            assert row is not None
            assert row[1] == "created"
            ids.append(row[0])
            assert conn.execute("select count(*) from rag.document").fetchone() == (2,)
    assert ids[0] != ids[1]
    with as_role(conn, bob):
        conn.execute("select rag.ingest('notes', 'Another plan.', 'same.md')")
    with as_role(conn, alice):
        row = conn.execute("select content from rag.get_document(%s)", [ids[0]]).fetchone()
        assert row == (text,)
    for query in (
        "select rag.update_document(%s, title => 'x')", "select rag.delete_document(%s)",
        "select rag.grant_read(document_id => %s, reader => 'public')",
    ):  # fmt: skip
        with as_role(conn, bob):
            error = throws_ok(conn, query, "P0002", params=[ids[0]])
            assert "same.md" not in str(error)
            assert alice not in str(error)


def test_f14_no_filter_meets_a_hidden_row(two: tuple[Connection, str, str]) -> None:
    """Filters that divide, cast or match say the same with hidden rows and without."""
    conn, alice, bob = two
    filters = [
        ("filter_path", "1 / $.n == 1"), ("filter_path", "$.d.datetime() < \"2020-01-01\""),
        ("filter_path", "$.n.double() == 1"), ("filter_path", "$.d like_regex \"(a+)+$\""),
        ("filter_path", "$.d like_regex \"(\""), ("filter_path", "strict $.missing == 1"),
        ("filter", '{"n": 0}'), ("filter", "[]"),
    ]  # fmt: skip

    def outcomes() -> list[Any]:
        said: list[Any] = []
        for name, value in filters:
            for strategy in STRATEGIES:
                query = f"select content from rag.search('red valve', strategy => %s, {name} => %s)"
                try:
                    with conn.transaction():
                        said.append(conn.execute(query.encode(), [strategy, value]).fetchall())
                except psycopg.Error as error:
                    said.append((error.sqlstate, error.diag.message_primary))
        return said

    with as_role(conn, bob):
        without = outcomes()
    for n, d in (("0", '"not-a-date"'), ('"zero"', '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"')):
        with as_role(conn, alice):
            conn.execute(
                "select rag.ingest('notes', 'A red valve.', %s, metadata => %s)",
                [f"{n}.md", f'{{"n": {n}, "d": {d}}}'],
            )
    with as_role(conn, bob):
        assert outcomes() == without


def test_f16_nobody_writes_to_what_is_anothers(two: tuple[Connection, str, str]) -> None:
    """Nor changes who reads it; and who is no longer a reader finds nothing, in no leg."""
    conn, alice, bob = two
    with as_role(conn, alice):
        conn.execute("select rag.grant_read('notes', %s)", [bob])
        row = conn.execute("select document_id from rag.document").fetchone()
    assert row is not None
    with as_role(conn, bob):
        mine = [f"The red valve of {alice}.", f"The red valve of {bob}."]
        assert all(sorted(contents) == sorted(mine) for contents in found(conn).values())
        throws_ok(conn, "select rag.update_document(%s, title => 'x')", "42501", params=row)
        throws_ok(
            conn, "select rag.grant_read(document_id => %s, reader => 'public')", "42501",
            params=row,
        )  # fmt: skip
        throws_ok(
            conn, "select rag.set_readers(document_id => %s, readers => '{public}')", "42501",
            params=row,
        )  # fmt: skip
    # the second wall, should somebody open the first
    conn.execute("grant usage on schema rag_internal to rag_reader")
    conn.execute("grant all on all tables in schema rag_internal to rag_reader")
    with as_role(conn, bob):
        throws_ok(
            conn,
            "insert into rag_internal.chunk (document_id, chunk_index, content, start_offset,"
            " end_offset, start_line, end_line) values (%s, 7, 'x', 0, 1, 1, 1)",
            "42501", "row-level security", row,
        )  # fmt: skip
        for change in (
            "update rag_internal.document set acl_id = acl_id",
            "delete from rag_internal.document",
            "update rag_internal.chunk set content = ''",
            "delete from rag_internal.acl_reader",
            "update rag_internal.acl set security_level = 0",
        ):
            try:
                with conn.transaction():
                    assert conn.execute(change.encode()).rowcount == 0, change
            except psycopg.errors.InsufficientPrivilege:
                pass  # by what the change would have to write beside
        throws_ok(conn, "insert into rag_internal.acl_reader values (1, 1)", "42501")
    with as_role(conn, alice):
        conn.execute("select rag.revoke_read('notes', %s)", [bob])
    with as_role(conn, bob):
        assert all(contents == mine[1:] for contents in found(conn).values())
        rows = conn.execute("select highlight, content from rag.search('red valve')").fetchall()
        assert alice not in str(rows)
        assert conn.execute("select content from rag.get_chunks(%s)", row).fetchall() == []


def test_f17_row_security_is_on_in_what_is_added_and_in_what_is_restored(
    make_database: Callable[..., Database], template: str, cluster: Cluster
) -> None:
    database = make_database(template)
    flags = (
        "select c.oid::regclass::text, c.relrowsecurity from pg_class c where c.relkind in ('r', 'p')"
        " and c.relnamespace in ('rag'::regnamespace, 'rag_internal'::regnamespace) order by 1"
    )
    policies = (
        "select * from pg_policies where schemaname like 'rag%' order by tablename, policyname"
    )
    with database.connect() as root:
        root.execute("select rag.add_model('given', 'external', 3)")
        before = root.execute(flags).fetchall(), root.execute(policies).fetchall()
    is_on = dict(before[0])
    partitions = [name for name in is_on if ".embedding_" in name and "task" not in name]
    assert len(partitions) == 2
    assert all(is_on[name] for name in partitions)
    bindir = cluster.installation.bindir
    text = subprocess.run(
        [bindir / "pg_dump", database.dsn], check=True, capture_output=True, text=True
    ).stdout
    restored = make_database()
    subprocess.run(
        [bindir / "psql", "-q", "-v", "ON_ERROR_STOP=1", restored.dsn],
        input=text, check=True, capture_output=True, text=True,
    )  # fmt: skip
    with restored.connect() as root:
        assert (root.execute(flags).fetchall(), root.execute(policies).fetchall()) == before


def test_f18_no_error_carries_a_document(two: tuple[Connection, str, str]) -> None:
    """A failing ingest of 1 MB, of a file whose name is a secret; what others asked about."""
    conn, alice, bob = two
    text = SECRET + " xyzzy" * 180_000
    failing: list[tuple[str, list[Any]]] = [
        ("select rag.ingest('notes', %s, 'token=abc123.txt', strategy => 'none such')", [text]),
        ("select rag.ingest('notes', %s, 'token=abc123.txt', readers => '{role:none such}')", [text]),
        ("select rag.ingest('notes', %s, 'token=abc123.txt', metadata => '[]')", [text]),
        (
            "select rag.ingest_chunks('notes', %s, source => 'token=abc123.txt')",
            [json.dumps([{"content": text, "nonsense": SECRET}])],
        ),
        ("select rag.ingest_many('notes', %s)", [json.dumps([{"content": text, "readers": 7}])]),
        ("select from rag.search(%s)", [text]),
        ("select from rag.search('valve', filter_path => %s::jsonpath)", [f'$.n like_regex "{SECRET}"']),
    ]  # fmt: skip
    with as_role(conn, bob):
        for query, values in failing:
            with pytest.raises(psycopg.Error) as error, conn.transaction():
                conn.execute(query.encode(), values)
            diag = error.value.diag
            said = " ".join(
                str(part)
                for part in (
                    diag.message_primary,
                    diag.message_detail,
                    diag.message_hint,
                    diag.context,
                )
            )
            assert "zanzibarium" not in said, query
            assert "xyzzy" not in said, query
            assert "abc123" not in said, query
            assert alice not in said
            assert len(said) < 4000, query
