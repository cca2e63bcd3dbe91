"""The way from texts to vectors, with stub models that misbehave."""

from collections.abc import Sequence
from itertools import chain, count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.embedding import inputs
from ragsql_engine.embedding.batching import BATCH_TOKENS, batches
from ragsql_engine.embedding.outcomes import embed_each
from ragsql_engine.embedding.texts import embed
from ragsql_engine.embedding.vectors import Vector, to_text, unit_vectors
from ragsql_engine.errors import (
    DimensionMismatch,
    InvalidParameter,
    InvalidVector,
    LimitExceeded,
    ProviderUnavailable,
)
from ragsql_engine.model import Model
from ragsql_engine.tokens import EstimatedWindow
from unit.stand_ins import Forgetful, StubProvider, byte_window


@pytest.fixture
def model(model_row: dict[str, Any]) -> Model:
    return Model.from_row(model_row)


def run(
    texts: Sequence[str | None],
    model: Model,
    provider: StubProvider | None = None,
    kind: str = "passage",
) -> list[Vector]:
    stub = provider or StubProvider()
    return embed(texts, kind, model, byte_window(), lambda: stub, pause=lambda: None)


def test_order_and_unit_length(model: Model) -> None:
    texts = ["delta delta", "a", "delta", "bb", "a"]
    vectors = run(texts, model)
    for text, vector in zip(texts, vectors, strict=True):
        raw = StubProvider().vector(text)
        assert np.allclose(vector, raw / np.linalg.norm(raw))
        assert np.linalg.norm(vector) == pytest.approx(1)


def test_texts_equal_but_for_white_space_are_embedded_once(model: Model) -> None:
    provider = StubProvider()
    vectors = run(["a", "b c", "a", " a\n", "b\t c", "bc", "A"], model, provider)
    assert sorted(chain(*provider.batches)) == ["A", "a", "b c", "bc"]
    for number, same in enumerate([0, 1, 0, 0, 1, 5, 6]):
        assert np.array_equal(vectors[number], vectors[same])
    assert len({vector.tobytes() for vector in vectors}) == 4


def test_nothing_to_embed(model: Model) -> None:
    provider = StubProvider()
    assert run([], model, provider) == []
    assert provider.batches == []


@given(st.dictionaries(st.text(max_size=5), st.integers(1, 400), max_size=40))
def test_batches_are_bounded_and_complete(lengths: dict[str, int]) -> None:
    groups = list(batches(lengths, texts=7))
    assert sorted(chain(*groups)) == sorted(lengths)
    for group in groups:
        assert len(group) <= 7
        assert len(group) == 1 or max(lengths[t] for t in group) * len(group) <= BATCH_TOKENS


def test_a_pause_before_each_batch(model: Model) -> None:
    provider = StubProvider()
    pauses: list[None] = []
    embed(
        [f"{number:030}" for number in range(40)],
        "passage",
        model,
        byte_window(),
        lambda: provider,
        pause=lambda: pauses.append(None),
    )
    assert len(pauses) == len(provider.batches) > 3


