"""From passages to probabilities: windows, batches, fall-back; and a real cross-encoder."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragsql_engine.embedding.slots import Slot
from ragsql_engine.errors import (
    InvalidParameter,
    LimitExceeded,
    ModelMissing,
    ProviderUnavailable,
    RagError,
    TextRefused,
)
from ragsql_engine.rerank.reranker import Reranker
from ragsql_engine.rerank.scoring import relevances, sigmoid
from ragsql_engine.session import Engine
from ragsql_engine.tokens import EstimatedWindow, TokenWindow
from support.cross_encoder import KNOWN, make_cross_encoder
from unit.stand_ins import FakePlpy, SqlError, word_window


def row(name: str = "own/overlap", **more: Any) -> dict[str, Any]:
    """A row of rag_internal.reranker, as PL/Python hands it over."""
    return {
        "name": name,
        "provider": "fastembed",
        "revision": "",
        "max_tokens": None,
        "endpoints": "[]",
        "scores": "logit",
        "is_default": True,
    } | more


class Overlap:
    """A scorer that counts the words in common, and fails as told."""

    batch_tokens = 10_000
    batch_texts = 4

    def __init__(
        self, scores: str = "logit", fault: Callable[[str], RagError] | None = None
    ) -> None:
        self.scores = scores
        self.asked: list[tuple[str, list[str]]] = []
        self._fault = fault

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        self.asked.append((query, list(passages)))
        if self._fault and any("spoilt" in passage for passage in passages):
            raise self._fault("it failed")
        return [float(self.of(query, passage)) for passage in passages]

    @staticmethod
    def of(query: str, passage: str) -> int:
        return len(set(query.split()) & set(passage.split()))


def scored(
    query: str | None,
    passages: Sequence[str | None],
    scorer: Any,
    window: TokenWindow | None = None,
    pause: Callable[[], None] = lambda: None,
) -> list[float]:
    return relevances(
        query,
        passages,
        Reranker.from_row(row(scores=scorer.scores)),
        window or word_window(),
        lambda: scorer,
        pause=pause,
    )


def test_sigmoid() -> None:
    assert sigmoid(0) == 0.5
    assert sigmoid(-1000) == 0
    assert sigmoid(1000) == 1
    assert sigmoid(-2) == pytest.approx(1 - sigmoid(2))


def test_scores_are_in_the_order_of_the_passages() -> None:
    scorer = Overlap()
    passages = ["soup", "close the valve", "a valve", "close the valve", "the valve was open"]
    assert scored("close the valve", passages, scorer) == [
        sigmoid(Overlap.of("close the valve", passage)) for passage in passages
    ]
    asked = [passage for _, batch in scorer.asked for passage in batch]
    assert sorted(asked) == sorted(set(passages))  # equal ones once
    assert max(len(batch) for _, batch in scorer.asked) <= Overlap.batch_texts


def test_blank_and_missing_passages_are_not_relevant() -> None:
    scorer = Overlap()
    assert scored("valve", [None, "", " \u200b\n", "valve"], scorer) == [0, 0, 0, sigmoid(1)]
    assert scored("valve", [None, ""], scorer) == [0, 0]
    assert len(scorer.asked) == 1


@pytest.mark.parametrize("query", [None, "", " \u200b"])
def test_a_query_has_a_visible_character(query: str | None) -> None:
    with pytest.raises(InvalidParameter, match=r"null|blank"):
        scored(query, ["valve"], Overlap())


def test_a_long_passage_is_as_relevant_as_its_best_part() -> None:
    scorer, window = Overlap(), word_window(20)
    soup = " ".join(f"soup{number}" for number in range(40))
    passage = f"{soup} close the valve {soup.upper()}"
    (found, short) = scored("close the valve", [passage, "soup"], scorer, window)
    assert found > short
    parts = [part for _, batch in scorer.asked for part in batch if part != "soup"]
    assert sorted(word for part in parts for word in part.split()) == sorted(passage.split())
    assert all(3 + len(part.split()) <= window.max_tokens - 2 for part in parts)
    assert found == max(sigmoid(Overlap.of("close the valve", part)) for part in parts)


def test_a_long_query_leaves_half_of_the_window_to_passages() -> None:
    scorer, window = Overlap(), word_window(20)
    query = " ".join(f"word{number}" for number in range(100))
    scored(query, ["word1 word2"], scorer, window)
    ((read, _),) = scorer.asked
    assert query.startswith(read.strip())
    assert len(read.split()) == (window.capacity - 2) // 2


def test_a_passage_without_end_is_refused() -> None:
    with pytest.raises(LimitExceeded, match=r"passage 2 has 1000001 characters"):
        scored("valve", ["x", "x" * 1_000_001], Overlap(), EstimatedWindow(None))


def test_probabilities_stay_as_they_are() -> None:
    class Share(Overlap):
        def score(self, query: str, passages: Sequence[str]) -> list[float]:
            return [1.0005 if passage == "valve" else 0.25 for passage in passages]

    assert scored("valve", ["valve", "soup"], Share("probability")) == [1, 0.25]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("scores", ["logit", "probability"])
def test_a_score_that_is_no_number(value: float, scores: str) -> None:
    class Broken(Overlap):
        def score(self, query: str, passages: Sequence[str]) -> list[float]:
            return [value] * len(passages)

    with pytest.raises(ProviderUnavailable, match="no number"):
        scored("valve", ["valve"], Broken(scores))


def test_logits_that_are_taken_for_probabilities() -> None:
    with pytest.raises(ProviderUnavailable, match="no probability") as caught:
        scored("close the valve", ["close the valve"], Overlap("probability"))
    assert '"scores": "logit"' in str(caught.value.hint)


PASSAGES = ["a valve", "the pump", "a spoilt valve", "soup"]


def uncertain(message: str) -> RagError:
    return ProviderUnavailable(message, certain=False)


def test_a_batch_that_fails_is_tried_one_by_one() -> None:
    """Once for a passing fault; the answer is whole then."""

    class Moody(Overlap):
        def score(self, query: str, passages: Sequence[str]) -> list[float]:
            if len(passages) > 1:
                self.asked.append((query, list(passages)))
                raise uncertain("too much at once")
            return super().score(query, passages)

    scorer = Moody()
    assert scored("valve", PASSAGES, scorer) == [sigmoid(n) for n in (1, 0, 1, 0)]
    assert [len(batch) for _, batch in scorer.asked] == [4, 1, 1, 1, 1]


@pytest.mark.parametrize("fault", [uncertain, TextRefused])
def test_a_passage_that_cannot_be_scored_fails_the_call(fault: Callable[[str], RagError]) -> None:
    scorer = Overlap(fault=fault)
    with pytest.raises(ProviderUnavailable, match="it failed") as caught:
        scored("valve", PASSAGES, scorer)
    assert caught.value.sqlstate == "55000"
    assert len(scorer.asked) > 1


def test_a_certain_fault_is_not_tried_again() -> None:
    scorer = Overlap(fault=ProviderUnavailable)
    with pytest.raises(ProviderUnavailable, match="it failed"):
        scored("valve", PASSAGES, scorer)
    assert len(scorer.asked) == 1


def test_a_cancel_comes_through() -> None:
    class Cancelled(Exception):
        pass

    scorer = Overlap()

    def pause() -> None:
        if len(scorer.asked) == 1:
            raise Cancelled

    with pytest.raises(Cancelled):
        scored("valve", [f"valve {number}" for number in range(20)], scorer, pause=pause)
    assert len(scorer.asked) == 1


# a real model ------------------------------------------------------------------------------------
QUERY = "close the valve"
TEXTS = ["open the valve", "soup", "Close, the valve!"]
LOGITS = [8 * 2 / 3 - 4, -4, 4]


@pytest.fixture(scope="module")
def tokenizer(models_folder: Path, real_model: dict[str, Any]) -> Path:
    return models_folder / str(real_model["name"]).replace("/", "--")


@pytest.fixture
def models(tmp_path: Path, tokenizer: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of models with cross-encoders: one that fastembed knows by name, and one of ours."""
    monkeypatch.delenv("RAGSQL_MODELS", raising=False)
    make_cross_encoder(tmp_path, tokenizer)
    make_cross_encoder(tmp_path, tokenizer, "own/overlap", window=64)
    return tmp_path


