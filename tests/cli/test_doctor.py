"""`ragsql doctor`: findings with the next step, never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from click.testing import CliRunner, Result
from psycopg.conninfo import make_conninfo

from ragsql.main import main
from support.database import Database, RoleFactory


def doctor(dsn: str, *arguments: str) -> Result:
    """Run `ragsql doctor`."""
    return CliRunner().invoke(main, ["doctor", "--dsn", dsn, *arguments])


def checks(result: Result) -> dict[str, dict[str, Any]]:
    """Findings by name."""
    return {check["name"]: check for check in json.loads(result.stdout)}


def test_a_healthy_database(db: Database) -> None:
    result = doctor(db.dsn, "--format", "json")
    found = checks(result)
    assert not [check for check in found.values() if check["status"] == "fail"], result.stdout
    assert result.exit_code == 0
    assert found["client engine"]["status"] == "ok"
    assert "--dsn" in found["connection"]["detail"]
    assert found["migrations"]["status"] == "ok"
    with db.connect() as connection:
        names = [row[0] for row in connection.execute("select name from rag.doctor()")]
    assert set(names) <= set(found)


def test_people_see_a_line_each(db: Database) -> None:
    result = doctor(db.dsn)
    assert result.exit_code == 0, result.output
    lines = [line for line in result.stdout.splitlines() if not line.lstrip().startswith("->")]
    assert {line.split()[0] for line in lines} <= {"ok", "warn"}


def test_an_ordinary_role_is_served_too(db: Database, role_factory: RoleFactory) -> None:
    role = role_factory(["rag_reader"])
    result = doctor(make_conninfo(db.dsn, user=role), "--format", "json")
    assert "fail" not in {check["status"] for check in checks(result).values()}, result.stdout


def test_a_database_without_the_schema(make_database: Callable[..., Database]) -> None:
    result = doctor(make_database().dsn, "--format", "json")
    assert result.exit_code == 1
    migrations = checks(result)["migrations"]
    assert migrations["status"] == "fail"
    assert "ragsql migrate upgrade" in migrations["next_step"]


def test_a_server_out_of_reach() -> None:
    result = doctor("host=/nowhere password=hunter2")
    assert result.exit_code == 1
    assert "fail  connection" in result.stdout
    assert "-> " in result.stdout
    assert "hunter2" not in result.output


def test_a_connection_string_that_is_none() -> None:
    result = doctor("postgres//u:hunter2@host/db", "--format", "json")
    assert result.exit_code == 1
    assert checks(result)["connection"]["status"] == "fail"
    assert "hunter2" not in result.output
