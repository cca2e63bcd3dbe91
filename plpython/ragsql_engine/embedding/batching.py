"""What a provider is asked at once."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

# Padded tokens in a batch of a model in this process. On one thread a long passage is fastest by
# itself, and larger batches cost much memory; short texts gain a little from company.
BATCH_TOKENS = 256
BATCH_TEXTS = 128


class Provider(Protocol):
    """What runs a model: texts in, one raw vector each out.

    `batch_tokens` and `batch_texts` bound what it is given at once: padded tokens and texts.
    """

    @property
    def batch_tokens(self) -> int: ...

    @property
    def batch_texts(self) -> int: ...

    def embed(self, texts: Sequence[str], kind: str) -> list[NDArray[Any]]:
        """Vectors of `texts`, in order. `kind` is 'query' or 'passage'."""


def batches(
    lengths: Mapping[str, int], tokens: int = BATCH_TOKENS, texts: int = BATCH_TEXTS
) -> Iterator[list[str]]:
    """Group texts of similar length, so that little is padded.

    `lengths` gives tokens by text. A batch has at most `tokens` padded tokens and `texts` texts,
    or one text.
    """
    batch: list[str] = []
    for text in sorted(lengths, key=lengths.__getitem__):
        if batch and (len(batch) >= texts or lengths[text] * (len(batch) + 1) > tokens):
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch
