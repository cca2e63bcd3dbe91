"""What a database consists of, read from its catalog: to compare two states or two databases."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

FIRST_USER_OID = 16384
"""The first oid that the server gives to an object made after initdb."""

CATALOGS = """
    select c.relname
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'oid'
    where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'r' and not c.relisshared
      and c.relname <> 'pg_enum'  -- labels have no identity of their own, their type has
    order by 1
"""

# Rights and settings hang on objects that were there before.
RIGHTS: str = """
    select 'rights', n.nspname || ' ' || coalesce(
               (select string_agg(a::text, ' ' order by a::text)
                from aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a), '')
    from pg_namespace n where n.oid < 16384
    union all
    select 'rights', 'database ' || (
               select string_agg(a::text, ' ' order by a::text)
               from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a)
    from pg_database d where d.datname = current_database()
    union all
    select 'shared dependency',
           format('%s %s %s', s.classid::regclass, s.deptype, s.refobjid::regrole)
    from pg_shdepend s
    where s.dbid = (select oid from pg_database where datname = current_database())
      and s.refclassid = 'pg_authid'::regclass
    union all
    select 'setting', s::text
    from pg_db_role_setting s
    where s.setdatabase = (select oid from pg_database where datname = current_database())
    union all
    select 'comment', d::text from pg_description d where d.objoid >= 16384
"""

DEFINITIONS: str = """
    with ours as (
        select oid, nspname from pg_namespace where nspname in ('rag', 'rag_internal')
    ), acls (kind, name, owner, acl) as (
        select 'schema', nspname::text, nspowner, coalesce(nspacl, acldefault('n', nspowner))
        from pg_namespace where oid in (select oid from ours)
        union all
        select 'relation', oid::regclass::text, relowner,
               coalesce(relacl,
                        acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))
        from pg_class where relnamespace in (select oid from ours) and relkind <> 'i'
        union all
        select 'column', attrelid::regclass || '.' || attname, relowner, attacl
        from pg_attribute join pg_class c on c.oid = attrelid
        where relnamespace in (select oid from ours) and attacl is not null
        union all
        select 'routine', oid::regprocedure::text, proowner,
               coalesce(proacl, acldefault('f', proowner))
        from pg_proc where pronamespace in (select oid from ours)
        union all
        select 'type', oid::regtype::text, typowner, coalesce(typacl, acldefault('T', typowner))
        from pg_type where typnamespace in (select oid from ours)
    )
    select 'owner and rights of ' || kind, name,
           format('%s: %s', owner::regrole, (
               select string_agg(format('%s=%s%s/%s',
                                        case a.grantee when 0 then 'public'
                                                       else a.grantee::regrole::text end,
                                        a.privilege_type, case when a.is_grantable then '*' end,
                                        a.grantor::regrole), ' '
                                 order by a::text)
               from aclexplode(acl) a))
    from acls
    union all
    select 'routine', oid::regprocedure::text,
           case prokind when 'a' then prosrc else pg_get_functiondef(oid) end
    from pg_proc where pronamespace in (select oid from ours)
    union all
    select 'relation', oid::regclass::text,
           format('%s rls=%s force=%s persistence=%s options=%s', relkind, relrowsecurity,
                  relforcerowsecurity, relpersistence, reloptions)
    from pg_class where relnamespace in (select oid from ours)
    union all
    select 'column', attrelid::regclass || '.' || attname,
           format('%s %s not null=%s default=%s generated=%s identity=%s storage=%s collation=%s',
                  rank() over (partition by attrelid order by attnum),
                  format_type(atttypid, atttypmod), attnotnull,
                  pg_get_expr(adbin, adrelid), attgenerated, attidentity, attstorage,
                  attcollation::regcollation)
    from pg_attribute
    join pg_class c on c.oid = attrelid
    left join pg_attrdef d on d.adrelid = attrelid and d.adnum = attnum
    where relnamespace in (select oid from ours) and attnum > 0 and not attisdropped
    union all
    select 'view', oid::regclass::text, pg_get_viewdef(oid)
    from pg_class where relnamespace in (select oid from ours) and relkind in ('v', 'm')
    union all
    select 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid)
    from pg_index join pg_class c on c.oid = indexrelid where relnamespace in (select oid from ours)
    union all
    select 'constraint', format('%s on %s %s', conname, conrelid::regclass, contypid::regtype),
           pg_get_constraintdef(oid)
    from pg_constraint where connamespace in (select oid from ours)
    union all
    select 'trigger', format('%s on %s', tgname, tgrelid::regclass),
           format('%s %s', tgenabled, pg_get_triggerdef(t.oid))
    from pg_trigger t join pg_class c on c.oid = tgrelid
    where relnamespace in (select oid from ours) and not tgisinternal
    union all
    select 'policy', format('%s on %s', polname, polrelid::regclass),
           format('%s permissive=%s to %s using %s check %s', polcmd, polpermissive,
                  (select array_agg(r::regrole::text order by r::regrole::text)
                   from unnest(polroles) r),
                  pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
    from pg_policy join pg_class c on c.oid = polrelid where relnamespace in (select oid from ours)
    union all
    select 'label', enumtypid::regtype || '.' || enumlabel, enumsortorder::text
    from pg_enum join pg_type t on t.oid = enumtypid where typnamespace in (select oid from ours)
    union all
    select 'comment', pg_describe_object(classoid, objoid, objsubid), description
    from pg_description
    where pg_describe_object(classoid, objoid, objsubid) ~ '\\mrag(_internal)?\\M'
    order by 1, 2, 3
"""


def everything(connection: psycopg.Connection[Any]) -> set[tuple[str, str]]:
    """(catalog, identity) of every object made after initdb, extensions included, and rights."""
    found: set[tuple[str, str]] = set()
    for (catalog,) in connection.execute(CATALOGS).fetchall():
        query = sql.SQL(
            "select type, identity from {0} c, pg_identify_object({1}::regclass, c.oid, 0) "
            "where c.oid >= {2}"
        ).format(sql.Identifier("pg_catalog", catalog), catalog, FIRST_USER_OID)
        found.update(connection.execute(query).fetchall())
    found.update(connection.execute(RIGHTS).fetchall())
    return found


def definitions(connection: psycopg.Connection[Any]) -> dict[tuple[str, str], str]:
    """(kind, name) to definition of all in our schemas: code, rights, policies, comments."""
    connection.execute("select set_config('search_path', 'pg_catalog', false)")
    rows = connection.execute(DEFINITIONS).fetchall()
    return {(kind, name): definition for kind, name, definition in rows}


def dump(bindir: Path, dsn: str, *options: str) -> str:
    """pg_dump of our two schemas without what differs between two runs or servers."""
    command = [str(bindir / "pg_dump"), "--schema-only", "--schema=rag", "--schema=rag_internal"]
    done = subprocess.run(
        [*command, *options, f"--dbname={dsn}"], check=True, capture_output=True, text=True
    )
    return normalise(done.stdout)


def normalise(dumped: str) -> str:
    """A dump without session settings, version lines, pg_dump's own headings and blank runs."""
    noise = re.compile(
        r"^(SET .*|SELECT pg_catalog\.set_config\('search_path'.*|\\(un)?restrict .*"
        r"|-- (Name|Dumped|PostgreSQL database|TOC).*|--)\n",
        re.MULTILINE,
    )
    return re.sub(r"\n{2,}", "\n\n", noise.sub("", dumped)).strip() + "\n"
