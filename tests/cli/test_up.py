"""`ragsql up`, `down`, `dsn` and `psql` as a person runs them."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from ragsql.cluster import Cluster
from ragsql.main import main
from ragsql.models import ModelChoice
from ragsql.server import server_user

RAGSQL = Path(sys.prefix) / "bin/ragsql"  # not the checkout's link: others may not enter that


@pytest.fixture
def home(short_dir: Path, models_dir: Path) -> Iterator[Path]:
    """A home without a cluster, with the checkout's model files."""
    folder = Path(tempfile.mkdtemp(dir=short_dir))
    folder.chmod(0o755)
    (folder / "models").symlink_to(models_dir)
    yield folder
    if Cluster(folder).is_running:
        Cluster(folder).stop()
    shutil.rmtree(folder)


def start(home: Path, *arguments: str, user: str | None = None) -> subprocess.Popen[str]:
    kept = {"PATH": os.environ["PATH"], "RAGSQL_HOME": str(home), "HOME": str(home)}
    identity = None if user is None else pwd.getpwnam(user)
    return subprocess.Popen(
        [str(RAGSQL), *arguments],
        env=kept,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd="/",
        user=None if identity is None else identity.pw_uid,
        group=None if identity is None else identity.pw_gid,
        extra_groups=None if identity is None else [],
    )


def run(home: Path, *arguments: str, user: str | None = None) -> tuple[int, str, str]:
    process = start(home, *arguments, user=user)
    output, errors = process.communicate()
    return process.returncode, output, errors


def test_up_twice_at_once_makes_one_cluster(home: Path, model: ModelChoice) -> None:
    both = [start(home, "up"), start(home, "up")]
    outputs = [process.communicate() for process in both]
    errors = "".join(error for _, error in outputs)
    assert [process.returncode for process in both] == [0, 0], errors
    assert [output for output, _ in outputs] == ["", ""]
    assert errors.count("Made a private PostgreSQL") == 1
    assert errors.count(f"Model: {model.name}") == 2
    cluster = Cluster(home)
    with psycopg.connect(cluster.dsn) as connection:
        rows = connection.execute("select name, is_default from rag_internal.model").fetchall()
    assert rows == [(model.name, True)]
    assert [run(home, "down")[0], run(home, "down")[0]] == [0, 0]
    assert not cluster.is_running


def test_up_says_why_a_variable_cannot_be_had(cluster: Cluster, home: Path) -> None:
    code, _, errors = run(home, "up", "--env", "NO_SUCH_KEY")
    assert (code, "not set in this environment: NO_SUCH_KEY" in errors) == (2, True)
    code, _, errors = run(cluster.home, "up", "--env", "PATH")
    assert code == 1
    assert "ragsql down" in errors


def test_an_ordinary_user_runs_the_server(home: Path, model: ModelChoice) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user; the other tests cover this one")
    nobody = pwd.getpwnam("nobody")
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    code, _, errors = run(home, "up", user="nobody")
    assert code == 0, errors
    assert (home / "data").stat().st_uid == nobody.pw_uid
    code, output, errors = run(
        home, "psql", "-Atc", "select cardinality(rag.embed('{a}'))", user="nobody"
    )
    assert (code, output) == (0, "1\n"), errors
    assert run(home, "down", user="nobody")[0] == 0


def test_the_cluster_of_another_user_is_left_alone(cluster: Cluster) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    for verb in ("up", "down"):
        code, output, errors = run(cluster.home, verb, user="nobody")
        assert (code, output) == (1, "")
        assert "belongs to another user" in errors and "Traceback" not in errors
    assert cluster.is_running


def test_dsn_prints_one_line_and_starts_nothing(short_dir: Path) -> None:
    home = short_dir / "absent"
    code, output, errors = run(home, "dsn")
    assert (code, errors) == (0, "")
    assert output == f"postgresql:///ragsql?host={home}/run&port=5432&user=postgres\n"
    assert not home.exists()


