"""The API table of the README, and what the catalog says of the same functions."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import psycopg

FUNCTIONS = """
    select p.proname,
           (select array_agg(array[a.name, coalesce(substring(g.text from ' DEFAULT (.*)'), '')]
                             order by a.position)
            from unnest(p.proargnames) with ordinality a (name, position)
            cross join lateral pg_get_function_arg_default(p.oid, a.position::integer) d (value)
            cross join lateral (select coalesce(' DEFAULT ' || d.value, '')) g (text)
            where a.position <= p.pronargs),
           p.pronargs - p.pronargdefaults,
           case when p.proretset then 'setof ' else '' end || t.typname,
           (select string_agg(a.grantee::regrole::text, ', ')
            from aclexplode(p.proacl) a where a.grantee <> p.proowner)
    from pg_proc p
    join lateral (select format_type(p.prorettype, null)) t (typname) on true
    where p.pronamespace = 'rag'::regnamespace
    order by 1
"""

ROW = re.compile(
    r"^\| `(?P<call>[^`]+)` \| `(?P<returns>[^`]+)` \| (?P<role>\w+) \| (?P<what>.+) \|$"
)


class Entry(NamedTuple):
    """One function: how it is called, what it returns, and the role that may call it."""

    call: str
    returns: str
    role: str


def documented(text: str) -> list[Entry]:
    """The rows of the API table in `text`, without their descriptions."""
    rows = (ROW.match(line) for line in text.splitlines())
    return [Entry(row["call"], row["returns"], row["role"]) for row in rows if row]


def in_catalog(connection: psycopg.Connection[Any]) -> list[Entry]:
    """The functions of schema rag, as the table has to show them."""
    return [
        Entry(f"{name}({_arguments(arguments or [], needed)})", returns, role)
        for name, arguments, needed, returns, role in connection.execute(FUNCTIONS)
    ]


def _arguments(arguments: list[list[str]], needed: int) -> str:
    """Arguments as in PostgreSQL's own manual: optional ones in brackets, null defaults unsaid."""
    shown = [
        name
        if (value := re.sub(r"::[\w\[\] ]+$", "", default)) in ("", "NULL")
        else f"{name} => {value}"
        for name, default in arguments
    ]
    first, rest = ", ".join(shown[:needed]), ", ".join(shown[needed:])
    if not rest:
        return first
    return f"{first} [, {rest}]" if first else f"[{rest}]"
