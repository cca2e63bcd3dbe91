"""Assertions on a database, named after pgTAP's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus

Parameters = Sequence[Any] | Mapping[str, Any]


def throws_ok(
    connection: psycopg.Connection[Any],
    query: str | sql.Composable,
    sqlstate: str,
    pattern: str | None = None,
    params: Parameters | None = None,
) -> psycopg.Error:
    """Expects `query` to fail with `sqlstate` and a message that `pattern` is found in.

    Inside a transaction the failure is undone to a savepoint, so the transaction goes on.
    Returns the error, for a look at its detail and hint.
    """
    in_transaction = connection.info.transaction_status == TransactionStatus.INTRANS
    scope: AbstractContextManager[Any] = nullcontext()
    if in_transaction or not connection.autocommit:
        scope = connection.transaction()
    try:
        with scope:
            connection.execute(query.encode() if isinstance(query, str) else query, params)
    except psycopg.Error as error:
        message = error.diag.message_primary or str(error)
        assert error.sqlstate == sqlstate, f"SQLSTATE {error.sqlstate}, not {sqlstate}: {message}"
        if pattern is not None:
            assert re.search(pattern, message), f"{pattern!r} is not found in: {message}"
        return error
    raise AssertionError(f"no error, expected SQLSTATE {sqlstate}: {query!r}")


def policies_are(
    connection: psycopg.Connection[Any], table: str, policies: Collection[str]
) -> None:
    """Expects exactly these row-level security policies on `table` (schema.name)."""
    rows = connection.execute(
        "select polname from pg_catalog.pg_policy where polrelid = %s::regclass", [table]
    )
    assert {name for (name,) in rows} == set(policies)


def function_privs_are(
    connection: psycopg.Connection[Any], function: str, role: str, privileges: Collection[str]
) -> None:
    """Expects exactly these privileges ('EXECUTE' or nothing) of `role` on `function`.

    function: schema.name, or schema.name(argument types) where the name is overloaded.
    role: a role's name, or 'public'.
    """
    cast = "regprocedure" if "(" in function else "regproc"
    row = connection.execute(
        f"select has_function_privilege(%s, %s::{cast}::oid, 'execute')",
        [role, function],
    ).fetchone()
    assert row is not None
    found = {"EXECUTE"} if row[0] else set()
    assert found == {name.upper() for name in privileges}, f"{role} has {found} on {function}"


@contextmanager
def as_role(connection: psycopg.Connection[Any], role: str) -> Iterator[psycopg.Connection[Any]]:
    """Runs the block as `role` (SET ROLE), then as who it was before, also after an error."""
    row = connection.execute("select current_setting('role')").fetchone()
    assert row is not None
    connection.execute(sql.SQL("set role {}").format(sql.Identifier(role)))
    try:
        yield connection
    finally:
        if connection.info.transaction_status == TransactionStatus.INERROR:
            connection.rollback()
        before = sql.SQL("none") if row[0] == "none" else sql.Identifier(row[0])
        connection.execute(sql.SQL("set role {}").format(before))
