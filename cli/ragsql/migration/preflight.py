"""Looks at a server before anything is changed, and says all that is missing at once."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

from ragsql.migration.errors import MigrationError

OLDEST_SERVER, NEWEST_SERVER = 15, 18
SCHEMAS = ("rag", "rag_internal")
OWNER_ROLE = "rag_owner"


@dataclass(frozen=True)
class Extension:
    """An extension that the functions of ragsql stand on; {major} is the server's version."""

    name: str
    package: str
    oldest: tuple[int, ...] = (0,)
    schema: str | None = None
    """The only schema it can live in, where there is one."""


EXTENSIONS = (
    Extension("vector", "postgresql-{major}-pgvector", oldest=(0, 8, 0)),
    Extension("pg_trgm", "postgresql-contrib-{major} (Debian: part of postgresql-{major})"),
    Extension("plpython3u", "postgresql-plpython3-{major}", schema="pg_catalog"),
)


def check(connection: psycopg.Connection) -> list[Extension]:
    """Raise MigrationError unless this role can migrate this database; read only.

    Returns the extensions that are available but not created yet.
    """
    major = _check_server(connection)
    missing, problems = _missing_extensions(connection, major)
    superuser = connection.execute(
        "select rolsuper, rolname from pg_catalog.pg_roles where rolname = current_user"
    ).fetchone()
    if superuser is None or not superuser[0]:
        role = "?" if superuser is None else superuser[1]
        problems.insert(
            0,
            f"role {role} is no superuser, and PL/Python functions can be created by a superuser "
            "only: run the migration as one, or hand the output of `ragsql migrate sql` to the "
            "administrator (there is no mode without PL/Python)",
        )
        problems.extend(f"not created yet: create extension {item.name};" for item in missing)
    if problems:
        lines = "\n".join(f"  - {problem}" for problem in problems)
        not_superuser = superuser is None or not superuser[0]
        raise MigrationError(
            f"This server is not ready for ragsql; nothing was changed.\n{lines}",
            sqlstate="42501" if not_superuser else "0A000",
            hint="have the administrator do the above, then run the command again.",
        )
    return missing


def check_schemas(connection: psycopg.Connection, *, installed: bool) -> None:
    """Refuse a schema rag or rag_internal that is not ours.

    `installed` says that a revision is applied already, so that schema rag must exist.
    """
    rows = connection.execute(
        "select n.nspname, r.rolname, r.rolsuper from pg_catalog.pg_namespace n "
        "join pg_catalog.pg_roles r on r.oid = n.nspowner where n.nspname = any(%s) order by 1",
        [list(SCHEMAS)],
    ).fetchall()
    for schema, owner, superuser in rows:
        if not superuser and owner != OWNER_ROLE:
            raise MigrationError(
                f"Schema {schema} belongs to role {owner}, who could then replace what is put "
                "into it; nothing was changed.",
                sqlstate="42501",
                hint=f"rename it (alter schema {schema} rename to ...) or drop it, "
                "then run the command again.",
            )
        if schema == "rag" and not installed:
            raise MigrationError(
                "Schema rag exists already and was not made by ragsql; nothing was changed.",
                sqlstate="42P06",
                hint="rename it (alter schema rag rename to ...) or drop it, "
                "then run the command again.",
            )


def _check_server(connection: psycopg.Connection) -> int:
    major = connection.info.server_version // 10_000
    if not OLDEST_SERVER <= major <= NEWEST_SERVER:
        raise MigrationError(
            f"ragsql runs on PostgreSQL {OLDEST_SERVER} to {NEWEST_SERVER}; this server is "
            f"{connection.info.parameter_status('server_version')}.",
            sqlstate="0A000",
            hint="name another server with --dsn.",
        )
    row = connection.execute(
        "select pg_catalog.pg_is_in_recovery(), "
        "pg_catalog.current_setting('transaction_read_only')::boolean, "
        "pg_catalog.current_setting('server_encoding')"
    ).fetchone()
    assert row is not None
    in_recovery, read_only, encoding = row
    if in_recovery or read_only:
        reason = "is a read-only replica" if in_recovery else "is set to read-only transactions"
        raise MigrationError(
            f"This server {reason}; a migration has to write.",
            sqlstate="25006",
            hint="migrate the primary; the replica follows by itself."
            if in_recovery
            else "set default_transaction_read_only = off for this role and database.",
        )
    if encoding != "UTF8":
        raise MigrationError(
            f"The database has the encoding {encoding}; ragsql needs UTF8.",
            sqlstate="0A000",
            hint="create database ... encoding 'UTF8' template template0;",
        )
    return major


def _missing_extensions(
    connection: psycopg.Connection, major: int
) -> tuple[list[Extension], list[str]]:
    """Extensions still to be created, and the problems that only an administrator can solve."""
    rows = connection.execute(
        "select name, default_version, installed_version "
        "from pg_catalog.pg_available_extensions where name = any(%s)",
        [[item.name for item in EXTENSIONS]],
    ).fetchall()
    found = {name: (default, installed) for name, default, installed in rows}
    created = {
        name for (name,) in connection.execute("select extname from pg_catalog.pg_extension")
    }
    missing: list[Extension] = []
    problems: list[str] = []
    for item in EXTENSIONS:
        default, installed = found.get(item.name, (None, None))
        if item.name not in created:
            missing.append(item)
        if default is not None or item.name not in created:
            problems += _problems(item, item.package.format(major=major), default, installed)
    return missing, problems


def _problems(
    item: Extension, package: str, default: str | None, installed: str | None
) -> list[str]:
    """What is wrong with an extension: `default` is the server's version of it, `installed` the
    version in the database."""
    wanted = ".".join(map(str, item.oldest))
    if default is None:
        todo = f"install the package {package}, then: create extension {item.name};"
        return [f"extension {item.name} is not installed on the server: {todo}"]
    newer = "" if _version(default) >= item.oldest else f"install a newer {package}"
    if installed is None:
        found = f"extension {item.name} on the server is {default}, {wanted} or newer is needed"
        return [f"{found}: {newer}"] if newer else []
    if _version(installed) < item.oldest:
        todo = (f"{newer}, then: " if newer else "") + f"alter extension {item.name} update;"
        return [f"extension {item.name} is {installed}, {wanted} or newer is needed: {todo}"]
    return []


def _version(text: str) -> tuple[int, ...]:
    numbers = []
    for part in text.split("."):
        digits = "".join(char for char in part if char.isdigit())
        numbers.append(int(digits or 0))
    return tuple(numbers)
