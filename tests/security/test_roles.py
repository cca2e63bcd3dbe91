"""Database roles as principals: inherited, dropped and made again, adopted, all-seeing."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support import RoleFactory, as_role, count, sources, throws_ok

Connection = psycopg.Connection[Any]


def test_grant_through_a_group_role_and_to_everybody(
    filled: Connection, role_factory: RoleFactory
) -> None:
    team = role_factory(login=False)
    member, other = role_factory(member_of=["rag_reader", team]), role_factory()
    filled.execute("select rag.grant_read('docs', %s)", [team])
    with as_role(filled, member):
        assert len(sources(filled)) == 2
    with as_role(filled, other):
        assert sources(filled) == []
    filled.execute("select rag.grant_read('docs', 'public')")
    with as_role(filled, other):
        assert len(sources(filled)) == 2


def test_a_noinherit_member_must_set_role(filled: Connection, role_factory: RoleFactory) -> None:
    team = role_factory()
    member = role_factory(member_of=["rag_reader", team])
    filled.execute(f'alter role "{member}" noinherit')
    if filled.info.server_version >= 160000:
        # since 16 a grant keeps the inheritance that the member had when it was made
        filled.execute(f'grant rag_reader, "{team}" to "{member}" with inherit false, set true')
    filled.execute(f'grant execute on function rag.whoami(text) to "{member}"')
    filled.execute("select rag.grant_read('docs', %s)", [team])
    with as_role(filled, member):
        throws_ok(filled, "select * from rag.search('valve')", "42501")
        filled.execute(f'set role "{team}"')
        assert len(sources(filled)) == 2


def test_a_created_again_role_inherits_nothing(
    filled: Connection, role_factory: RoleFactory
) -> None:
    reader = role_factory()
    filled.execute("select rag.grant_read('docs', %s)", [reader])
    filled.execute(f'drop role "{reader}"')
    filled.execute(f'create role "{reader}" in role rag_reader')
    with as_role(filled, reader):
        assert sources(filled) == []
        assert count(filled, "document") == 0
    row = filled.execute("select status from rag.doctor() where name = 'principals'").fetchone()
    assert row == ("warn",)


def test_what_a_gone_role_had_can_be_revoked(filled: Connection, role_factory: RoleFactory) -> None:
    """Else the next advice, to let the role inherit, would give back what was taken."""
    reader = role_factory()
    document = filled.execute("select document_id from rag.document where source = 'a.md'")
    of_document = [(document.fetchone() or ())[0], reader]
    filled.execute("select rag.grant_read('docs', %s)", [reader])
    filled.execute("select rag.grant_read(document_id => %s, reader => %s)", of_document)
    filled.execute("update rag_internal.principal set role_oid = 1 where name = %s", [reader])
    filled.execute("select rag.grant_read('docs', %s)", [reader])
    row = filled.execute("select readers from rag.describe_collection('docs')").fetchone()
    assert row == (["role:postgres", f"role:{reader}", f"role:{reader} (gone)"],)
    assert filled.execute("select rag.revoke_read('docs', %s)", [reader]).fetchone() == (True,)
    revoke = "select rag.revoke_read(document_id => %s, reader => %s)"
    assert filled.execute(revoke, of_document).fetchone() == (True,)
    assert filled.execute(revoke, of_document).fetchone() == (False,)
    filled.execute("select rag.adopt_role(%s)", [reader])
    with as_role(filled, reader):
        assert sources(filled) == []
    throws_ok(filled, "select rag.revoke_read('docs', 'nobody here')", "42704")


@pytest.mark.parametrize("granted_meanwhile", [False, True])
def test_an_administrator_lets_a_role_inherit(
    filled: Connection, role_factory: RoleFactory, granted_meanwhile: bool
) -> None:
    """After a restore into another cluster, every role has another oid."""
    writer = role_factory(member_of=["rag_writer"])
    filled.execute("select rag.grant_read('docs', %s)", [writer])
    with as_role(filled, writer):
        filled.execute("select rag.ingest('mine', 'My valve.', 'm.md')")
    filled.execute("update rag_internal.principal set role_oid = 1 where name = %s", [writer])
    if granted_meanwhile:
        filled.execute("select rag.grant_read('docs', %s)", [writer])
    with as_role(filled, writer):
        assert sources(filled) == (["a.md", "b.md"] if granted_meanwhile else [])
        throws_ok(filled, "select rag.adopt_role(current_user)", "42501")
    assert filled.execute("select rag.adopt_role(%s)", [writer]).fetchone() == (1,)
    assert filled.execute("select rag.adopt_role(%s)", [writer]).fetchone() == (0,)
    with as_role(filled, writer):
        assert sources(filled) == ["a.md", "b.md", "m.md"]
        filled.execute("select rag.drop_collection('mine')")
    throws_ok(filled, "select rag.adopt_role('nobody here')", "42704")


def test_nobody_without_rag_reader_gets_in(filled: Connection, role_factory: RoleFactory) -> None:
    stranger = role_factory(member_of=[])
    with as_role(filled, stranger):
        throws_ok(filled, "select * from rag.search('valve')", "42501")
        throws_ok(filled, "select * from rag.document", "42501")


def test_f04_who_sees_everything_is_told_so(filled: Connection, role_factory: RoleFactory) -> None:
    admin, reader = role_factory(member_of=["rag_admin"]), role_factory()
    query = "select identity, sees_everything, why from rag.whoami()"
    assert filled.execute(query).fetchone() == ("postgres", True, "a superuser sees everything")
    with as_role(filled, admin):
        row = filled.execute(query).fetchone()
        assert row is not None
        assert row[:2] == (admin, True)
        assert len(sources(filled)) == 2
    with as_role(filled, reader):
        row = filled.execute(query).fetchone()
        assert row is not None
        assert row[:2] == (reader, False)
        doctor = filled.execute(
            "select status from rag.doctor() where name = 'access rules'"
        ).fetchone()
        assert doctor == ("ok",)


def test_doctor_shows_paths_of_the_server_to_administrators_alone(
    filled: Connection, role_factory: RoleFactory
) -> None:
    query = "select string_agg(detail, ' ') from rag.doctor()"
    everything = filled.execute(query).fetchone()
    assert everything is not None
    assert "/" in everything[0]
    with as_role(filled, role_factory()):
        shown = filled.execute(query).fetchone()
        assert shown is not None
        assert "/" not in shown[0]
