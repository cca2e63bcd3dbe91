"""Where a text is still to be found: by SQL in any table, in the planner's statistics, in files."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

Connection = psycopg.Connection[Any]

_TABLES = """
select c.relname from pg_class c
where c.relnamespace = 'rag_internal'::regnamespace and c.relkind = 'r' order by 1
"""
# no vowels: a stemmer leaves such words; few repetitions: compression leaves their bytes
_LETTERS = "bcdfghjklmnpqrtvwxz"


def canary(seed: str, letters: int = 14) -> str:
    """A word that occurs nowhere else, the same for the same seed."""
    return "".join(random.Random(seed).choices(_LETTERS, k=letters))


def filler(seed: str, words: int) -> str:
    """A text of random words, of which compression saves nothing."""
    source = random.Random(seed)
    alphabet = [chr(code) for code in range(0x4E00, 0x9FA5)]
    return " ".join("".join(source.choices(alphabet, k=4)) for _ in range(words))


def tables_with(connection: Connection, needle: str | bytes) -> list[str]:
    """Tables of rag_internal a row of which has `needle`, as text or in a bytea."""
    raw = needle.encode() if isinstance(needle, str) else needle
    text = needle if isinstance(needle, str) else raw.hex()
    found = []
    for (name,) in connection.execute(_TABLES).fetchall():
        query = sql.SQL(
            "select 1 from rag_internal.{} r where strpos(r::text, %s) > 0"
            " or strpos(r::text, %s) > 0 limit 1"
        ).format(sql.Identifier(name))
        if connection.execute(query, [text, raw.hex()]).fetchone():
            found.append(name)
    return found


def statistics_with(connection: Connection, needle: str) -> list[str]:
    """Relations whose planner statistics have `needle`."""
    rows = connection.execute(
        "select distinct starelid::regclass::text from pg_catalog.pg_statistic s"
        " where strpos(s::text, %s) > 0 order by 1",
        [needle],
    )
    return [name for (name,) in rows]


def files_with(data: Path, needles: Iterable[bytes]) -> dict[bytes, list[str]]:
    """Files of a data directory, without its log of changes, by which of `needles` they have."""
    found: dict[bytes, list[str]] = {needle: [] for needle in needles}
    for path in sorted(data.rglob("*")):
        if "pg_wal" in path.parts or not path.is_file():
            continue
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            continue  # the server removes files of its own
        for needle, files in found.items():
            if needle in content:
                files.append(str(path.relative_to(data)))
    return found
