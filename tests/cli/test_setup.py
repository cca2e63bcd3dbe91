"""The set-up scripts: quick where nothing is missing, clear where something is."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from ragsql.server import installations
from support.paths import CHECKOUT

SETUP = CHECKOUT / "cli/setup"
SCRIPTS = [*sorted(SETUP.glob("*.sh")), CHECKOUT / ".ci/run"]


def run(*argv: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(argument) for argument in argv],
        env={"PATH": os.environ["PATH"], **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_scripts_are_strict_bash(script: Path) -> None:
    text = script.read_text()
    assert text.startswith("#!/usr/bin/env bash\n")
    assert "\nset -euo pipefail\n" in text
    assert run("bash", "-n", script).returncode == 0


@pytest.mark.parametrize("script", [*SCRIPTS, CHECKOUT / "Makefile"], ids=lambda file: file.name)
def test_scripts_name_no_host(script: Path) -> None:
    found = re.findall(r"(?:https?|ftp)://\S+|\b[\w-]+\.(?:org|com|net|io)\b", script.read_text())
    assert found == []


def test_nothing_is_done_where_nothing_is_missing() -> None:
    result = run("bash", SETUP / "install-server.sh")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_present_server_is_one_that_the_cluster_takes() -> None:
    assert any(not one.missing for one in installations())


@pytest.mark.parametrize("major", ["9", "14", "19", "15;true", "latest"])
def test_an_unsupported_major_is_refused(major: str) -> None:
    result = run("bash", SETUP / "install-server.sh", RAGSQL_PG_MAJOR=major)
    assert result.returncode == 1
    assert "supports PostgreSQL 15 to 18" in result.stderr


def test_without_rights_the_missing_packages_are_named(tmp_path: Path) -> None:
    """An ordinary user, without sudo, on a machine whose apt offers some major."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "sed", "sort", "head", "realpath", "env"):
        (tools / name).symlink_to(Path("/usr/bin") / name)
    write_tool(tools / "apt-get", "exit 1")
    write_tool(
        tools / "apt-cache",
        'case "$2" in *18*|*17*) v="(none)" ;; postgresql-16-pgvector) v=0.6.0-1 ;; *) v=16.9-1 ;;'
        ' esac; echo "  Candidate: $v"',
    )
    # A copy that looks for installed servers elsewhere and believes that it is not root.
    script = tmp_path / "install-server.sh"
    text = (SETUP / "install-server.sh").read_text()
    script.write_text(
        text.replace("/usr/lib/postgresql/", f"{tmp_path}/lib/")
        .replace("/usr/share/postgresql/", f"{tmp_path}/share/")
        .replace("$EUID -eq 0", "no == yes")
    )
    result = run("/usr/bin/bash", script, PATH=str(tools))
    assert result.returncode == 1
    assert "python3-venv postgresql-15 postgresql-plpython3-15 postgresql-15-pgvector" in (
        result.stderr
    )
    assert "ask an administrator" in result.stderr
    built = run("/usr/bin/bash", script, PATH=str(tools), RAGSQL_PG_MAJOR="16")
    assert "postgresql-server-dev-16" in built.stderr
    assert "pgvector 0.8.0 or newer for PostgreSQL 16, built from source" in built.stderr


def write_tool(path: Path, body: str) -> None:
    path.write_text(f"#!/usr/bin/bash\n{body}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("output", "make_status", "expected"),
    [
        ("==== 3 passed in 0.1s ====", 0, 0),
        ("==== 3 passed, 1 failed in 0.1s ====", 2, 2),
        ("==== no tests ran in 0.01s ====", 0, 1),
        ("==== 4 skipped in 0.01s ====", 0, 1),
    ],
)
def test_ci_fails_when_no_test_ran(
    tmp_path: Path, output: str, make_status: int, expected: int
) -> None:
    write_tool(tmp_path / "make", f"echo '{output}'; exit {make_status}")
    result = run("bash", CHECKOUT / ".ci/run", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert result.returncode == expected
    assert output in result.stdout


@pytest.mark.parametrize(
    ("named", "home"),
    [(None, ".ragsql"), ("", ".ragsql"), ("{0}/a home", "{0}/a home"), ("~/h", "{0}/h")],
)
def test_the_demo_lives_in_the_home_that_is_named(
    tmp_path: Path, named: str | None, home: str
) -> None:
    script, log = tmp_path / "cli/setup/demo.sh", tmp_path / "log"
    for folder in (script.parent, tmp_path / ".venv/bin", tmp_path / "docs"):
        folder.mkdir(parents=True)
    script.write_text((SETUP / "demo.sh").read_text())
    write_tool(tmp_path / ".venv/bin/ragsql", f'echo "$RAGSQL_HOME|$1" >>"{log}"')
    environment = {} if named is None else {"RAGSQL_HOME": named.format(tmp_path)}
    result = run(
        *("bash", script), DOCS=str(tmp_path / "docs"), QUESTION="why", HOME=str(tmp_path),
        PGHOST="elsewhere", **environment,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    expected = home.format(tmp_path)
    assert log.read_text().splitlines() == [f"{expected}|{name}" for name in ("up", "load", "psql")]
    assert (tmp_path / expected / "work").is_dir()
    assert (tmp_path / ".ragsql").exists() == (home == ".ragsql")
    assert (f"RAGSQL_HOME={expected} make demo" in result.stderr) == bool(named)
