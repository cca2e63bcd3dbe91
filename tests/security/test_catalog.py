"""Rules that the catalog itself can be asked about."""

from __future__ import annotations

import os
from typing import Any

import psycopg

from support import CHECKOUT, policies_are

Connection = psycopg.Connection[Any]

# the migration's own tables, which nobody is granted
MIGRATION_TABLES = ("alembic_version", "created_extension")
REWRITE = bool(os.environ.get("RAGSQL_REWRITE_EXPECTED"))
PRIVILEGES = CHECKOUT / "tests" / "expected" / "privileges.txt"
OURS = "in ('rag'::regnamespace, 'rag_internal'::regnamespace)"


def offenders(conn: Connection, query: str) -> list[str]:
    return sorted(name for (name,) in conn.execute(query))


def test_row_security_is_on_for_every_table_and_partition(conn: Connection) -> None:
    query = f"""select oid::regclass::text from pg_class
                where relnamespace {OURS} and relkind in ('r', 'p') and not relrowsecurity
                  and relname <> all (array{list(MIGRATION_TABLES)!r})"""
    assert offenders(conn, query) == []


def test_policies(conn: Connection) -> None:
    tables = "acl chunk collection document ingest_log job model principal"
    for table in tables.split():
        policies_are(conn, f"rag_internal.{table}", {f"read_{table}"})


def test_callers_are_granted_no_table(conn: Connection) -> None:
    """Behind row security alone, a plan tells of the rows that it removed."""
    query = f"""select c.oid::regclass::text from pg_class c, aclexplode(c.relacl) a
                where relnamespace {OURS} and relkind in ('r', 'p') and a.grantee <> c.relowner
                  and a.grantee <> 'rag_owner'::regrole"""
    assert offenders(conn, query) == []


def test_views_run_with_the_callers_rights_but_for_the_one_that_knows_the_caller(
    conn: Connection,
) -> None:
    query = f"""select oid::regclass::text from pg_class
                where relnamespace {OURS} and relkind in ('v', 'm')
                  and not coalesce(reloptions @> '{{security_invoker=true}}', false)"""
    assert offenders(conn, query) == ["rag_internal.caller"]
    assert (
        offenders(conn, f"select relname from pg_class where relnamespace {OURS} and relkind = 'm'")
        == []
    )


def test_everything_is_owned_by_rag_owner(conn: Connection) -> None:
    query = f"""select p.oid::regprocedure::text from pg_proc p
                where pronamespace {OURS} and proowner <> 'rag_owner'::regrole
                union all
                select oid::regclass::text from pg_class
                where relnamespace {OURS} and relowner <> 'rag_owner'::regrole and relkind not in ('i', 'I', 't')"""
    superusers_own = {"rag_internal.setting", *(f"rag_internal.{t}" for t in MIGRATION_TABLES)}
    assert set(offenders(conn, query)) == superusers_own
    row = conn.execute(
        "select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = 'rag_owner'"
    ).fetchone()
    assert row == (False, False, False, False)


def test_public_may_do_nothing(conn: Connection) -> None:
    query = f"""select p.oid::regprocedure::text from pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) a
                where pronamespace {OURS} and a.grantee = 0
                union all
                select c.oid::regclass::text from pg_class c, aclexplode(relacl) a
                where relnamespace {OURS} and a.grantee = 0
                union all
                select n.nspname from pg_namespace n, aclexplode(nspacl) a
                where n.oid {OURS} and a.grantee = 0"""
    assert offenders(conn, query) == []


def test_functions_pin_their_search_path_or_are_bound_at_creation(conn: Connection) -> None:
    query = f"""select p.oid::regprocedure::text from pg_proc p
                where pronamespace {OURS} and prosqlbody is null
                  -- what commits cannot have settings
                  and p.oid not in ('rag.maintain()'::regprocedure,
                                    'rag.run_jobs(integer)'::regprocedure,
                                    'rag.scrub(interval)'::regprocedure)
                  and not coalesce(proconfig @> array['search_path=pg_catalog, pg_temp'], false)"""
    assert offenders(conn, query) == []
    # bound at creation, and with the caller's rights
    query = f"select p.oid::regprocedure::text from pg_proc p where pronamespace {OURS} and prosqlbody is not null and prosecdef"
    assert offenders(conn, query) == []


def test_definer_functions_check_a_ticket_and_pin_what_a_session_could_set(
    conn: Connection,
) -> None:
    query = rf"""select p.oid::regprocedure::text from pg_proc p
                where pronamespace {OURS} and prosecdef
                  and (proargnames[1:2] is distinct from array['who', 'ticket']
                       or prosrc !~ 'rag_internal\.authenticate\(who, ticket(, (\w+\.)?token)?\)'
                       or not proconfig @> array['search_path=pg_catalog, pg_temp',
                                                 'client_min_messages=warning',
                                                 'standard_conforming_strings=on',
                                                 'gin_fuzzy_search_limit=0',
                                                 'row_security=on'])
                  and proname <> 'ingest_many'  -- hands them on to ingest, row by row"""
    assert offenders(conn, query) == []


def test_no_name_in_rag_is_overloaded(conn: Connection) -> None:
    query = """select proname from pg_proc where pronamespace = 'rag'::regnamespace
               group by proname having count(*) > 1"""
    assert offenders(conn, query) == []


def test_everything_public_is_explained(conn: Connection) -> None:
    query = f"""select p.oid::regprocedure::text from pg_proc p
                where pronamespace {OURS} and obj_description(p.oid, 'pg_proc') is null
                union all
                select oid::regclass::text from pg_class
                where relnamespace {OURS} and relkind in ('r', 'p', 'v') and not relispartition
                  and obj_description(oid, 'pg_class') is null
                union all
                select t.oid::regtype::text from pg_type t join pg_class c on c.oid = typrelid and c.relkind = 'c'
                where typnamespace = 'rag'::regnamespace and obj_description(t.oid, 'pg_type') is null"""
    assert [
        name for name in offenders(conn, query) if name.split(".")[-1] not in MIGRATION_TABLES
    ] == []


