"""`ragsql search`: what it prints for people and for programs."""

from __future__ import annotations

import csv
import io
import json
import re
import uuid
from typing import Any

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import make_conninfo

from ragsql.commands.search import excerpt
from ragsql.main import main
from support.database import Database, RoleFactory


def search(database: Database, *arguments: str, role: str | None = None) -> Result:
    """Run `ragsql search` on a database, as a login role where one is given."""
    dsn = make_conninfo(database.dsn, user=role) if role else database.dsn
    return CliRunner().invoke(main, ["search", "--dsn", dsn, *arguments])


@pytest.fixture(scope="module")
def pumps(db: Database) -> Database:
    """A database with three documents in two collections."""
    with db.connect() as connection:
        for collection, source, text in (
            ("pumps", "valve.md", "Intro.\n\nClose the valve before changing\nthe filter."),
            ("pumps", "oil.md", "The oil is changed every\x1b[31m month."),
            ("cooking", "soup.md", "Boil the soup for ten minutes, then add salt."),
        ):
            connection.execute(
                "select rag.ingest(%s, %s, %s, %s)", (collection, text, source, source[:-3].title())
            )
    return db


def test_people_see_place_title_excerpt_and_citation(pumps: Database) -> None:
    result = search(pumps, "valve filter", "--top-k", "1")
    assert result.exit_code == 0, result.output
    head, body, citation = result.stdout.splitlines()[:3]
    assert re.fullmatch(r" 1  0\.\d{4}  valve\.md:1-4  Valve", head)
    assert body == "    Intro. Close the valve before changing the filter."
    assert citation.strip()
    assert "bypasses access rules" in result.stderr


def test_programs_get_every_column(pumps: Database) -> None:
    with pumps.connect() as connection:
        cursor = connection.execute("select * from rag.search('valve')")
        assert cursor.description is not None
        columns = [column.name for column in cursor.description]
        ids = [str(row[columns.index("document_id")]) for row in cursor]
    rows = json.loads(search(pumps, "valve", "--format", "json").stdout)
    assert [list(row) for row in rows] == [columns] * len(ids)
    assert [row["document_id"] for row in rows] == ids
    lines = search(pumps, "valve", "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == rows
    table = list(csv.DictReader(io.StringIO(search(pumps, "valve", "--format", "csv").stdout)))
    assert [uuid.UUID(row["document_id"]) for row in table] == [uuid.UUID(one) for one in ids]
    assert [row["content"] for row in table] == [row["content"] for row in rows]


def test_control_characters_do_not_reach_the_terminal(pumps: Database) -> None:
    result = search(pumps, "oil", "--strategy", "bm25")
    assert "every\ufffd[31m month" in result.stdout


def test_options_narrow_the_search(pumps: Database) -> None:
    result = search(pumps, "change", "--collection", "cooking", "--format", "json")
    assert {row["collection"] for row in json.loads(result.stdout)} == {"cooking"}
    result = search(pumps, "the", "--collection", "cooking", "--collection", "pumps", "--top-k=2")
    assert result.exit_code == 0
    result = search(pumps, "soup", "--strategy", "bm25", "--format", "json")
    assert [row["source"] for row in json.loads(result.stdout)] == ["soup.md"]


def test_no_hit_is_no_failure(pumps: Database, role_factory: RoleFactory) -> None:
    role = role_factory(["rag_reader"])
    result = search(pumps, "valve", "--format", "json", role=role)
    assert (result.exit_code, json.loads(result.stdout)) == (0, [])
    assert result.stderr == "No passage found among those you may read.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["valve", "--top-k", "0"],
        [" \t"],
        [""],
        ["\udcff"],
        ["valve", "--strategy", "magic"],
        [],
    ],
)
def test_wrong_usage(pumps: Database, arguments: list[str]) -> None:
    result = search(pumps, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")


def test_server_errors_come_with_the_next_step(
    pumps: Database, role_factory: RoleFactory, make_database: Any
) -> None:
    result = search(pumps, "valve", "--collection", "nowhere")
    assert result.exit_code == 1
    assert "nowhere" in result.stderr
    assert "Traceback" not in result.stderr
    result = search(pumps, "valve", role=role_factory([]))
    assert result.exit_code == 1
    assert "grant rag_reader" in result.stderr
    result = search(make_database(), "valve")
    assert result.exit_code == 3
    assert "ragsql migrate upgrade" in result.stderr


def test_excerpts() -> None:
    text = "start " * 100 + "close the valve of the\n filter " + "end " * 100
    spans = [match.span() for match in re.finditer("close|valve|filter", text)]
    pieces = excerpt(text, spans)
    cut = "".join(piece for piece, _ in pieces)
    assert "close the valve of the filter" in cut
    assert [piece for piece, is_match in pieces if is_match] == ["close", "valve", "filter"]
    assert cut.startswith("… ")
    assert cut.endswith(" …")
    assert len(cut) <= 244
    assert excerpt("short\n text", [(0, 5)]) == [("short", True), (" text", False)]
    assert "".join(t for t, _ in excerpt("x" * 500, [])).startswith("x" * 200)


def test_any_argument_of_the_function(pumps: Database) -> None:
    result = search(
        pumps, "vlave", "-o", "correct_typos=true", "-o", "strategy=bm25", "--top-k", "1"
    )
    assert result.exit_code == 2
    assert "-o strategy: known are" in result.stderr
    result = search(
        pumps, "vlave", "-o", "correct_typos=true", "--strategy", "bm25", "--top-k", "1"
    )
    assert result.exit_code == 0, result.output
    assert "Looked for: valve" in result.stderr
    result = search(pumps, "valve", "-o", "fusion=sum")
    assert result.exit_code == 1
    assert "rrf, linear or convex" in result.stderr


def test_how_a_search_goes(pumps: Database) -> None:
    result = search(pumps, "valve", "--explain", "--top-k", "1")
    assert result.exit_code == 0, result.output
    assert re.search(r"^semantic +exact", result.stdout, re.MULTILINE)
    assert re.search(r"^result +found", result.stdout, re.MULTILINE)
    rows = json.loads(search(pumps, "valve", "--explain", "--format", "json").stdout)
    assert rows[-1]["step"] == "result"
