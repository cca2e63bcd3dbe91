"""Real passages and questions out of the shared data, for what is measured on vectors."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SEED = 20


def load(data: Path, size: int, count: int | None = None) -> list[str]:
    """Different passages of about `size` characters, whole words; `count` of them, or all.

    The order is a seeded shuffle, so that fewer passages are a sample of all.
    """
    found = list(dict.fromkeys(piece for text in _texts(data) for piece in _cut(text, size)))
    random.Random(SEED).shuffle(found)
    if count is not None and len(found) < count:
        raise SystemExit(f"{data} has {len(found):,} passages of {size} characters, not {count:,}.")
    return found[:count]


def questions(data: Path) -> list[str]:
    """All questions that come with the data, different ones, in a seeded shuffle."""
    asked = [row["question"] for row in _rows(data / "chunking/questions.jsonl")]
    for folder in ("codebases", "cranfield"):
        asked += [row["text"] for row in _rows(data / folder / "queries.jsonl")]
    found = list(dict.fromkeys(asked))
    random.Random(SEED).shuffle(found)
    return found


def _texts(data: Path) -> Iterator[str]:
    for file in sorted((data / "chunking/corpora").glob("*.md")):
        yield file.read_text(encoding="utf-8")
    for folder in ("codebases", "cranfield"):
        for row in _rows(data / folder / "corpus.jsonl"):
            yield row["text"]


def _cut(text: str, size: int) -> Iterator[str]:
    """Pieces that end with the word that reaches `size` characters; a short rest is left out."""
    words: list[str] = []
    length = 0
    for word in text.split():
        words.append(word)
        length += len(word) + 1
        if length > size:
            yield " ".join(words)
            words, length = [], 0


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
