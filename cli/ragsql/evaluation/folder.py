"""Datasets in folders, laid out as BEIR has them (Thakur et al., NeurIPS 2021).

corpus.jsonl: `_id`, `title`, `text`. queries.jsonl: `_id`, `text`. qrels.tsv (or qrels/test.tsv):
query-id, corpus-id and score below a line with these names. documents.jsonl, where there is one:
`_id` and `text` of whole documents, whose passages in corpus.jsonl are named DOCUMENT:NUMBER.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

_QRELS = ("qrels.tsv", "qrels/test.tsv")
_COLUMNS = ("query-id", "corpus-id", "score")
_MOST_RELEVANT = 30


@dataclass(frozen=True, slots=True)
class Document:
    """A text to be found by its source."""

    source: str
    title: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Judgment:
    """How well a document answers a query, or the characters `start` to `end` of it."""

    query_id: str
    source: str
    relevance: int
    start: int | None = None
    end: int | None = None

    def row(self) -> dict[str, Any]:
        """As rag.add_dataset takes it."""
        row = {"query_id": self.query_id, "source": self.source, "relevance": self.relevance}
        return (
            row
            if self.start is None
            else row | {"start_offset": self.start, "end_offset": self.end}
        )


@dataclass(frozen=True, slots=True)
class Folder:
    """A dataset."""

    name: str
    documents: Sequence[Document]
    queries: Mapping[str, str]
    judgments: Sequence[Judgment]

    def query_rows(self) -> list[dict[str, str]]:
        """As rag.add_dataset takes them."""
        return [{"query_id": name, "query": text} for name, text in self.queries.items()]


def is_folder(name: str) -> bool:
    """Whether the name is that of a folder with a dataset."""
    return (Path(name) / "queries.jsonl").is_file()


def read(folder: Path, whole: bool = False, corpus: bool = True) -> Folder:
    """Read a dataset; `whole`: its documents as they were before they were cut.

    Raises click.ClickException for a file that is malformed; corpus.jsonl is not read without
    `corpus`.
    """
    passages = _documents(folder / "corpus.jsonl") if corpus else []
    queries = {_text(row, "_id"): _text(row, "text") for row in _rows(folder / "queries.jsonl")}
    judgments = [judgment for judgment in _judgments(folder) if judgment.query_id in queries]
    documents: Sequence[Document] = passages
    if whole and (folder / "documents.jsonl").is_file():
        documents = _documents(folder / "documents.jsonl")
        judgments = _excerpts(judgments, passages, documents)
    return Folder(folder.resolve().name, documents, queries, judgments)


def _documents(file: Path) -> list[Document]:
    """Those that hold anything."""
    documents = [
        Document(_text(row, "_id"), row.get("title") or None, _text(row, "text"))
        for row in _rows(file)
    ]
    return [document for document in documents if document.text.strip()]


def _excerpts(
    judgments: Sequence[Judgment], passages: Sequence[Document], documents: Sequence[Document]
) -> list[Judgment]:
    """The judged passages as excerpts of their documents."""
    texts = {document.source: document.text for document in documents}
    places: dict[str, tuple[str, int, int]] = {}
    reached: dict[str, int] = {}
    for passage in passages:
        source = passage.source.rpartition(":")[0]
        # a passage that repeats stands behind the one before it
        start = texts.get(source, "").find(passage.text, reached.get(source, 0))
        if start >= 0:
            reached[source] = start + 1
            places[passage.source] = source, start, start + len(passage.text)
    return [
        Judgment(judgment.query_id, source, judgment.relevance, start, end)
        for judgment in judgments
        if judgment.source in places
        for source, start, end in [places[judgment.source]]
    ]


def _judgments(folder: Path) -> Iterator[Judgment]:
    file = next((folder / name for name in _QRELS if (folder / name).is_file()), None)
    if file is None:
        raise click.ClickException(f"{folder} holds no {_QRELS[0]}.")
    with file.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        if missing := set(_COLUMNS) - set(reader.fieldnames or ()):
            raise click.ClickException(
                f"{file}: the first line does not name {', '.join(sorted(missing))}."
            )
        for row in reader:
            try:
                relevance = max(0, int(row["score"]))
            except (TypeError, ValueError):
                relevance = _MOST_RELEVANT + 1
            if relevance > _MOST_RELEVANT:
                raise click.ClickException(
                    f"{file}, line {reader.line_num}: score is no whole number up to "
                    f"{_MOST_RELEVANT}."
                )
            yield Judgment(row["query-id"], row["corpus-id"], relevance)


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict) or not {"_id", "text"} <= row.keys():
                raise click.ClickException(
                    f"{file}, line {number}: not a JSON object with _id and text."
                )
            yield row


def _text(row: Mapping[str, Any], key: str) -> str:
    return str(row[key]).replace("\0", "")
