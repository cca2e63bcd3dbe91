"""Helpers for the tests of `ragsql load`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from psycopg.conninfo import make_conninfo

from ragsql.main import main
from support.database import Database

WORDS = "The valve of pump {} is closed before the filter is changed. "


def load(database: Database, *arguments: str | Path, role: str | None = None) -> Result:
    """Run `ragsql load` on a database, as a login role where one is given."""
    dsn = make_conninfo(database.dsn, user=role) if role else database.dsn
    return CliRunner().invoke(main, ["load", "--dsn", dsn, *map(str, arguments)])


def query(database: Database, sql: str, *parameters: object) -> list[Any]:
    """Rows of a query as the superuser; single values where there is one column."""
    with database.connect() as connection:
        rows = connection.execute(sql, parameters).fetchall()
    return [row[0] if len(row) == 1 else row for row in rows]


def load_log(database: Database, result: Result) -> dict[str, tuple[str, int, str | None]]:
    """Rows of the log of a run, by source; a second row for a file is an error."""
    match = re.search(r"run (\S+)$", result.stderr, re.MULTILINE)
    assert match, result.output
    rows = query(
        database,
        "select source, outcome, chunks, detail from rag_internal.ingest_log where run_id = %s",
        match[1],
    )
    assert len({row[0] for row in rows}) == len(rows)
    return {row[0]: row[1:] for row in rows}


def write_files(folder: Path, number: int, sentences: int = 3) -> None:
    """Write files of a few sentences."""
    folder.mkdir(exist_ok=True)
    for index in range(number):
        text = f"# Pump {index}\n\n" + WORDS.format(index) * sentences
        (folder / f"{index:02}.md").write_text(text)


def start_load(database: Database, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start `ragsql load` as a process."""
    words = ["load", str(folder), "--collection", "c", "--dsn", database.dsn, *arguments]
    program = "from ragsql.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *words], stderr=subprocess.PIPE, text=True
    )
