"""From texts to unit vectors, in order, each checked; the first failure ends it."""

from collections.abc import Callable, Sequence

from ragsql_engine.embedding.batching import Provider, batches
from ragsql_engine.embedding.inputs import Input, Reader, digest
from ragsql_engine.embedding.vectors import Vector, unit_vectors
from ragsql_engine.errors import InvalidParameter, InvalidVector
from ragsql_engine.model import Model
from ragsql_engine.tokens import TokenWindow

KINDS = ("query", "passage")


def embed(
    texts: Sequence[str | None],
    kind: str,
    model: Model,
    window: TokenWindow,
    provider: Callable[[], Provider],
    *,
    pause: Callable[[], None],
) -> list[Vector]:
    """One unit vector for each text, in order; texts equal but for white space are embedded once.

    Every text is checked before the provider is asked for, so bad input never loads weights. A
    text beyond the model's window has the average of its windows, or is refused, as the model
    says. `pause` is called before each batch, so that the caller can cancel.
    """
    if kind not in KINDS:
        raise InvalidParameter(f"kind is {kind!r}, but must be 'query' or 'passage'")
    keys: list[bytes] = []
    inputs: dict[bytes, Input] = {}
    reader = Reader(kind, model, window, pause)
    for number, text in enumerate(texts, 1):
        key = digest(text or "")
        if key not in inputs:
            inputs[key] = reader.prepare(text, f"text {number}")
        keys.append(key)
    lengths = {part.text: part.tokens for each in inputs.values() for part in each.parts}
    if not lengths:
        return []
    vectors: dict[str, Vector] = {}
    running = provider()
    for batch in batches(lengths, running.batch_tokens, running.batch_texts):
        pause()
        found = unit_vectors(running.embed(batch, kind), len(batch), model)
        vectors.update(zip(batch, map(_required, found), strict=True))
    results = {
        key: _required(each.vector([vectors[part.text] for part in each.parts], model))
        for key, each in inputs.items()
    }
    return [results[key] for key in keys]


def _required(vector: Vector | InvalidVector) -> Vector:
    if isinstance(vector, InvalidVector):
        raise vector
    return vector
