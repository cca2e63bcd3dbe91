"""`ragsql load` against a real server: what is stored, logged and said."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from support.database import Database
from support.loading import load, load_log, query, start_load, write_files


@pytest.fixture
def fresh(make_database: Callable[..., Database], template: str) -> Database:
    """A migrated database for one test."""
    return make_database(template)


def test_documents_and_log(db: Database, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "A.MD").write_bytes(b"# Title\r\n\r\nThe valve is closed.\r\n")
    (tmp_path / "b.txt").write_text("plain words")
    (tmp_path / "c.txt").write_text(" \n")
    (tmp_path / "photo.txt").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    (tmp_path / "dead").symlink_to("nowhere")
    result = load(db, tmp_path, "--collection", "docs", "--tag", "x", "--tag", "y")
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert re.fullmatch(
        r"5 files: 2 created, 1 empty, 1 binary, 1 skipped; 2 chunks in [\d.]+ s; run [0-9a-f-]{36}",
        result.stderr.splitlines()[-1],
    )
    assert query(
        db,
        "select source, title, content, tags, metadata, mime from rag_internal.document "
        "join rag_internal.collection using (collection_id) where name = 'docs' order by source",
    ) == [
        ("b.txt", "b", "plain words", ["x", "y"], {}, "text/plain"),
        (
            "sub/A.MD",
            "Title",
            "# Title\r\n\r\nThe valve is closed.\r\n",
            ["x", "y"],
            {},
            "text/markdown",
        ),
    ]
    assert load_log(db, result) == {
        "sub/A.MD": ("created", 1, None),
        "b.txt": ("created", 1, None),
        "c.txt": ("empty", 0, "no text in the file"),
        "photo.txt": ("binary", 0, "not text: PNG image"),
        "dead": ("skipped", 0, "a link that leads nowhere"),
    }


def test_loading_again_skips_what_is_unchanged(db: Database, tmp_path: Path) -> None:
    write_files(tmp_path, 3)
    assert load(db, tmp_path, "--collection", "again").exit_code == 0
    (tmp_path / "01.md").write_text("# Another\n\nnew text")
    result = load(db, tmp_path, "--collection", "again")
    assert {source: row[0] for source, row in load_log(db, result).items()} == {
        "00.md": "unchanged",
        "01.md": "updated",
        "02.md": "unchanged",
    }


def test_b17_an_edit_that_keeps_size_and_mtime_is_seen(db: Database, tmp_path: Path) -> None:
    path = tmp_path / "f.md"
    path.write_text("the lamp is red")
    before = path.stat()
    load(db, tmp_path, "--collection", "b17")
    path.write_text("the lamp is tan")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    result = load(db, tmp_path, "--collection", "b17")
    assert load_log(db, result)["f.md"][0] == "updated"
    assert query(
        db,
        "select content, content_hash = sha256(convert_to(content, 'UTF8')) from rag_internal.document "
        "join rag_internal.collection using (collection_id) where name = 'b17'",
    ) == [("the lamp is tan", True)]


def test_b13_a_shortened_file_leaves_no_old_passage(db: Database, tmp_path: Path) -> None:
    write_files(tmp_path, 1, sentences=90)
    load(db, tmp_path, "--collection", "b13")
    count = (
        "select count(*), count(e.*) from rag_internal.chunk c join rag_internal.document using (document_id) "
        "join rag_internal.collection k using (collection_id) "
        "left join rag_internal.embedding e using (chunk_id) where k.name = 'b13'"
    )
    chunks, vectors = query(db, count)[0]
    assert chunks == vectors > 2
    (tmp_path / "00.md").write_text("one passage")
    load(db, tmp_path, "--collection", "b13")
    assert query(db, count) == [(1, 1)]


def test_b01_nul_harms_no_file(db: Database, tmp_path: Path) -> None:
    write_files(tmp_path, 10)
    (tmp_path / "06.md").write_bytes(b"alpha\x00beta valve")
    result = load(db, tmp_path, "--collection", "b01")
    assert "10 files: 10 created; 1 NUL replaced;" in result.stderr
    assert load_log(db, result)["06.md"][2] == "1 NUL replaced"
    assert query(db, "select content from rag_internal.document where content like 'alpha%%'") == [
        "alpha\ufffdbeta valve"
    ]


def test_b04_and_b06_encodings(db: Database, tmp_path: Path) -> None:
    for name in ("utf-16", "utf-32", "utf-8-sig"):
        (tmp_path / f"{name}.txt").write_bytes("Orion pump host is 7".encode(name))
    (tmp_path / "w.txt").write_bytes(b"It\x92s a caf\xe9 \x96 5 \x80")
    result = load(db, tmp_path, "--collection", "b04")
    assert result.exit_code == 0
    assert "encoding guessed for 1" in result.stderr
    assert load_log(db, result)["w.txt"][2] == "encoding guessed: cp1252"
    assert query(
        db,
        "select content, metadata from rag_internal.document join rag_internal.collection using (collection_id) "
        "where name = 'b04' order by source",
    ) == [
        ("Orion pump host is 7", {"encoding": "utf-16-le"}),
        ("Orion pump host is 7", {"encoding": "utf-32-le"}),
        ("Orion pump host is 7", {}),
        ("It\u2019s a café – 5 €", {"encoding": "cp1252", "encoding_guessed": True}),
    ]


def test_b03_a_name_that_is_not_utf8_is_found_again(db: Database, tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt"))).write_text("good text")
    (tmp_path / "a b\nc.md").write_text("more text")
    for outcome in ("created", "unchanged"):
        result = load(db, tmp_path, "--collection", "b03")
        assert result.exit_code == 0, result.output
        assert {source: row[0] for source, row in load_log(db, result).items()} == {
            r"caf\xe9.txt": outcome,
            r"a b\x0ac.md": outcome,
        }


def test_several_connections_load_the_same(fresh: Database, tmp_path: Path) -> None:
    write_files(tmp_path, 9)
    result = load(fresh, tmp_path, "--collection", "c", "--jobs", "3")
    assert result.exit_code == 0, result.output
    assert "9 files: 9 created" in result.stderr
    assert query(fresh, "select count(*), count(distinct source) from rag_internal.document") == [
        (9, 9)
    ]


def test_b20_two_loads_at_once(fresh: Database, tmp_path: Path) -> None:
    write_files(tmp_path, 50, sentences=1)
    loads = [start_load(fresh, tmp_path) for _ in range(2)]
    errors = [process.communicate(timeout=300)[1] for process in loads]
    assert [process.returncode for process in loads] == [0, 0], errors
    assert query(fresh, "select count(*), count(distinct source) from rag_internal.document") == [
        (50, 50)
    ]
    counts = "select (select count(*) from rag_internal.chunk), (select count(*) from rag_internal.embedding)"
    assert query(fresh, counts) == [(50, 50)]


def test_without_a_terminal_a_line_now_and_then_says_how_far_it_is(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, 3)
    quick = load(db, tmp_path, "--collection", "lines")
    assert len(quick.stderr.splitlines()) == 1
    monkeypatch.setattr("ragsql.loading.report._EVERY", 0)
    result = load(db, tmp_path, "--collection", "more lines", "--jobs", "1")
    assert result.exit_code == 0, result.output
    lines = result.stderr.splitlines()
    assert lines[:2] == ["1/3 files, 1 chunks ...", "2/3 files, 2 chunks ..."]
    assert lines[2].startswith("3 files: 3 created;")


def test_warnings_of_the_server_outside_of_a_file_are_told(
    fresh: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, 2)
    with fresh.connect() as connection:
        connection.execute(
            "create or replace procedure rag.maintain() language plpgsql as $$ begin "
            "raise notice 'merged'; raise warning 'the disk is slow' using hint = 'wait'; end $$"
        )
    monkeypatch.setattr("ragsql.commands.load._BULK", 1)
    result = load(fresh, tmp_path, "--collection", "c")
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[1:3] == ["Warning: the disk is slow", "Hint: wait"]
    assert "merged" not in result.stderr
