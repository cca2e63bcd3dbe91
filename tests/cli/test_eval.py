"""`ragsql eval`: folders, tables, what fails a build, curves."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import psycopg
import pytest
from click.testing import CliRunner, Result

from ragsql.evaluation import folder as folders
from ragsql.evaluation import measuring, plotting, sweep
from ragsql.main import main
from support import SHARED
from support.database import Database

TEXTS = {
    "valve.md": "Close the valve. Then change the filter of the pump.\n\nThe oil stays inside.",
    "oil.md": "The oil is changed every month. Mind the gasket below the motor.",
    "soup.md": "Boil the soup for ten minutes, then add salt and pepper to it.",
}
PASSAGES = {
    "valve.md:0": "Close the valve. Then change the filter of the pump.",
    "valve.md:1": "The oil stays inside.",
    "oil.md:0": TEXTS["oil.md"],
    "soup.md:0": TEXTS["soup.md"],
}
QUERIES = {"1": "change the filter", "2": "gasket", "3": "salt"}
QRELS = {"1": "valve.md:0", "2": "oil.md:0", "3": "soup.md:0"}


def run(database: Database, *arguments: object) -> Result:
    """Run `ragsql eval` on a database."""
    return CliRunner().invoke(main, ["eval", "--dsn", database.dsn, *map(str, arguments)])


def write_rows(file: Path, texts: dict[str, str]) -> None:
    """Write a jsonl file."""
    lines = [json.dumps({"_id": name, "text": text}) for name, text in texts.items()]
    file.write_text("\n".join(lines) + "\n")


def write_qrels(folder: Path, qrels: dict[str, str]) -> None:
    """Write a qrels.tsv."""
    lines = [f"{query}\t{source}\t1\n" for query, source in qrels.items()]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    """A folder with a dataset of three documents in four passages."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    write_rows(folder / "corpus.jsonl", PASSAGES)
    write_rows(folder / "documents.jsonl", TEXTS)
    write_rows(folder / "queries.jsonl", QUERIES)
    write_qrels(folder, QRELS)
    return folder


@pytest.fixture
def empty(db: Database) -> Database:
    """The module's database without collections and datasets."""
    with db.connect() as connection:
        for name, function in (("collection", "drop_collection"), ("dataset", "drop_dataset")):
            names = connection.execute(f"select name from rag_internal.{name}".encode()).fetchall()
            for row in names:
                connection.execute(f"select rag.{function}(%s)".encode(), row)
    return db


def names(database: Database) -> tuple[list[str], list[str]]:
    """Of the collections and of the datasets."""
    with database.connect() as connection:
        collections = connection.execute("select name from rag.collection").fetchall()
        datasets = connection.execute("select name from rag.list_datasets()").fetchall()
    return [row[0] for row in collections], [row[0] for row in datasets]


def test_a_folder_is_loaded_once_and_measured(empty: Database, handbook: Path) -> None:
    result = run(empty, handbook)
    assert result.exit_code == 0, result.output
    assert 'Stored 4 passages in the collection "eval handbook".' in result.stderr
    assert "change of nDCG@10 since the last run: none yet" in result.stderr
    head, _, *lines = result.stdout.splitlines()
    assert head.split() == ["strategy", "stage", *measuring.MEASURES.values(), "change"]
    stages = [tuple(line.split()[:2]) for line in lines]
    assert stages[:6] == [
        ("hybrid", stage) for stage in ("semantic", "bm25", "fuzzy", "recall", "fusion", "result")
    ]
    assert [stage for stage in stages[6:] if stage[1] == "result"] == [
        ("semantic", "result"), ("bm25", "result"), ("fuzzy", "result"),
    ]  # fmt: skip
    assert lines[5].split()[2:] == ["1.0000"] * 5
    assert names(empty) == (["eval handbook"], ["handbook"])
    again = run(empty, handbook, "--strategy", "bm25", "--format", "json")
    assert again.exit_code == 0, again.output
    assert "Stored" not in again.stderr
    (row,) = json.loads(again.stdout)
    assert (row["strategy"], row["stage"], row["queries"], row["ndcg_10"]) == (
        "bm25", "result", 3, 1.0,
    )  # fmt: skip
    assert row["last"]["ndcg_10"] == 1.0


