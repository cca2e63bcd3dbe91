"""`ragsql load` with a strategy of its own, and with further file endings."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.database import Database
from support.loading import load, load_log, query

KINDS = """
    select d.source, array_agg(distinct c.kind order by c.kind)
    from rag.document d join rag.chunk c using (document_id)
    where d.collection = %s group by 1 order by 1
"""


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("# Pumps\n\n| part | bar |\n|---|---|\n| seal | 3 |\n")
    (tmp_path / "b.py").write_text(
        "# Copyright 2026 Somebody\nimport os\n\ndef f():\n    return 1\n"
    )
    (tmp_path / "c.yaml").write_text("# the service\nkind: Service\nmetadata:\n  name: web\n")
    (tmp_path / "d.lua").write_text("local function open(valve)\n  return valve + 1\nend\n")
    return tmp_path


def test_further_endings_and_a_strategy(db: Database, mixed: Path) -> None:
    arguments = ("--collection", "mixed", "--strategy", "auto", "--ext", "py", "--ext", "*.YAML")
    result = load(db, mixed, *arguments)
    assert result.exit_code == 0, result.output
    assert query(db, KINDS, "mixed") == [
        ("a.md", ["table"]),
        ("b.py", ["code"]),
        ("c.yaml", ["data"]),
    ]
    # of code and data the name, whatever a comment says
    titles = query(db, "select title from rag.document where collection = 'mixed' order by source")
    assert titles == ["Pumps", "b.py", "c.yaml"]
    # the collection was made so: the next load keeps to it
    again = load(db, mixed, "--collection", "mixed", "--ext", ".py", "--ext", ".yaml")
    assert set(load_log(db, again).values()) == {("unchanged", 0, None)}


def test_a_collection_keeps_its_own_settings(db: Database, mixed: Path) -> None:
    load(db, mixed, "--collection", "words")
    load(db, mixed, "--collection", "words", "--strategy", "markdown")
    settings = "select strategy from rag.collection where name = 'words'"
    assert query(db, settings) == ["word"]
    assert query(db, KINDS, "words") == [("a.md", ["table"])]


def test_what_is_cut_otherwise_is_said(db: Database, mixed: Path) -> None:
    arguments = ("--collection", "code", "--strategy", "code", "--ext", ".lua")
    result = load(db, mixed / "d.lua", *arguments)
    assert result.exit_code == 0, result.output
    assert "warning: d.lua: no grammar for lua" in result.stderr
    assert "1 with a warning" in result.stderr
    (entry,) = load_log(db, result).values()
    assert entry[0] == "created" and str(entry[2]).startswith("no grammar for lua")
    assert load(db, mixed / "d.lua", *arguments, "--strict", "--chunk-size", "900").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--strategy", "sentnce"], 1, "there is no chunking strategy named 'sentnce'"),
        (["--strategy", "word", "--chunk-size", "6000"], 1, "must be 1 to 5000 words"),
        (["--strategy", "word", "--chunk-size", "5", "--overlap", "5"], 1, "Try an overlap of 1."),
        (["--ext", ".py,.go"], 2, "is no file ending"),
        (["--ext", "*"], 2, "is no file ending"),
    ],
)
def test_settings_that_cannot_work_fail_once(
    db: Database, mixed: Path, arguments: list[str], code: int, said: str
) -> None:
    result = load(db, mixed, "--collection", "none", *arguments)
    assert result.exit_code == code
    assert said in result.stderr
    assert query(db, "select count(*) from rag.collection where name = 'none'") == [0]
