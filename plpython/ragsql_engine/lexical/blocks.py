"""Blocks: rows of `posting`, each of consecutive terms (byte order of UTF-8, collate "C")."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.errors import IndexDamaged
from ragsql_engine.lexical import codec
from ragsql_engine.lexical.codec import RARE, Frequencies, Ordinals, Posting

_SEPARATOR = b"\x01"


class Block(NamedTuple):
    """A row of `posting` without its key: columns of one frequent term or of several rare ones."""

    first_term: str
    terms: bytes
    counts: bytes
    ordinals: bytes
    frequencies: bytes


def find(block: Block, term: str, n: int) -> Posting | None:
    """The posting of `term` in a block of a segment of `n` passages; None if it has none."""
    wanted = _SEPARATOR + term.encode() + _SEPARATOR
    at = (_SEPARATOR + block.terms + _SEPARATOR).find(wanted)
    return None if at < 0 else _posting(block, block.terms.count(_SEPARATOR, 0, at), n)


def starting_with(blocks: Iterable[Block], prefix: str, n: int) -> list[tuple[str, Posting]]:
    """(term, posting) of every term in `blocks` that begins with `prefix`, in their order."""
    found = []
    for block in blocks:
        for index, term in enumerate(block.terms.split(_SEPARATOR)):
            if term.startswith(prefix.encode()):
                found.append((term.decode(), _posting(block, index, n)))
    return found


def _posting(block: Block, index: int, n: int) -> Posting:
    """The posting of the term at `index`."""
    if len(block.counts) % 2 or len(block.counts) <= 2 * index:
        raise IndexDamaged("a block has fewer counts than terms")
    counts = np.frombuffer(block.counts, "<u2")
    df = int(counts[index]) + 1
    if df > RARE:
        ordinals = codec.decode_ordinals(block.ordinals, df, n)
        if not block.frequencies:
            return Posting(ordinals, None)
        return Posting(ordinals, codec.decode_frequencies(block.frequencies, df))
    start = int(counts[:index].sum(dtype=np.int64)) + index
    ordinals = codec.decode_ordinals(
        memoryview(block.ordinals)[2 * start : 2 * (start + df)], df, n
    )
    if not block.frequencies:
        return Posting(ordinals, None)
    view = memoryview(block.frequencies)[start : start + df]
    return Posting(ordinals, codec.decode_frequencies(view, df))


class Flat(NamedTuple):
    """Postings of many terms, by term, then ordinal.

    terms: distinct, ascending. term_index: uint32[p], ascending, the place of a posting's term in
    `terms`. ordinals: uint16[p]. frequencies: uint8[p]; None for surface forms.
    """

    terms: list[str]
    term_index: NDArray[np.uint32]
    ordinals: Ordinals
    frequencies: Frequencies | None


def pack(flat: Flat, n: int) -> Iterator[Block]:
    """The blocks of a segment of `n` passages."""
    raise NotImplementedError


def unpack(blocks: Iterable[Block], n: int) -> Flat:
    """The postings of all `blocks`. IndexDamaged where they are not in order."""
    raise NotImplementedError
