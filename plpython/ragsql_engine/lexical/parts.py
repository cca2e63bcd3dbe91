"""Parts: where postings come from, a segment's blocks or the blobs of pending documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.errors import IndexDamaged
from ragsql_engine.lexical import blocks
from ragsql_engine.lexical.blocks import Block
from ragsql_engine.lexical.codec import MAX_PASSAGES, Frequencies, Ordinals, Posting
from ragsql_engine.lexical.documents import Bools, Documents, UInt32s

LEXEME = "l"
SURFACE = "s"
MOST = 255  # the most occurrences of a term in a passage that count

_TERM_END = 1  # follows each term of a passage
_PASSAGE_END = 2  # follows the terms of a passage


@dataclass(frozen=True, eq=False)
class Visible:
    """What a reader sees of a part: bool[n], a mask of its passages (None: all), and its sums.

    count: visible passages. length: their lengths added up. To be kept with the mask.
    """

    mask: Bools | None
    count: int
    length: int

    @classmethod
    def of(cls, lengths: UInt32s, mask: Bools | None) -> "Visible":
        """Count once what every query needs."""
        if mask is None:
            return cls(None, len(lengths), int(lengths.sum(dtype=np.int64)))
        # Whole numbers below 2^53 are exact in float64, and their product is the fastest sum.
        length = int(np.dot(lengths.astype(np.float64), mask.astype(np.float64)))
        return cls(mask, int(np.count_nonzero(mask)), length)


class Part(Protocol):
    """A segment or pending documents, as one reader sees it.

    documents: whose passages they are. lengths: uint32[n], occurrences of lexemes in a passage.
    visible: which passages count and can be found.
    """

    @property
    def documents(self) -> Documents: ...

    @property
    def lengths(self) -> UInt32s: ...

    @property
    def visible(self) -> Visible: ...

    def posting(self, kind: str, term: str) -> Posting | None:
        """Where a term occurs, whether visible or not; None where it does not."""
        ...

    def starting_with(self, kind: str, prefix: str) -> Posting | None:
        """Where any term with this prefix occurs: frequencies added up, 255 at most."""
        ...


class SegmentPart:
    """A segment. It decodes what it is asked for, and keeps that.

    found: for each (kind, term) that is wanted, its posting, or the block that may hold it; a
    term that is not in it counts as absent. prefixes: for each (kind, prefix), the blocks that
    hold all of its terms, and maybe others. Both may be filled later.
    """

    def __init__(
        self,
        documents: Documents,
        lengths: UInt32s,
        found: Mapping[tuple[str, str], Block | Posting],
        prefixes: Mapping[tuple[str, str], Sequence[Block]] | None = None,
        visible: Visible | None = None,
    ) -> None:
        self.documents = documents
        self.lengths = lengths
        self.visible = visible or Visible.of(lengths, None)
        self._found = found
        self._prefixes = {} if prefixes is None else prefixes
        self._decoded: dict[tuple[str, str], Posting | None] = {}
        self._unions: dict[tuple[str, str], Posting | None] = {}

    @property
    def n(self) -> int:
        """Number of passages."""
        return len(self.lengths)

    def posting(self, kind: str, term: str) -> Posting | None:
        """Where a term occurs; None where it does not."""
        key = kind, term
        found = self._found.get(key)
        if not isinstance(found, Block):
            return found
        if key not in self._decoded:
            self._decoded[key] = blocks.find(found, term, self.n)
        return self._decoded[key]

    def starting_with(self, kind: str, prefix: str) -> Posting | None:
        """Where any term with this prefix occurs: frequencies added up, 255 at most."""
        key = kind, prefix
        if key not in self._unions:
            found = blocks.starting_with(self._prefixes[key], prefix, self.n)
            self._unions[key] = _union([posting for _, posting in found], self.n)
        return self._unions[key]


class PendingPart:
    """Pending documents: the blobs of rows of `pending`, each joined in one order of the rows.

    documents: one for each row, in that order. lengths: '>u4' for each passage. lexemes and
    surfaces: UTF-8, \\x01 after each term, \\x02 after each passage; empty where they are not
    asked for. frequencies: a byte for each term of `lexemes`. IndexDamaged where they disagree.
    `visible` may be set later, since it follows from the lengths.
    """

    def __init__(
        self,
        documents: Documents,
        lengths: bytes,
        lexemes: bytes,
        frequencies: bytes,
        surfaces: bytes,
        visible: Visible | None = None,
    ) -> None:
        if len(lengths) != 4 * documents.passages:
            raise IndexDamaged("pending documents have other passages than lengths")
        self.documents = documents
        self.lengths: UInt32s = np.frombuffer(lengths, ">u4").astype(np.uint32)
        self.visible = visible or Visible.of(self.lengths, None)
        self._lexemes = lexemes
        self._frequencies = frequencies
        self._surfaces = surfaces

    @property
    def n(self) -> int:
        """Number of passages."""
        return len(self.lengths)

    def posting(self, kind: str, term: str) -> Posting | None:
        """Where a term occurs; None where it does not."""
        words, frequencies = self._kind(kind)
        at = words.equal_to(term.encode())
        if not len(at):
            return None
        passages, numbers = words.places(at)
        # A term occurs once among the terms of a passage, so these ordinals are ascending.
        return Posting(
            narrow(passages, self.n), None if frequencies is None else frequencies.take(numbers)
        )

    def starting_with(self, kind: str, prefix: str) -> Posting | None:
        """Where any term with this prefix occurs: frequencies added up, 255 at most."""
        words, frequencies = self._kind(kind)
        at = words.starting_with(prefix.encode())
        passages, numbers = words.places(at)
        found = None if frequencies is None else frequencies.take(numbers)
        return _union([Posting(narrow(passages, self.n), found)], self.n)

    @property
    def nbytes(self) -> int:
        """Bytes of the blobs and of the arrays."""
        blobs = len(self._lexemes) + len(self._frequencies) + len(self._surfaces)
        return blobs + self.lengths.nbytes + self.documents.nbytes

    def words(self) -> set[str]:
        """The distinct surface forms."""
        return set(self._surfaces.replace(b"\x02", b"").decode().split("\x01")) - {""}

    def _kind(self, kind: str) -> tuple["_Words", Frequencies | None]:
        return (self._lexeme_words, self._counts) if kind == LEXEME else (self._surface_words, None)

    @cached_property
    def _lexeme_words(self) -> "_Words":
        return _Words(self._lexemes, self.n)

    @cached_property
    def _surface_words(self) -> "_Words":
        return _Words(self._surfaces, self.n)

    @cached_property
    def _counts(self) -> Frequencies:
        counts: Frequencies = np.frombuffer(self._frequencies, np.uint8)
        if len(counts) != self._lexeme_words.terms:
            raise IndexDamaged("pending documents have other terms than frequencies")
        return counts


class _Words:
    """Finds terms in a blob by the ends of its words, without a loop over its terms.

    Every \\x01 and \\x02 ends a word; a passage's end ends an empty one, since another mark
    always stands before it. So a word of one byte or more is a term.
    """

    def __init__(self, blob: bytes, passages: int) -> None:
        self._bytes = np.frombuffer(blob, np.uint8)
        # A bytea is below 2^30 bytes, so four bytes are enough for a place in it.
        self._ends = np.flatnonzero(self._bytes <= _PASSAGE_END).astype(np.int32)
        self._lengths = self._ends.copy()
        self._lengths[1:] -= self._ends[:-1] + 1
        self._passage_ends = np.flatnonzero(self._bytes.take(self._ends) == _PASSAGE_END)
        if len(self._passage_ends) != passages or (blob and blob[-1] != _PASSAGE_END):
            raise IndexDamaged("pending documents have other passages than terms")

    @property
    def terms(self) -> int:
        """Number of terms, each counted in every passage it occurs in."""
        return len(self._ends) - len(self._passage_ends)

    def equal_to(self, term: bytes) -> NDArray[np.intp]:
        """Which words are this term."""
        if not term:
            return np.empty(0, np.intp)
        return self._beginning(np.flatnonzero(self._lengths == len(term)), term)

    def starting_with(self, prefix: bytes) -> NDArray[np.intp]:
        """Which words begin with this."""
        return self._beginning(np.flatnonzero(self._lengths >= max(1, len(prefix))), prefix)

    def places(self, words: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The passage of each of these words, and its number among all terms."""
        passages = np.searchsorted(self._passage_ends, words)
        return passages, words - passages

    def _beginning(self, words: NDArray[np.intp], start: bytes) -> NDArray[np.intp]:
        first = self._ends.take(words) - self._lengths.take(words)
        for position, byte in enumerate(start):
            if not len(words):
                break
            same = np.flatnonzero(self._bytes.take(first + position) == byte)
            words, first = words.take(same), first.take(same)
        return words


def narrow(ordinals: NDArray[Any], n: int) -> Ordinals:
    """Ordinals in the type of postings. Pending documents may be more than fit a segment."""
    return cast(Ordinals, ordinals.astype(np.uint16 if n <= MAX_PASSAGES else np.uint32))


def _union(postings: Sequence[Posting], n: int) -> Posting | None:
    """One posting of several, whose ordinals may repeat: frequencies added up, 255 at most."""
    if not any(len(posting.ordinals) for posting in postings):
        return None
    ordinals = np.concatenate([posting.ordinals for posting in postings])
    counts = [posting.frequencies for posting in postings if posting.frequencies is not None]
    totals = np.bincount(ordinals, np.concatenate(counts) if counts else None, minlength=n)
    present = np.flatnonzero(totals)
    merged = narrow(present, n)
    if not counts:
        return Posting(merged, None)
    return Posting(merged, np.minimum(totals.take(present), MOST).astype(np.uint8))
