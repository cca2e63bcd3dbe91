"""`ragsql load` when something goes wrong: what fails alone, and what stops the run."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from ragsql.main import main
from support.database import Database, RoleFactory
from support.loading import load, load_log, query, start_load, write_files


@pytest.fixture
def fresh(make_database: Callable[..., Database], template: str) -> Database:
    """A migrated database for one test."""
    return make_database(template)


def test_an_undecodable_file_fails_alone(db: Database, tmp_path: Path) -> None:
    write_files(tmp_path, 2)
    (tmp_path / "bad.md").write_bytes("é".encode() * 20 + b"\xff")
    result = load(db, tmp_path, "--collection", "undecodable")
    assert result.exit_code == 1
    assert "failed: bad.md: damaged UTF-8 in line 1, at byte 40" in result.stderr.splitlines()
    assert sorted(row[0] for row in load_log(db, result).values()) == ["created"] * 2 + ["failed"]
    assert query(db, "select count(*) from rag_internal.document where source = 'bad.md'") == [0]


def refuse_document(database: Database, source: str, action: str) -> None:
    """Make the server do something to the session that stores a document of this source."""
    with database.connect() as connection:
        connection.execute(
            f"create function public.refuse() returns trigger language plpgsql security definer as $$"
            f" begin if new.source = '{source}' then {action} end if; return new; end $$"
        )
        connection.execute(
            "create trigger refuse before insert on rag_internal.document "
            "for each row execute function public.refuse()"
        )


def test_f18_a_failure_leaves_one_row_without_text(fresh: Database, tmp_path: Path) -> None:
    write_files(tmp_path, 3)
    (tmp_path / "01.md").write_text("the secret of this document is long")
    refuse_document(
        fresh, "01.md", """raise exception 'cannot parse "%"', substr(new.content, 1, 30);"""
    )
    result = load(fresh, tmp_path, "--collection", "c")
    assert result.exit_code == 1
    assert load_log(fresh, result)["01.md"][0] == "failed"
    assert "secret" not in result.output
    assert "secret" not in str(load_log(fresh, result))
    assert query(fresh, "select source from rag_internal.document order by 1") == ["00.md", "02.md"]
    assert query(fresh, "select count(distinct document_id) from rag_internal.chunk") == [2]


def test_a_lost_connection_stops_the_run(fresh: Database, tmp_path: Path) -> None:
    write_files(tmp_path, 4)
    refuse_document(fresh, "01.md", "perform pg_terminate_backend(pg_backend_pid());")
    result = load(fresh, tmp_path, "--collection", "c", "--jobs", "1")
    assert result.exit_code == 1
    assert "The connection was lost" in result.stderr
    assert "1 file: 1 created" in result.stderr
    assert query(fresh, "select source from rag_internal.document") == ["00.md"]


def test_a_conflict_with_another_session_is_tried_again(fresh: Database, tmp_path: Path) -> None:
    write_files(tmp_path, 2)
    with fresh.connect() as connection:
        connection.execute("create sequence public.tries")
    conflict = "if nextval('public.tries') < 3 then raise sqlstate '40001'; end if;"
    refuse_document(fresh, "01.md", conflict)
    result = load(fresh, tmp_path, "--collection", "c")
    assert result.exit_code == 0, result.output
    assert query(fresh, "select last_value from public.tries") == [3]
    assert len(load_log(fresh, result)) == 2


def test_missing_rights_stop_the_run(
    db: Database, role_factory: RoleFactory, tmp_path: Path
) -> None:
    write_files(tmp_path, 3)
    assert load(db, tmp_path, "--collection", "owned").exit_code == 0
    assert query(db, "select rag.grant_read('owned', 'public')") == [True]  # seen, and another's
    for member_of in ([], ["rag_reader"], ["rag_writer"]):
        result = load(db, tmp_path, "--collection", "owned", role=role_factory(member_of))
        assert result.exit_code == 1, result.output
        assert result.stderr.count("Error: ") == 1
        assert "failed" not in result.stderr
    assert query(
        db, "select count(*) from rag_internal.ingest_log where user_name <> 'postgres'"
    ) == [0]


def test_a_writer_loads_into_a_collection_of_its_own(
    db: Database, role_factory: RoleFactory, tmp_path: Path
) -> None:
    write_files(tmp_path, 2)
    role = role_factory(["rag_writer"])
    result = load(db, tmp_path, "--collection", "of its own", role=role)
    assert result.exit_code == 0, result.output
    assert query(db, "select count(*) from rag_internal.ingest_log where user_name = %s", role) == [
        2
    ]


def test_missing_schema_and_missing_model(
    make_database: Callable[..., Database], fresh: Database, tmp_path: Path
) -> None:
    write_files(tmp_path, 2)
    result = load(make_database(), tmp_path, "--collection", "c")
    assert result.exit_code == 3
    assert "ragsql migrate upgrade" in result.stderr
    query(fresh, "delete from rag_internal.model returning name")
    result = load(fresh, tmp_path, "--collection", "c")
    assert result.exit_code == 1
    assert "no embedding model is registered" in result.stderr
    assert "2 failed" not in result.stderr


def test_f18_no_password_is_printed(tmp_path: Path) -> None:
    write_files(tmp_path, 1)
    dsn = "host=/nowhere user=u password=hunter2"
    result = CliRunner().invoke(main, ["load", "--dsn", dsn, str(tmp_path), "--collection", "c"])
    assert result.exit_code == 1
    assert "Hint:" in result.stderr
    assert "hunter2" not in result.output


def test_an_interrupted_load_ends_cleanly_and_goes_on(fresh: Database, tmp_path: Path) -> None:
    write_files(tmp_path, 60)
    process = start_load(fresh, tmp_path, "--jobs", "1")
    deadline = time.monotonic() + 120
    while not query(fresh, "select 1 from rag_internal.ingest_log") and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=120)[1]
    assert process.returncode == 1
    assert "Stopped before the end" in errors
    assert "Traceback" not in errors
    done = query(fresh, "select count(*) from rag_internal.document")[0]
    assert 0 < done < 60
    assert query(fresh, "select count(*) from rag_internal.ingest_log") == [done]
    result = load(fresh, tmp_path, "--collection", "c")
    assert f"60 files: {60 - done} created, {done} unchanged" in result.stderr


def test_a_second_interrupt_cancels_the_file_in_work(fresh: Database, tmp_path: Path) -> None:
    write_files(tmp_path, 2)
    refuse_document(fresh, "01.md", "perform pg_sleep(600);")
    process = start_load(fresh, tmp_path, "--jobs", "1")
    asleep = "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = %s"
    deadline = time.monotonic() + 120
    while not query(fresh, asleep, fresh.name) and time.monotonic() < deadline:
        time.sleep(0.02)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    errors = process.communicate(timeout=120)[1]
    assert process.returncode == 1
    assert "1 file: 1 created" in errors
    assert "Traceback" not in errors
    assert query(fresh, "select source from rag_internal.ingest_log") == ["00.md"]