def test_texts_are_read_in_a_way_that_can_be_cancelled(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock by which each look takes a minute: no batch is reached before the cancel."""
    minutes = count(0, 60)
    monkeypatch.setattr(inputs, "time", SimpleNamespace(monotonic=lambda: next(minutes)))
    asked: list[None] = []

    def pause() -> None:
        asked.append(None)
        if len(asked) == 5:
            raise KeyboardInterrupt

    provider = StubProvider()
    for texts in (["word " * 100], [f"text {number}" for number in range(9)]):
        asked.clear()
        with pytest.raises(KeyboardInterrupt):
            embed(texts, "query", model, byte_window(), lambda: provider, pause=pause)
        with pytest.raises(KeyboardInterrupt):
            asked.clear()
            embed_each(texts, model, byte_window, lambda: provider, pause=pause)
    assert provider.batches == []


@pytest.mark.parametrize("text", [None, "", " \n", "\u200b\ufeff"])
def test_a17_text_without_visible_characters_is_refused(text: str | None, model: Model) -> None:
    provider = StubProvider()
    with pytest.raises(InvalidParameter, match=r"text 2 is (null|blank)"):
        run(["alpha", text], model, provider)
    assert provider.batches == []


def test_unknown_kind_is_refused(model: Model) -> None:
    with pytest.raises(InvalidParameter, match="must be 'query' or 'passage'"):
        run(["alpha"], model, kind="document")


@pytest.mark.parametrize("kind", ["query", "passage"])
def test_a_text_beyond_the_window_has_the_average_of_its_windows(
    kind: str, model_row: dict[str, Any]
) -> None:
    model = Model.from_row(model_row | {"query_prefix": "q: ", "passage_prefix": "p: "})
    provider = StubProvider()
    text = "é" * 30 + "z"  # 61 bytes: windows of 28, 28 and 5 beside the prefix
    (vector,) = run([text], model, provider, kind)
    parts = ["é" * 14, "é" * 14, "éé" + "z"]
    prefix = f"{kind[0]}: "
    assert sorted(chain(*provider.batches)) == sorted({prefix + part for part in parts})
    units = [raw / np.linalg.norm(raw) for raw in (provider.vector(prefix + p) for p in parts)]
    mean = np.average(units, axis=0, weights=[28, 28, 5])
    assert np.allclose(vector, mean / np.linalg.norm(mean), atol=1e-6)
    assert not np.allclose(vector, np.mean(units, axis=0) / np.linalg.norm(mean), atol=1e-3)


def test_windows_hold_every_word_whole(model: Model) -> None:
    provider = StubProvider()
    words = [str(number) for number in range(200)]
    run(["  ".join(words)], model, provider)
    parts = list(chain(*provider.batches))
    assert sorted(chain(*(part.split() for part in parts))) == sorted(words)
    assert len(parts) > 20


def test_windows_without_a_visible_character_are_left_out(model: Model) -> None:
    provider = StubProvider()
    run(["begin" + " " * 100 + "end"], model, provider)
    assert all(part.strip() for part in chain(*provider.batches))
    assert len(list(chain(*provider.batches))) == 2


def test_a_prefix_that_fills_the_window(model_row: dict[str, Any]) -> None:
    model = Model.from_row(model_row | {"passage_prefix": "p" * 32})
    with pytest.raises(LimitExceeded, match="text 1 has a character that does not fit"):
        run(["x"], model)


@pytest.mark.parametrize("kind", ["query", "passage"])
def test_a_text_beyond_the_window_is_refused_where_the_model_says_so(
    kind: str, model_row: dict[str, Any]
) -> None:
    provider = StubProvider()
    strict = Model.from_row(model_row | {"long_input": "error"})
    with pytest.raises(LimitExceeded, match="text 2 has 33 tokens, but model quarry/tiny reads 32"):
        run(["x" * 32, "x" * 33], strict, provider, kind)
    assert provider.batches == []
    assert len(run(["x" * 32], strict, provider, kind)) == 1


def test_a_window_that_nobody_knows_bounds_nothing(model_row: dict[str, Any]) -> None:
    model = Model.from_row(model_row | {"max_tokens": None, "long_input": "error"})
    provider = StubProvider()
    text = "word " * 50_000
    embed([text], "passage", model, EstimatedWindow(None), lambda: provider, pause=lambda: None)
    assert provider.batches == [[text]]


def test_e02_a_vector_that_is_not_finite_is_refused(model: Model) -> None:
    for bad in (float("nan"), float("inf")):
        with pytest.raises(InvalidVector, match="not finite") as caught:
            run(["alpha", "qux"], model, StubProvider({"qux": [bad, 0, 0, 0]}))
        assert caught.value.sqlstate == "22000"


def test_e03_a_zero_vector_is_refused_for_passages_and_queries(model: Model) -> None:
    for kind in ("passage", "query"):
        with pytest.raises(InvalidVector, match="length zero"):
            run(["alpha", "qux"], model, StubProvider({"qux": [0, 0, 0, 0]}), kind)


def test_e08_half_precision_neither_overflows_nor_vanishes(model: Model) -> None:
    (large,) = run(["qux"], model, StubProvider({"qux": [70_000, 1, 0, 0]}))
    assert np.isfinite(large.astype(np.float16)).all()
    with pytest.raises(InvalidVector, match="length zero"):
        run(["qux"], model, StubProvider({"qux": [1e-9] * 4}))


@pytest.mark.parametrize("size", [1e30, 1e200, 1e-5])
def test_components_of_any_size_have_a_direction(size: float, model: Model) -> None:
    (unit,) = unit_vectors([np.array([size, size, 0, 0])], 1, model)
    assert isinstance(unit, np.ndarray)
    assert np.allclose(unit, [0.5**0.5, 0.5**0.5, 0, 0])


def test_a_vector_of_unit_length_stays_as_it_is(model: Model) -> None:
    generator = np.random.default_rng(5)
    for _ in range(200):
        wide = generator.normal(size=4)
        vector = (wide / np.linalg.norm(wide)).astype(np.float32)
        for raw in (vector, vector.astype(np.float64)):
            (unit,) = unit_vectors([raw], 1, model)
            assert isinstance(unit, np.ndarray) and np.array_equal(unit, vector)


def test_e11_fewer_vectors_than_texts_are_refused(model: Model) -> None:
    with pytest.raises(ProviderUnavailable, match="gave 2 vectors for 3 texts"):
        run(["alpha", "beta", "gamma"], model, Forgetful())


def test_e12_queries_and_passages_take_their_own_prefix(model_row: dict[str, Any]) -> None:
    prefixes = {"query_prefix": "query: ", "passage_prefix": "passage: "}
    model = Model.from_row(model_row | prefixes)
    provider = StubProvider()
    query, passage = (run(["same"], model, provider, kind)[0] for kind in ("query", "passage"))
    assert provider.batches == [["query: same"], ["passage: same"]]
    assert not np.array_equal(query, passage)


def test_dimension_mismatch_names_both_numbers(model: Model) -> None:
    with pytest.raises(
        DimensionMismatch, match="vectors of 3 dimensions, but is registered with 4"
    ):
        unit_vectors([np.ones(3, np.float32)], 1, model)


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=5))
def test_text_form_is_exact(values: list[float]) -> None:
    vector = np.array(values, np.float32)
    read = np.array(to_text(vector).strip("[]").split(","), np.float32)
    assert np.array_equal(vector, read)
