"""Finding a cited passage again in a text that has changed since."""

import re
from collections.abc import Callable, Iterable
from hashlib import sha256

Digest = Callable[[str], str]

DIGITS = 16
"""Hexadecimal digits of a hash that a citation has."""

_MOST_BYTES = 1 << 28  # to hash, about half a second

# A passage seldom begins within a word.
_BEGINNING = re.compile(r"\A|(?<=\s)")


def digest(text: str) -> str:
    """What rag_internal.citation says of a passage."""
    return sha256(text.encode()).hexdigest()[:DIGITS]


def keyed_digest(secret: bytes) -> Digest:
    """The same for readers of redacted text: rag_internal.keyed_hash of the hash."""

    def keyed(text: str) -> str:
        inner = sha256(secret + b"keyed hash|" + sha256(text.encode()).digest()).digest()
        return sha256(secret + inner).hexdigest()[:DIGITS]

    return keyed


def find_passage(text: str, wanted: str, length: int, place: int, of: Digest) -> int | None:
    """Where in `text` the passage of `length` characters and digest `wanted` begins, or None.

    It is looked for at `place`, then where words begin and end, then anywhere; in a text so long
    that this would take much more than half a second, in a part of it.
    """
    last = len(text) - length
    if length < 1 or last < 0:
        return None
    room = [_MOST_BYTES]

    def first(places: Iterable[int]) -> int | None:
        for at in places:
            room[0] -= length + 64
            if of(text[at : at + length]) == wanted:
                return at
            if room[0] < 0:
                return None
        return None

    words = (m.start() for m in _BEGINNING.finditer(text, 0) if m.start() <= last)
    whole = (at for at in words if _ends_a_word(text, at + length))
    for places in ([place] if place <= last else [], whole, range(last + 1)):
        found = first(places)
        if found is not None or room[0] < 0:
            return found
    return None


def _ends_a_word(text: str, end: int) -> bool:
    return end == len(text) or text[end].isspace() or text[end - 1].isspace()
