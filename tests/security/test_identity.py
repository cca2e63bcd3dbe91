"""Nobody can borrow another's identity: not through functions, views, triggers, indexes or analyze."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from support import Database, throws_ok

Connection = psycopg.Connection[Any]


@pytest.fixture(scope="module")
def people(db: Database) -> Iterator[tuple[str, str]]:
    """Two readers: the first may read the collection hers, the second the collection theirs."""
    names = (f"{db.name}_alice", f"{db.name}_bob")
    with db.connect(autocommit=True) as connection:
        for name, word in zip(names, ("hers", "theirs"), strict=True):
            connection.execute(f'create role "{name}" login in role rag_reader')
            connection.execute(
                "select rag.ingest(%s, %s, %s)", [word, f"The secret valve is {word}.", word]
            )
            connection.execute("select rag.grant_read(%s, %s)", [word, name])
            connection.execute(f'create schema "{name}" authorization "{name}"')
            connection.execute(f'grant usage on schema "{name}" to public')
        yield names
        for name in names:
            connection.execute(f'drop owned by "{name}" cascade')
            connection.execute(f'drop role "{name}"')


SEEN = "select string_agg(source, ',' order by source) from rag.search('secret valve')"


def seen(connection: Connection, query: str = SEEN) -> Any:
    row = connection.execute(query).fetchone()
    assert row is not None
    return row[0]


def loot(db: Database, schema: str) -> set[str]:
    with db.connect(autocommit=True) as connection:
        return {
            content for (content,) in connection.execute(f'select content from "{schema}".loot')
        }


def set_trap(db: Database, alice: str) -> None:
    with db.connect(alice, autocommit=True) as mine:
        mine.execute(f'create table "{alice}".loot (content text)')
        mine.execute(f'create table "{alice}".bait (x int)')
        mine.execute(
            f"""create function "{alice}".collect() returns int language plpgsql as $$
                begin
                    insert into "{alice}".loot select content from rag.search('secret valve');
                    insert into "{alice}".loot select content from rag.document;
                    insert into "{alice}".loot select content from rag.chunk;
                    return 1;
                end $$"""
        )
        mine.execute(
            f"""create function "{alice}".f(int) returns int immutable language plpgsql as $$
                begin return "{alice}".collect(); end $$"""
        )
        mine.execute(f'insert into "{alice}".bait select generate_series(1, 200)')
        mine.execute(f'create index on "{alice}".bait ("{alice}".f(x))')
        mine.execute(f'delete from "{alice}".loot')


def test_the_analyze_trap_by_a_superuser(db: Database, people: tuple[str, str]) -> None:
    alice, _ = people
    set_trap(db, alice)
    with db.connect(autocommit=True) as superuser:
        superuser.execute(f'analyze "{alice}".bait')
        superuser.execute(f'reindex table "{alice}".bait')
    assert loot(db, alice) == {"The secret valve is hers."}


def test_the_analyze_trap_by_autovacuum(db: Database, people: tuple[str, str]) -> None:
    alice, _ = people
    with db.connect(autocommit=True) as superuser:
        superuser.execute(f'truncate "{alice}".loot')
        superuser.execute(
            f'alter table "{alice}".bait set (autovacuum_analyze_threshold = 0,'
            " autovacuum_analyze_scale_factor = 0)"
        )
        superuser.execute(f'insert into "{alice}".bait select generate_series(1, 200)')
        superuser.execute(f'truncate "{alice}".loot')  # what the insert itself collected
        query = "select autoanalyze_count from pg_stat_user_tables where relname = 'bait'"
        for _ in range(600):
            if superuser.execute(query).fetchone() != (0,):
                break
            time.sleep(0.2)
        assert superuser.execute(query).fetchone() != (0,), "autovacuum did not analyze the bait"
    assert loot(db, alice) == {"The secret valve is hers."}


def test_a_function_of_somebody_else_searches_as_its_owner_only_if_it_says_so(
    db: Database, people: tuple[str, str]
) -> None:
    alice, bob = people
    with db.connect(alice, autocommit=True) as mine:
        for name, security in (("definer", "definer"), ("invoker", "invoker")):
            mine.execute(
                f'create function "{alice}".{name}() returns text language sql security {security} as $$ {SEEN} $$'
            )
    with db.connect(bob, autocommit=True) as other:
        assert seen(other, f'select "{alice}".definer()') == "hers"
        assert seen(other, f'select "{alice}".invoker()') == "theirs"
        assert seen(other) == "theirs"
    with db.connect(autocommit=True) as superuser:
        assert seen(superuser, f'select "{alice}".definer()') == "hers"


def test_views_triggers_and_generated_values_show_the_invoker_what_he_may_see(
    db: Database, people: tuple[str, str]
) -> None:
    alice, bob = people
    with db.connect(alice, autocommit=True) as mine:
        mine.execute(f'create view "{alice}".v as {SEEN}')
        mine.execute(f'grant select on "{alice}".v to public')
        mine.execute(f'create table "{alice}".t (x int, y text)')
        mine.execute(
            f"""create function "{alice}".tr() returns trigger language plpgsql as $$
                begin new.y := ({SEEN}); return new; end $$"""
        )
        mine.execute(
            f'create trigger tr before insert on "{alice}".t for each row execute function "{alice}".tr()'
        )
        mine.execute(f'grant insert, select on "{alice}".t to public')
    with db.connect(bob, autocommit=True) as other:
        assert seen(other, f'select * from "{alice}".v') == "theirs"
        assert seen(other, f'insert into "{alice}".t values (1) returning y') == "theirs"


def test_set_role_and_prepared_statements_follow_the_current_user(
    db: Database, people: tuple[str, str]
) -> None:
    """F08 and F10: no plan and no cache keeps the first role's rows."""
    alice, bob = people
    with db.connect(autocommit=True) as connection:
        connection.execute(f"prepare q as {SEEN}")
        connection.execute("prepare d as select string_agg(source, ',') from rag.document")
        for name, expected in ((alice, "hers"), (bob, "theirs"), (alice, "hers")):
            connection.execute(f'set role "{name}"')
            for _ in range(7):
                assert seen(connection, "execute q") == expected
                assert seen(connection, "execute d") == expected
            connection.execute("reset role")


