"""`ragsql worker`: the queue is emptied, whatever happens to server, provider and worker."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ragsql.main import main
from ragsql.work.crew import backoff
from support.database import Database, RoleFactory, Server
from support.embedding_server import failing, slow
from support.loading import load, write_files
from support.programs import Program, running
from support.stub import Stub

SECRET = "the merger with Acme"
QUICK = ("--poll", "0.05")


def once(stub: Stub, *options: object, role: str | None = None) -> Result:
    """Run `ragsql worker --once` until it ends by itself."""
    dsn = make_conninfo(stub.database.dsn, user=role) if role else stub.database.dsn
    arguments = ["worker", "--once", *QUICK, "--dsn", dsn, *map(str, options)]
    return CliRunner().invoke(main, arguments)


def worker(stub: Stub, *options: object) -> Any:
    """A `ragsql worker` that runs beside the test."""
    return running("worker", *QUICK, "--dsn", stub.database.dsn, *options)


def fill(stub: Stub, number: int, *, name: str = "a") -> int:
    """Queue a document of so many passages; its job."""
    job_id = stub.passages(name, [f"passage {index} of {name}" for index in range(number)])
    assert job_id is not None
    return job_id


def test_once_embeds_all_and_tells_of_each_job(stub: Stub) -> None:
    first, second = fill(stub, 70), fill(stub, 3, name="b")
    result = once(stub)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert f"Job {first} (c): done, 70 passages." in result.stderr.splitlines()
    assert f"Job {second} (c): done, 3 passages." in result.stderr.splitlines()
    last = result.stderr.splitlines()[-1]
    assert re.fullmatch(r"Embedded 73 passages in [\d.]+ s; 2 jobs ended\.", last)
    stub.assert_whole()
    assert stub.tasks() == []


def test_once_with_nothing_to_do(stub: Stub) -> None:
    result = once(stub)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("Embedded 0 passages in ")
    assert stub.server.requests == []


def test_once_tells_of_jobs_that_end_before_it_looks_again(stub: Stub) -> None:
    job_id = fill(stub, 4)
    result = once(stub, "--poll", "1")
    assert result.exit_code == 0, result.output
    assert f"Job {job_id} (c): done, 4 passages." in result.stderr.splitlines()
    assert result.stderr.splitlines()[-1].endswith("; 1 job ended.")


def test_a_load_for_later(stub: Stub, tmp_path: Path) -> None:
    write_files(tmp_path / "docs", 5)
    for outcome in ("created", "unchanged"):
        result = load(stub.database, tmp_path / "docs", "--collection", "c", "--embed", "later")
        assert result.exit_code == 0, result.output
        assert f"5 files: 5 {outcome};" in result.stderr
        assert (
            "5 documents wait for their vectors (5 passages in 5 jobs): `ragsql worker --once`"
            in result.stderr
        )
    assert stub.server.requests == []
    assert len(stub.found("pump valve", "bm25_search")) == 5
    assert once(stub).exit_code == 0
    stub.assert_whole()
    again = load(stub.database, tmp_path / "docs", "--collection", "c", "--embed", "later")
    assert "vectors" not in again.stderr
    now = load(stub.database, tmp_path / "docs", "--collection", "other")
    assert "vectors" not in now.stderr


def test_a_passage_that_fails_goes_alone_and_its_text_is_not_told(stub: Stub) -> None:
    stub.server.words["Acme"] = "fail"
    job_id = stub.passages("a", [f"passage {index}" for index in range(9)] + [SECRET])
    stub.run("update rag_internal.embedding_task set attempts = 4")  # the next is the last
    result = once(stub)
    assert result.exit_code == 0, result.output
    assert f"Job {job_id} (c): 1 of 10 passages could not be embedded (" in result.stderr
    assert f"select rag.retry_job({job_id}) tries them again." in result.stderr
    assert result.stderr.splitlines()[-1].endswith("; 1 job ended, 1 passage given up.")
    assert SECRET not in result.output
    stub.assert_whole(missing=[SECRET])


def test_g08_a_provider_that_cannot_be_used_is_left_alone(stub: Stub) -> None:
    fill(stub, 40)
    stub.server.always = failing(401, code="invalid_api_key")
    with worker(stub, "--once", "--workers", "1", "--patience", "2") as program:
        assert program.wait() == 1
        assert "40 passages cannot be embedded now: " in program.text
        assert "Hint: `ragsql doctor`" in program.text
        assert len(program.lines) < 6  # not one for each look at the queue
    assert 1 <= len(stub.server.requests) <= 3
    assert stub.tasks() == [0] * 40


def test_it_finishes_the_claim_in_hand(stub: Stub) -> None:
    fill(stub, 100)
    stub.server.always = slow(1)
    with worker(stub, "--workers", 1) as program:
        wait_for_request(stub, program)
        assert program.stop() == 0
        assert "Finishing the claims in hand" in program.text
        done = re.search(r"Embedded (\d+) passages", program.text)
    assert done is not None
    assert 0 < int(done[1]) < 100
    assert len(stub.tasks()) == 100 - int(done[1])
    assert stub.tasks("claim_id") == [None] * (100 - int(done[1]))


def test_many_jobs_are_told_of_in_one_line(stub: Stub) -> None:
    for number in range(30):
        fill(stub, 1, name=f"a{number}")
    result = once(stub)
    assert result.exit_code == 0, result.output
    assert len(result.stderr.splitlines()) < 20
    assert result.stderr.splitlines()[-1].endswith("; 30 jobs ended.")


def test_a_step_that_fails_is_tried_again_with_the_same_claim(stub: Stub) -> None:
    job_id = fill(stub, 40)
    function = (
        "create or replace function public.fail() returns trigger language plpgsql as "
        "$$ begin {} end $$"
    )
    stub.run(function.format("raise exception 'the disk is full' using errcode = '53100';"))
    stub.run(
        "create trigger fail before insert on rag_internal.embedding "
        "for each row execute function public.fail()"
    )
    try:
        with worker(stub, "--workers", 1) as program:
            program.wait_for_line("A step of the queue failed, it is tried again: the disk is full")
            for _ in range(600):
                if len(stub.server.requests) > 2:
                    break
                stub.run("select pg_sleep(0.05)")
            stub.run(function.format("return new;"))  # to drop the trigger could end in a deadlock
            program.wait_for_line(f"Job {job_id} (c): done, 40 passages.")
            assert program.text.count("it is tried again") == 1
            assert program.stop() == 0
    finally:
        stub.run("drop trigger if exists fail on rag_internal.embedding")
    stub.assert_whole()


def test_it_waits_for_work_and_ends_when_told(stub: Stub) -> None:
    with worker(stub) as program:
        job_id = fill(stub, 2)
        program.wait_for_line(f"Job {job_id} (c): done, 2 passages.")
        job_id = fill(stub, 1, name="b")
        program.wait_for_line(f"Job {job_id} (c): done, 1 passage.")
        assert program.stop() == 0
    stub.assert_whole()


def test_it_goes_on_with_its_claim_when_the_server_is_back(stub: Stub, server: Server) -> None:
    job_id = fill(stub, 60)
    stub.server.always = slow(1)
    with worker(stub, "--workers", 1) as program:
        wait_for_request(stub, program)
        (claim,) = set(stub.tasks("claim_id")) - {None}
        # as a restart does: sessions are ended, and new ones are refused for a while
        allow(server, stub.database, False)
        stub.run(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname = current_database() and application_name = 'ragsql'"
        )
        program.wait_for_line("The server does not answer")
        assert stub.tasks("claim_id").count(claim) == 32
        stub.server.always = slow(0)
        allow(server, stub.database, True)
        program.wait_for_line(f"Job {job_id} (c): done, 60 passages.")
        assert program.stop() == 0
    stub.assert_whole()


def wait_for_request(stub: Stub, program: Program) -> None:
    """Wait until a claim is being embedded."""
    for _ in range(600):
        if stub.server.requests:
            return
        assert program.process.poll() is None, program.text
        stub.run("select pg_sleep(0.05)")
    raise AssertionError("no request came")


def allow(server: Server, database: Database, connections: bool) -> None:
    """Let the database take new sessions, or refuse them."""
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute(
            sql.SQL("alter database {} with allow_connections {}").format(
                sql.Identifier(database.name), sql.Literal(connections)
            )
        )


def test_a_writer_works_on_jobs_of_its_own(stub: Stub, db: Database) -> None:
    factory = RoleFactory(db)
    writer, reader = factory(["rag_writer", "rag_reader"]), factory(["rag_reader"])
    try:
        fill(stub, 2)
        result = once(stub, role=writer)
        assert result.exit_code == 0, result.output
        assert result.stderr.startswith("Embedded 0 passages")
        assert len(stub.tasks()) == 2
        result = once(stub, role=reader)
        assert result.exit_code == 1
        assert "Hint: " in result.stderr
        assert "Traceback" not in result.output
    finally:
        factory.drop_all()


def test_what_keeps_it_from_beginning(make_database: Callable[..., Database]) -> None:
    result = CliRunner().invoke(main, ["worker", "--once", "--dsn", make_database().dsn])
    assert result.exit_code == 3
    assert "ragsql migrate upgrade" in result.stderr
    result = CliRunner().invoke(main, ["worker", "--once", "--dsn", "host=/nowhere"])
    assert result.exit_code == 1
    assert CliRunner().invoke(main, ["worker", "--workers", "0"]).exit_code == 2


@pytest.mark.parametrize("failures", [0, 3, 10, 10_000])
def test_waits_grow_to_a_bound(failures: int) -> None:
    longest = min(0.5 * 2 ** min(failures, 10), 30)
    assert all(longest / 2 <= backoff(failures) <= longest for _ in range(100))
