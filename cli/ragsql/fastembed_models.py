"""Fetching any model that fastembed knows, and where the server looks for it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from ragsql.embedder.catalog import find_model, text_window
from ragsql.manifest import read_revision
from ragsql.models import (
    KNOWN,
    Fetch,
    KnownModel,
    ModelChoice,
    ModelError,
    ensure_known,
    model_directory,
)
from ragsql.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

_FOLDER = "select value from rag_internal.setting where name = 'model_path'"


@dataclass(frozen=True)
class FetchedModel(ModelChoice):
    """A model whose files are there, of those that fastembed knows."""

    @property
    def options(self) -> dict[str, Any]:
        """The options of rag.add_model that the files decide; a default stays what it is."""
        options = super().options
        del options["is_default"], options["metric"]
        if self.known.name not in KNOWN:
            # what a model wants before a text is the caller's to say
            del options["query_prefix"], options["passage_prefix"], options["max_tokens"]
            window = text_window(self.known.name, self.directory)
            if window is not None:
                options["max_tokens"] = window
        return options


def fetch_model(
    models: Path, name: str, dimensions: int | None = None, *, fetch: Fetch | None = None
) -> FetchedModel:
    """Provides the files of a model; raises ModelError where fastembed does not know it."""
    known = KNOWN.get(name) or described(name)
    if dimensions not in (None, known.dimensions):
        raise ModelError(
            f"{name} has {known.dimensions} dimensions, not {dimensions}.\n"
            "Hint: leave out --dimensions."
        )
    directory, reason = ensure_known(models, known, fetch)
    return FetchedModel(known, directory, reason)


def described(name: str) -> KnownModel:
    """What fastembed knows of a model; raises ModelError where it is nothing."""
    from fastembed import TextEmbedding

    supported = TextEmbedding.list_supported_models()
    found = next((one for one in supported if one["model"] == name), None)
    if found is None:
        raise ModelError(
            f"fastembed knows no model named {name!r}.\nHint: {_near(name, supported)}"
        )
    return _known(found, found["dim"])


def ensure_reranker(
    models: Path, name: str, *, fetch: Fetch | None = None
) -> tuple[Path, str, str | None]:
    """Provides the files of a reranker: their folder, where they came from, their revision.

    One that fastembed does not know must be there already, and has no revision. Raises ModelError
    where that is not so.
    """
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    stored = find_model(models, name)
    if stored is not None and stored.kind == "rerank":
        return stored.directory, "already there", stored.revision
    supported = TextCrossEncoder.list_supported_models()
    found = next((one for one in supported if one["model"] == name), None)
    if found is not None:
        directory, reason = ensure_known(models, _known(found, 1), fetch)
        return directory, reason, read_revision(directory)
    directory = model_directory(models, name)
    if not any(directory.rglob("*.onnx")):
        names = ", ".join(str(one["model"]) for one in supported)
        raise ModelError(
            f"fastembed knows no reranker named {name!r}, and {directory} has no ONNX file.\n"
            f"Hint: put the files of your own there, choose one of {names}, or give --provider "
            "http for one behind an endpoint."
        )
    return directory, "already there", None


def _known(found: dict[str, Any], dimensions: int) -> KnownModel:
    return KnownModel(
        name=found["model"],
        dimensions=dimensions,
        max_tokens=None,
        model_file=found["model_file"],
        additional=tuple(found["additional_files"]),
        repository=found["sources"]["hf"],
    )


def _near(name: str, supported: Iterable[dict[str, Any]]) -> str:
    names = [str(one["model"]) for one in supported]
    by_lower = {one.lower(): one for one in names}
    near = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    if near:
        guess = f"did you mean {' or '.join(by_lower[one] for one in near)}? "
    else:
        guess = "Python's TextEmbedding.list_supported_models() lists those it knows. "
    return f"{guess}A model behind an HTTP endpoint needs --provider openai."


def server_models(settings: Settings, connection: psycopg.Connection) -> Path:
    """The folder in which the server looks for models, where it is this machine's.

    It is the private cluster's own, or what the setting model_path says. Raises ModelError where
    that cannot be told from here.
    """
    from ragsql.cluster import Cluster

    cluster = Cluster(settings.home_dir)
    if connection.info.host == str(cluster.socket_dir):
        return cluster.models
    try:
        with connection.transaction():
            row = connection.execute(_FOLDER).fetchone()
    except psycopg.errors.InsufficientPrivilege:
        row = None
    if row is not None and Path(row[0]).is_dir():
        return Path(row[0])
    raise ModelError(
        "The folder of the server's models cannot be told from here.\n"
        "Hint: name it with --models where it is on this machine (rag.doctor() tells rag_admin); "
        "else run this on the server."
    )