def test_session_authorization_and_login_agree(db: Database, people: tuple[str, str]) -> None:
    alice, bob = people
    with db.connect(autocommit=True) as connection:
        connection.execute(f'set session authorization "{bob}"')
        assert seen(connection) == "theirs"
    with db.connect(alice) as connection:
        assert seen(connection) == "hers"


def test_settings_of_the_session_do_not_make_an_identity(
    db: Database, people: tuple[str, str]
) -> None:
    alice, bob = people
    with db.connect(bob, autocommit=True) as connection:
        for name, value in (
            ("rag.user", alice),
            ("rag.groups", alice),
            ("rag.tenant", "x"),
            ("rag.clearance", "9"),
        ):
            connection.execute("select set_config(%s, %s, false)", [name, value])
        assert seen(connection) == "theirs"


def test_a_ticket_cannot_be_forged_or_replayed(db: Database, people: tuple[str, str]) -> None:
    _, bob = people
    with db.connect(autocommit=True) as superuser:
        superuser.execute(f'grant usage on schema rag_internal to "{bob}"')  # worse than it ever is
        row = superuser.execute("select who, ticket from rag_internal.caller").fetchone()
        assert row is not None
    try:
        with db.connect(bob, autocommit=True) as other:
            search = "select rag_internal.readable_acls(%s, %s)"
            for who, ticket in (
                (row[0], row[1]),
                ("postgres", None),
                ("postgres", b""),
                (None, None),
            ):
                throws_ok(other, search, "28000", params=[who, ticket])
            own = other.execute("select ticket from rag_internal.caller").fetchone()
            assert own is not None
            throws_ok(other, search, "28000", params=[bob, own[0]])  # of another statement
            throws_ok(
                other,
                "select rag_internal.readable_acls('postgres', c.ticket) from rag_internal.caller c",
                "28000",
            )
    finally:
        with db.connect(autocommit=True) as superuser:
            superuser.execute(f'revoke usage on schema rag_internal from "{bob}"')


def test_shadowing_names_on_the_search_path_changes_nothing(
    db: Database, people: tuple[str, str]
) -> None:
    _, bob = people
    with db.connect(bob, autocommit=True) as mine:
        mine.execute(
            f'create function "{bob}".pg_has_role(name, text, text) returns bool language sql as $$ select true $$'
        )
        mine.execute(
            f'create function "{bob}".sha256(bytea) returns bytea language sql as $$ select null::bytea $$'
        )
        mine.execute(f'create table "{bob}".acl as select 1 as acl_id')
        mine.execute("create temp table document (content text)")
        mine.execute("create temp table pg_roles (oid oid, rolname name)")
        mine.execute(f'set search_path = pg_temp, "{bob}", pg_catalog')
        assert seen(mine) == "theirs"
        assert seen(mine, "select string_agg(source, ',') from rag.document") == "theirs"