def test_a_drop_beyond_the_tolerance_fails(empty: Database, handbook: Path) -> None:
    assert run(empty, handbook, "--strategy", "bm25").exit_code == 0
    spoil = ("handbook", "--strategy", "bm25", "--set", 'filter={"source": "oil.md:0"}')
    for tolerance, status in ((1, 0), (0.7, 0), (0.6, 1)):
        result = run(empty, *spoil, "--no-save", "--tolerance", tolerance)
        assert result.exit_code == status, result.output
    assert "bm25: nDCG@10 fell from 1.0000 to 0.3333." in result.stderr
    assert "-0.6667" in result.stdout
    assert run(empty, *spoil).exit_code == 1
    # that run was kept, and is no drop from itself
    assert run(empty, *spoil).exit_code == 0


def test_a_dataset_can_be_asked_of_a_collection_that_is_there(
    empty: Database, handbook: Path
) -> None:
    (handbook / "corpus.jsonl").unlink()
    with empty.connect() as connection:
        connection.execute("select rag.create_collection('own', model => 'none')")
        for source, text in PASSAGES.items():
            connection.execute("select rag.ingest('own', %s, %s)", (text, source))
    result = run(empty, handbook, "--collection", "own", "--strategy", "bm25", "--format", "csv")
    assert result.exit_code == 0, result.output
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert row["recall_5"] == "1.0"
    assert names(empty) == (["own"], ["handbook"])


def test_a_sweep_cuts_side_by_side_and_leaves_nothing(
    empty: Database, handbook: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "size.svg"
    result = run(
        empty, handbook, "--sweep", "chunk_size=5,100", "--set", "overlap=0", "--set",
        "min_chunk_size=1", "--strategy", "bm25", "--strategy", "hybrid", "--plot", picture,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    head, _, *lines = (line.split() for line in result.stdout.splitlines())
    assert head == ["chunk_size", "passages", "strategy", *measuring.MEASURES.values()]
    assert [(line[0], line[2]) for line in lines] == [
        ("5", "bm25"), ("5", "hybrid"), ("100", "bm25"), ("100", "hybrid"),
    ]  # fmt: skip
    assert int(lines[0][1]) > int(lines[2][1]) == 3
    assert names(empty) == ([], [])
    assert "<svg" in picture.read_text()


def test_a_sweep_that_fails_leaves_nothing(empty: Database, handbook: Path) -> None:
    result = run(empty, handbook, "--sweep", "chunk_size=50,100", "--set", "strategy=none-such")
    assert result.exit_code == 1
    assert "none-such" in result.stderr
    result = run(empty, handbook, "--sweep", "chunk_size=50", "--set", "rrf_k=-1")
    assert result.exit_code == 1
    assert names(empty) == ([], [])


def test_a_sweep_of_an_argument_of_search(empty: Database, handbook: Path, tmp_path: Path) -> None:
    assert run(empty, handbook, "--strategy", "bm25").exit_code == 0
    picture = tmp_path / "fusion.png"
    result = run(
        empty, "handbook", "--strategy", "hybrid", "--sweep", "fusion=rrf,convex", "--format",
        "jsonl", "--plot", picture,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["value"], row["strategy"]) for row in rows] == [
        ("rrf", "hybrid"), ("convex", "hybrid"),
    ]  # fmt: skip
    assert picture.read_bytes().startswith(b"\x89PNG")
    with empty.connect() as connection:
        kept = connection.execute("select strategy from rag.list_evaluations()").fetchall()
    assert kept == [("bm25",)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], 'dataset "none" does not exist or is not yours'),
        (["none", "--plot", "x.svg"], "--plot draws the curves of --sweep"),
        (["none", "--plot", "x.pdf", "--sweep", "rrf_k=1"], "neither in .png nor in .svg"),
        (["none", "--sweep", "rrf_k"], "is not NAME=VALUE,VALUE"),
        (["none", "--sweep", "rrf_k=1,,2"], "is not NAME=VALUE,VALUE"),
        (["none", "--sweep", "chunk_size=1,2"], "give the folder that holds them"),
        (["none", "--set", "chunk_size=1"], "only a --sweep of one cuts anew"),
        (["none", "--set", "rrf_k"], "is not NAME=VALUE"),
    ],
)
def test_wrong_usage(empty: Database, arguments: Sequence[str], message: str) -> None:
    result = run(empty, *arguments)
    assert result.exit_code == (1 if message.startswith("dataset") else 2)
    assert message in " ".join(result.stderr.split())


