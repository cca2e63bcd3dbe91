"""SQL of the revisions for an administrator who runs it with psql."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

from alembic import command

from ragsql.migration.environment import Chain, configuration, migrations_folder
from ragsql.migration.errors import MigrationError
from ragsql.migration.guard import BOOTSTRAP, CREATED_EXTENSION
from ragsql.migration.preflight import EXTENSIONS, NEWEST_SERVER, OLDEST_SERVER, OWNER_ROLE
from ragsql.migration.runner import LOCK_TIMEOUT

HEADER = """\
-- ragsql: {start} to {end}. Run it as a superuser, with psql:
--     psql -X -v ON_ERROR_STOP=1 -f FILE
-- Each revision is one transaction. It locks the version table first, so that of two runs one
-- waits, and stops where the database is not at the revision that it starts from.
"""

CHECK = """\
do $ragsql$
declare
    _major integer := pg_catalog.current_setting('server_version_num')::integer / 10000;
    _text  text;
begin
    if _major not between {oldest} and {newest} then
        raise exception using
            errcode = '0A000',
            message = format('ragsql runs on PostgreSQL {oldest} to {newest}, not %s', _major);
    end if;
    if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
        raise exception using
            errcode = '42501',
            message = format('role %s is no superuser', current_user),
            hint    = 'PL/Python functions can be created by a superuser only.';
    end if;
    select pg_catalog.string_agg(format('%s belongs to %s', n.nspname, r.rolname), ', ')
    into _text
    from pg_catalog.pg_namespace n
    join pg_catalog.pg_roles r on r.oid = n.nspowner
    where n.nspname in ('rag', 'rag_internal') and not r.rolsuper and r.rolname <> '{owner}';
    if _text is not null then
        raise exception using
            errcode = '42501',
            message = format('schema %s, who could replace what is put into it', _text),
            hint    = 'Rename or drop it, then run this file again.';
    end if;
end
$ragsql$;
"""

CREATE_EXTENSION = """\
insert into rag_internal.created_extension (name)
select '{name}'
where not exists (select from pg_catalog.pg_extension where extname = '{name}')
on conflict do nothing;
create extension if not exists {name} with schema {schema};
"""

CHECK_EXTENSION = """\
do $ragsql$
declare
    _schema  text;
    _version text;
begin
    select n.nspname, e.extversion
    into strict _schema, _version
    from pg_catalog.pg_extension e
    join pg_catalog.pg_namespace n on n.oid = e.extnamespace
    where e.extname = '{name}';
    if _schema <> {schema} then
        raise exception using
            errcode = '55000',
            message = format('extension {name} is in schema %s, this file says %s',
                             _schema, {schema}),
            hint    = format('ragsql migrate sql --extension-schema {name}=%s', _schema);
    end if;
    if pg_catalog.string_to_array(pg_catalog.substring(_version, '^[0-9.]*[0-9]'), '.')::integer[]
       < array[{oldest}] then
        raise exception using
            errcode = '0A000',
            message = format('extension {name} is %s, {dotted} or newer is needed', _version),
            hint    = 'alter extension {name} update;';
    end if;
end
$ragsql$;
"""

DROP_EXTENSIONS = """\
do $ragsql$
declare
    _names text[] := array(select name from rag_internal.created_extension order by 1);
    _name  text;
begin
    drop table if exists rag_internal.alembic_version;
    drop table rag_internal.created_extension;
    drop schema if exists rag;
    drop schema rag_internal;
    foreach _name in array _names loop
        begin
            execute pg_catalog.format('drop extension if exists %I', _name);
        exception when dependent_objects_still_exist then
            raise notice 'kept extension %: other objects use it', _name;
        end;
    end loop;
end
$ragsql$;
"""


def offline_sql(
    span: str = "base:head",
    *,
    extension_schemas: Mapping[str, str] | str = "public",
    lock_timeout: float = LOCK_TIMEOUT,
    folder: Path | None = None,
) -> str:
    """Complete SQL for `span` ("FROM:TO", or "TO" from base); backwards where FROM is later.

    `extension_schemas` names the schema of the extensions: one for all, or one by name.
    """
    chain = Chain(folder or migrations_folder())
    start_name, _, end_name = span.rpartition(":")
    start, end = chain.resolve(start_name or "base"), chain.resolve(end_name or "head")
    if start == end:
        raise MigrationError(
            f"Nothing lies between {start or 'base'} and {end or 'base'}.",
            sqlstate="22023",
            hint="name two different revisions: ragsql migrate sql FROM:TO",
        )
    schemas = _all_schemas(extension_schemas)
    buffer = io.StringIO()
    config = configuration(
        chain.folder,
        lock_timeout_ms=max(1, round(lock_timeout * 1000)),
        extension_schemas=schemas,
    )
    config.output_buffer = buffer
    forwards = chain.position(start) < chain.position(end)
    action = command.upgrade if forwards else command.downgrade
    action(config, f"{start or 'base'}:{end or 'base'}", sql=True)
    parts = [HEADER.format(start=start or "base", end=end or "base")]
    parts.append(CHECK.format(oldest=OLDEST_SERVER, newest=NEWEST_SERVER, owner=OWNER_ROLE))
    if start is None:
        parts.append(_bootstrap(schemas))
    parts.append(buffer.getvalue())
    if end is None:
        parts.append(DROP_EXTENSIONS)
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _all_schemas(given: Mapping[str, str] | str) -> dict[str, str]:
    schemas = {}
    for item in EXTENSIONS:
        wanted = given if isinstance(given, str) else given.get(item.name, "public")
        schemas[item.name] = item.schema or wanted
    return schemas


def _bootstrap(schemas: Mapping[str, str]) -> str:
    """Schema and extensions in one transaction; alembic itself creates the version table."""
    parts = ["BEGIN;", "set local search_path = pg_catalog, pg_temp;"]
    parts += [f"{statement.rstrip(';')};" for statement in (BOOTSTRAP[0], *CREATED_EXTENSION)]
    for item in EXTENSIONS:
        name, schema = item.name, schemas[item.name]
        identifier = '"' + schema.replace('"', '""') + '"'
        literal = "'" + schema.replace("'", "''") + "'"
        parts.append(CREATE_EXTENSION.format(name=name, schema=identifier))
        parts.append(
            CHECK_EXTENSION.format(
                name=name,
                schema=literal,
                oldest=", ".join(map(str, item.oldest)),
                dotted=".".join(map(str, item.oldest)),
            )
        )
    return "\n".join([*parts, "COMMIT;"])
