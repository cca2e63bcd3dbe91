"""Parts: postings of segments and of pending documents, by term and by prefix."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.errors import IndexDamaged
from ragsql_engine.lexical.blocks import Block
from ragsql_engine.lexical.codec import Posting
from ragsql_engine.lexical.parts import LEXEME, SURFACE, PendingPart, SegmentPart, Visible
from unit.bm25_corpus import Passage, blob, documents

# Ends, beginnings and repetitions of one another, in one to four bytes a letter.
TERMS = ["a", "aa", "ba", "ab", "aba", "é", "éa", "日本", "日", "\U0001f642", "\x03a", "b\x7f"]
PASSAGES = st.lists(
    st.dictionaries(st.sampled_from(TERMS), st.integers(1, 255), max_size=6), max_size=12
)

Terms = Sequence[dict[str, int]]


def pending(passages: Terms, surfaces: bool = True) -> PendingPart:
    lengths = np.array([sum(terms.values()) for terms in passages], ">u4").tobytes()
    run = [[Passage((0, at), {}, 0) for at in range(len(passages))]] if passages else []
    texts = [sorted(terms) for terms in passages]
    frequencies = bytes(terms[name] for terms in passages for name in sorted(terms))
    words = blob(texts)
    return PendingPart(documents(run), lengths, words, frequencies, words if surfaces else b"")


def pairs(posting: Posting | None) -> list[tuple[int, int]] | None:
    if posting is None:
        return None
    assert posting.frequencies is not None
    assert (posting.ordinals.dtype, posting.frequencies.dtype) == ("uint16", "uint8")
    return list(zip(posting.ordinals.tolist(), posting.frequencies.tolist(), strict=True))


@given(PASSAGES, st.sampled_from([*TERMS, "b", "\U0001f600", "aab", "本"]))
def test_a_pending_term_is_found_where_it_is(passages: Terms, term: str) -> None:
    part = pending(passages)
    held = [(at, terms[term]) for at, terms in enumerate(passages) if term in terms]
    assert pairs(part.posting(LEXEME, term)) == (held or None)
    surface = part.posting(SURFACE, term)
    assert (surface.ordinals.tolist() if surface else []) == [at for at, _ in held]
    assert surface is None or surface.frequencies is None


@given(PASSAGES, st.sampled_from(["", "a", "ab", "é", "日", "b", "aabb"]))
def test_a_pending_prefix_adds_its_terms_up(passages: Terms, prefix: str) -> None:
    part = pending(passages)
    totals: Counter[int] = Counter()
    for at, terms in enumerate(passages):
        for term, frequency in terms.items():
            totals[at] += frequency if term.startswith(prefix) else 0
    held = [(at, min(total, 255)) for at, total in sorted(totals.items()) if total]
    assert pairs(part.starting_with(LEXEME, prefix)) == (held or None)
    surface = part.starting_with(SURFACE, prefix)
    assert (surface.ordinals.tolist() if surface else []) == [at for at, _ in held]


def test_passages_without_terms_keep_their_place() -> None:
    part = pending([{}, {"a": 2}, {}, {}, {"a": 3, "b": 1}, {}])
    assert pairs(part.posting(LEXEME, "a")) == [(1, 2), (4, 3)]
    assert pairs(part.posting(LEXEME, "b")) == [(4, 1)]
    assert part.posting(LEXEME, "") is None


def test_more_pending_passages_than_fit_a_segment() -> None:
    part = pending([{"a": 1}] * 65_536 + [{"b": 7}])
    found = part.posting(LEXEME, "b")
    assert found is not None
    assert found.ordinals.tolist() == [65_536]
    union = part.starting_with(LEXEME, "b")
    assert union is not None
    assert union.ordinals.tolist() == [65_536]


@pytest.mark.parametrize(
    ("lengths", "lexemes", "frequencies"),
    [
        (b"\0\0\0\1", b"a\x01\x02", b"\1\1"),
        (b"\0\0\0\1", b"a\x01\x02", b""),
        (b"\0\0\0\1", b"a\x01\x02\x02", b"\1"),
        (b"\0\0\0\1", b"a\x01", b"\1"),
        (b"\0\0\0\1", b"a\x01\x02b\x01", b"\1\1"),
        (b"\0\0\0\1", b"", b""),
        (b"\0\0\0\1\0\0\0\1", b"a\x01\x02", b"\1"),
    ],
)
def test_blobs_that_disagree_are_refused(
    lengths: bytes, lexemes: bytes, frequencies: bytes
) -> None:
    with pytest.raises(IndexDamaged):
        part = PendingPart(
            documents([[Passage((0, 0), {}, 0)]]), lengths, lexemes, frequencies, b""
        )
        part.posting(LEXEME, "a")


def block(terms: dict[str, dict[int, int]], surfaces: bool = False) -> Block:
    """Rare terms, packed by the definition of a block."""
    names = sorted(terms, key=str.encode)
    counts = np.array([len(terms[name]) - 1 for name in names], "<u2")
    ordinals = np.array([at for name in names for at in sorted(terms[name])], "<u2")
    frequencies = bytes(terms[name][at] for name in names for at in sorted(terms[name]))
    return Block(
        names[0],
        b"\x01".join(name.encode() for name in names),
        counts.tobytes(),
        ordinals.tobytes(),
        b"" if surfaces else frequencies,
    )


def segment(blocks: Sequence[Block]) -> SegmentPart:
    passages = [Passage((0, at), {}, 1) for at in range(10)]
    stored = {(LEXEME, "ab"): blocks[0], (LEXEME, "b"): blocks[0]}
    prefixes = {(LEXEME, "a"): blocks, (LEXEME, "x"): blocks}
    return SegmentPart(documents([passages]), np.ones(10, np.uint32), stored, prefixes)


def test_a_segment_decodes_blocks() -> None:
    part = segment([block({"a": {1: 1, 4: 200}, "ab": {4: 100, 9: 3}})])
    assert pairs(part.posting(LEXEME, "ab")) == [(4, 100), (9, 3)]
    assert part.posting(LEXEME, "ab") is part.posting(LEXEME, "ab")
    assert part.posting(LEXEME, "b") is None  # not in the block that would hold it
    assert part.posting(LEXEME, "c") is None  # no block would hold it


def test_a_segment_adds_the_terms_of_a_prefix_up() -> None:
    first = block({"Z": {0: 9}, "a": {1: 1, 4: 200}, "ab": {4: 100, 9: 3}})
    part = segment([first, block({"az": {2: 5, 9: 1}, "b": {3: 1}})])
    assert pairs(part.starting_with(LEXEME, "a")) == [(1, 1), (2, 5), (4, 255), (9, 4)]
    assert part.starting_with(LEXEME, "x") is None


def test_surface_forms_of_a_prefix_have_no_frequencies() -> None:
    stored = {(SURFACE, "a"): [block({"a": {1: 1, 4: 1}, "ab": {4: 1}}, surfaces=True)]}
    passages = [Passage((0, at), {}, 1) for at in range(10)]
    part = SegmentPart(documents([passages]), np.ones(10, np.uint32), {}, stored)
    found = part.starting_with(SURFACE, "a")
    assert found is not None
    assert (found.ordinals.tolist(), found.frequencies) == ([1, 4], None)


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.booleans())))
def test_what_is_visible_is_counted(passages: list[tuple[int, bool]]) -> None:
    lengths = np.array([length for length, _ in passages], np.uint32)
    mask = np.array([seen for _, seen in passages], np.bool_)
    visible = Visible.of(lengths, mask)
    assert visible.count == sum(seen for _, seen in passages)
    assert visible.length == sum(length for length, seen in passages if seen)
    everything = Visible.of(lengths, None)
    assert (everything.count, everything.length) == (
        len(passages),
        sum(length for length, _ in passages),
    )
