"""What a session keeps of models, and the ways to them that its settings choose."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragsql_engine.embedding import fastembed_provider, providers
from ragsql_engine.embedding.slots import Slot
from ragsql_engine.errors import ModelMissing
from ragsql_engine.session import Engine
from unit.stand_ins import FakePlpy, SqlError, StubProvider

# A missing model is fetched before the first engine takes the process off the network.
pytestmark = pytest.mark.usefixtures("models_folder")


@pytest.fixture
def external(model_row: dict[str, Any]) -> dict[str, Any]:
    return model_row | {"provider": "external", "endpoints": "[]"}


@pytest.fixture
def remote(model_row: dict[str, Any]) -> dict[str, Any]:
    """As PL/Python gives it: jsonb is text."""
    endpoints = '[{"url": "https://embed.example/v1", "key_variable": "EMBED_KEY"}]'
    return model_row | {"provider": "openai", "endpoints": endpoints, "max_tokens": None}


class Recorder:
    """In place of `Providers.find`: one stub, whatever the model."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stub = StubProvider()
        monkeypatch.setattr(providers.Providers, "find", lambda *_: self.stub)

    @property
    def asked(self) -> int:
        return len(self.stub.batches)


def test_queries_are_kept(
    remote: dict[str, Any], plpy: FakePlpy, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder, engine = Recorder(monkeypatch), Engine(plpy, None)
    first = engine.embed_query("how", remote, "alice")
    assert engine.embed_query("how", remote, "alice") == first
    assert recorder.asked == 1
    for number in range(64):
        engine.embed_query(f"other {number}", remote, "alice")
    assert recorder.asked == 65
    engine.embed_query("other 0", remote, "alice")
    assert recorder.asked == 65
    engine.embed_query("how", remote, "alice")  # 64 came after it
    assert recorder.asked == 66


@pytest.mark.parametrize(
    "change",
    [
        {"name": "quarry/small"},
        {"revision": "2"},
        {"provider": "external"},
        {"endpoints": '[{"url": "https://other.example/v1"}]'},
        {"query_prefix": "query: "},
        {"long_input": "error"},
        {"max_tokens": 64},
    ],
)
def test_e12_a_kept_query_is_that_of_its_model(
    change: dict[str, Any],
    remote: dict[str, Any],
    plpy: FakePlpy,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder, engine = Recorder(monkeypatch), Engine(plpy, None)
    engine.embed_query("how", remote, "alice")
    engine.embed_query("how", remote | change, "alice")
    assert recorder.asked == 2


def test_a_kept_query_is_that_of_who_asked_and_never_a_passage_s(
    remote: dict[str, Any], plpy: FakePlpy, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder, engine = Recorder(monkeypatch), Engine(plpy, None)
    engine.embed_query("how", remote, "alice")
    engine.embed_query("how", remote, "bob")
    engine.embed_query("how ", remote, "bob")
    engine.embed_passages(["how"], remote)
    engine.embed(["how"], "passage", remote)
    assert recorder.asked == 5


def test_a_query_that_fails_is_not_kept(
    remote: dict[str, Any], plpy: FakePlpy, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder, engine = Recorder(monkeypatch), Engine(plpy, None)
    recorder.stub.failing["how"] = ModelMissing("away")
    with pytest.raises(SqlError, match="away"):
        engine.embed_query("how", remote, "alice")
    recorder.stub.failing.clear()
    assert engine.embed_query("how", remote, "alice").startswith("[")


def test_rows_of_passages(
    remote: dict[str, Any], plpy: FakePlpy, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder, engine = Recorder(monkeypatch), Engine(plpy, None)
    recorder.stub.special["zero"] = [0] * 4
    recorder.stub.special["x"] = [0, 3, 0, 4]
    rows = engine.embed_passages(["x", "zero", ""], remote)
    assert rows[0] == (1, "[0,0.600000024,0,0.800000012]", None, None, False, None)
    assert rows[1][:3] == (2, None, "model quarry/tiny gave a vector of length zero")
    assert rows[2][:3] == (3, None, "the text is blank and has no meaning to embed")
    assert [row[4] for row in rows] == [False] * 3
    recorder.stub.failing["y"] = ModelMissing("away", retry_after=3, detail="Far.", hint="Wait.")
    assert engine.embed_passages(["y"], remote) == [(1, None, "away: Far.", "Wait.", True, 3)]


def test_external_vectors_come_with_the_call(external: dict[str, Any], plpy: FakePlpy) -> None:
    engine = Engine(plpy, None)
    for call in (
        lambda: engine.embed(["a"], "passage", external),
        lambda: engine.embed_query("a", external, "alice"),
    ):
        with pytest.raises(SqlError, match="quarry/tiny is external: its vectors come") as caught:
            call()
        assert caught.value.sqlstate == "55000"
        assert "query_vector" in str(caught.value.hint)
    assert engine.embed_passages(["a"], external)[0][4] is True
    assert engine.model_status(external)["present"] is True
    engine.check_model(external)


def test_settings_are_read_at_each_call(
    remote: dict[str, Any], plpy: FakePlpy, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(plpy, None)
    with pytest.raises(SqlError, match=r"embed\.example is not allowed") as caught:
        engine.check_model(remote)
    assert caught.value.sqlstate == "42501"
    with pytest.raises(SqlError, match=r"embed\.example is not allowed") as caught:
        engine.embed(["a"], "query", remote)
    assert caught.value.sqlstate == "55000"
    plpy.settings["http_hosts"] = "embed.example"
    with pytest.raises(SqlError, match="EMBED_KEY is not allowed"):
        engine.check_model(remote)
    plpy.settings["http_key_variables"] = "EMBED_KEY"
    engine.check_model(remote)
    status = engine.model_status(remote)
    assert status["present"] is False and "EMBED_KEY is not set" in status["detail"]
    monkeypatch.setenv("EMBED_KEY", "secret-of-the-test")
    status = engine.model_status(remote)
    assert status["present"] is True and "secret" not in status["detail"]


@pytest.mark.parametrize("endpoints", ["[]", '[{"model": "x"}]', '["http://localhost"]'])
def test_bad_endpoints(endpoints: str, remote: dict[str, Any], plpy: FakePlpy) -> None:
    engine, model = Engine(plpy, None), remote | {"endpoints": endpoints}
    with pytest.raises(SqlError) as caught:
        engine.check_model(model)
    assert caught.value.sqlstate == "22023"
    assert engine.model_status(model)["present"] is False
    with pytest.raises(SqlError) as caught:
        engine.embed(["a"], "query", model)
    assert caught.value.sqlstate == "55000"


def test_only_the_provider_openai_has_endpoints(remote: dict[str, Any], plpy: FakePlpy) -> None:
    for provider in ("external", "fastembed"):
        with pytest.raises(SqlError, match="has no endpoints"):
            Engine(plpy, None).check_model(remote | {"provider": provider})


def test_a_name_that_fastembed_does_not_know(model_row: dict[str, Any], plpy: FakePlpy) -> None:
    with pytest.raises(SqlError, match="fastembed does not know a model named quarry/tiny"):
        Engine(plpy, None).check_model(model_row)


def test_an_embedder_that_is_away_is_no_reason_to_load(
    real_model: dict[str, Any],
    models_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fastembed_provider, "FastembedProvider", None)
    engine = Engine(FakePlpy(embedder=f"unix:{tmp_path}/no.sock"), str(models_folder))
    with pytest.raises(SqlError, match=r"the embedder at .* does not answer") as caught:
        engine.embed(["a"], "query", real_model)
    assert caught.value.sqlstate == "55000"
    assert "ragsql embedder --attach" in str(caught.value.hint)
    (row,) = engine.embed_passages(["a"], real_model)
    assert row[4] is True
    status = engine.model_status(real_model)
    assert status["present"] is False and "does not answer" in status["detail"]


def test_an_embedder_elsewhere_is_refused(real_model: dict[str, Any], models_folder: Path) -> None:
    engine = Engine(FakePlpy(embedder="http://embed.example:80"), str(models_folder))
    with pytest.raises(SqlError, match="not on this host") as caught:
        engine.embed(["a"], "query", real_model)
    assert caught.value.sqlstate == "55000"
    assert engine.model_status(real_model)["present"] is False


def test_unload(
    real_model: dict[str, Any],
    models_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "pg_stat_tmp").mkdir()
    monkeypatch.chdir(tmp_path)
    engine = Engine(FakePlpy(model_slots="1"), str(models_folder))
    assert engine.unload_models() == 0
    before = engine.embed_query("how", real_model, "alice")
    other = Slot()
    with pytest.raises(ModelMissing, match="all 1 slots"):
        other.take(1)
    held = resident()
    assert engine.unload_models() == 1
    assert resident() < held - 10_000_000
    other.take(1)
    with pytest.raises(SqlError, match="all 1 slots"):
        engine.embed_query("how", real_model, "alice")
    other.release()
    again = engine.embed_query("how", real_model, "alice")
    assert np.allclose(vector(before), vector(again), atol=1e-6)


def test_what_cannot_be_loaded_takes_no_slot(
    real_model: dict[str, Any],
    models_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("RAGSQL_MODELS", raising=False)
    (tmp_path / "pg_stat_tmp").mkdir()
    monkeypatch.chdir(tmp_path)
    name = real_model["name"].replace("/", "--")
    (weights,) = Path(shutil.copytree(models_folder / name, tmp_path / name)).rglob("*.onnx")
    weights.write_bytes(weights.read_bytes()[:1024])
    engine = Engine(FakePlpy(model_slots="1"), str(tmp_path))
    with pytest.raises(SqlError, match="cannot be loaded"):
        engine.embed(["a"], "query", real_model)
    Slot().take(1)


def test_private_memory_of_one_model(real_model: dict[str, Any], models_folder: Path) -> None:
    """In a process of its own, as a backend has: bulk work after the first query."""
    script = f"""
from unit.stand_ins import FakePlpy
from unit.test_embedding_session import resident
from ragsql_engine.session import Engine

engine, model = Engine(FakePlpy(), {str(models_folder)!r}), {real_model!r}
engine.embed_query("how", model, "alice")
passages = [f"passage {{number}} " * (20 * number) for number in range(1, 16)]
assert all(row[1] for row in engine.embed_passages(passages, model))
print(resident())
"""
    environ = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    run = [sys.executable, "-c", script]
    done = subprocess.run(run, env=environ, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 450_000_000


def vector(text: str) -> np.ndarray[Any, Any]:
    return np.array(text.strip("[]").split(","), np.float32)


def resident() -> int:
    """Bytes of private memory of this process."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_"))
