"""The way from texts to vectors, with stub models that misbehave."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragsql_engine.embedding.batching import BATCH_TOKENS, batches
from ragsql_engine.embedding.texts import embed
from ragsql_engine.embedding.vectors import Vector, to_text, unit_vectors
from ragsql_engine.errors import InvalidParameter, InvalidVector, LimitExceeded
from ragsql_engine.model import Model
from unit.stand_ins import byte_window


class StubProvider:
    """Gives each text a vector of its own, unless told to give another one."""

    def __init__(self, special: dict[str, list[float]] | None = None) -> None:
        self.special = special or {}
        self.batches: list[list[str]] = []

    def embed(self, texts: Sequence[str], kind: str) -> list[NDArray[Any]]:
        self.batches.append(list(texts))
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> NDArray[Any]:
        for word, values in self.special.items():
            if word in text:
                return np.array(values, dtype=np.float32)
        return np.array([*text.encode()[:3].ljust(3), len(text)], dtype=np.float32)


class Forgetful(StubProvider):
    """Drops blank texts, as some endpoints do."""

    def embed(self, texts: Sequence[str], kind: str) -> list[NDArray[Any]]:
        return super().embed([text for text in texts if "beta" not in text], kind)


@pytest.fixture
def model(model_row: dict[str, Any]) -> Model:
    return Model.from_row(model_row)


def run(
    texts: Sequence[str | None],
    model: Model,
    provider: StubProvider | None = None,
    kind: str = "passage",
    said: list[str] | None = None,
) -> list[Vector]:
    stub = provider or StubProvider()
    return embed(
        texts,
        kind,
        model,
        byte_window(),
        lambda: stub,
        warn=(said if said is not None else []).append,
        pause=lambda: None,
    )


def test_order_and_unit_length(model: Model) -> None:
    texts = ["delta delta", "a", "delta", "bb", "a"]
    vectors = run(texts, model)
    for text, vector in zip(texts, vectors, strict=True):
        raw = StubProvider().vector(text)
        assert np.allclose(vector, raw / np.linalg.norm(raw))
        assert np.linalg.norm(vector) == pytest.approx(1)


def test_equal_texts_are_embedded_once(model: Model) -> None:
    provider = StubProvider()
    vectors = run(["a", "b", "a", "a ", "a"], model, provider)
    assert sorted(chain(*provider.batches)) == ["a", "a ", "b"]
    assert np.array_equal(vectors[0], vectors[4])


def test_nothing_to_embed(model: Model) -> None:
    provider = StubProvider()
    assert run([], model, provider) == []
    assert provider.batches == []


@given(st.dictionaries(st.text(max_size=5), st.integers(1, 400), max_size=40))
def test_batches_are_bounded_and_complete(lengths: dict[str, int]) -> None:
    groups = list(batches(lengths))
    assert sorted(chain(*groups)) == sorted(lengths)
    for group in groups:
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
        warn=lambda _: None,
        pause=lambda: pauses.append(None),
    )
    assert len(pauses) == len(provider.batches) > 3


@pytest.mark.parametrize("text", [None, "", " \n", "\u200b\ufeff"])
def test_a17_text_without_visible_characters_is_refused(text: str | None, model: Model) -> None:
    provider = StubProvider()
    with pytest.raises(InvalidParameter, match=r"text 2 is (null|blank)"):
        run(["alpha", text], model, provider)
    assert provider.batches == []


def test_unknown_kind_is_refused(model: Model) -> None:
    with pytest.raises(InvalidParameter, match="must be 'query' or 'passage'"):
        run(["alpha"], model, kind="document")


def test_a_passage_beyond_the_window_is_refused(model: Model) -> None:
    with pytest.raises(LimitExceeded, match="text 2 has 33 tokens, but model quarry/tiny reads 32"):
        run(["x" * 32, "x" * 33], model)


def test_a_query_beyond_the_window_is_cut_and_said(model: Model) -> None:
    said: list[str] = []
    provider = StubProvider()
    run(["é" * 20], model, provider, "query", said)
    assert provider.batches == [["é" * 16]]
    (warning,) = said
    assert warning.startswith("query has 40 tokens, but model quarry/tiny reads 32: ")
    assert warning.endswith("only its first 16 characters were embedded")


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


def test_e11_fewer_vectors_than_texts_are_refused(model: Model) -> None:
    with pytest.raises(InvalidVector, match="gave 2 vectors for 3 texts"):
        run(["alpha", "beta", "gamma"], model, Forgetful())


def test_e12_queries_and_passages_take_their_own_prefix(model_row: dict[str, Any]) -> None:
    prefixes = {"query_prefix": "query: ", "passage_prefix": "passage: "}
    model = Model.from_row(model_row | prefixes)
    provider = StubProvider()
    query, passage = (run(["same"], model, provider, kind)[0] for kind in ("query", "passage"))
    assert provider.batches == [["query: same"], ["passage: same"]]
    assert not np.array_equal(query, passage)


def test_dimension_mismatch_names_both_numbers(model: Model) -> None:
    with pytest.raises(InvalidVector, match="vectors of 3 dimensions, but is registered with 4"):
        unit_vectors([np.ones(3, np.float32)], 1, model)


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=5))
def test_text_form_is_exact(values: list[float]) -> None:
    vector = np.array(values, np.float32)
    read = np.array(to_text(vector).strip("[]").split(","), np.float32)
    assert np.array_equal(vector, read)
