"""Which files `ragsql load` finds, and what a dry run says of them. No server is needed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ragsql.loading.names import one_line, printable_name
from ragsql.loading.prepare import ReadOptions, Refused, prepare
from ragsql.loading.walk import FoundFile, walk
from ragsql.main import main


def dry_run(*arguments: str | Path) -> Result:
    """Run `ragsql load --dry-run`; no test of this module reaches a server."""
    words = ["load", "--dry-run", "--collection", "c", *map(str, arguments)]
    return CliRunner().invoke(main, words, env={"RAGSQL_DSN": "host=/nowhere"})


def sources(folder: Path, **options: bool) -> list[str]:
    """Sources of the files that are found."""
    return [file.source for file in walk(str(folder), **options)[0]]


def test_files_are_found_sorted_and_once(tmp_path: Path) -> None:
    for name in ("b/z.md", "b/a.txt", "a.MD", "B.markdown", "x.rst", "README", "b/c.md/d.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")
    assert sources(tmp_path) == ["B.markdown", "a.MD", "b/a.txt", "b/c.md/d.txt", "b/z.md"]


def test_a_single_file_is_a_load_too(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("# One")
    (tmp_path / "two.md").write_text("# Two")
    assert sources(tmp_path / "one.md") == ["one.md"]
    result = dry_run(tmp_path / "one.md")
    assert result.exit_code == 0
    assert "1 file: 1 to load" in result.stderr


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """The folder of case B11."""
    folder = tmp_path / "d"
    folder.mkdir()
    (tmp_path / "outside.md").write_text("outside")
    (folder / "a.md").write_text("inside")
    for name, target in {
        "loop": ".",
        "up": "..",
        "out": "/etc/hostname",
        "out.md": "../outside.md",
        "dead": "nowhere",
        "twice": "a.md",
        "twice.md": "a.md",
    }.items():
        (folder / name).symlink_to(target)
    return folder


def test_b11_links_are_not_followed(linked: Path) -> None:
    files, passed = walk(str(linked))
    assert [file.source for file in files] == ["a.md"]
    assert {item.source: item.outcome for item in passed} == dict.fromkeys(
        ("dead", "loop", "out.md", "twice.md", "up"), "skipped"
    )
    result = dry_run(linked)
    assert result.exit_code == 0
    assert "skipped: dead: a link that leads nowhere" in result.stderr.splitlines()


def test_b11_followed_links_end_and_read_each_file_once(linked: Path) -> None:
    files, passed = walk(str(linked), follow_links=True)
    assert [os.path.realpath(file.path) for file in files] == [
        str(linked / "a.md"),
        str(linked.parent / "outside.md"),
    ]
    assert [item.source for item in passed] == ["dead"]


def test_a_name_replaced_by_a_link_after_the_walk_is_not_followed(linked: Path) -> None:
    (file,) = walk(str(linked))[0]
    (linked / "a.md").unlink()
    (linked / "a.md").symlink_to("../outside.md")
    refused = prepare(file, ReadOptions())
    assert isinstance(refused, Refused)
    assert refused.outcome == "failed"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert sources(tmp_path) == []
    refused = prepare(FoundFile(str(tmp_path / "pipe.md"), "pipe.md", 0), ReadOptions())
    assert isinstance(refused, Refused)
    assert (refused.outcome, refused.reason) == ("failed", "not a regular file")


def test_b22_odd_names(tmp_path: Path) -> None:
    for name in ("README", "NOTES.MD", ".hidden.md", "a b\nc.md"):
        (tmp_path / name).write_text("text")
    (tmp_path / "photo.txt").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    (tmp_path / "bundle.md").write_bytes(b"PK\x03\x04\x14\x00")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.md").write_text("text")
    result = dry_run(tmp_path)
    assert result.exit_code == 0
    listed = [line.split("  ")[0] for line in result.stdout.splitlines()[2:]]
    assert listed == ["NOTES.MD", r"a b\x0ac.md"]
    assert result.stderr.splitlines() == [
        "binary: bundle.md: not text: ZIP archive (also docx, xlsx, epub)",
        "binary: photo.txt: not text: PNG image",
        "4 files: 2 binary, 2 to load; dry run, nothing stored",
    ]
    assert dry_run(tmp_path, "--strict").exit_code == 1


def test_b03_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_text("text")
    (tmp_path / r"caf\xe9.txt").write_text("text")
    assert sources(tmp_path) == [r"caf\\xe9.txt", r"caf\xe9.txt"]


def test_printable_names_can_be_told_apart() -> None:
    names = ["a\nb", r"a\x0ab", "a\u0085b", "a\udc85b", "a\u202eb", "ümlaut", "a b"]
    written = [printable_name(name) for name in names]
    assert len(set(written)) == len(names)
    assert all(name.isprintable() for name in written)
    assert written[-2:] == names[-2:]


def test_messages_are_one_short_line() -> None:
    assert one_line("first\x1b[31m\nsecond") == "first\ufffd[31m"
    assert len(one_line("x" * 1000)) == 200


@pytest.mark.parametrize("folder", ["missing", "empty"])
def test_nothing_to_load(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    result = dry_run(tmp_path / folder)
    assert (result.exit_code, result.stdout) == (2 if folder == "missing" else 1, "")


@pytest.mark.parametrize(
    "arguments", [["--encoding", "klingon"], ["--encoding", "base64"], ["--tag", " "]]
)
def test_wrong_usage(tmp_path: Path, arguments: list[str]) -> None:
    assert dry_run(tmp_path, *arguments).exit_code == 2