def test_a_schema_without_evaluation_says_so(db: Database) -> None:
    with db.connect() as connection:
        connection.execute("create database bare")
    result = CliRunner().invoke(
        main, ["eval", "--dsn", psycopg.conninfo.make_conninfo(db.dsn, dbname="bare"), "x"]
    )
    assert result.exit_code == 3
    assert "ragsql migrate upgrade" in result.stderr


def test_passages_become_excerpts_of_their_documents(handbook: Path) -> None:
    read = folders.read(handbook, whole=True)
    texts = {document.source: document.text for document in read.documents}
    assert texts == TEXTS
    found = {
        judgment.query_id: texts[judgment.source][judgment.start : judgment.end]
        for judgment in read.judgments
    }
    assert found == {query: PASSAGES[passage] for query, passage in QRELS.items()}


def test_a_passage_that_repeats_stands_behind_the_former(handbook: Path) -> None:
    write_rows(handbook / "documents.jsonl", {"a": "same. other. same. end"})
    write_rows(handbook / "corpus.jsonl", {"a:0": "same.", "a:1": "other.", "a:2": "same."})
    write_qrels(handbook, {"1": "a:2", "2": "a:0", "3": "a:1"})
    read = folders.read(handbook, whole=True)
    assert [(judgment.start, judgment.end) for judgment in read.judgments] == [
        (13, 18), (0, 5), (6, 12),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("corpus.jsonl", '{"_id": "1"}\n', "corpus.jsonl, line 1: not a JSON object"),
        ("queries.jsonl", '\n{"_id"', "queries.jsonl, line 2: not a JSON object"),
        ("qrels.tsv", "1\t2\t3\n", "does not name corpus-id, query-id, score"),
        ("qrels.tsv", "query-id\tcorpus-id\tscore\n1\ta\tx\n", "line 2: score is no whole number"),
    ],
)
def test_malformed_files_are_named(handbook: Path, name: str, content: str, message: str) -> None:
    (handbook / name).write_text(content)
    with pytest.raises(click.ClickException) as caught:
        folders.read(handbook)
    assert message in caught.value.message


def test_quotes_in_qrels_are_part_of_a_name(handbook: Path) -> None:
    (handbook / "qrels.tsv").write_text('query-id\tcorpus-id\tscore\n1\t"a\t-1\n1\tb"\t2\n')
    judgments = folders.read(handbook).judgments
    assert [(judgment.source, judgment.relevance) for judgment in judgments] == [
        ('"a', 0), ('b"', 2),
    ]  # fmt: skip


def test_values_of_a_sweep_are_json_or_text() -> None:
    assert sweep.parse("rrf_k=1,2.5,true,none") == sweep.Sweep("rrf_k", (1, 2.5, True, "none"))
    assert sweep.parse("chunk_size=1").cuts
    assert not sweep.parse("candidates=1").cuts


def row(value: Any, strategy: str) -> measuring.Row:
    """A row of a sweep."""
    return {"value": value, "strategy": strategy, **dict.fromkeys(measuring.MEASURES, 0.5)}


def test_values_that_are_no_numbers_are_drawn_side_by_side(tmp_path: Path) -> None:
    file = tmp_path / "x.svg"
    plotting.plot([row("rrf", "hybrid"), row("convex", "hybrid")], "fusion", "title", file)
    assert file.stat().st_size > 1000


@pytest.mark.parametrize("name", ["cranfield", "codebases"])
def test_shared_datasets_can_be_read(shared_data: Path, name: str) -> None:
    assert shared_data == SHARED
    read = folders.read(shared_data / "data" / name, whole=True)
    assert len(read.queries) > 200
    sources = {document.source for document in read.documents}
    judged = [judgment for judgment in read.judgments if judgment.source in sources]
    assert len(judged) > 0.99 * len(read.judgments) > 300
