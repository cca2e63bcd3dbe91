"""From postings to blocks."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.lexical import codec
from ragsql_engine.lexical.blocks import SEPARATOR, Block, Flat, joined
from ragsql_engine.lexical.codec import RARE, Frequencies, Ordinals

# PostgreSQL moves columns of a row of 2 kB out of line.
_BLOCK_SIZE = 1_800


def pack(flat: Flat, n: int) -> list[Block]:
    """The blocks of a segment of `n` passages."""
    packer = Packer(n)
    return packer.add(flat) + packer.finish()


class Packer:
    """Packs a segment of `n` passages whose postings come in pieces, each of higher terms.

    The blocks are the same whatever the pieces are.
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self._rest: Flat | None = None

    def add(self, flat: Flat) -> list[Block]:
        """The blocks that are complete with `flat`."""
        flat = flat if self._rest is None else joined(self._rest, flat)
        counts = _counts(flat)
        names, stops = _names(flat.terms)
        width = 2 if flat.frequencies is None else 3
        cuts = _cuts(np.diff(stops, prepend=-1) + 2 + width * counts, counts > RARE)
        self._rest = flat.of_terms(cuts[-1], len(counts))
        begins = np.append(0, stops + 1).tolist()
        starts = np.append(0, np.cumsum(counts)).tolist()
        blocks = []
        for first, last in pairwise(cuts):
            postings = slice(starts[first], starts[last])
            block = self._block(
                flat.terms[first],
                names[begins[first] : begins[last] - 1],
                counts[first:last],
                flat.ordinals[postings],
                None if flat.frequencies is None else flat.frequencies[postings],
            )
            blocks.append(block)
        return blocks

    def finish(self) -> list[Block]:
        """The block of what is left over, if anything is."""
        rest = self._rest
        if rest is None or not rest.terms:
            return []
        names, _ = _names(rest.terms)
        return [self._block(rest.terms[0], names, _counts(rest), rest.ordinals, rest.frequencies)]

    def _block(
        self,
        first_term: str,
        names: bytes,
        counts: NDArray[np.int64],
        ordinals: Ordinals,
        frequencies: Frequencies | None,
    ) -> Block:
        if counts[0] > RARE:
            data = codec.encode_ordinals(ordinals, self._n)
            extra = b"" if frequencies is None else codec.encode_frequencies(frequencies)
        else:
            data = ordinals.astype("<u2", copy=False).tobytes()
            extra = b"" if frequencies is None else frequencies.tobytes()
        return Block(first_term, names, (counts - 1).astype("<u2").tobytes(), data, extra)


def _counts(flat: Flat) -> NDArray[np.int64]:
    """int64[terms], the postings of each."""
    return np.bincount(flat.term_index, minlength=len(flat.terms))


def _names(terms: Sequence[str]) -> tuple[bytes, NDArray[np.int64]]:
    """Terms as a block has them, and int64[terms] where each ends."""
    names = "\x01".join(terms).encode()
    stops = np.flatnonzero(np.frombuffer(names, np.uint8) == SEPARATOR[0])
    return names, np.append(stops, len(names))[: len(terms)]


def _cuts(sizes: NDArray[np.int64], frequent: NDArray[np.bool_]) -> list[int]:
    """Where blocks begin: 0, then every place up to which they are complete."""
    ends = np.cumsum(sizes)
    cuts = [0]
    for stop in [*np.flatnonzero(frequent).tolist(), len(sizes)]:
        while (start := cuts[-1]) < stop:
            limit = _BLOCK_SIZE + (int(ends[start - 1]) if start else 0)
            end = min(max(int(ends.searchsorted(limit, "right")), start + 1), stop)
            if end == len(sizes):
                return cuts
            cuts.append(end)
        if stop < len(sizes):
            cuts.append(stop + 1)
    return cuts
