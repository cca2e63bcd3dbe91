"""From texts to unit vectors, in order, each checked."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from ragsql_engine.chunking import clusters
from ragsql_engine.embedding.vectors import Vector, unit_vectors
from ragsql_engine.errors import InvalidParameter, LimitExceeded
from ragsql_engine.model import Model
from ragsql_engine.tokens import TokenWindow
from ragsql_engine.visibility import is_visible

KINDS = ("query", "passage")

# Padded tokens in a batch. On one thread a long passage is fastest by itself, and larger batches
# cost much memory; short texts gain a little from company.
BATCH_TOKENS = 256


class Provider(Protocol):
    """What runs a model: texts in, one raw vector each out."""

    def embed(self, texts: Sequence[str], kind: str) -> list[NDArray[Any]]:
        """Vectors of `texts`, in order. `kind` is 'query' or 'passage'."""


def embed(
    texts: Sequence[str | None],
    kind: str,
    model: Model,
    window: TokenWindow,
    provider: Callable[[], Provider],
    *,
    warn: Callable[[str], None],
    pause: Callable[[], None],
) -> list[Vector]:
    """One unit vector for each text, in order; equal texts are embedded once.

    Every text is checked before the provider is asked for, so bad input never loads weights. A
    passage beyond the model's window is refused; a query is cut to it, and `warn` is told.
    `pause` is called between batches, so that the caller can cancel.
    """
    if kind not in KINDS:
        raise InvalidParameter(f"kind is {kind!r}, but must be 'query' or 'passage'")
    prepared = [
        _prepare(text, number, kind, model, window, warn) for number, text in enumerate(texts, 1)
    ]
    if not prepared:
        return []
    lengths = dict(prepared)
    vectors: dict[str, Vector] = {}
    for batch in batches(lengths):
        pause()
        raw = provider().embed(batch, kind)
        vectors.update(zip(batch, unit_vectors(raw, len(batch), model), strict=True))
    return [vectors[text] for text, _ in prepared]


def batches(lengths: dict[str, int], budget: int = BATCH_TOKENS) -> Iterator[list[str]]:
    """Group texts of similar length, so that little is padded.

    `lengths` gives tokens by text. A batch has at most `budget` padded tokens, or one text.
    """
    batch: list[str] = []
    for text in sorted(lengths, key=lengths.__getitem__):
        if batch and lengths[text] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch


def _prepare(
    text: str | None,
    number: int,
    kind: str,
    model: Model,
    window: TokenWindow,
    warn: Callable[[str], None],
) -> tuple[str, int]:
    """The text with its prefix, within the window, and its tokens with special ones."""
    if text is None or not is_visible(text):
        found = "null" if text is None else "blank"
        raise InvalidParameter(
            f"text {number} is {found} and has no meaning to embed",
            hint="Leave out texts without a visible character.",
        )
    prefixed = model.prefix(kind) + text
    tokens = window.count(prefixed)
    if tokens <= window.capacity:
        return prefixed, tokens + window.special_tokens
    total = tokens + window.special_tokens
    if kind == "passage":
        raise LimitExceeded(
            f"text {number} has {total} tokens, but model {model.name} reads {window.max_tokens}",
            hint="Cut it with rag.chunk_text, which keeps chunks within the model's window.",
        )
    end, kept = window.fit(prefixed, 0, len(prefixed), clusters.floor)
    warn(
        f"query has {total} tokens, but model {model.name} reads {window.max_tokens}: "
        f"only its first {end - len(model.prefix(kind))} characters were embedded"
    )
    return prefixed[:end], kept + window.special_tokens