def test_no_builtin_is_marked_leakproof(conn: Connection) -> None:
    """F01: the cure that is worse than the disease."""
    query = """select p.oid::regprocedure::text from pg_proc p
               where proleakproof and oid >= 16384"""
    assert offenders(conn, query) == []
    row = conn.execute(
        "select proleakproof from pg_proc where oid = 'ts_match_vq(tsvector, tsquery)'::regprocedure"
    )
    assert row.fetchone() == (False,)


MATRIX = f"""
    with granted (object, owner, acl) as (
        select 'schema ' || nspname, nspowner, nspacl from pg_namespace where oid {OURS}
        union all
        select case relkind when 'v' then 'view ' else 'table ' end || oid::regclass, relowner,
               relacl
        from pg_class
        where relnamespace {OURS} and relkind in ('r', 'p', 'v', 'm', 'S') and not relispartition
        union all
        select format('column %s.%s', attrelid::regclass, attname), relowner, attacl
        from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace {OURS} and attacl is not null
        union all
        select case prokind when 'p' then 'procedure ' else 'function ' end || oid::regprocedure,
               proowner, proacl
        from pg_proc where pronamespace {OURS}
        union all
        -- what a type is may be known to anybody: that is PostgreSQL's default, and no right to rows
        select 'type ' || oid::regtype, typowner, typacl
        from pg_type where typnamespace {OURS} and typacl is not null
        union all
        select format('default of %s in %s', defaclrole::regrole,
                      coalesce(defaclnamespace::regnamespace::text, 'the database')),
               defaclrole, defaclacl
        from pg_default_acl
    )
    select format('%s: %s to %s', object,
                  string_agg(lower(a.privilege_type), ', ' order by a.privilege_type)
                      || case when bool_or(a.is_grantable) then ' with grant option' else '' end,
                  case a.grantee when 0 then 'public' else a.grantee::regrole::text end)
    from granted, aclexplode(acl) a
    where a.grantee <> owner
       or (a.grantee = 'rag_owner'::regrole and object ~ '(setting|alembic_version|schema rag)')
    group by object, a.grantee
    union all
    select format('role %s:%s%s', r.rolname,
                  case when r.rolcanlogin or r.rolsuper or r.rolbypassrls or r.rolcreaterole
                            or r.rolcreatedb or r.rolreplication then ' more than a group' else '' end,
                  coalesce((select string_agg(' member of ' || m.roleid::regrole, ''
                                              order by m.roleid::regrole::text)
                            from pg_auth_members m where m.member = r.oid), ''))
    from pg_roles r
    where r.rolname in ('rag_owner', 'rag_admin', 'rag_writer', 'rag_reader', 'rag_service')
"""


def test_the_privilege_matrix(conn: Connection) -> None:
    """Role x object x privilege, compared whole with tests/expected/privileges.txt."""
    rows = conn.execute(MATRIX).fetchall()
    found = "".join(f"{line}\n" for line in sorted(line for (line,) in rows))
    if REWRITE:
        PRIVILEGES.write_text(found)
    assert found == PRIVILEGES.read_text()


def test_no_role_has_what_another_session_of_it_gave_away(conn: Connection) -> None:
    """Nobody but a superuser can hand on what he was granted."""
    query = f"""select object from (
                    select oid::regclass::text, relacl from pg_class where relnamespace {OURS}
                    union all select oid::regprocedure::text, proacl from pg_proc
                    where pronamespace {OURS}) g (object, acl), aclexplode(acl) a
                where a.is_grantable and a.grantee <> 'rag_owner'::regrole"""
    assert offenders(conn, query) == []


# bodies that make SQL, of identifiers, numbers and literals that they quote themselves
DYNAMIC = [
    "add_embedding_partition",
    "build_vector_index",
    "drop_model",
    "rewrite_table",
    "semantic_leg",
]


def test_sql_is_made_where_it_is_known(conn: Connection) -> None:
    """A further body that executes a string wants to be read; none takes that string."""
    makes = """prosrc ~* '\\mexecute\\M(?! function)' and prolang <>
               (select oid from pg_language where lanname = 'plpython3u')"""
    assert (
        offenders(conn, f"select proname from pg_proc where pronamespace {OURS} and {makes}")
        == DYNAMIC
    )
    query = f"""select oid::regprocedure::text from pg_proc
                where pronamespace {OURS} and {makes} and not prosecdef
                  and proacl <> array[makeaclitem(proowner, proowner, 'execute', false)]"""
    assert offenders(conn, query) == [], "a caller may call it by itself"


def test_parallel_labels_are_honest(conn: Connection) -> None:
    """Writes, subtransactions and PL/Python's plpy.execute (which starts one) fail in parallel mode."""
    engine = "split_text|embed_texts|closest_words|engine_info|model_status|load_engine"
    query = f"""with recursive unsafe as (
                    select oid, proname from pg_proc
                    where pronamespace {OURS}
                      and (provolatile = 'v' or proname ~ '^({engine})$' or prosrc ~ 'exception when')
                    union
                    select p.oid, p.proname from pg_proc p
                    join unsafe u on coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) ~ ('rag_internal\\.' || u.proname || '\\(')
                    where p.pronamespace {OURS}
                )
                select p.oid::regprocedure::text from pg_proc p join unsafe using (oid)
                where p.proparallel <> 'u' and p.proname <> 'new_id'"""
    assert offenders(conn, query) == []