def test_dsn_order(monkeypatch: pytest.MonkeyPatch, short_dir: Path) -> None:
    def dsn(*arguments: str) -> str:
        result = CliRunner().invoke(main, list(arguments))
        assert result.exit_code == 0, result.output
        return result.output.strip()

    monkeypatch.setenv("RAGSQL_HOME", str(short_dir / "absent"))
    assert "absent/run" in dsn("dsn")
    monkeypatch.setenv("PGUSER", "somebody")
    assert "absent/run" in dsn("dsn")
    monkeypatch.setenv("PGHOST", "db.invalid")
    assert dsn("dsn") == "postgresql://"
    monkeypatch.setenv("RAGSQL_DSN", "dbname=from_variable")
    assert dsn("dsn") == "dbname=from_variable"
    assert dsn("--dsn", "dbname=a", "dsn") == "dbname=a"
    assert dsn("dsn", "--dsn", "dbname=b") == "dbname=b"


def test_without_a_server_the_next_step_is_said(short_dir: Path) -> None:
    code, output, errors = run(short_dir / "absent", "psql", "-c", "select 1")
    assert (code, output) == (1, "")
    assert "run `ragsql up`" in errors


def test_psql_takes_its_own_options(cluster: Cluster, short_dir: Path) -> None:
    code, output, _ = run(
        short_dir, "--dsn", cluster.dsn, "psql", "-At", "-v", "x=7", "-c", "select current_user"
    )
    assert (code, output) == (0, "postgres\n")
    code, output, _ = run(short_dir, "--dsn", cluster.dsn, "psql", "--csv", "-c", "select 1 as a")
    assert (code, output) == (0, "a\n1\n")


def test_up_refuses_an_existing_server(cluster: Cluster, home: Path) -> None:
    code, _, errors = run(home, "up", "--dsn", cluster.dsn)
    assert code == 2
    assert "migrate upgrade" in errors
    assert not (home / "data").exists()


def test_unknown_model_fails_before_it_is_registered(home: Path) -> None:
    home_cluster = Cluster(home)
    result = CliRunner().invoke(
        main, ["up"], env={"RAGSQL_HOME": str(home), "RAGSQL_MODEL": "no/such"}
    )
    assert result.exit_code == 1
    assert "'no/such' is unknown" in result.output
    with psycopg.connect(home_cluster.dsn) as connection:
        assert connection.execute("select count(*) from rag_internal.model").fetchone() == (0,)


def test_data_of_another_major_is_refused_by_name(home: Path) -> None:
    (home / "data").mkdir()
    (home / "data/PG_VERSION").write_text("12\n")
    code, _, errors = run(home, "up")
    assert code == 1
    assert "made by PostgreSQL 12" in errors and "Hint:" in errors


def test_local_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work/.ragsql").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "work")
    result = CliRunner().invoke(main, ["dsn"])
    assert f"host={tmp_path.resolve()}/elsewhere/run" in result.output or "host=/tmp/ragsql-" in (
        result.output
    )


def test_every_verb_explains_itself() -> None:
    result = CliRunner().invoke(main, ["--help"])
    assert result.exit_code == 0
    for verb in ("up", "down", "dsn", "psql", "migrate", "load", "search", "doctor"):
        assert f"  {verb}  " in result.output
        assert CliRunner().invoke(main, [verb, "--help"]).exit_code == 0


def test_the_server_user_is_never_root() -> None:
    assert server_user().uid != 0


def test_options_of_psql_win_over_the_connection_string(cluster: Cluster, short_dir: Path) -> None:
    """Who asks what another role may see must not be answered as the superuser."""

    def ask(*options: str) -> tuple[int, str, str]:
        return run(
            short_dir,
            *("--dsn", cluster.dsn, "psql", "-X", "-At", *options),
            *("-c", "select current_user || ' ' || current_database()"),
        )

    assert ask("-d", "template1")[1].strip() == "postgres template1"
    code, output, errors = ask("-U", "rag_nobody")
    assert (code, output) == (2, "")
    assert 'role "rag_nobody" does not exist' in errors


def test_dsn_of_another_role(short_dir: Path) -> None:
    code, output, _ = run(
        short_dir, "--dsn", "postgresql://alice@h:1/d?sslmode=require", "dsn", "--user", "bob"
    )
    assert code == 0
    assert psycopg.conninfo.conninfo_to_dict(output.strip()) == {
        "user": "bob", "host": "h", "port": "1", "dbname": "d", "sslmode": "require",
    }  # fmt: skip
