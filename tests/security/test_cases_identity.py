"""Awkward cases of identities, by the id of the case: who asks, and what nobody is shown."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from ragsql.cluster import Cluster
from support import Database, RoleFactory
from support.company import PAPERS, SEARCH, Company, company_of, seen
from support.identities import Identity, asking

STRATEGIES = ("hybrid", "semantic", "bm25", "fuzzy")


@pytest.fixture(scope="module")
def company(db: Database) -> Iterator[Company]:
    with company_of(db) as made:
        yield made


def test_f02_no_function_returns_or_counts_a_hidden_row(company: Company) -> None:
    """Each public function that reads, as a role with no visible document."""
    hidden = [source for source in PAPERS if source != "nobody.md"]
    factory = RoleFactory(company.db)
    stranger = company.db.connect(factory(["rag_writer"], "stranger"))
    document = company.root.execute("select document_id from rag.document limit 1").fetchone()
    assert document is not None
    functions = [
        f"rag.search('secret valve', strategy => '{strategy}', allow_degraded => true)"
        for strategy in STRATEGIES
    ] + [
        "rag.semantic_search('secret valve')", "rag.bm25_search('secret valve')",
        "rag.fuzzy_search('secret vlave')", "rag.correct_query('secrte vlave')",
        "rag.explain_search('secret valve')", "rag.list_collections()", "rag.whoami()",
        "rag.doctor()", f"rag.get_document('{document[0]}')", f"rag.get_chunks('{document[0]}')",
        "rag.check_recall('files')", "rag.chunk_quality(collection => 'files')",
        "rag.describe_collection('files')", "rag.model_progress('files')",
        f"rag.explain_bm25('valve', '{document[0]}', 0)", "rag.verify_index('files')",
        "rag.list_readers('files')", f"rag.chunk_quality('{document[0]}')",
        f"rag.list_readers(document_id => '{document[0]}')",
    ]  # fmt: skip
    hits = []
    for call in functions:
        try:
            rows = stranger.execute(f"select t.*::text from {call} t".encode()).fetchall()
        except psycopg.Error as error:
            assert error.sqlstate in ("P0002", "55000"), call
            rows = [(str(error),)]
        told = json.dumps(rows)
        assert not any(source in told for source in hidden), call
        if "search('" in call and "explain" not in call:
            hits += rows
        if "explain_search" in call:
            assert not any(f",{n}," in told for n in range(1, 9)), "a step counts passages"
    assert hits == []
    stranger.close()
    factory.drop_all()


def test_f04_without_an_identity_there_are_no_rows(company: Company) -> None:
    """Of an application's role that says for nobody; who sees everything is told so."""
    count = "select count(*) from rag.document"
    whoami = "select source, sees_everything, why from rag.whoami()"
    for role in (company.service, company.gateway):
        with company.db.connect(company.pool) as pool, asking(pool, Identity("role", role)):
            assert pool.execute(count).fetchone() == (0,)
            row = pool.execute(whoami).fetchone()
            assert row is not None
            assert row[:2] == ("nobody", False)
            assert row[2]
    assert company.root.execute(count).fetchone() == (8,)
    factory = RoleFactory(company.db)
    for group in ("rag_owner", "rag_admin"):
        member = company.db.connect(factory(["rag_reader", group], "member"))
        assert member.execute(count).fetchone() == (8,)
        row = member.execute(whoami).fetchone()
        assert row == ("database role", True, f"has usage of {group}, which sees everything")
        told = member.execute("select detail from rag.doctor() where name = 'access rules'")
        assert "bypasses access rules" in str(told.fetchone())
        member.close()
    factory.drop_all()


def test_f05_no_view_shows_more_than_its_caller_may_see(company: Company) -> None:
    views = company.root.execute(
        "select c.oid::regclass::text, c.relkind, coalesce(c.reloptions::text, '')"
        " from pg_class c where c.relnamespace = 'rag'::regnamespace and c.relkind in ('v', 'm')"
    ).fetchall()
    assert len(views) > 6
    factory = RoleFactory(company.db)
    stranger_role = factory(name="stranger")
    stranger = company.db.connect(stranger_role)
    for view, kind, options in views:
        assert kind == "v", "a materialized view holds what its owner sees"
        assert "security_invoker=true" in options, view
        try:
            rows = stranger.execute(f"select * from {view}").fetchall()
        except psycopg.errors.InsufficientPrivilege:
            assert view == "rag.search_log"  # of rag_admin
            continue
        # who one is oneself is no secret
        if view == "rag.principal":
            rows = [row for row in rows if row[1] not in ("public", "rag_reader", stranger_role)]
        assert rows == [], view
    stranger.close()
    factory.drop_all()


def test_f06_an_identity_ends_with_its_transaction(company: Company) -> None:
    """Of one pooled connection: as ann, with nobody, and as ben after ann's was rolled back."""
    ann, ben = (Identity("service", company.service, user) for user in ("ann", "ben"))
    nobody = Identity("role", company.service)
    with company.db.connect(company.pool) as pool:
        with asking(pool, ann):
            assert seen(pool) == {"ann.md"}
        with asking(pool, nobody):
            assert seen(pool) == set()
        with pytest.raises(psycopg.errors.DivisionByZero), asking(pool, ann):
            assert seen(pool) == {"ann.md"}
            pool.execute("select 1 / 0")
        with asking(pool, nobody):
            assert seen(pool) == set()
        with asking(pool, ben):
            assert seen(pool) == {"ben.md"}


def test_f08_a_prepared_statement_follows_roles_and_groups(company: Company) -> None:
    root = company.db.connect()
    root.execute(f"prepare q as {SEARCH.replace(', token => %s', '')}")
    for role, expected, times in (
        (company.alice, {"alice.md"}, 7),
        (company.bob, {"bob.md"}, 1),
    ):
        root.execute(f'set role "{role}"')
        for _ in range(times):
            assert {source for (source,) in root.execute("execute q")} == expected
        root.execute("reset role")
    root.execute(f'grant "{company.alice}" to "{company.bob}"')
    root.execute(f'set role "{company.bob}"')
    assert {source for (source,) in root.execute("execute q")} == {"alice.md", "bob.md"}
    root.execute("reset role")
    root.execute(f'revoke "{company.alice}" from "{company.bob}"')
    root.execute(f'set role "{company.bob}"')
    assert {source for (source,) in root.execute("execute q")} == {"bob.md"}


def test_f15_a_dump_is_whole_or_refused(company: Company, cluster: Cluster) -> None:
    """Of a role that may read all tables, but not past row security."""
    factory = RoleFactory(company.db)
    reading, passing = (factory(["pg_read_all_data"], name) for name in ("reading", "passing"))
    company.root.execute(f'alter role "{passing}" bypassrls')

    def dumped(role: str) -> subprocess.CompletedProcess[str]:
        dsn = make_conninfo(company.db.dsn, user=role)
        return subprocess.run(
            [cluster.installation.bindir / "pg_dump", "--data-only", "--inserts",
             "--table=rag_internal.document", dsn],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    refused = dumped(reading)
    assert refused.returncode != 0
    assert "row-level security" in refused.stderr
    whole = dumped(passing)
    assert whole.returncode == 0
    assert whole.stdout.count("INSERT INTO") == len(PAPERS)
    factory.drop_all()