@pytest.mark.parametrize("name", [KNOWN, "own/overlap"])
def test_a_cross_encoder_reads_pairs(models: Path, name: str) -> None:
    engine = Engine(FakePlpy(), str(models))
    expected = [sigmoid(logit) for logit in LOGITS]
    assert engine.rerank(QUERY, TEXTS, row(name)) == pytest.approx(expected, abs=1e-5)
    assert engine.rerank(QUERY, [], row(name)) == []
    assert engine.rerank(QUERY, None, row(name)) == []
    assert engine.unload_models() == 1


def test_what_is_beyond_its_window_is_not_cut_off(models: Path) -> None:
    engine = Engine(FakePlpy(), str(models))
    passage = f"{'soup and bread ' * 60}close the valve"
    (found,) = engine.rerank(QUERY, [passage], row())
    assert found == pytest.approx(sigmoid(4), abs=1e-5)


def test_one_session_has_one_slot(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (models / "pg_stat_tmp").mkdir()
    monkeypatch.chdir(models)
    engine = Engine(FakePlpy(model_slots="1"), str(models))
    engine.rerank(QUERY, TEXTS, row())
    engine.rerank(QUERY, TEXTS, row(KNOWN))
    with pytest.raises(ModelMissing, match="all 1 slots"):
        Slot().take(1)
    assert engine.unload_models() == 2
    Slot().take(1)


def test_missing_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGSQL_MODELS", raising=False)
    for folder in (None, str(tmp_path)):
        engine = Engine(FakePlpy(), folder)
        with pytest.raises(SqlError, match=r"own/overlap") as caught:
            engine.rerank(QUERY, TEXTS, row())
        assert caught.value.sqlstate == "55000"
        assert "rerank => 'none'" in str(caught.value.hint)
        assert engine.reranker_status(row())["present"] is False


def test_damaged_weights(models: Path) -> None:
    weights = models / "own--overlap" / "onnx" / "model.onnx"
    weights.write_bytes(weights.read_bytes()[:300])
    engine = Engine(FakePlpy(), str(models))
    with pytest.raises(SqlError, match="reranker own/overlap cannot be loaded") as caught:
        engine.rerank(QUERY, TEXTS, row())
    assert caught.value.sqlstate == "55000"
    assert str(models) not in f"{caught.value.detail}{caught.value.hint}"


def test_weights_that_are_no_cross_encoder(
    models: Path, models_folder: Path, tokenizer: Path, real_model: dict[str, Any]
) -> None:
    """An embedding model gives a vector for each token, which is not one number for each pair."""
    (source,) = tokenizer.rglob("*.onnx")
    (models / "own--overlap" / "onnx" / "model.onnx").write_bytes(source.read_bytes())
    engine = Engine(FakePlpy(), str(models))
    with pytest.raises(SqlError, match="reranker own/overlap failed") as caught:
        engine.rerank(QUERY, TEXTS, row())
    assert caught.value.sqlstate == "55000"
    assert "valve" not in f"{caught.value} {caught.value.detail} {caught.value.hint}"


def test_status(models: Path) -> None:
    engine = Engine(FakePlpy(), str(models))
    status = engine.reranker_status(row())
    assert status["present"] is True
    assert status["directory"] == str(models / "own--overlap")


def test_an_embedder_that_is_away(models: Path, tmp_path: Path) -> None:
    engine = Engine(FakePlpy(embedder=f"unix:{tmp_path}/no.sock"), str(models))
    with pytest.raises(SqlError, match=r"the embedder at .* does not answer"):
        engine.rerank(QUERY, TEXTS, row())
    assert engine.reranker_status(row())["present"] is False
    assert engine.unload_models() == 0
