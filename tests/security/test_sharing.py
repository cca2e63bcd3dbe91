"""Who may read and write what: readers of every kind, levels, tenants, writers, names, sources."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from support import RoleFactory, as_role, throws_ok

Connection = psycopg.Connection[Any]

FOX = "The fox is quick."


def value(conn: Connection, statement: str, *params: object) -> Any:
    row = conn.execute(statement, params).fetchone()
    assert row is not None
    return row[0]


def found(conn: Connection, **arguments: object) -> list[str]:
    """Sources that a search for the fox finds."""
    named = "".join(f", {name} => %({name})s" for name in arguments)
    rows = conn.execute(f"select source from rag.bm25_search('fox'{named})", arguments)
    return sorted(source for (source,) in rows)


@pytest.fixture
def service(conn: Connection, role_factory: RoleFactory) -> str:
    """A role that may ask for anybody, and write for them."""
    return role_factory(member_of=["rag_writer", "rag_service"])


@contextmanager
def as_user(conn: Connection, service: str, name: str | None, **identity: object) -> Iterator[None]:
    """What is asked here is asked by the service for a user."""
    named = "".join(f", {key} => %({key})s" for key in identity)
    conn.execute("select")  # what follows is a savepoint in the transaction of the test
    with conn.transaction(), as_role(conn, service):
        conn.execute(f"select from rag.set_user(%(name)s{named})", {"name": name, **identity})
        yield
        conn.execute("select from rag.set_user(null)")


def ingest(conn: Connection, collection: str, source: str, **arguments: object) -> Any:
    """The id of a document about the fox."""
    named = "".join(f", {name} => %({name})s" for name in arguments)
    return value_of(
        conn.execute(
            f"select document_id from rag.ingest(%(k)s, '{FOX}', %(source)s{named})",
            {"k": collection, "source": source, **arguments},
        )
    )


def value_of(cursor: psycopg.Cursor[Any]) -> Any:
    row = cursor.fetchone()
    assert row is not None
    return row[0]


@pytest.fixture
def docs(conn: Connection) -> Connection:
    conn.execute("select rag.create_collection('docs', model => 'none')")
    ingest(conn, "docs", "a.md")
    return conn


def test_users_and_groups_read_what_they_are_granted(docs: Connection, service: str) -> None:
    docs.execute("select rag.grant_read('docs', readers => '{user:alice,group:sales}')")
    for name, groups, sees in (
        ("alice", [], True),
        ("bob", [], False),
        ("bob", ["sales"], True),
        ("bob", ["Sales", "sales "], False),
        (None, ["sales"], True),
        ("sales", [], False),
        ("group:sales", [], False),
    ):
        with as_user(docs, service, name, groups=groups):
            assert found(docs) == (["a.md"] if sees else [])
    docs.execute("select rag.revoke_read('docs', 'user:alice')")
    with as_user(docs, service, "alice"):
        assert found(docs) == []


def test_public_is_everybody_but_nobody(docs: Connection, service: str) -> None:
    docs.execute("select rag.grant_read('docs', 'public')")
    with as_user(docs, service, "whoever"):
        assert found(docs) == ["a.md"]
    with as_role(docs, service):
        assert found(docs) == []
        assert value(docs, "select source from rag.whoami()") == "nobody"
    for role in ("rag_reader", "rag_writer"):
        with as_role(docs, role):
            assert found(docs) == []


def test_a_role_is_not_the_user_of_its_name(docs: Connection, role_factory: RoleFactory) -> None:
    reader = role_factory()
    docs.execute("select rag.grant_read('docs', %s)", [f"user:{reader}"])
    with as_role(docs, reader):
        assert found(docs) == []


def test_grants_are_sets_and_idempotent(docs: Connection, service: str) -> None:
    other = ingest(docs, "docs", "b.md")
    grant = "select rag.grant_read('docs', readers => '{user:alice,user:bob}')"
    assert [value(docs, grant) for _ in range(2)] == [True, False]
    documents = "select rag.grant_read(reader => 'user:carol', document_ids => %s)"
    ids = [
        value(docs, "select document_id from rag.document where source = %s", s)
        for s in ("a.md", "b.md")
    ]
    assert [value(docs, documents, ids) for _ in range(2)] == [True, False]
    with as_user(docs, service, "carol"):
        assert found(docs) == ["a.md", "b.md"]
    assert value(docs, "select rag.set_readers(document_id => %s, readers => '{user:dora}')", other)
    with as_user(docs, service, "carol"):
        assert found(docs) == ["a.md"]
    # back under the collection, whose grants reach it again
    assert value(docs, "select rag.set_readers(document_ids => %s)", ids)
    assert not value(docs, "select rag.set_readers(document_ids => %s)", ids)
    for name, sees in (("carol", []), ("dora", []), ("alice", ["a.md", "b.md"])):
        with as_user(docs, service, name):
            assert found(docs) == sees
    assert value(docs, "select rag.set_readers('docs', '{user:dora}')")
    assert not value(docs, "select rag.set_readers('docs', '{user:dora}')")
    with as_user(docs, service, "alice"):
        assert found(docs) == []
    rows = docs.execute("select reader, privilege from rag.list_readers('docs')").fetchall()
    assert ("user:dora", "read") in rows
    assert len([privilege for _, privilege in rows if privilege == "own"]) == 1


@pytest.mark.parametrize(
    "call",
    [
        "rag.grant_read('docs')",
        "rag.grant_read('docs', '')",
        "rag.grant_read('docs', 'user:')",
        "rag.grant_read('docs', 'group: ')",
        "rag.grant_read(reader => 'public')",
        "rag.grant_read('docs', 'public', gen_random_uuid())",
        "rag.set_readers('docs', security_level => -1)",
        "rag.set_readers('docs', security_level => 32768)",
        "rag.grant_write('docs')",
        "rag.ingest('docs', 'x', security_level => -1)",
    ],
)
def test_a_grant_says_of_what_and_to_whom(docs: Connection, call: str) -> None:
    throws_ok(docs, f"select {call}", "22023")


def test_levels_are_read_by_clearance(docs: Connection, service: str) -> None:
    docs.execute("select rag.grant_read('docs', 'user:alice')")
    ingest(docs, "docs", "own-level.md", security_level=2)
    ingest(docs, "docs", "own-readers.md", security_level=1, readers=["user:bob"])
    for clearance, sees in ((0, ["a.md"]), (1, ["a.md"]), (2, ["a.md", "own-level.md"])):
        with as_user(docs, service, "alice", clearance=clearance):
            assert found(docs) == sees
    for clearance, sees in ((0, []), (1, ["own-readers.md"])):
        with as_user(docs, service, "bob", clearance=clearance):
            assert found(docs) == sees
    # the collection's level moves what follows it; what has a level of its own follows its readers
    docs.execute("select rag.set_readers('docs', security_level => 3)")
    with as_user(docs, service, "alice", clearance=2):
        assert found(docs) == ["own-level.md"]
    docs.execute("select rag.revoke_read('docs', 'user:alice')")
    with as_user(docs, service, "alice", clearance=9):
        assert found(docs) == []


def test_a_reingest_keeps_readers_and_level(docs: Connection, service: str) -> None:
    docs.execute("select rag.grant_read('docs', 'user:alice')")
    ingest(docs, "docs", "s.md", security_level=5)
    docs.execute("select rag.ingest('docs', 'The fox is slow.', 's.md')")
    with as_user(docs, service, "alice"):
        assert found(docs) == ["a.md"]


def test_tenants_are_never_crossed(conn: Connection, service: str) -> None:
    with as_user(conn, service, "alice", tenant="acme"):
        conn.execute("select rag.create_collection('docs', model => 'none', readers => '{public}')")
        ingest(conn, "docs", "acme.md")
        conn.execute("select rag.grant_read('docs', readers => '{user:bob,group:sales,public}')")
        conn.execute("select rag.grant_write('docs', 'public')")
        assert found(conn) == ["acme.md"]
    for tenant in ("", "other", "Acme"):
        with as_user(conn, service, "alice", tenant=tenant, groups=["sales"], clearance=9):
            assert found(conn) == []
            assert conn.execute("select from rag.list_collections()").fetchall() == []
            throws_ok(conn, "select rag.ingest('user:alice/docs', 'x')", "P0002")
            throws_ok(conn, "select rag.create_collection('x', tenant => 'acme')", "42501")
    with as_user(conn, service, "bob", tenant="acme"):
        assert found(conn) == ["acme.md"]


def test_two_users_may_own_a_name(conn: Connection, service: str) -> None:
    for name in ("alice", "bob"):
        with as_user(conn, service, name):
            conn.execute("select rag.create_collection('notes', model => 'none')")
            throws_ok(conn, "select rag.create_collection('notes')", "42710", "taken")
            ingest(conn, "notes", f"{name}.md")
            assert value(conn, "select name from rag.list_collections()") == "notes"
            assert found(conn, collections=["notes"]) == [f"{name}.md"]
    with as_user(conn, service, "bob"):
        conn.execute("select rag.grant_read('notes', readers => '{user:alice,user:carol}')")
    with as_user(conn, service, "alice"):
        assert found(conn) == ["alice.md", "bob.md"]
        assert found(conn, collections=["notes"]) == ["alice.md"]
        assert found(conn, collections=["user:bob/notes"]) == ["bob.md"]
        conn.execute("select rag.grant_read('notes', 'user:carol')")
    with as_user(conn, service, "carol"):
        message = throws_ok(
            conn, "select * from rag.search('fox', '{notes}')", "42P09", "several collections"
        )
        assert message is None or "user:" in str(message)
        hidden = "select * from rag.search('fox', '{user:alice/secrets}')"
        throws_ok(conn, hidden, "P0002", "does not exist or is not visible")
    throws_ok(conn, "select rag.create_collection('user:alice/notes')", "22023")


def test_writers_write_and_no_more(docs: Connection, role_factory: RoleFactory) -> None:
    owner, writer = (role_factory(member_of=["rag_writer"]) for _ in range(2))
    with as_role(docs, owner):
        docs.execute("select rag.create_collection('team', model => 'none')")
        kept = ingest(docs, "team", "kept.md")
        assert value(docs, "select rag.grant_write('team', %s)", writer)
        assert not value(docs, "select rag.grant_write('team', %s)", writer)
    name = f"role:{owner}/team"
    with as_role(docs, writer):
        throws_ok(docs, "select rag.ingest('team', 'x')", "42501", "somebody else")
        mine = ingest(docs, name, "mine.md")
        # writing is not reading, sharing or changing the collection
        assert found(docs) == []
        for call in (
            f"rag.grant_read('{name}', 'public')",
            f"rag.set_readers('{name}', '{{public}}')",
            f"rag.grant_write('{name}', 'public')",
            f"rag.rename_collection('{name}', 'x')",
            f"rag.drop_collection('{name}')",
            f"rag.list_readers('{name}')",
            f"rag.add_redaction_rule('{name}', 'r', 'x')",
        ):
            throws_ok(docs, f"select {call}", "42501", "somebody else")
        docs.execute("select rag.update_document(%s, title => 'A fox')", [mine])
        # of what it cannot read it learns nothing by removing it
        row = docs.execute("select * from rag.delete_document(%s)", [kept]).fetchone()
        assert row is not None
        assert "kept.md" not in row
    with as_role(docs, owner):
        assert found(docs) == ["mine.md"]
        assert value(docs, "select rag.revoke_write('team', %s)", writer)
    with as_role(docs, writer):
        throws_ok(docs, f"select rag.ingest('{name}', 'x')", "P0002")
        throws_ok(docs, f"select rag.delete_document('{mine}')", "P0002")


def test_a_shared_collection_catches_nobodys_ingest(
    docs: Connection, role_factory: RoleFactory
) -> None:
    squatter, victim = (role_factory(member_of=["rag_writer"]) for _ in range(2))
    with as_role(docs, squatter):
        docs.execute("select rag.create_collection('notes', model => 'none')")
        docs.execute("select rag.grant_write('notes', 'public')")
    with as_role(docs, victim):
        throws_ok(docs, "select rag.ingest('notes', 'private')", "42501")
        docs.execute("select rag.create_collection('notes', model => 'none')")
        ingest(docs, "notes", "private.md")
    with as_role(docs, squatter):
        assert found(docs) == []


def test_a_tenant_uses_allowed_sources_alone(conn: Connection, service: str) -> None:
    with as_user(conn, service, "alice", tenant="acme"):
        for name in ("one", "two", "HR: a/two"):
            conn.execute("select rag.create_collection(%s, model => 'none')", [name])
            ingest(conn, name, f"{name}.md")
    conn.execute("select rag.allow_source('one', 'acme')")
    conn.execute("select rag.allow_source('readonly', 'acme', may_ingest => false)")
    with as_user(conn, service, "alice", tenant="acme"):
        assert found(conn) == ["one.md"]
        assert found(conn, collections=["user:alice/one"]) == ["one.md"]
        for name in ("two", "missing", "HR: a/two", "user:alice/two", "user:alice/HR: a/two"):
            quoted = f"'{{\"{name}\"}}'"
            plain = name.removeprefix("user:alice/")
            for search in ("search", "bm25_search", "semantic_search", "fuzzy_search"):
                throws_ok(conn, f"select * from rag.{search}('fox', {quoted})", "42501", plain)
            throws_ok(conn, f"select * from rag.correct_query('fox', {quoted})", "42501", plain)
            throws_ok(conn, f"select rag.ingest('{name}', 'x')", "42501", plain)
        throws_ok(conn, "select rag.ingest('readonly', 'x')", "42501", "readonly")
        assert conn.execute("select collection from rag.list_sources()").fetchall() == [
            ("one",),
            ("readonly",),
        ]
    with as_user(conn, service, "alice", tenant="other"):
        ingest(conn, "two", "other.md")
        assert conn.execute("select from rag.list_sources()").fetchall() == []
    assert value(conn, "select rag.disallow_source('one', 'acme')")
    with as_user(conn, service, "alice", tenant="acme"):
        assert found(conn) == []
    assert value(conn, "select rag.allow_all_sources('acme')")
    with as_user(conn, service, "alice", tenant="acme"):
        assert found(conn) == ["HR: a/two.md", "one.md", "two.md"]


def test_rules_of_a_role_follow_it(docs: Connection, role_factory: RoleFactory) -> None:
    docs.execute("select rag.grant_read('docs', 'public')")
    ingest(docs, "docs", "high.md", security_level=2)
    group = role_factory(login=False)
    member = role_factory(member_of=["rag_reader", group])
    docs.execute("select rag.configure_role(%s, clearance => 2)", [group])
    with as_role(docs, member):
        assert found(docs) == ["a.md", "high.md"]
    docs.execute("select rag.configure_role(%s, tenant => 'acme')", [group])
    with as_role(docs, member):
        assert found(docs) == []
    docs.execute("select rag.configure_role(%s, tenant => '', token_required => true)", [group])
    with as_role(docs, member):
        assert found(docs) == []
        assert "token" in value(docs, "select why from rag.whoami()")
    docs.execute("select rag.configure_role(%s, token_required => false)", [group])
    docs.execute("update rag_internal.role_rule set role_oid = 1 where name = %s", [group])
    with as_role(docs, member):  # made anew under the name
        assert found(docs) == []
    docs.execute("select rag.configure_role(%s, clearance => 0)", [group])
    with as_role(docs, member):
        assert found(docs) == ["a.md"]
    throws_ok(docs, "select rag.configure_role('no such role')", "42704")


def test_a_login_does_not_shed_its_rules(docs: Connection, role_factory: RoleFactory) -> None:
    docs.execute("select rag.grant_read('docs', 'public')")
    group = role_factory(login=False)
    login = role_factory(member_of=["rag_reader", group])
    docs.execute("select rag.configure_role(%s, token_required => true)", [login])
    docs.execute(
        psycopg.sql.SQL("set session authorization {}").format(psycopg.sql.Identifier(login))
    )
    for role in (login, group, "rag_reader"):
        docs.execute(psycopg.sql.SQL("set role {}").format(psycopg.sql.Identifier(role)))
        assert found(docs) == []
    docs.execute("reset role")
    docs.execute("reset session authorization")


def test_only_a_service_says_for_whom_it_asks(
    docs: Connection, service: str, role_factory: RoleFactory
) -> None:
    docs.execute("select rag.grant_read('docs', 'user:alice')")
    with as_role(docs, role_factory()):
        docs.execute("select set_config('rag.user', 'alice', true)")
        assert found(docs) == []
        throws_ok(docs, "select rag.set_user('alice')", "42501")
    with as_role(docs, service):
        docs.execute("select set_config('rag.user', 'alice', true)")
        assert found(docs) == ["a.md"]
        docs.execute("select set_config('rag.user', '', true)")
        assert found(docs) == []
        docs.execute("select set_config('rag.user', 'alice', true)")
        docs.execute("select set_config('rag.clearance', 'lots', true)")
        throws_ok(docs, "select * from rag.search('fox')", "28000", "clearance")
        docs.execute("select set_config('rag.clearance', '', true)")
        docs.execute("select set_config('rag.groups', '{a', true)")
        throws_ok(docs, "select * from rag.search('fox')", "28000", "groups")
        throws_ok(docs, "select rag.set_user('alice', clearance => 32768)", "22023")
        docs.execute("select set_config('rag.user', '', true), set_config('rag.groups', '', true)")


def test_work_is_its_users_own(conn: Connection, service: str) -> None:
    log = "select rag.log_ingest(gen_random_uuid(), 'k', %s, 'created')"
    with as_user(conn, service, "alice"):
        conn.execute(log, ["alice.md"])
        conn.execute("select rag.ingest('k', 'Later on.', embed => 'later')")
        assert conn.execute("select from rag.job_status").rowcount == 1
    with as_user(conn, service, "bob"):
        conn.execute(log, ["bob.md"])
        assert conn.execute("select source from rag.ingest_log").fetchall() == [("bob.md",)]
        assert conn.execute("select from rag.job_status").fetchall() == []
    with as_user(conn, service, "alice", tenant="acme"):
        assert conn.execute("select from rag.ingest_log").fetchall() == []
    with as_role(conn, service):
        assert conn.execute("select from rag.ingest_log").fetchall() == []
        assert conn.execute("select from rag.job_status").fetchall() == []


def test_erasing_tells_nothing_of_others(docs: Connection, role_factory: RoleFactory) -> None:
    docs.execute("select rag.ingest('docs', 'A zebrafalcon.', 'z.md')")
    writer = role_factory(member_of=["rag_writer"])
    kinds = []
    for word in ("zebrafalcon", "quuxnonexist"):
        with as_role(docs, writer):
            docs.execute("select rag.create_collection('probe', model => 'none')")
            docs.execute("select rag.ingest('probe', %s, 'x')", [word])
            rows = docs.execute(
                "select kind, entries from rag.erase_content(%s, collections => '{probe}')",
                [f"%{word}%"],
            )
            kinds.append(rows.fetchall())
            docs.execute("select rag.drop_collection('probe')")
    assert kinds[0] == kinds[1]
