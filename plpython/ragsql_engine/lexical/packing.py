"""From postings to blocks."""

from itertools import pairwise

import numpy as np

from ragsql_engine.lexical import codec
from ragsql_engine.lexical.blocks import SEPARATOR, Block, Flat, joined
from ragsql_engine.lexical.codec import RARE

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
        columns = _Columns(flat, self._n)
        cuts = columns.cuts()
        self._rest = flat.of_terms(cuts[-1], len(flat.terms))
        return [columns.block(first, last) for first, last in pairwise(cuts)]

    def finish(self) -> list[Block]:
        """The block of what is left over, if anything is."""
        if self._rest is None or not self._rest.terms:
            return []
        return [_Columns(self._rest, self._n).block(0, len(self._rest.terms))]


class _Columns:
    """The columns of all terms as bytes, of which a packed block is a slice."""

    def __init__(self, flat: Flat, n: int) -> None:
        self._flat = flat
        self._n = n
        self._df = np.bincount(flat.term_index, minlength=len(flat.terms))
        names = "\x01".join(flat.terms).encode()
        ends = np.flatnonzero(np.frombuffer(names, np.uint8) == SEPARATOR[0])
        self._sizes = np.diff(np.append(ends, len(names))[: len(flat.terms)], prepend=-1)
        self._names = names
        self._name_starts = np.append(0, np.cumsum(self._sizes)).tolist()
        self._starts = np.append(0, np.cumsum(self._df)).tolist()
        self._counts = (self._df - 1).astype("<u2").tobytes()
        self._ordinals = flat.ordinals.astype("<u2", copy=False).tobytes()
        self._frequencies = b"" if flat.frequencies is None else flat.frequencies.tobytes()

    def cuts(self) -> list[int]:
        """Where blocks begin: 0, then every place up to which they are complete."""
        width = 2 if self._flat.frequencies is None else 3
        ends = np.cumsum(self._sizes + 2 + width * self._df)
        cuts = [0]
        for stop in [*np.flatnonzero(self._df > RARE).tolist(), len(ends)]:
            while (start := cuts[-1]) < stop:
                limit = _BLOCK_SIZE + (int(ends[start - 1]) if start else 0)
                end = min(max(int(ends.searchsorted(limit, "right")), start + 1), stop)
                if end == len(ends):
                    return cuts
                cuts.append(end)
            if stop < len(ends):
                cuts.append(stop + 1)
        return cuts

    def block(self, first: int, last: int) -> Block:
        """The block of terms `first` to `last - 1`."""
        start, stop = self._starts[first], self._starts[last]
        ordinals, frequencies = self._ordinals[2 * start : 2 * stop], self._frequencies[start:stop]
        if self._df[first] > RARE:
            ordinals = codec.encode_ordinals(self._flat.ordinals[start:stop], self._n)
            if self._flat.frequencies is not None:
                frequencies = codec.encode_frequencies(self._flat.frequencies[start:stop])
        return Block(
            self._flat.terms[first],
            self._names[self._name_starts[first] : self._name_starts[last] - 1],
            self._counts[2 * first : 2 * last],
            ordinals,
            frequencies,
        )
