"""What the engine's tests share: a stand-in for PL/Python's plpy, tokenizers, a real model."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from ragsql.models import KNOWN
from ragsql_engine.session import Engine
from unit.stand_ins import FakePlpy

# A busy machine is no failure.
settings.register_profile("unit", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unit")

# Read at import: the session's own fixtures clear such variables.
MODELS_FOLDER = os.environ.get("RAGSQL_MODELS")


@pytest.fixture(autouse=True)
def _environment() -> Iterator[None]:
    """An engine sets variables for its process: other tests must not see them."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def plpy() -> FakePlpy:
    return FakePlpy()


@pytest.fixture
def model_row() -> dict[str, Any]:
    """A row of rag.model for which no files exist."""
    return {
        "model_id": 1,
        "name": "quarry/tiny",
        "provider": "fastembed",
        "revision": None,
        "dimensions": 4,
        "metric": "cosine",
        "query_prefix": None,
        "passage_prefix": None,
        "max_tokens": 32,
    }


@pytest.fixture(scope="session")
def models_folder(request: pytest.FixtureRequest) -> Path:
    """The folder of real models: the one asked for, else the checkout's, filled where empty."""
    if MODELS_FOLDER:
        return Path(MODELS_FOLDER)
    request.getfixturevalue("model")
    return Path(request.getfixturevalue("models_dir"))


@pytest.fixture(scope="session")
def real_model(models_folder: Path) -> dict[str, Any]:
    """The registry's row of the model that is there."""
    for known in KNOWN.values():
        if (models_folder / known.name.replace("/", "--") / known.model_file).is_file():
            return {
                "name": known.name,
                "provider": "fastembed",
                "revision": None,
                "dimensions": known.dimensions,
                "query_prefix": known.query_prefix,
                "passage_prefix": known.passage_prefix,
                "max_tokens": known.max_tokens,
            }
    pytest.fail(f"{models_folder} holds none of {', '.join(KNOWN)}: run `ragsql up`")


@pytest.fixture(scope="session")
def real_engine(models_folder: Path) -> Engine:
    """One engine for all tests with the real model: its weights load once."""
    return Engine(FakePlpy(), str(models_folder))
