"""Passages that were cut elsewhere: where they are found in their document."""

from __future__ import annotations

import json
import random

import pytest

from support import throws_ok
from support.stub import Stub

LETTERS = "aäß語😀\n .b"


def _content(draw: random.Random) -> str:
    return "".join(draw.choices(LETTERS, k=draw.randint(50, 3_000)))


def _cut(content: str, draw: random.Random) -> list[str]:
    """Passages that follow each other, with gaps and overlaps, none of them blank."""
    passages = []
    start = draw.randrange(10)
    while start < len(content) - 1:
        passage = content[start : start + draw.randint(1, 200)]
        if passage.strip():
            passages.append(passage)
        start += draw.choice([1, len(passage) // 2 + 1, len(passage), len(passage) + 1_500])
    return passages or [content]


def _places(content: str, passages: list[str]) -> list[tuple[int, int, int, int]]:
    """Offsets and lines: each passage begins after the beginning of the one before it."""
    places, begin = [], 0
    for passage in passages:
        start = content.index(passage, begin)
        first = 1 + content.count("\n", 0, start)
        last = first + passage.rstrip("\n").count("\n")
        places.append((start, start + len(passage), first, last))
        begin = start + 1
    return places


@pytest.mark.parametrize("seed", range(10))
def test_places(stub: Stub, seed: int) -> None:
    draw = random.Random(seed)
    content = _content(draw)
    passages = _cut(content, draw)
    rows = stub.run(
        "select (c.chunk).content, (c.chunk).start_offset, (c.chunk).end_offset,"
        " (c.chunk).start_line, (c.chunk).end_line"
        " from unnest(rag_internal.given_chunks(%s, %s, null)) c",
        json.dumps([{"content": passage} for passage in passages]), content,
    )  # fmt: skip
    assert [row[0] for row in rows] == passages
    assert [row[1:] for row in rows] == _places(content, passages)


@pytest.mark.parametrize(
    ("passages", "number"),
    [(["two", "one"], 2), (["one", "nowhere"], 2), (["one two three four"], 1), (["x" * 5_000], 1)],
)
def test_a_passage_that_is_not_there(stub: Stub, passages: list[str], number: int) -> None:
    error = throws_ok(
        stub.root, "select rag.ingest_chunks('c', %s, 'one two three')", "22023",
        f"^chunk {number} is not found", [json.dumps([{"content": text} for text in passages])],
    )  # fmt: skip
    assert "follow each other" in (error.diag.message_hint or "")


def test_many_passages(stub: Stub) -> None:
    texts = [f"passage number {n}" for n in range(20_000)]
    (count,) = stub.run(
        "select cardinality(rag_internal.given_chunks(%s, %s, null))",
        json.dumps([{"content": text} for text in texts]), "\n\n".join(texts),
    )  # fmt: skip
    assert count == 20_000
