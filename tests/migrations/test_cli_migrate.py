"""`ragsql migrate`: what is printed where, and exit codes."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import make_conninfo

from ragsql import migration
from ragsql.main import main
from support.catalog import everything
from support.database import Database


def run(*arguments: str, dsn: str | None = None, text: str | None = None) -> Result:
    """Runs `ragsql migrate` in this process."""
    named = [] if dsn is None else ["--dsn", dsn]
    return CliRunner().invoke(main, [*named, "migrate", *arguments], input=text)


def test_status_exits_3_while_revisions_are_pending(empty: Database) -> None:
    head = migration.status(empty.dsn).head
    result = run("status", dsn=empty.dsn)
    assert result.exit_code == 3
    assert result.stdout == f"current base\nhead    {head}\n"
    assert "ragsql migrate upgrade" in result.stderr
    assert run("upgrade", dsn=empty.dsn).exit_code == 0
    result = run("status", dsn=empty.dsn)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"current {head}\nhead    {head}\n"


def test_status_says_what_it_cannot_tell(empty: Database, stranger: str) -> None:
    run("upgrade", dsn=empty.dsn)
    result = run("status", dsn=make_conninfo(empty.dsn, user=stranger))
    assert result.exit_code == 1
    assert "may not read the version table" in result.stderr
    empty.connect().execute("update rag_internal.alembic_version set version_num = '9999_later'")
    result = run("status", dsn=empty.dsn)
    assert result.exit_code == 1
    assert "9999_later, which this ragsql does not know" in result.stderr


def test_progress_goes_to_stderr(empty: Database) -> None:
    head = migration.status(empty.dsn).head
    result = run("upgrade", dsn=empty.dsn)
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1] == f"at {head} (head)"
    assert run("upgrade", dsn=empty.dsn).stderr == f"already at {head}\n"


def test_a_downgrade_wants_a_revision_and_a_yes(empty: Database) -> None:
    before = everything(empty.connect())
    run("upgrade", dsn=empty.dsn)
    assert run("downgrade", dsn=empty.dsn).exit_code == 2
    result = run("downgrade", "base", dsn=empty.dsn)
    assert result.exit_code == 2
    assert "--yes" in result.stderr
    assert migration.status(empty.dsn).current is not None
    assert run("downgrade", "base", "--yes", dsn=empty.dsn).exit_code == 0
    assert everything(empty.connect()) == before


def test_sql_needs_no_server() -> None:
    result = run("sql", dsn="host=/nowhere")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert 'create extension if not exists vector with schema "public";' in result.stdout
    result = run("sql", "--extension-schema", "ext", "--extension-schema", "vector=v")
    assert 'create extension if not exists vector with schema "v";' in result.stdout
    assert 'create extension if not exists pg_trgm with schema "ext";' in result.stdout
    assert 'create extension if not exists plpython3u with schema "pg_catalog";' in result.stdout
    assert "@extschema" not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("sql", "head:head"), 1, "Nothing lies between"),
        (("sql", "base:0099_none"), 1, "There is no revision 0099_none"),
        (("sql", "--extension-schema", "nothing=x"), 2, "none of the extensions"),
        (("upgrade", "--lock-timeout", "0"), 2, "--lock-timeout"),
        (("upgrade", "0099_none"), 1, "There is no revision 0099_none"),
    ],
)
def test_wrong_usage_is_said(
    empty: Database, arguments: tuple[str, ...], code: int, message: str
) -> None:
    result = run(*arguments, dsn=empty.dsn)
    assert result.exit_code == code
    assert message in result.stderr


def test_a_server_that_is_not_there_is_said_without_a_traceback() -> None:
    result = run("status", dsn="host=/nowhere dbname=none")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert "Hint: " in result.stderr
