"""Blocks: rows of `posting`, each of consecutive terms (byte order of UTF-8, collate "C").

A frequent term (more than RARE postings) is a block of its own. Rare ones are packed together: a
column of their block is the concatenation of theirs.
"""

import operator
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.errors import IndexDamaged
from ragsql_engine.lexical import codec
from ragsql_engine.lexical.codec import RARE, Frequencies, Ordinals, Posting

SEPARATOR = b"\x01"
_COUNT = np.dtype("<u2")


class Block(NamedTuple):
    """A row of `posting` without its key: columns of one frequent term or of several rare ones.

    terms: UTF-8, ascending, joined by SEPARATOR. counts: df - 1 of each, two bytes. ordinals and
    frequencies: see `codec`; frequencies are empty for surface forms.
    """

    first_term: str
    terms: bytes
    counts: bytes
    ordinals: bytes
    frequencies: bytes


class Flat(NamedTuple):
    """Postings of many terms, by term, then ordinal.

    terms: distinct, ascending. term_index: uint32[p], ascending, the place of a posting's term in
    `terms`. ordinals: uint16[p]. frequencies: uint8[p]; None for surface forms.
    """

    terms: list[str]
    term_index: NDArray[np.uint32]
    ordinals: Ordinals
    frequencies: Frequencies | None

    def of_terms(self, start: int, stop: int) -> "Flat":
        """The postings of `terms[start:stop]`."""
        first, last = np.searchsorted(self.term_index, np.array([start, stop], np.uint32))
        return Flat(
            self.terms[start:stop],
            self.term_index[first:last] - np.uint32(start),
            self.ordinals[first:last],
            None if self.frequencies is None else self.frequencies[first:last],
        )

    def only(self, kept: NDArray[np.bool_]) -> "Flat":
        """The postings `kept` says; every term stays."""
        return Flat(
            self.terms,
            self.term_index[kept],
            self.ordinals[kept],
            None if self.frequencies is None else self.frequencies[kept],
        )


def joined(lower: Flat, higher: Flat) -> Flat:
    """One of two, all of whose terms are in order."""
    if not lower.terms or not higher.terms:
        return higher if higher.terms else lower
    frequencies = None
    if lower.frequencies is not None and higher.frequencies is not None:
        frequencies = np.concatenate([lower.frequencies, higher.frequencies])
    return Flat(
        lower.terms + higher.terms,
        np.concatenate([lower.term_index, higher.term_index + np.uint32(len(lower.terms))]),
        np.concatenate([lower.ordinals, higher.ordinals]),
        frequencies,
    )


def postings_of(block: Block) -> int:
    """How many postings a block has."""
    return len(block.counts) // 2 + int(np.frombuffer(block.counts, _COUNT).sum(dtype=np.int64))


def terms_of(block: Block) -> list[str]:
    """The terms of a block."""
    return block.terms.decode().split(SEPARATOR.decode())


def find(block: Block, term: str, n: int) -> Posting | None:
    """The posting of `term` in a block of a segment of `n` passages; None if it has none."""
    name = term.encode()
    if block.terms == name:
        return _posting(block, 0, n)
    at = (SEPARATOR + block.terms + SEPARATOR).find(SEPARATOR + name + SEPARATOR)
    if at < 0 or SEPARATOR in name:
        return None
    return _posting(block, block.terms.count(SEPARATOR, 0, at), n)


def starting_with(blocks: Iterable[Block], prefix: str, n: int) -> list[tuple[str, Posting]]:
    """(term, posting) of every term in `blocks` that begins with `prefix`, in their order."""
    begin = prefix.encode()
    return [
        (term.decode(), _posting(block, index, n))
        for block in blocks
        for index, term in enumerate(block.terms.split(SEPARATOR))
        if term.startswith(begin)
    ]


