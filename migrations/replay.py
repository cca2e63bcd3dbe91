"""Replays the frozen SQL of a revision, and takes it back.

A revision is a small Python file and a folder of the same name beside it:

    up.sql      hand-written, runs first on the way up (schemas, tables, types, dropped signatures)
    sql/        byte copies of the files of the top-level sql/ folder that the revision changed
    order.txt   load order of all sql/ files at that time; the copies run in this order
    down.sql    hand-written, runs first on the way down; drops what the revision added
    data.sql    hand-written, may be missing; runs last in both directions and brings stored data
                in line with the functions that now stand; never calls PL/Python

On the way down, a file that has an older copy further down the chain is replayed from there. The
first revision has nothing below it: what its down.sql left in rag_internal is swept, except the two
tables of the guard, which `ragsql migrate` removes last together with the schema.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from alembic import context, op
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

VERSIONS = Path(__file__).parent / "versions"
PLACEHOLDER = re.compile(r"@extschema:([A-Za-z_][A-Za-z0-9_]*)@")

# Every transaction states its own settings: those of a role or of a pooled session must neither
# change what a statement means nor end a long revision halfway.
SETTINGS = """\
set local search_path = pg_catalog, pg_temp;
set local lock_timeout = '{lock_timeout}ms';
set local statement_timeout = 0;
set local idle_in_transaction_session_timeout = 0;
do $ragsql$ begin  -- transaction_timeout, since PostgreSQL 17
    perform set_config(name, '0', true) from pg_settings where name = 'transaction_timeout';
end $ragsql$;
set local standard_conforming_strings = on;
set local check_function_bodies = on;
set local client_min_messages = warning;
"""

# Names first, drops afterwards: a cascade takes away what later names stand for.
SWEEP = """\
do $ragsql$
declare
    _drop text;
begin
    foreach _drop in array array(
        select format('drop %s if exists %s cascade',
                      case c.relkind when 'v' then 'view' when 'm' then 'materialized view'
                                     when 'S' then 'sequence' when 'f' then 'foreign table'
                                     else 'table' end,
                      c.oid::regclass)
        from pg_class c
        where c.relnamespace = 'rag_internal'::regnamespace
          and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
          and c.relname not in ('alembic_version', 'created_extension')
          -- the sequence of an identity column goes with its table
          and not exists (select from pg_depend d
                          where d.classid = 'pg_class'::regclass and d.objid = c.oid
                            and d.deptype = 'i' and c.relkind = 'S')
        union all
        select format('drop routine if exists %s cascade', p.oid::regprocedure)
        from pg_proc p
        where p.pronamespace = 'rag_internal'::regnamespace
        union all
        select format('drop type if exists %s cascade', t.oid::regtype)
        from pg_type t
        left join pg_class c on c.oid = t.typrelid
        where t.typnamespace = 'rag_internal'::regnamespace
          and t.typcategory <> 'A' and t.typtype <> 'm' and coalesce(c.relkind, 'c') = 'c')
    loop
        execute _drop;
    end loop;
end
$ragsql$;
"""


class ReplayError(Exception):
    """A file of a revision failed. The server's error is the cause."""

    def __init__(self, revision: str, name: str, sql: str) -> None:
        super().__init__(f"{revision}: {name} failed")
        self.revision = revision
        self.name = name
        self.sql = sql


def replay(revision: str) -> None:
    """Run up.sql and then the frozen copies of `revision` in load order."""
    folder = _versions() / revision
    _begin(revision, "upgrading to", expected=_down_revision(revision))
    _run(revision, folder / "up.sql")
    for name in read_order(folder / "order.txt"):
        if (folder / "sql" / name).is_file():
            _run(revision, folder / "sql" / name)
    _run_data(revision)


def undo(revision: str) -> None:
    """Run down.sql and then the older copies of the files that `revision` changed or removed."""
    _begin(revision, "downgrading from", expected=revision)
    _run(revision, _versions() / revision / "down.sql")
    below = chain_below(revision)
    for path in older_copies(_versions(), below, revision):
        _run(revision, path)
    _run_data(revision)
    if not below:
        _execute(SWEEP)


def read_order(path: Path) -> list[str]:
    """Names in an order.txt, without comments and blank lines; empty where there is no file."""
    if not path.is_file():
        return []
    lines = (line.split("#", 1)[0].strip() for line in path.read_text("utf-8").splitlines())
    return [line for line in lines if line]


