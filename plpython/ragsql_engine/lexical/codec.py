"""A posting as bytes: which passages of a segment hold a term, and how often.

The form follows from the document frequency `df` and the segment's number of passages `n`, so
nothing says it. Ordinals: two bytes each up to RARE postings; then one byte for each gap (255
means "skip 255 and go on"); from an eighth of the passages on, one bit for each passage.
Frequencies: one byte each up to RARE postings; then a bit for each posting of frequency above 1,
followed by a byte for each of those.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.errors import IndexDamaged

RARE = 256
MAX_PASSAGES = 1 << 16
_ESCAPE = 255
_ORDINAL = np.dtype("<u2")

Ordinals = NDArray[np.uint16]
Frequencies = NDArray[np.uint8]


class Posting(NamedTuple):
    """Where a term occurs in a segment.

    ordinals: ascending uint16[df]. frequencies: uint8[df], 1 to 255; None for surface forms.
    Both may be read-only views of the stored bytes.
    """

    ordinals: Ordinals
    frequencies: Frequencies | None


def encode_ordinals(ordinals: Ordinals, n: int) -> bytes:
    """The bytes of ascending ordinals (at least one, all below `n`)."""
    df = len(ordinals)
    if df <= RARE:
        return ordinals.astype(_ORDINAL).tobytes()
    if 8 * df > n:
        present = np.zeros(n, np.uint8)
        present[ordinals] = 1
        return np.packbits(present, bitorder="little").tobytes()
    gaps = ordinals.copy()
    gaps[1:] -= ordinals[:-1] + np.uint16(1)
    escapes = gaps // np.uint16(_ESCAPE)
    ends = np.cumsum(escapes + np.uint16(1), dtype=np.intp)
    data = np.full(ends[-1], _ESCAPE, np.uint8)
    data[ends - 1] = gaps - escapes * np.uint16(_ESCAPE)
    return data.tobytes()


def decode_ordinals(data: bytes | memoryview, df: int, n: int) -> Ordinals:
    """uint16[df] of the bytes `encode_ordinals` gave; IndexDamaged where they cannot be so."""
    if df <= RARE:
        if len(data) != 2 * df:
            raise IndexDamaged("a posting has the wrong length")
        ordinals: Ordinals = np.frombuffer(data, _ORDINAL)
    elif 8 * df > n:
        ordinals = _decode_bitmap(data, n)
    else:
        ordinals = _decode_gaps(data)
    if len(ordinals) != df or ordinals[-1] >= n:
        raise IndexDamaged("a posting names other passages than its segment has")
    return ordinals


def _decode_bitmap(data: bytes | memoryview, n: int) -> Ordinals:
    if len(data) != (n + 7) // 8:
        raise IndexDamaged("a posting's bitmap has the wrong length")
    bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
    return np.flatnonzero(bits.view(np.bool_)).astype(np.uint16)


def _decode_gaps(data: bytes | memoryview) -> Ordinals:
    gaps = np.frombuffer(data, np.uint8)
    stops = gaps != _ESCAPE
    ordinals = np.cumsum(gaps + stops, dtype=np.uint32)
    if not len(ordinals) or ordinals[-1] > MAX_PASSAGES:
        raise IndexDamaged("a posting's gaps lead out of its segment")
    # The last ordinal of a full segment is 65,536 - 1: it must not wrap before the subtraction.
    decoded: Ordinals = (ordinals[stops] - 1).astype(np.uint16)
    return decoded


def encode_frequencies(frequencies: Frequencies) -> bytes:
    """The bytes of frequencies of 1 to 255 (at least one)."""
    if len(frequencies) <= RARE:
        return frequencies.tobytes()
    several = frequencies > 1
    return np.packbits(several, bitorder="little").tobytes() + frequencies[several].tobytes()


def decode_frequencies(data: bytes | memoryview, df: int) -> Frequencies:
    """uint8[df] of the bytes `encode_frequencies` gave; IndexDamaged where they cannot be so."""
    stored = np.frombuffer(data, np.uint8)
    if df <= RARE:
        if len(stored) != df:
            raise IndexDamaged("a posting has the wrong number of frequencies")
        return stored
    size = (df + 7) // 8
    several = np.flatnonzero(np.unpackbits(stored[:size], bitorder="little").view(np.bool_))
    if len(several) != len(stored) - size or (len(several) and several[-1] >= df):
        raise IndexDamaged("a posting has the wrong number of frequencies")
    frequencies = np.ones(df, np.uint8)
    frequencies[several] = stored[size:]
    return frequencies
