"""Code of others that runs in one's session gets what its own identity may read, not more.

A token in the settings is the caller's whole identity, and so are a trusted service's settings: both
speak for the role that the session has taken. A function of somebody else's, which runs with the
rights of its owner, borrows neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from support import Database, throws_ok
from support.company import SEARCH, Company, company_of, seen
from support.identities import Connection, Identity, asking, become

FIND = SEARCH.replace(", token => %s", "")
SEEN = f"select string_agg(source, ',' order by source) from ({FIND}) found"


@pytest.fixture(scope="module")
def company(db: Database) -> Iterator[Company]:
    with company_of(db) as made:
        for role in (made.alice, made.bob, made.service):
            made.root.execute(f'create schema "{role}" authorization "{role}"')
            made.root.execute(f'grant usage on schema "{role}" to public')
        yield made


@pytest.fixture
def trap(company: Company) -> Iterator[str]:
    """alice's schema with a table `bait` whose index searches, and `loot` for what that finds."""
    schema = f'"{company.alice}"'
    with company.db.connect(company.alice) as alice:
        alice.execute(f"create table {schema}.loot (source text)")
        alice.execute(f"create table {schema}.bait (x int)")
        # what may not write calls what may
        alice.execute(
            f"""create function {schema}.collect() returns int language plpgsql as $$
                begin
                    insert into {schema}.loot {FIND};
                    insert into {schema}.loot select source from rag.document;
                    insert into {schema}.loot
                    select c.content from rag.document d, rag.get_chunks(d.document_id) c;
                    insert into {schema}.loot
                    {SEARCH.replace("%s", "current_setting('rag.token', true)")};
                    return 1;
                exception when invalid_authorization_specification then
                    return 1;
                end $$"""
        )
        alice.execute(
            f"""create function {schema}.f(int) returns int immutable language plpgsql as $$
                begin return {schema}.collect() - 1 + $1; end $$"""
        )
        alice.execute(f"insert into {schema}.bait values (1), (2), (3)")
        alice.execute(f"create index on {schema}.bait ({schema}.f(x))")
        alice.execute(f"truncate {schema}.loot")
    yield schema
    with company.db.connect(company.alice) as alice:
        alice.execute(
            f"drop table {schema}.bait, {schema}.loot; drop function {schema}.f(int), {schema}.collect()"
        )


def looted(company: Company, schema: str) -> set[str]:
    """Names of documents in alice's table."""
    rows = company.root.execute(f"select distinct source from {schema}.loot").fetchall()
    return {word.rstrip(".") for (text,) in rows for word in text.split() if ".md" in word}


@pytest.mark.parametrize(
    "upkeep",
    ["analyze {0}.bait", "reindex table {0}.bait", "create index on {0}.bait ({0}.f(x + 1))"],
)
@pytest.mark.parametrize("way", ["role", "service", "setting"])
def test_the_analyze_trap_in_a_session_that_has_an_identity(
    company: Company, trap: str, upkeep: str, way: str
) -> None:
    """A superuser's session with rag.token, or with rag.user and its kin."""
    root = company.db.connect()
    identity: dict[str, Identity | None] = {
        "role": None,
        "service": Identity("service", company.service, "ann", ("staff",), clearance=9),
        # a token that names a role is good for nobody else who reads the setting
        "setting": Identity(
            "setting", company.gateway, "ann", ("staff",), clearance=9, as_role=company.gateway
        ),
    }
    asked = identity[way]
    with root.transaction():
        if asked is not None:
            become(root, asked)
            root.execute("set local role none")
        root.execute(upkeep.format(trap).encode())
    assert looted(company, trap) <= {"alice.md"}


def test_a_function_of_a_lesser_role_in_the_session_of_a_service(company: Company) -> None:
    """It searches as its owner, whomever the session asks for."""
    with company.db.connect(company.alice) as alice:
        alice.execute(
            f'create or replace function "{company.alice}".find() returns text'
            f" language sql security definer as $$ {SEEN} $$"
        )
    for identity in (
        Identity("service", company.service, "ann", ("staff",), clearance=2),
        Identity("setting", company.gateway, "ann", ("staff",), clearance=2),
        Identity("role", company.bob),
    ):
        with company.db.connect(company.pool) as pool, asking(pool, identity):
            before = seen(pool)
            found = _value(pool, f'select "{company.alice}".find()')
            assert found in ("alice.md", None), identity
            assert seen(pool) == before


def test_a_function_of_a_service_asks_for_nobody_its_caller_names(company: Company) -> None:
    """Else whoever may call it reads as anybody."""
    with company.db.connect(company.service) as service:
        service.execute(
            f'create or replace function "{company.service}".find() returns text'
            f" language sql security definer as $$ {SEEN} $$"
        )
    with company.db.connect(company.bob) as bob:
        bob.execute("set rag.\"user\" = 'ann'; set rag.groups = 'staff'; set rag.clearance = '9'")
        assert _value(bob, f'select "{company.service}".find()') is None
        assert seen(bob) == {"bob.md"}


def test_a_view_shows_who_asks_it_what_he_may_see(company: Company) -> None:
    """Of the owner's rights or the invoker's: the caller is the caller."""
    schema = f'"{company.alice}"'
    with company.db.connect(company.alice) as alice:
        alice.execute(
            f"create or replace view {schema}.v as {FIND};"
            f"create or replace view {schema}.w with (security_invoker) as {FIND};"
            f"create or replace view {schema}.barrier with (security_barrier) as"
            f" select source from rag.document;"
            f"create or replace view {schema}.nested as select * from {schema}.v;"
            f"grant select on all tables in schema {schema} to public"
        )
    for identity, expected in company.some.items():
        if identity.way == "argument":
            continue
        with company.db.connect(company.pool) as pool, asking(pool, identity):
            for view in ("v", "w", "barrier", "nested"):
                rows = pool.execute(f"select source from {schema}.{view}")
                assert {source for (source,) in rows} == expected, (view, identity)