def older_copies(versions: Path, below: list[str], revision: str) -> Iterator[Path]:
    """Copies to replay when `revision` is taken back; `below` is nearest first."""
    if not below:
        return
    order = read_order(versions / revision / "order.txt")
    before = read_order(versions / below[0] / "order.txt")
    for name in before:
        if name in order and not (versions / revision / "sql" / name).is_file():
            continue
        copies = (versions / older / "sql" / name for older in below)
        copy = next((path for path in copies if path.is_file()), None)
        if copy is not None:
            yield copy


def chain_below(revision: str) -> list[str]:
    """Revisions under `revision`, nearest first."""
    walk = context.script.walk_revisions("base", revision)
    return [script.revision for script in walk if script.revision != revision]


def substitute(sql: str, schemas: Mapping[str, str]) -> str:
    """Replace `@extschema:NAME@` by the quoted schema of extension NAME.

    Raises KeyError with the name of an extension that `schemas` does not have.
    """
    return PLACEHOLDER.sub(lambda match: quote_identifier(schemas[match[1]]), sql)


def quote_identifier(name: str) -> str:
    """`name` as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _versions() -> Path:
    return Path(context.config.attributes.get("versions", VERSIONS))


def _down_revision(revision: str) -> str | None:
    below = chain_below(revision)
    return below[0] if below else None


def _begin(revision: str, verb: str, *, expected: str | None) -> None:
    attributes = context.config.attributes
    timeout = int(attributes.get("lock_timeout_ms", 10_000))
    _execute(SETTINGS.format(lock_timeout=timeout))
    if context.is_offline_mode():
        _execute(_offline_guard(expected))
        return
    attributes.get("report", print)(f"{verb} {revision}")
    # Seen by the next run's guard: it waits for this lock before it reads the version, so a commit
    # still under way when this process was killed is not overlooked.
    _execute("lock table rag_internal.alembic_version in row exclusive mode")


def _offline_guard(expected: str | None) -> str:
    """The guard in words: one runner at a time, and only from the expected revision."""
    found = "array(select version_num::text from rag_internal.alembic_version)"
    wanted = f"array['{expected}']" if expected else "array[]::text[]"
    return f"""\
lock table rag_internal.alembic_version in share update exclusive mode;
do $ragsql$
begin
    if {found} <> {wanted} then
        raise exception using
            errcode = '55000',
            message = format('the database is at revision %s, this part starts at %s',
                             coalesce(nullif(array_to_string({found}, ', '), ''), 'base'),
                             '{expected or "base"}'),
            hint = 'Write the SQL again with `ragsql migrate sql FROM:TO` for this database.';
    end if;
end
$ragsql$;
"""


def _run_data(revision: str) -> None:
    path = _versions() / revision / "data.sql"
    if path.is_file():
        _run(revision, path)


def _run(revision: str, path: Path) -> None:
    try:
        sql = substitute(path.read_text("utf-8"), _extension_schemas())
    except KeyError as error:
        raise ValueError(f"{revision}: {path.name} names the unknown extension {error}") from error
    if not sql.strip():
        return
    name = path.relative_to(_versions()).as_posix()
    if context.is_offline_mode():
        _execute(f"-- {name}\n{sql}")
        return
    try:
        _execute(sql)
    except DBAPIError as error:
        raise ReplayError(revision, name, sql) from error.orig


def _execute(sql: str) -> None:
    """Hand `sql` over as it is: `:x` and `%` in it are not parameters."""
    if context.is_offline_mode():
        op.get_context().impl.static_output(sql.rstrip())
        return
    bind: Connection = op.get_bind()
    bind.execution_options(no_parameters=True).exec_driver_sql(sql)


def _extension_schemas() -> Mapping[str, str]:
    attributes = context.config.attributes
    if context.is_offline_mode():
        schemas: Mapping[str, str] = attributes["extension_schemas"]
        return schemas
    rows = op.get_bind().exec_driver_sql(
        "select e.extname, n.nspname from pg_catalog.pg_extension e "
        "join pg_catalog.pg_namespace n on n.oid = e.extnamespace"
    )
    return {row.extname: row.nspname for row in rows}
