"""One engine per session: errors become SQL errors, models load once and only from files."""

import os
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragsql_engine
from ragsql_engine.embedding import fastembed_provider
from ragsql_engine.session import Engine
from unit.stand_ins import FakePlpy, SqlError

# A missing model is fetched before the first engine takes the process off the network.
pytestmark = pytest.mark.usefixtures("models_folder")


@pytest.fixture
def copied_model(
    tmp_path: Path, models_folder: Path, real_model: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A copy of the real model's directory, and no way to the network."""
    monkeypatch.delenv("RAGSQL_MODELS", raising=False)

    def refuse(*_: Any) -> None:
        pytest.fail("the engine reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    name = real_model["name"].replace("/", "--")
    return Path(shutil.copytree(models_folder / name, tmp_path / name))


def vector(text: str) -> np.ndarray[Any, Any]:
    return np.array(text.strip("[]").split(","), np.float32)


def test_errors_reach_sql_with_state_detail_and_hint(plpy: FakePlpy) -> None:
    with pytest.raises(SqlError) as caught:
        Engine(plpy, None).chunk(" ", None, None, None, None, None)
    error = caught.value
    assert (str(error), error.sqlstate) == ("content too small to chunk", "22023")
    assert type(error).__name__ == "ragsql"  # PL/Python puts it before the message
    assert error.detail == "None of its 1 characters is visible."
    assert error.hint is not None


def test_require_returns_the_engine_or_says_what_is_behind(plpy: FakePlpy) -> None:
    engine = Engine(plpy, None)
    assert engine.require(ragsql_engine.API) is engine
    for api, words, hint in ((99, "older", "Update"), (0, "newer", "Reconnect")):
        with pytest.raises(SqlError, match=words) as caught:
            engine.require(api)
        assert caught.value.sqlstate == "55000"
        assert caught.value.hint is not None and caught.value.hint.startswith(hint)


def test_chunk_without_a_model(plpy: FakePlpy) -> None:
    (row,) = Engine(plpy, None).chunk("one two", None, None, None, None, None)
    assert (row["content"], row["embed_text"]) == ("one two", None)
    assert row["token_count"] is None


def test_chunk_of_null_content(plpy: FakePlpy) -> None:
    with pytest.raises(SqlError, match="content is null"):
        Engine(plpy, None).chunk(None, None, None, None, None, None)


def test_long_chunking_can_be_cancelled(plpy: FakePlpy) -> None:
    Engine(plpy, None).chunk("word " * 2000, "word", 1, None, None, None)
    assert plpy.queries == ["select 1"] * 7


def test_python_info(plpy: FakePlpy) -> None:
    info = Engine(plpy, None).python_info()
    assert list(info) == ["version", "executable", "engine_path", "fastembed", "numpy"]
    assert info["numpy"] == np.__version__


def test_real_model_gives_unit_vectors(real_engine: Engine, real_model: dict[str, Any]) -> None:
    texts = ["How do I undo the last commit?", "Run git revert on it.", "Onions make me cry."]
    first, *others = (vector(text) for text in real_engine.embed(texts, "passage", real_model))
    assert first.shape == (real_model["dimensions"],)
    assert all(np.linalg.norm(each) == pytest.approx(1, abs=1e-5) for each in (first, *others))
    assert first @ others[0] > first @ others[1]


def test_a_vector_does_not_depend_on_its_company(
    real_engine: Engine, real_model: dict[str, Any]
) -> None:
    texts = ["short", "a text of some more words", "another text of several words " * 5]
    together = real_engine.embed(texts, "passage", real_model)
    for text, expected in zip(texts, together, strict=True):
        (alone,) = real_engine.embed([text], "passage", real_model)
        assert vector(alone) @ vector(expected) == pytest.approx(1, abs=1e-4)


def test_weights_load_once(
    real_engine: Engine, real_model: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    real_engine.embed(["first"], "query", real_model)
    monkeypatch.setattr(fastembed_provider, "FastembedProvider", None)
    assert real_engine.embed(["second"], "query", real_model)
    assert real_engine.embed([], "query", real_model) == []


def test_chunks_embed_without_a_cut(real_engine: Engine, real_model: dict[str, Any]) -> None:
    """Dense text: each chunk of the default size is far beyond the window."""
    text = "f(x[i]) += {a: 'b'}; // §4.2\n" * 200
    chunks = real_engine.chunk(text, None, None, None, None, real_model)
    vectors = real_engine.embed([chunk["content"] for chunk in chunks][:2], "passage", real_model)
    assert len(vectors) == 2


def test_a_provider_that_the_engine_lacks(plpy: FakePlpy, model_row: dict[str, Any]) -> None:
    with pytest.raises(SqlError, match="provider onnx") as caught:
        Engine(plpy, "/nowhere").embed(["a"], "query", model_row | {"provider": "onnx"})
    assert caught.value.sqlstate == "22023"


def test_no_model(plpy: FakePlpy) -> None:
    with pytest.raises(SqlError, match="no model is given"):
        Engine(plpy, "/nowhere").embed(["a"], "query", None)


def test_a_missing_package_is_named(plpy: FakePlpy, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.startswith("ragsql_engine.fuzzy")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "ragsql_engine.lexical.words", raising=False)
    monkeypatch.delattr(ragsql_engine, "fuzzy", raising=False)
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    identity = {"principal_ids": [], "sees_everything": False, "tenant": "", "clearance": 0}
    scope = {"identity": identity, "collection_ids": None} | dict.fromkeys(
        ["filter", "filter_path", "vars"]
    )
    with pytest.raises(SqlError, match="package rapidfuzz cannot be imported") as caught:
        Engine(plpy, None).fuzzy_leg("gti", scope, 1, 2)
    assert caught.value.sqlstate == "55000"


def test_a_cache_size_that_is_no_number(plpy: FakePlpy) -> None:
    engine = Engine(plpy, None)
    engine.index_cache_mb = "much"
    with pytest.raises(SqlError, match=r"index_cache_mb .* is 'much'") as caught:
        engine.build_segment("english")
    assert caught.value.sqlstate == "22023"


def test_no_folder_for_models(
    plpy: FakePlpy, model_row: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAGSQL_MODELS", raising=False)
    with pytest.raises(SqlError, match="no folder for models is set") as caught:
        Engine(plpy, None).embed(["a"], "query", model_row)
    assert caught.value.sqlstate == "55000"
    assert Engine(plpy, None).model_status(model_row)["present"] is False


def test_model_status(copied_model: Path, plpy: FakePlpy, real_model: dict[str, Any]) -> None:
    engine = Engine(plpy, str(copied_model.parent))
    status = engine.model_status(real_model)
    assert status["present"] is True
    assert status["directory"] == str(copied_model)
    shutil.rmtree(copied_model)
    status = engine.model_status(real_model)
    assert status["present"] is False
    assert "is not on the server" in status["detail"]


def assert_no_folder(error: Any, folder: Path) -> None:
    """Readers see errors; folders of the server are not theirs to know."""
    assert str(folder.parent) not in f"{error} {error.detail} {error.hint}"


def test_g12_a_truncated_model_is_named(
    copied_model: Path, plpy: FakePlpy, real_model: dict[str, Any]
) -> None:
    (weights,) = copied_model.rglob("*.onnx")
    weights.write_bytes(weights.read_bytes()[:1024])
    with pytest.raises(SqlError, match="cannot be loaded") as caught:
        Engine(plpy, str(copied_model.parent)).embed(["a"], "query", real_model)
    error = caught.value
    assert error.sqlstate == "55000"
    assert real_model["name"] in str(error)
    assert weights.name in str(error.detail) and "1024 bytes" in str(error.detail)
    assert_no_folder(error, copied_model)
    assert "`ragsql up`" in str(error.hint) and "bm25" in str(error.hint)


def test_g12_a_damaged_tokenizer_is_named(
    copied_model: Path, plpy: FakePlpy, real_model: dict[str, Any]
) -> None:
    (copied_model / "tokenizer.json").write_text("{")
    with pytest.raises(SqlError, match=r"tokenizer of model .* cannot be read") as caught:
        Engine(plpy, str(copied_model.parent)).chunk("a", None, None, None, None, real_model)
    assert caught.value.sqlstate == "55000"
    assert "tokenizer.json" in str(caught.value.detail)
    assert_no_folder(caught.value, copied_model)


@pytest.mark.parametrize("lost", ["tokenizer.json", "*.onnx", "."])
def test_g12_missing_files_are_named(
    lost: str, copied_model: Path, plpy: FakePlpy, real_model: dict[str, Any]
) -> None:
    if lost == ".":
        shutil.rmtree(copied_model)
    for file in copied_model.rglob(lost):
        file.unlink()
    with pytest.raises(SqlError, match="is not on the server") as caught:
        Engine(plpy, str(copied_model.parent)).embed(["a"], "query", real_model)
    assert caught.value.sqlstate == "55000"
    assert "has no file" in str(caught.value.detail)
    assert_no_folder(caught.value, copied_model)
    assert "`ragsql up`" in str(caught.value.hint)


def test_g12_files_closed_to_the_server_are_named(
    copied_model: Path,
    plpy: FakePlpy,
    real_model: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(SqlError, match="cannot be read by the database server") as caught:
        Engine(plpy, str(copied_model.parent)).embed(["a"], "query", real_model)
    assert caught.value.sqlstate == "55000"
    assert_no_folder(caught.value, copied_model)


def test_max_tokens_too_small_to_be_true(plpy: FakePlpy, model_row: dict[str, Any]) -> None:
    with pytest.raises(SqlError, match="max_tokens of model quarry/tiny is 3"):
        Engine(plpy, "/nowhere").embed(["a"], "query", model_row | {"max_tokens": 3})
