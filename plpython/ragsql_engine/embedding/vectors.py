"""Checks on what a model returned, and pgvector's text form."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.errors import InvalidVector
from ragsql_engine.model import Model

Vector = NDArray[np.float32]

# A shorter vector has no direction left in half precision.
_SHORTEST = 1e-6


def unit_vectors(raw: Sequence[NDArray[Any]], expected: int, model: Model) -> list[Vector]:
    """The vectors scaled to length 1, refused where they do not match what was asked for."""
    if len(raw) != expected:
        raise InvalidVector(
            f"model {model.name} gave {len(raw)} vectors for {expected} texts",
            hint="Nothing of this batch was kept; try its texts one by one.",
        )
    return [_unit(np.asarray(vector, dtype=np.float64), model) for vector in raw]


def _unit(vector: NDArray[np.float64], model: Model) -> Vector:
    if vector.shape != (model.dimensions,):
        raise InvalidVector(
            f"model {model.name} gives vectors of {vector.size} dimensions, "
            f"but is registered with {model.dimensions}",
            hint="Register the model with the dimensions it has.",
        )
    if not np.isfinite(vector).all():
        raise InvalidVector(
            f"model {model.name} gave a vector that is not finite",
            hint="The model's files may be damaged; `ragsql doctor` checks them.",
        )
    length = float(np.linalg.norm(vector))
    if length < _SHORTEST:
        raise InvalidVector(
            f"model {model.name} gave a vector of length zero",
            hint="The text may hold nothing that this model knows.",
        )
    return (vector / length).astype(np.float32)


def to_text(vector: Vector) -> str:
    """pgvector's text form, with the nine digits that keep a float32 exact."""
    return "[" + ",".join(map("%.9g".__mod__, vector.tolist())) + "]"
