"""Which models have their files in a folder, and what is known of them."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragsql.manifest import NAME as MANIFEST
from ragsql.models import KNOWN, TOKENIZER_FILES, model_directory

Kind = Literal["embedding", "rerank"]

_LONGEST = 1_000_000  # tokenizers write 1e30 where nobody knows


@dataclass(frozen=True)
class StoredModel:
    """A model whose files are there. revision: short sha256 of the weights, as in rag.model.

    dimensions and max_tokens (special tokens included) are None where nobody tells them.
    """

    name: str
    kind: Kind
    directory: Path
    revision: str
    dimensions: int | None
    max_tokens: int | None


def stored_models(root: Path) -> list[StoredModel]:
    """The models below `root` that fastembed can run, by name."""
    names = sorted(folder.name.replace("--", "/", 1) for folder in root.glob("[!.]*--*"))
    found = (find_model(root, name) for name in names)
    return [model for model in found if model is not None]


def find_model(root: Path, name: str) -> StoredModel | None:
    """The model of that name below `root`; None where it is unknown or lacks a file."""
    entry = _supported().get(name.lower())
    if entry is None:
        return None
    kind, described = entry
    directory = model_directory(root, described["model"])
    weights = directory / described["model_file"]
    needed = [weights, *(directory / file for file in TOKENIZER_FILES[2:])]
    if not all(file.is_file() for file in needed):
        return None
    return StoredModel(
        described["model"],
        kind,
        directory,
        _revision(directory, weights),
        described.get("dim"),
        text_window(described["model"], directory),
    )


@functools.cache
def _supported() -> Mapping[str, tuple[Kind, Mapping[str, Any]]]:
    """Kind and description of each model that fastembed runs, by its name in lower case."""
    from fastembed import TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    found: dict[str, tuple[Kind, Mapping[str, Any]]] = {}
    for described in TextCrossEncoder.list_supported_models():
        found[described["model"].lower()] = ("rerank", described)
    for described in TextEmbedding.list_supported_models():
        found[described["model"].lower()] = ("embedding", described)
    return found


def text_window(name: str, directory: Path) -> int | None:
    """Where fastembed would cut a text: the tokenizer's own limit, else what is known."""
    try:
        limit = json.loads((directory / "tokenizer_config.json").read_text())["model_max_length"]
    except (OSError, ValueError, KeyError):
        limit = None
    if isinstance(limit, int) and limit <= _LONGEST:
        return limit
    known = KNOWN.get(name)
    return known.max_tokens if known else None


def _revision(directory: Path, weights: Path) -> str:
    """What the manifest records; of files that were put there by hand, the digest itself."""
    try:
        return str(json.loads((directory / MANIFEST).read_text())["revision"])
    except (OSError, ValueError, KeyError):
        status = weights.stat()
        return _digest(weights, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _digest(weights: Path, _size: int, _changed: int) -> str:
    """The digest of a file, read again only when size or time of change differ."""
    with weights.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]
