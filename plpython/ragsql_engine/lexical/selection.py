"""Which passages of a part a query may return, and which postings name such passages."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.lexical.codec import Ordinals, Posting
from ragsql_engine.lexical.documents import Bools
from ragsql_engine.lexical.parts import Part, narrow

# A binary search for one passage costs about as much as looking this many postings up in a mask.
_SEARCH_COST = 16


class Selection:
    """The passages of a part under a mask: bool[n], or None for all of them."""

    def __init__(self, mask: Bools | None, count: int) -> None:
        self.mask = mask
        self.count = count

    @classmethod
    def of(cls, part: Part) -> "Selection":
        """What the reader sees of a part."""
        return cls(part.visible.mask, part.visible.count)

    def narrowed(self, allowed: Bools | None) -> "Selection":
        """This selection without the passages that `allowed`, bool[n], leaves out."""
        if allowed is None:
            return self
        mask = allowed if self.mask is None else self.mask & allowed
        return Selection(mask, int(np.count_nonzero(mask)))

    def frequency(self, posting: Posting) -> int:
        """How many passages of a posting are selected."""
        if self.mask is None:
            return len(posting.ordinals)
        if self._is_few(posting):
            return len(places(posting, self._ordinals)[0])
        return int(np.count_nonzero(self.mask.take(posting.ordinals)))

    def of_posting(self, posting: Posting) -> Posting:
        """The part of a posting that is selected."""
        if self.mask is None:
            return posting
        if self._is_few(posting):
            at = places(posting, self._ordinals)[1]
        else:
            at = np.flatnonzero(self.mask.take(posting.ordinals))
        frequencies = posting.frequencies
        return Posting(
            posting.ordinals.take(at), None if frequencies is None else frequencies.take(at)
        )

    def _is_few(self, posting: Posting) -> bool:
        return self.count * _SEARCH_COST < len(posting.ordinals)

    @cached_property
    def _ordinals(self) -> Ordinals:
        assert self.mask is not None
        return narrow(np.flatnonzero(self.mask), len(self.mask))


def selections(parts: Sequence[Part], allowed: Sequence[Bools | None] | None) -> list[Selection]:
    """What is both visible and allowed, for each part. `allowed`: None where nothing is left out."""
    seen = [Selection.of(part) for part in parts]
    if allowed is None:
        return seen
    return [selection.narrowed(mask) for selection, mask in zip(seen, allowed, strict=True)]


def places(posting: Posting, ordinals: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which of `ordinals` (any order) a posting has: their indexes, and those in the posting."""
    at = posting.ordinals.searchsorted(ordinals)
    # An ordinal beyond the last one is compared with the last one, from which it differs.
    hits = np.flatnonzero(posting.ordinals.take(at, mode="clip") == ordinals)
    return hits, at.take(hits)
