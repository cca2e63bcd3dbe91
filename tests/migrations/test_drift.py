"""sql/ and migrations/ are one thing: bytes, catalog, golden dump, immutability."""

from __future__ import annotations

import difflib
import importlib
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragsql import migration
from ragsql.cluster import Cluster
from support import CHECKOUT
from support.catalog import definitions, dump
from support.database import Database

GOLDEN = CHECKOUT / "tests" / "expected" / "schema.sql"
REWRITE = "RAGSQL_REWRITE_EXPECTED"
rewriting = bool(os.environ.get(REWRITE))  # read before the session clears such variables


@pytest.fixture(scope="session")
def freeze(_importable_scripts: None) -> Any:
    """The module migrations/freeze.py."""
    return importlib.import_module("freeze")


@pytest.fixture(scope="session")
def replay(_importable_scripts: None) -> Any:
    """The module migrations/replay.py."""
    return importlib.import_module("replay")


@pytest.fixture
def copy(tmp_path: Path, freeze: Any) -> Any:
    """A copy of sql/ and migrations/ that a test may spoil, all revisions released."""
    for folder in ("sql", "migrations"):
        shutil.copytree(
            CHECKOUT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    tree = freeze.Tree(tmp_path / "migrations")
    for revision in tree.chain():
        if revision not in tree.released_revisions():
            freeze.release(tree, revision)
    return tree


# 1. bytes -------------------------------------------------------------------------------------


def test_sql_files_equal_their_newest_frozen_copies(freeze: Any) -> None:
    assert freeze.drift(freeze.Tree(CHECKOUT / "migrations")) == []


def test_a_changed_file_is_drift(copy: Any, freeze: Any) -> None:
    assert freeze.drift(copy) == []
    name = min(copy.sql_files())
    with (copy.sql / name).open("a") as file:
        file.write("-- changed\n")
    (problem,) = freeze.drift(copy)
    assert problem.startswith(f"sql/{name} differs from its newest copy in 0")


def test_orphans_and_gaps_in_the_order_are_drift(copy: Any, freeze: Any) -> None:
    (copy.sql / "api" / "stray.sql").write_text("select 1;\n")
    assert set(freeze.drift(copy)) == {
        "sql/api/stray.sql is not in order.txt",
        "sql/api/stray.sql is frozen in no revision",
    }
    (copy.sql / "api" / "stray.sql").unlink()
    order = copy.sql / "order.txt"
    names = [line.split("#")[0].strip() for line in order.read_text().splitlines()]
    first = next(name for name in names if name)
    order.write_text(order.read_text() + f"{first}\nnowhere.sql\n")
    problems = freeze.drift(copy)
    assert f"order.txt names {first} more than once" in problems
    assert "order.txt names nowhere.sql, which does not exist" in problems
    order.unlink()
    (copy.sql / first).unlink()
    stray = copy.versions / copy.chain()[0] / "sql" / "stray.sql"
    stray.write_text("select 1;\n")
    assert f"{copy.chain()[0]}/sql/stray.sql is not in the order.txt of {copy.chain()[0]}" in (
        freeze.drift(copy)
    )


def test_freeze_copies_only_what_changed(copy: Any, freeze: Any) -> None:
    changed, *_, gone = sorted(copy.sql_files())
    (copy.sql / changed).write_text("-- changed\n")
    (copy.sql / "new.sql").write_text("-- new\n")
    (copy.sql / gone).unlink()
    order = copy.sql / "order.txt"
    kept = [line for line in order.read_text().splitlines() if line.split("#")[0].strip() != gone]
    order.write_text("\n".join([*kept, "new.sql\n"]))
    before = copy.chain()
    assert set(freeze.freeze(copy, "9000_more_things")) == {changed, "new.sql"}
    assert copy.chain() == ["9000_more_things", *before]
    folder = copy.versions / "9000_more_things"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == {"up.sql", "down.sql", "order.txt", f"sql/{changed}", "sql/new.sql"}
    assert freeze.added(copy, "9000_more_things", [changed, "new.sql"]) == ["new.sql"]
    assert freeze.removed(copy, "9000_more_things") == [gone]
    assert freeze.drift(copy) == []
    newest = copy.newest_copy(changed, before)
    shutil.copyfile(newest, copy.sql / changed)
    assert freeze.freeze(copy, "9000_more_things") == ["new.sql"]
    assert freeze.drift(copy) == []


def test_freeze_refuses_a_released_revision(copy: Any, freeze: Any) -> None:
    with pytest.raises(freeze.FreezeError, match="never changes"):
        freeze.freeze(copy, copy.chain()[0])
    with pytest.raises(freeze.FreezeError, match="at most 32"):
        freeze.freeze(copy, "9000_" + "x" * 28)


def test_a_frozen_revision_can_be_applied(copy: Any, freeze: Any, empty: Database) -> None:
    body = "create or replace function rag.zz_new() returns int language sql as 'select 7';\n"
    (copy.sql / "api" / "zz_new.sql").write_text(body)
    with (copy.sql / "order.txt").open("a") as order:
        order.write("api/zz_new.sql\n")
    freeze.freeze(copy, "9000_new")
    (copy.versions / "9000_new" / "down.sql").write_text("drop function rag.zz_new();\n")
    migration.upgrade(empty.dsn, "9000_new", folder=copy.migrations)
    assert empty.connect().execute("select rag.zz_new()").fetchone() == (7,)
    migration.downgrade(empty.dsn, copy.chain()[1], folder=copy.migrations)
    gone = empty.connect().execute("select to_regproc('rag.zz_new')").fetchone()
    assert gone == (None,)


# 2. catalog -----------------------------------------------------------------------------------


def run_all_of_sql(connection: Any, replay: Any) -> None:
    """Runs every sql/ file once more, as a revision would."""
    schemas = dict(
        connection.execute(
            "select extname, nspname::text from pg_extension e "
            "join pg_namespace n on n.oid = e.extnamespace"
        ).fetchall()
    )
    connection.execute(replay.SETTINGS.format(lock_timeout=10_000))
    for name in replay.read_order(CHECKOUT / "sql" / "order.txt"):
        text = (CHECKOUT / "sql" / name).read_text("utf-8")
        connection.execute(replay.substitute(text, schemas))


def test_running_all_of_sql_at_head_changes_nothing(empty: Database, replay: Any) -> None:
    migration.upgrade(empty.dsn)
    connection = empty.connect(autocommit=False)
    before = definitions(connection)
    run_all_of_sql(connection, replay)
    after = definitions(connection)
    assert {key: (before.get(key), after.get(key)) for key in before.keys() | after.keys()
            if before.get(key) != after.get(key)} == {}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        "grant usage on schema rag_internal to public",
        "grant insert on rag_internal.document to public",
        "grant update (title) on rag_internal.document to public",
        "alter table rag_internal.document disable row level security",
        "comment on table rag_internal.document is 'another'",
        "create policy more on rag_internal.document using (true)",
        "alter table rag_internal.document alter column title set default 'x'",
        "create function rag.more() returns int language sql as 'select 1'",
        "create index more on rag_internal.document (title)",
        "alter table rag_internal.document add check (title <> 'x')",
        "alter table rag_internal.document owner to current_user",
    ],
)
def test_the_comparison_sees(conn: Any, change: str) -> None:
    before = definitions(conn)
    conn.execute(change)
    assert definitions(conn) != before


# 3. golden ------------------------------------------------------------------------------------


def test_a_fresh_head_equals_the_golden_dump(
    make_database: Callable[..., Database], cluster: Cluster
) -> None:
    fresh = make_database()
    migration.upgrade(fresh.dsn)
    major = fresh.connect().info.server_version // 10_000
    dumped = dump(cluster.installation.bindir, fresh.dsn)
    if rewriting:
        header = f"-- PostgreSQL {major}. Rewritten by {REWRITE}=1; read the difference.\n\n"
        GOLDEN.write_text(header + dumped, "utf-8")
    header, _, expected = GOLDEN.read_text("utf-8").partition("\n\n")
    match = re.match(r"-- PostgreSQL (\d+)", header)
    assert match is not None
    if dumped != expected and major != int(match[1]):
        pytest.skip(f"dumps of PostgreSQL {major} and {match[1]} are written differently")
    lines = expected.splitlines(), dumped.splitlines()
    assert "\n".join(difflib.unified_diff(*lines, "expected", "fresh head", lineterm="")) == ""


# 4. immutability ------------------------------------------------------------------------------


def test_released_revisions_are_unchanged(freeze: Any) -> None:
    assert list(freeze.tampered(freeze.Tree(CHECKOUT / "migrations"))) == []


def test_every_file_of_a_released_revision_is_guarded(copy: Any, freeze: Any) -> None:
    assert list(freeze.tampered(copy)) == []
    files = [path for revision in copy.chain() for path in copy.files_of(revision)]
    assert len(files) >= 4
    for path in files:
        name = path.relative_to(copy.migrations).as_posix()
        original = path.read_bytes()
        path.write_bytes(original + b"\n")
        assert list(freeze.tampered(copy)) == [f"{name} was changed after its release"]
        path.unlink()
        assert list(freeze.tampered(copy)) == [f"{name} is missing"]
        path.write_bytes(original)
    (copy.versions / copy.chain()[0] / "sql" / "more.sql").write_text("select 1;\n")
    (problem,) = freeze.tampered(copy)
    assert problem.endswith(f"was added after the release of {copy.chain()[0]}")
