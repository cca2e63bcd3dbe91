"""What holds for chunks of every strategy."""

import itertools
from typing import Any

from ragsql_engine import chunking
from ragsql_engine.tokens import TokenWindow
from ragsql_engine.visibility import is_visible

RULED = ["word", "character"]
PARSED = ["semantic", "markdown", "code", "json", "clause", "auto"]
MODES = RULED + PARSED


def rows(
    text: str, *arguments: Any, window: TokenWindow | None = None, **hints: Any
) -> list[dict[str, Any]]:
    return list(
        chunking.chunk(text, chunking.plan(*arguments), window, hints=chunking.Hints(**hints))
    )


def assert_sound(text: str, chunks: list[dict[str, Any]]) -> None:
    """What holds for every strategy, size and text."""
    assert [chunk["chunk_index"] for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert chunk["content"] == text[chunk["start_offset"] : chunk["end_offset"]]
        assert is_visible(chunk["content"])
        assert chunk["start_line"] == line_of(text, chunk["start_offset"])
        assert chunk["end_line"] == line_of(text, chunk["end_offset"] - 1)
    for before, after in itertools.pairwise(chunks):
        assert before["start_offset"] < after["start_offset"]
        assert before["end_offset"] < after["end_offset"]


def line_of(text: str, offset: int) -> int:
    """The physical line of a character, counted naively: `splitlines` knows too many ends."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    inside_pair = text[offset - 1 : offset + 1] == "\r\n" and offset > 0
    return 1 + before.count("\n") - inside_pair


def gaps(text: str, chunks: list[dict[str, Any]]) -> str:
    """All characters outside every chunk."""
    position, left_out = 0, []
    for chunk in chunks:
        left_out.append(text[position : chunk["start_offset"]])
        position = max(position, chunk["end_offset"])
    return "".join([*left_out, text[position:]])