def _posting(block: Block, index: int, n: int) -> Posting:
    """The posting of the term at `index`; views of the block's bytes where it is rare."""
    if len(block.counts) % 2 or 2 * index >= len(block.counts):
        raise IndexDamaged("a block has fewer counts than terms")
    counts = np.frombuffer(block.counts, _COUNT)
    df = int(counts[index]) + 1
    has_frequencies = bool(block.frequencies)
    if df > RARE:
        return Posting(
            codec.decode_ordinals(block.ordinals, df, n),
            codec.decode_frequencies(block.frequencies, df) if has_frequencies else None,
        )
    start = int(np.add.reduce(counts[:index], dtype=np.intp)) + index
    return Posting(
        codec.decode_ordinals(memoryview(block.ordinals)[2 * start : 2 * (start + df)], df, n),
        codec.decode_frequencies(memoryview(block.frequencies)[start : start + df], df)
        if has_frequencies
        else None,
    )


def unpack(blocks: Iterable[Block], n: int) -> Flat:
    """The postings of all `blocks`, which are in order of their terms.

    IndexDamaged where terms or ordinals do not ascend or an ordinal is not below `n`.
    """
    blocks = list(blocks)
    if not blocks:
        return Flat([], np.empty(0, np.uint32), np.empty(0, np.uint16), None)
    terms, counts, alone = _layout(blocks)
    packed = [block for block, single in zip(blocks, alone, strict=True) if not single]
    is_packed = np.repeat(counts <= RARE, counts)
    ordinals = np.empty(len(is_packed), np.uint16)
    ordinals[is_packed] = _column([block.ordinals for block in packed], "<u2", is_packed)
    frequencies = None
    if blocks[0].frequencies:
        frequencies = np.empty(len(is_packed), np.uint8)
        frequencies[is_packed] = _column([block.frequencies for block in packed], "u1", is_packed)
    ends = np.cumsum(counts)[counts > RARE].tolist()
    frequent = [block for block, single in zip(blocks, alone, strict=True) if single]
    for block, df, end in zip(frequent, counts[counts > RARE].tolist(), ends, strict=True):
        ordinals[end - df : end] = codec.decode_ordinals(block.ordinals, df, n)
        if frequencies is not None:
            frequencies[end - df : end] = codec.decode_frequencies(block.frequencies, df)
    index = np.repeat(np.arange(len(terms), dtype=np.uint32), counts)
    same_term = index[1:] == index[:-1]
    if ordinals.max() >= n or (same_term & (ordinals[1:] <= ordinals[:-1])).any():
        raise IndexDamaged("a posting's passages are not in order")
    return Flat(terms, index, ordinals, frequencies)


def _layout(blocks: Sequence[Block]) -> tuple[list[str], NDArray[np.int64], list[bool]]:
    """Terms, their int64 document frequencies, and which blocks hold one frequent term."""
    try:
        terms = SEPARATOR.join([block.terms for block in blocks]).decode().split("\x01")
    except UnicodeDecodeError:
        raise IndexDamaged("terms are not UTF-8") from None
    if any(map(operator.ge, terms, islice(terms, 1, None))):
        raise IndexDamaged("terms are not in order")
    sizes = np.array([len(block.counts) for block in blocks]) // 2
    data = b"".join([block.counts for block in blocks])
    if len(data) != 2 * len(terms) or sizes.sum() != len(terms):
        raise IndexDamaged("blocks have other numbers of terms and counts")
    counts = np.frombuffer(data, _COUNT).astype(np.int64) + 1
    alone = np.maximum.reduceat(counts, np.cumsum(sizes) - sizes) > RARE
    if (sizes[alone] > 1).any():
        raise IndexDamaged("a frequent term shares its block")
    return terms, counts, alone.tolist()


def _column(columns: Sequence[bytes], form: str, is_packed: NDArray[np.bool_]) -> NDArray[np.uint]:
    """A column of the packed blocks, as one array."""
    data = b"".join(columns)
    if len(data) != np.dtype(form).itemsize * np.count_nonzero(is_packed):
        raise IndexDamaged("a column of postings has the wrong length")
    return np.frombuffer(data, form)


def passage_sums(flat: Flat, n: int, term_values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """uint64[n]: the sum of value times frequency (1 for surface forms) of each passage's terms.

    term_values: uint64[terms]. Sums are modulo 2^64; the order of postings does not matter.
    """
    values = term_values[flat.term_index]
    if flat.frequencies is not None:
        values *= flat.frequencies
    sums = np.zeros(n, np.uint64)
    np.add.at(sums, flat.ordinals, values)
    return sums
