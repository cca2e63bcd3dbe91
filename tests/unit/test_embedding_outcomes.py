"""Passages of which some fail: whose fault it is, and what becomes of the others."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ragsql_engine.embedding.batching import Provider
from ragsql_engine.embedding.outcomes import PROBE, Outcome, embed_each
from ragsql_engine.embedding.texts import embed
from ragsql_engine.errors import (
    DimensionMismatch,
    InvalidParameter,
    InvalidVector,
    LimitExceeded,
    ModelMissing,
    PackageMissing,
    ProviderUnavailable,
    RagError,
    TextRefused,
)
from ragsql_engine.model import Model
from unit.stand_ins import Forgetful, StubProvider, byte_window

TEXTS = [f"passage {number}." for number in range(20)]
FLAKY = ProviderUnavailable("the endpoint failed (500)", certain=False)


@pytest.fixture
def model(model_row: dict[str, Any]) -> Model:
    return Model.from_row(model_row)


def outcomes(
    texts: Sequence[str | None],
    model: Model,
    provider: Provider | Callable[[], Provider],
    pause: Callable[[], None] = lambda: None,
) -> list[Outcome]:
    load = provider if callable(provider) else lambda: provider
    return embed_each(texts, model, byte_window, load, pause=pause)


def assert_only(bad: int, found: Sequence[Outcome], error: type[RagError]) -> None:
    """All texts but number `bad` have their own vector; that one is itself to blame."""
    for number, outcome in enumerate(found):
        if number == bad:
            assert outcome.vector is None and isinstance(outcome.error, error)
            assert not outcome.is_provider_fault and outcome.retry_after is None
        else:
            raw = StubProvider().vector(TEXTS[number])
            assert outcome.vector is not None and outcome.error is None
            assert np.allclose(outcome.vector, raw / np.linalg.norm(raw), atol=1e-6)


def assert_all_down(found: Sequence[Outcome], error: RagError) -> None:
    assert [(o.vector, o.error, o.is_provider_fault) for o in found] == [
        (None, error, True) for _ in found
    ]


def test_all_well(model: Model) -> None:
    provider = StubProvider()
    assert_only(-1, outcomes(TEXTS, model, provider), RagError)
    assert PROBE not in chain(*provider.batches)


@pytest.mark.parametrize(
    "values", [[float("nan")] * 4, [float("inf"), 0, 0, 0], [0] * 4, [1e-9] * 4]
)
def test_e02_e03_e08_one_vector_that_cannot_be_kept(values: list[float], model: Model) -> None:
    provider = StubProvider({"ge 5.": values})
    assert_only(5, outcomes(TEXTS, model, provider), InvalidVector)
    assert len(provider.batches) < len(TEXTS)  # no reason to ask again


@pytest.mark.parametrize("error", [TextRefused("refused (413)"), FLAKY])
def test_g08_one_text_fails_always(error: RagError, model: Model) -> None:
    provider = StubProvider(failing={"ge 5.": error})
    found = outcomes(TEXTS, model, provider)
    assert_only(5, found, type(error))
    assert found[5].error is error


def test_e11_an_endpoint_that_forgets_texts(model: Model) -> None:
    texts = ["alpha", " ", "beta", "\u200b", "gamma"]
    found = outcomes(texts, model, Forgetful())
    assert [type(o.error) for o in found] == [
        type(None),
        InvalidParameter,
        ProviderUnavailable,
        InvalidParameter,
        type(None),
    ]
    assert not any(o.is_provider_fault for o in found)
    for number in (0, 4):
        (alone,) = embed(
            [texts[number]], "passage", model, byte_window(), StubProvider, pause=lambda: None
        )
        kept = found[number].vector
        assert kept is not None and np.array_equal(kept, alone)


class Outage(StubProvider):
    """Answers a number of requests, then none."""

    def __init__(self, answers: int = 0, failing: dict[str, Exception] | None = None) -> None:
        super().__init__(failing=failing)
        self.answers = answers

    def embed(self, texts: Sequence[str], kind: str) -> list[NDArray[Any]]:
        vectors = super().embed(texts, kind)
        if len(self.batches) > self.answers:
            raise FLAKY
        return vectors


@pytest.mark.parametrize("number", [1, 20])
def test_an_outage_charges_no_text(number: int, model: Model) -> None:
    provider = Outage()
    assert_all_down(outcomes(TEXTS[:number], model, provider), FLAKY)
    assert provider.batches[-1] == [PROBE]
    assert len(provider.batches) == 2  # texts are not tried one by one


def test_an_outage_that_begins_while_texts_are_tried_charges_none(model: Model) -> None:
    provider = Outage(answers=5, failing={"ge 19": FLAKY})
    found = outcomes(TEXTS, model, provider)
    assert 0 < sum(o.vector is not None for o in found) < len(TEXTS)
    assert all(o.is_provider_fault for o in found if o.vector is None)


def test_a_text_alone_is_charged_where_the_probe_succeeds(model: Model) -> None:
    provider = StubProvider(failing={"ge 5.": FLAKY})
    (found,) = outcomes([TEXTS[5]], model, provider)
    assert (found.error, found.is_provider_fault) == (FLAKY, False)
    assert provider.batches == [[TEXTS[5]], [PROBE]]


@pytest.mark.parametrize("number", [1, 8])
def test_an_endpoint_that_refuses_everything_charges_no_text(number: int, model: Model) -> None:
    error = TextRefused("the endpoint refuses a text (400)")
    provider = StubProvider(failing={"": error})
    assert_all_down(outcomes(TEXTS[:number], model, provider), error)


@pytest.mark.parametrize(
    "error",
    [
        ProviderUnavailable("too many requests (429)", retry_after=7.5),
        ProviderUnavailable("the endpoint cannot be reached"),
        ModelMissing("model quarry/tiny is not on the server"),
        RagError("the endpoint is not allowed", sqlstate="42501"),
    ],
)
def test_a_certain_fault_stops_at_once(error: RagError, model: Model) -> None:
    provider = StubProvider(failing={"passage": error})
    found = outcomes(TEXTS, model, provider)
    assert_all_down(found, error)
    assert len(provider.batches) == 1
    wait = 7.5 if "429" in error.message else None
    assert {o.retry_after for o in found} == {wait}


def test_what_came_before_a_certain_fault_is_kept(model: Model) -> None:
    error = ProviderUnavailable("too many requests (429)", retry_after=1)
    texts = ["a", "b" * 20, "c" * 31]
    provider = StubProvider(failing={"c": error}, batch_tokens=40)
    found = outcomes(texts, model, provider)
    assert [o.vector is None for o in found] == [False, False, True]
    assert found[2].is_provider_fault and found[2].retry_after == 1


def test_e01_wrong_dimensions_are_no_text_s_fault(model: Model) -> None:
    found = outcomes(TEXTS, model, StubProvider({"passage": [1, 0, 0]}))
    assert {type(o.error) for o in found} == {DimensionMismatch}
    assert all(o.is_provider_fault for o in found)
    assert "3 dimensions, but is registered with 4" in str(found[0].error)


def test_a_provider_that_cannot_be_had(model: Model) -> None:
    def missing() -> Provider:
        raise ModelMissing("no slot")

    def not_installed() -> Provider:
        raise ModuleNotFoundError("No module named 'fastembed'", name="fastembed")

    for load, error in ((missing, ModelMissing), (not_installed, PackageMissing)):
        found = outcomes(["alpha", "", "beta"], model, load)
        assert [type(o.error) for o in found] == [error, InvalidParameter, error]
        assert [o.is_provider_fault for o in found] == [True, False, True]


def test_a_window_that_cannot_be_had(model: Model) -> None:
    def missing() -> Any:
        raise ModelMissing("no tokenizer")

    found = embed_each(["alpha", "beta"], model, missing, StubProvider, pause=lambda: None)
    assert [o.is_provider_fault for o in found] == [True, True]


def test_bad_texts_never_load_a_provider(model: Model) -> None:
    found = outcomes(["", None, "\u200b"], model, lambda: pytest.fail("loaded"))
    assert [type(o.error) for o in found] == [InvalidParameter] * 3


def test_long_texts_fail_alone_or_are_averaged(model_row: dict[str, Any]) -> None:
    texts = ["alpha", "long " * 20, "beta"]
    strict = Model.from_row(model_row | {"long_input": "error"})
    found = outcomes(texts, strict, StubProvider())
    assert [type(o.error) for o in found] == [type(None), LimitExceeded, type(None)]
    assert "the text has 100 tokens" in str(found[1].error)
    averaged = outcomes(texts, Model.from_row(model_row), StubProvider())
    assert all(o.vector is not None for o in averaged)


def test_a_long_text_fails_with_any_of_its_windows(model: Model) -> None:
    bad = StubProvider({"qux": [0] * 4})
    found = outcomes(["x" * 70 + "qux", "alpha"], model, bad)
    assert [type(o.error) for o in found] == [InvalidVector, type(None)]
    assert not found[0].is_provider_fault


def test_equal_texts_share_what_becomes_of_them(model: Model) -> None:
    provider = StubProvider(failing={"bad": TextRefused("refused (400)")})
    found = outcomes(["bad one", "alpha", " bad  one", "alpha "], model, provider)
    assert found[0] == found[2] and isinstance(found[0].error, TextRefused)
    assert found[1].vector is found[3].vector is not None


def test_a_cancel_goes_through(model: Model) -> None:
    class Cancelled(Exception):
        """What plpy raises."""

    asked: list[None] = []

    def pause() -> None:
        asked.append(None)
        if len(asked) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        outcomes(TEXTS, model, StubProvider(failing={"ge 5.": FLAKY}), pause)


def test_what_is_no_expected_failure_goes_through(model: Model) -> None:
    with pytest.raises(ZeroDivisionError):
        outcomes(TEXTS, model, StubProvider(failing={"ge 5.": ZeroDivisionError()}))


def test_each_request_is_within_the_provider_s_bounds(model: Model) -> None:
    provider = StubProvider(batch_tokens=1000, batch_texts=3)
    outcomes(TEXTS, model, provider)
    assert max(map(len, provider.batches)) == 3
    provider = StubProvider(batch_tokens=24, batch_texts=100)
    outcomes(TEXTS, model, provider)
    assert max(map(len, provider.batches)) == 2