def test_a_materialized_view_holds_what_its_owner_may_see(company: Company) -> None:
    schema = f'"{company.alice}"'
    with company.db.connect(company.alice) as alice:
        alice.execute(f"create materialized view {schema}.m as {FIND}")
    root = company.db.connect()
    with root.transaction():
        become(root, Identity("setting", company.gateway, "ann", ("staff",), clearance=9))
        root.execute("set local role none")
        root.execute(f"refresh materialized view {schema}.m")
    rows = company.root.execute(f"select source from {schema}.m").fetchall()
    assert {source for (source,) in rows} <= {"alice.md"}
    company.root.execute(f"drop materialized view {schema}.m")


MADE = {
    # what alice makes, and how bob meets it
    "default": ("create table {0}.t (x int, y text default {0}.invoked())",
                "insert into {0}.t (x) values (1) returning y"),
    "generated": ("create table {0}.t (x int, y text generated always as ({0}.invoked()) stored)",
                  "insert into {0}.t (x) values (1) returning y"),
    "check": ("create table {0}.t (x int, y text check (coalesce({0}.invoked(), '') = y))",
              "insert into {0}.t values (1, '{1}') returning y"),
    "trigger": (("create table {0}.t (x int, y text);"
                "create trigger t before insert on {0}.t for each row execute function {0}.tr()"),
                "insert into {0}.t (x) values (1) returning y"),
    "rule": (("create table {0}.t (x int, y text); create rule r as on insert to {0}.t"
             " do instead select 1 as x, {0}.invoked() as y"),
             "with i as (select 1) insert into {0}.t (x) values (1)"),
    "policy": (("create table {0}.t (x int, y text); alter table {0}.t enable row level security;"
               "insert into {0}.t select 1, s from unnest('{{alice.md,bob.md,ann.md}}'::text[]) s;"
               "create policy p on {0}.t using (y = {0}.invoked())"),
               "select y from {0}.t"),
    "domain": (("create domain {0}.d as text check (coalesce({0}.invoked(), '') = value);"
               "create table {0}.t (x int, y text)"),
               "select '{1}'::{0}.d"),
    "operator": (("create function {0}.op(int, int) returns text language sql"
                 " as 'select {0}.invoked()';"
                 "create operator {0}.+ (leftarg = int, rightarg = int, function = {0}.op);"
                 "create table {0}.t (x int, y text)"),
                 "select 1 operator({0}.+) 1"),
}  # fmt: skip


@pytest.mark.parametrize("kind", MADE)
def test_what_others_made_shows_the_invoker_what_he_may_see(company: Company, kind: str) -> None:
    """Where it runs with the rights of who meets it, it also finds what that one may read."""
    schema, (made, met) = f'"{company.alice}"', MADE[kind]
    with company.db.connect(company.alice) as alice:
        alice.execute(
            f"create function {schema}.invoked() returns text immutable language sql as $$ {SEEN} $$;"
            f"create function {schema}.tr() returns trigger language plpgsql"
            f" as $$ begin new.y := {schema}.invoked(); return new; end $$"
        )
        alice.execute(made.format(schema).encode())
        alice.execute(f"grant all on {schema}.t to public")
    try:
        for role, expected in ((company.bob, "bob.md"), (company.alice, "alice.md")):
            with company.db.connect(role) as session:
                assert _value(session, met.format(schema, expected)) == expected
        if kind in ("check", "domain"):
            with company.db.connect(company.bob) as bob:
                throws_ok(bob, met.format(schema, "alice.md"), "23514")
    finally:
        company.root.execute(
            f"drop table {schema}.t cascade; drop domain if exists {schema}.d;"
            f"drop operator if exists {schema}.+ (int, int); drop function {schema}.tr();"
            f"drop function if exists {schema}.op(int, int); drop function {schema}.invoked()"
        )


def test_set_role_within_a_function_of_others(company: Company) -> None:
    """It cannot take another role; one that runs with the caller's rights takes the caller's."""
    schema = f'"{company.alice}"'
    with company.db.connect(company.alice) as alice:
        alice.execute(
            f"create or replace function {schema}.take(role name) returns text language plpgsql"
            f" security definer as $$ begin perform set_config('role', role, true);"
            f" return ({SEEN}); end $$;"
            f"create or replace function {schema}.taken(role name) returns text language plpgsql"
            f" as $$ begin perform set_config('role', role, true); return ({SEEN}); end $$"
        )
    with company.db.connect(company.bob) as bob:
        throws_ok(bob, f"select {schema}.take(%s)", "42501", params=[company.bob])
        throws_ok(bob, f"select {schema}.taken(%s)", "42501", params=[company.alice])
        assert seen(bob) == {"bob.md"}
    with company.db.connect(company.pool) as pool:
        with asking(pool, Identity("role", company.bob)):
            row = pool.execute(f"select {schema}.taken(%s)", [company.alice]).fetchone()
            assert row == ("alice.md",)  # what the login may do anyway
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            pool.execute(FIND)


def _value(connection: Connection, query: str) -> Any:
    """The last column of the first row; None where there is none."""
    cursor = connection.execute(query.encode())
    row = cursor.fetchone() if cursor.description else None
    return row[-1] if row else None
