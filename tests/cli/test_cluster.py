"""The private cluster: made once, reached by its socket only, safe to start twice."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from ragsql.cluster import SOCKET_LIMIT, Cluster
from ragsql.main import main
from ragsql.server import ClusterError, ServerUser, check_readable, server_user

OPTIONS = {"fsync": "off", "shared_buffers": "64MB"}


@pytest.fixture
def home(short_dir: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(dir=short_dir))
    folder.chmod(0o755)
    yield folder
    if Cluster(folder).is_running:
        Cluster(folder).stop()
    shutil.rmtree(folder)


@pytest.fixture
def own(home: Path) -> Cluster:
    return Cluster(home, options=OPTIONS)


def postmaster_pid(cluster: Cluster) -> int:
    return int((cluster.data / "postmaster.pid").read_text().split()[0])


def test_each_step_can_be_repeated(own: Cluster) -> None:
    assert not own.is_running
    assert [own.create(), own.create()] == [True, False]
    assert [own.start(), own.start()] == [True, False]
    assert own.is_running
    assert [own.stop(), own.stop()] == [True, False]
    assert not own.is_running


def test_data_outlives_a_restart(own: Cluster) -> None:
    own.create()
    own.start()
    with psycopg.connect(own.dsn) as connection:
        connection.execute("create table kept as select 1 as id")
    own.stop()
    own.start()
    with psycopg.connect(own.dsn) as connection:
        assert connection.execute("select id from kept").fetchall() == [(1,)]


def test_only_the_server_user_reaches_the_socket(cluster: Cluster) -> None:
    with psycopg.connect(cluster.dsn) as connection:
        row = connection.execute(
            "select current_setting('listen_addresses'), inet_server_addr()"
        ).fetchone()
    assert row == ("", None)
    status = cluster.socket_dir.stat()
    assert stat.S_IMODE(status.st_mode) == 0o700
    assert status.st_uid == server_user().uid


def test_encoding_locale_and_checksums(cluster: Cluster) -> None:
    with psycopg.connect(cluster.dsn) as connection:
        row = connection.execute(
            "select current_setting('server_encoding'), current_setting('data_checksums'),"
            " datcollate, datctype, lower('ÄÉÞ') from pg_database where datname = current_database()"
        ).fetchone()
    assert row == ("UTF8", "on", "C.UTF-8", "C.UTF-8", "äéþ")


def test_server_keeps_to_one_thread_and_knows_no_secret(
    own: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_TOKEN", "secret")
    own.create()
    own.start()
    environ = Path(f"/proc/{postmaster_pid(own)}/environ").read_bytes().decode().split("\0")
    variables = dict(line.split("=", 1) for line in environ if line)
    assert variables["OPENBLAS_NUM_THREADS"] == variables["OMP_NUM_THREADS"] == "1"
    assert variables["RAGSQL_MODELS"] == str(own.models)
    assert "SOME_API_TOKEN" not in variables


def test_server_gets_the_variables_that_are_named(own: Cluster) -> None:
    named = Cluster(own.home, models=own.models, environment={"SOME_API_TOKEN": "secret"})
    named.create()
    named.start()
    environ = Path(f"/proc/{postmaster_pid(own)}/environ").read_bytes().decode().split("\0")
    assert "SOME_API_TOKEN=secret" in environ


def test_plpython_finds_the_engine(own: Cluster) -> None:
    own.create()
    own.start()
    with psycopg.connect(own.dsn) as connection:
        connection.execute("create extension plpython3u")
        connection.execute(
            "do language plpython3u 'import ragsql_engine, numpy, fastembed; ragsql_engine.API'"
        )


def test_server_outlives_the_shell(own: Cluster) -> None:
    own.create()
    own.start()
    assert os.getsid(postmaster_pid(own)) != os.getsid(0)


def test_starts_again_after_a_crash(own: Cluster) -> None:
    own.create()
    own.start()
    os.kill(postmaster_pid(own), signal.SIGKILL)
    while own.is_running:
        time.sleep(0.05)
    assert (own.socket_dir / ".s.PGSQL.5432").exists()
    for _ in range(100):  # its other processes end by themselves
        try:
            started = own.start()
            break
        except ClusterError:
            time.sleep(0.1)
    assert started and own.is_running


def test_an_interrupted_creation_is_begun_again(own: Cluster) -> None:
    own.create()
    (own.data / "PG_VERSION").unlink()
    own.data.rename(own.home / "data.new")
    assert own.create()
    assert own.data_major is not None


def test_unknown_major_of_the_data_is_refused(own: Cluster) -> None:
    own.data.mkdir()
    (own.data / "PG_VERSION").write_text("14\n")
    with pytest.raises(ClusterError, match=r"PostgreSQL 14, which is not installed(?s:.*)Hint:"):
        own.create()
    with pytest.raises(ClusterError, match="PostgreSQL 14"):
        own.start()


def test_another_major_than_asked_for_is_refused(own: Cluster) -> None:
    own.create()
    other = 15 if own.data_major != 15 else 16
    with pytest.raises(ClusterError, match=f"made by PostgreSQL {own.data_major}, not {other}"):
        Cluster(own.home, major=other).create()


def test_uninstalled_major_is_refused(home: Path) -> None:
    with pytest.raises(ClusterError, match=r"No PostgreSQL 99 (?s:.*)make setup"):
        Cluster(home, major=99).create()


@pytest.fixture
def deep(home: Path) -> Iterator[Cluster]:
    """A cluster whose home has too long a path for a socket."""
    folder = home / ("d" * 60) / ("e" * 60)
    folder.mkdir(parents=True)
    cluster = Cluster(folder, options=OPTIONS)
    yield cluster
    cluster.stop()
    shutil.rmtree(cluster.socket_dir, ignore_errors=True)


def test_long_path_gets_a_short_private_socket_folder(deep: Cluster) -> None:
    assert len(str(deep.home / "run/.s.PGSQL.5432")) > SOCKET_LIMIT
    deep.create()
    deep.start()
    assert not deep.socket_dir.is_relative_to(deep.home)
    assert stat.S_IMODE(deep.socket_dir.stat().st_mode) == 0o700
    psycopg.connect(deep.dsn).close()


def test_socket_folder_of_somebody_else_is_refused(deep: Cluster) -> None:
    deep.create()
    deep.socket_dir.mkdir(mode=0o777)
    deep.socket_dir.chmod(0o777)
    with pytest.raises(ClusterError, match="alone"):
        deep.start()


def test_socket_folder_must_not_be_a_link(deep: Cluster, home: Path) -> None:
    deep.create()
    target = home / "target"
    target.mkdir(mode=0o700)
    os.chown(target, server_user().uid, server_user().gid)
    deep.socket_dir.symlink_to(target)
    try:
        with pytest.raises(ClusterError, match="alone"):
            deep.start()
    finally:
        deep.socket_dir.unlink()


def test_home_with_blanks_and_quotes(home: Path) -> None:
    folder = home / 'it\'s a "home", ok'
    folder.mkdir()
    cluster = Cluster(folder, options=OPTIONS)
    try:
        cluster.create()
        cluster.start()
        psycopg.connect(cluster.dsn).close()
    finally:
        cluster.stop()
        shutil.rmtree(cluster.socket_dir, ignore_errors=True)


def test_the_folder_to_open_is_named(home: Path) -> None:
    private = home / "private"
    (private / "inner").mkdir(parents=True)
    private.chmod(0o700)
    nobody = ServerUser("nobody", 65534, 65534, "/")
    if os.geteuid() != 0:
        pytest.skip("only root can run the server as another user")
    with pytest.raises(ClusterError, match=f"`chmod a\\+x {private}`"):
        check_readable(nobody, [private / "inner"])
    private.chmod(0o711)
    check_readable(nobody, [private / "inner"])


def test_a_data_folder_without_its_version_is_left_alone(own: Cluster) -> None:
    own.create()
    (own.data / "PG_VERSION").unlink()
    before = sorted(path.name for path in own.data.iterdir())
    with pytest.raises(ClusterError, match="no PG_VERSION"):
        own.create()
    assert sorted(path.name for path in own.data.iterdir()) == before


def test_a_home_that_cannot_be_made_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSQL_HOME", "/proc/nowhere")
    result = CliRunner().invoke(main, ["up"])
    assert result.exit_code == 1
    assert "/proc/nowhere" in result.output
