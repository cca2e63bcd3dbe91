"""Chunks for models whose tokenizer or window nobody here knows."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ragsql_engine.session import Engine
from unit.stand_ins import FakePlpy


@pytest.fixture
def remote(model_row: dict[str, Any]) -> dict[str, Any]:
    endpoints = '[{"url": "https://embed.example/v1"}]'
    return model_row | {"provider": "openai", "endpoints": endpoints, "max_tokens": None}


def test_chunks_for_a_model_without_a_tokenizer(remote: dict[str, Any], plpy: FakePlpy) -> None:
    engine, text = Engine(plpy, None), "Words of a longer text, one after another. " * 100
    bounded = engine.chunk(text, "word", 200, 0, None, remote | {"max_tokens": 64})
    free = engine.chunk(text, "word", 200, 0, None, remote)
    assert len(bounded) > 2 * len(free)
    assert all(row["token_count"] <= 62 for row in bounded)
    assert [len(row["content"].split()) for row in free] == [200] * 4
    assert {row["token_count"] for row in free} == {None}
    assert spans(free) == spans(engine.chunk(text, "word", 200, 0, None, None))


@pytest.mark.parametrize("strategy", ["token", "documentation"])
def test_chunks_in_tokens_where_nobody_knows_the_window(
    strategy: str, remote: dict[str, Any], plpy: FakePlpy
) -> None:
    text = f"# {'A long title. ' * 60}\n\n" + "Words of a longer text, one after another. " * 100
    rows = Engine(plpy, None).chunk(text, strategy, 100, 0, None, remote)
    assert len(rows) > 8
    assert max(row["token_count"] for row in rows) <= 110
    assert all(len(row["embed_text"] or "") < 2000 for row in rows)


def test_counts_of_chunks_where_nobody_knows_the_window(
    remote: dict[str, Any], plpy: FakePlpy
) -> None:
    counts = Engine(plpy, None).chunk_counts(
        "one two", [0], [7], ["prose"], [None], {"strategy": "word"}, remote, None, None
    )
    assert counts["chunks"] == 1


def test_a_tokenizer_that_is_here_counts_for_a_model_elsewhere(
    real_model: dict[str, Any], models_folder: Path, plpy: FakePlpy
) -> None:
    text = "internationalization " * 50
    elsewhere = real_model | {"provider": "openai", "endpoints": "[]"}
    counts = [
        [row["token_count"] for row in Engine(plpy, folder).chunk(text, "word", 10, 0, None, model)]
        for folder, model in ((str(models_folder), real_model), (str(models_folder), elsewhere))
    ]
    assert counts[0] == counts[1]


def spans(rows: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    return [(row["start_offset"], row["end_offset"]) for row in rows]
