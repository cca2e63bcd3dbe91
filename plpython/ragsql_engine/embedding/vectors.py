"""Checks on what a model returned, and pgvector's text form."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.errors import DimensionMismatch, InvalidVector, ProviderUnavailable
from ragsql_engine.model import Model

Vector = NDArray[np.float32]

# A shorter vector has no direction left in half precision.
_SHORTEST = 1e-6

# A vector so near to length 1 is left as it came: dividing it would change nothing but its last
# digits.
_NEAR = 2e-6


def unit_vectors(
    raw: Sequence[NDArray[Any]], expected: int, model: Model
) -> list[Vector | InvalidVector]:
    """The vectors at length 1; in place of one that is not finite or zero, what is wrong with it.

    Fails with ProviderUnavailable for a wrong number of vectors, DimensionMismatch for their size.
    """
    if len(raw) != expected:
        raise ProviderUnavailable(
            f"model {model.name} gave {len(raw)} vectors for {expected} texts",
            certain=False,
            hint="Nothing of this batch was kept; its endpoint may leave out texts.",
        )
    return [_unit(np.asarray(vector), model) for vector in raw]


def mean(vectors: Sequence[Vector], weights: Sequence[int], model: Model) -> Vector | InvalidVector:
    """The average of vectors by weight, at length 1."""
    return _unit(np.average(np.stack(vectors), axis=0, weights=weights), model)


def to_text(vector: Vector) -> str:
    """pgvector's text form, with the nine digits that keep a float32 exact."""
    return "[" + ",".join(map("%.9g".__mod__, vector.tolist())) + "]"


def _unit(vector: NDArray[Any], model: Model) -> Vector | InvalidVector:
    if vector.shape != (model.dimensions,):
        raise DimensionMismatch(
            f"model {model.name} gives vectors of {vector.size} dimensions, "
            f"but is registered with {model.dimensions}",
            hint="Register the model with the dimensions it has.",
        )
    if vector.dtype == np.float32 and abs(float(vector.dot(vector)) - 1) < _NEAR:
        return vector
    wide = vector.astype(np.float64)
    largest = float(np.abs(wide).max())
    if not np.isfinite(largest):
        return InvalidVector(
            f"model {model.name} gave a vector that is not finite",
            hint="Where it does so for every text, its files are damaged.",
        )
    # squares of very large or small components would leave float64
    length = largest * float(np.linalg.norm(wide / largest)) if largest else 0.0
    if length < _SHORTEST:
        return InvalidVector(
            f"model {model.name} gave a vector of length zero",
            hint="The text may hold nothing that this model knows.",
        )
    return (wide if abs(length - 1) < _NEAR else wide / length).astype(np.float32)
