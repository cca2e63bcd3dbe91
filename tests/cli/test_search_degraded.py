"""`ragsql search` says what it had to go without, with hits and without any."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from ragsql.main import main
from support.stub import Stub

REASON = "semantic: some passages have no vector"


def search(stub: Stub, *arguments: str) -> Result:
    """Run `ragsql search` on the stub's database."""
    return CliRunner().invoke(main, ["search", "--dsn", stub.database.dsn, *arguments])


@pytest.mark.parametrize("output_format", ["table", "json"])
def test_an_empty_result_says_why(stub: Stub, output_format: str) -> None:
    stub.passages("a", ["the valve is closed"])
    result = search(stub, "valve", "--strategy", "semantic", "--format", output_format)
    assert result.exit_code == 0, result.output
    lines = result.stderr.splitlines()
    assert f"Warning: {REASON}" in lines
    assert lines[-1] == "No passage found among those you may read."
    assert result.stderr.count(REASON) == 1
    assert result.stdout == ("" if output_format == "table" else "[]\n")
    stub.work()
    after = search(stub, "valve", "--strategy", "semantic", "--format", "json")
    assert len(json.loads(after.stdout)) == 1
    assert "Warning" not in after.stderr


def test_hits_say_it_once(stub: Stub) -> None:
    stub.passages("a", ["the valve is closed"])
    result = search(stub, "valve")
    assert "the valve is closed" in result.stdout
    assert result.stderr.splitlines()[-1] == f"Without: {REASON}"
    assert result.stderr.count(REASON) == 1
