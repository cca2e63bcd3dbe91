"""The stored form of postings, alone and in blocks."""

import itertools
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsql_engine.errors import IndexDamaged
from ragsql_engine.lexical import codec
from ragsql_engine.lexical.blocks import Block, Flat, find, passage_sums, starting_with, unpack
from ragsql_engine.lexical.codec import MAX_PASSAGES, RARE
from ragsql_engine.lexical.packing import Packer, pack

# (passages of a segment, document frequency): around every change of form.
SIZES = [
    (1, 1),
    (256, 256),
    (257, 257),
    (2_055, 257),
    (2_056, 257),
    (2_057, 257),
    (4_096, 512),
    (4_096, 513),
    (65_535, 8_191),
    (65_535, 8_192),
    (65_536, 255),
    (65_536, 256),
    (65_536, 257),
    (65_536, 8_192),
    (65_536, 8_193),
    (65_536, 65_536),
]


def _ordinals(n: int, df: int, seed: int) -> codec.Ordinals:
    chosen = np.random.default_rng(seed).choice(n, df, replace=False)
    return np.sort(chosen).astype(np.uint16)


def _frequencies(df: int, seed: int) -> codec.Frequencies:
    rare = np.random.default_rng(seed).geometric(0.7, df)
    return np.minimum(rare, 255).astype(np.uint8)


def _flat(words: dict[str, tuple[codec.Ordinals, codec.Frequencies | None]]) -> Flat:
    terms = sorted(words)
    sizes = [len(words[term][0]) for term in terms]
    frequencies = [words[term][1] for term in terms]
    return Flat(
        terms,
        np.repeat(np.arange(len(terms), dtype=np.uint32), sizes),
        np.concatenate([words[term][0] for term in terms]),
        np.concatenate([own for own in frequencies if own is not None])
        if frequencies[0] is not None
        else None,
    )


def _assert_same(one: Flat, other: Flat) -> None:
    assert one.terms == other.terms
    assert np.array_equal(one.term_index, other.term_index)
    assert np.array_equal(one.ordinals, other.ordinals)
    assert (one.frequencies is None) == (other.frequencies is None)
    if one.frequencies is not None and other.frequencies is not None:
        assert np.array_equal(one.frequencies, other.frequencies)


# postings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "df"), SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_a_posting_comes_back(n: int, df: int, seed: int) -> None:
    ordinals, frequencies = _ordinals(n, df, seed), _frequencies(df, seed)
    data = codec.encode_ordinals(ordinals, n)
    assert np.array_equal(codec.decode_ordinals(data, df, n), ordinals)
    data = codec.encode_frequencies(frequencies)
    assert np.array_equal(codec.decode_frequencies(data, df), frequencies)


@given(st.data())
def test_any_posting_comes_back(data: st.DataObject) -> None:
    n = data.draw(st.sampled_from([1, 2, 300, 2_056, 5_000, 65_536]) | st.integers(1, 65_536))
    df = data.draw(st.sampled_from([1, 256, 257, n // 8, n // 8 + 1, n]) | st.integers(1, n))
    df = max(1, min(df, n))
    ordinals = _ordinals(n, df, data.draw(st.integers(0, 1_000)))
    encoded = codec.encode_ordinals(ordinals, n)
    assert np.array_equal(codec.decode_ordinals(encoded, df, n), ordinals)
    if RARE < df <= n // 8:
        assert len(encoded) <= df + n // 255


@pytest.mark.parametrize("gap", [0, 1, 253, 254, 255, 256, 509, 510, 511, 765, 20_000])
def test_gaps_at_multiples_of_the_escape(gap: int) -> None:
    steps = [gap, *[0] * 150, gap, *[1] * 150, 65_535 - 2 * gap - 452]
    ordinals = (np.cumsum(np.array(steps) + 1) - 1).astype(np.uint16)
    assert ordinals[-1] == 65_535 and np.all(np.diff(ordinals.astype(int)) > 0)
    data = codec.encode_ordinals(ordinals, MAX_PASSAGES)
    assert len(data) == len(steps) + sum(step // 255 for step in steps)
    assert np.array_equal(codec.decode_ordinals(data, len(ordinals), MAX_PASSAGES), ordinals)


def test_a_posting_of_escapes_mostly() -> None:
    ordinals = np.arange(255, 65_536, 255)[:257].astype(np.uint16)
    data = codec.encode_ordinals(ordinals, MAX_PASSAGES)
    assert data == b"\xff\x00" + b"\xfe" * (len(ordinals) - 1)
    ordinals = np.append(ordinals[:100] + 60, np.arange(65_279, 65_536)).astype(np.uint16)
    data = codec.encode_ordinals(ordinals, MAX_PASSAGES)
    assert np.array_equal(codec.decode_ordinals(data, len(ordinals), MAX_PASSAGES), ordinals)


@pytest.mark.parametrize(("n", "df"), SIZES)
def test_damaged_bytes_are_noticed(n: int, df: int) -> None:
    data = codec.encode_ordinals(_ordinals(n, df, 1), n)
    for wrong in (data[:-1], data + b"\0", b"", data[: len(data) // 2]):
        with pytest.raises(IndexDamaged) as caught:
            codec.decode_ordinals(wrong, df, n)
        assert caught.value.sqlstate == "XX002"
        assert "rag.rebuild_index" in str(caught.value.hint)
    data = codec.encode_frequencies(_frequencies(df, 1))
    for wrong in (data[:-1], data + b"\x02"):
        with pytest.raises(IndexDamaged):
            codec.decode_frequencies(wrong, df)


def test_ordinals_beyond_the_segment_are_noticed() -> None:
    last = codec.encode_ordinals(np.arange(65_536 - 300, 65_536).astype(np.uint16), 65_536)
    with pytest.raises(IndexDamaged):
        codec.decode_ordinals(last[:-1] + b"\1", 300, 65_536)
    with pytest.raises(IndexDamaged):
        codec.decode_frequencies(bytes(32) + b"\2\2", 257)
    with pytest.raises(IndexDamaged):
        codec.decode_ordinals(b"\x05\x00", 1, 5)
    with pytest.raises(IndexDamaged):
        codec.decode_ordinals(b"\xfe" * 300, 300, 65_536)
    with pytest.raises(IndexDamaged):
        codec.decode_ordinals(b"\x00" * 300, 300, 299 * 8)


# blocks -----------------------------------------------------------------------------------------


def _many_terms(n: int, seed: int, *, lexemes: bool = True) -> dict[str, tuple[Any, Any]]:
    rng = random.Random(seed)
    alphabet = "ab\u00e9\u4e2d\U0001f600\ue000z"
    words = {"".join(rng.choices(alphabet, k=rng.randint(1, 9))) for _ in range(900)}
    words |= {"x" * 2_000, "x" * 1_999}
    most = [1] * 40 + [2, 3, 5, 100, 256, 257, 300, n // 8, n // 8 + 1, n]
    result = {}
    for number, word in enumerate(sorted(words)):
        df = max(1, min(n, rng.choice(most)))
        frequencies = _frequencies(df, number) if lexemes else None
        result[word] = (_ordinals(n, df, number), frequencies)
    return result


@pytest.mark.parametrize("lexemes", [True, False])
@pytest.mark.parametrize("n", [1, 300, 6_000])
def test_blocks_hold_what_was_packed(n: int, lexemes: bool) -> None:
    words = _many_terms(n, n, lexemes=lexemes)
    flat = _flat(words)
    blocks = pack(flat, n)
    _assert_same(unpack(blocks, n), flat)
    assert all(one.first_term < other.first_term for one, other in itertools.pairwise(blocks))
    names = []
    for block in blocks:
        inside = block.terms.decode().split("\x01")
        names += inside
        assert block.first_term == inside[0]
        assert len(inside) == 1 or sum(map(len, block[1:])) <= 1_800
        assert bool(block.frequencies) == lexemes
        for term in inside:
            posting = find(block, term, n)
            assert posting is not None
            ordinals, frequencies = words[term]
            assert len(inside) == 1 or len(ordinals) <= RARE
            assert np.array_equal(posting.ordinals, ordinals)
            if frequencies is None:
                assert posting.frequencies is None
            else:
                assert posting.frequencies is not None
                assert np.array_equal(posting.frequencies, frequencies)
    assert names == flat.terms == sorted(names, key=str.encode)
    # Two neighbours that are not full or frequent would have been one block.
    for one, other in itertools.pairwise(blocks):
        rare = all(len(words[block.first_term][0]) <= RARE for block in (one, other))
        first = 2 + 3 * len(words[other.first_term][0]) + len(other.first_term.encode()) + 1
        assert not rare or sum(map(len, one[1:])) + first > 1_700


def test_terms_that_are_not_there() -> None:
    one = (np.array([0], np.uint16), None)
    (block,) = pack(_flat({"abc": one, "abcd": one, "bc": one}), 1)
    for missing in ("a", "ab", "c", "cd", "abcde", "b", "bcd", "abc\x01abcd", "\x01", "d"):
        assert find(block, missing, 1) is None, missing


@pytest.mark.parametrize("prefix", ["a", "\u4e2d", "x", "ab\u00e9", "nothing", "\U0001f600"])
def test_terms_by_their_beginning(prefix: str) -> None:
    words = _many_terms(500, 3)
    found = starting_with(pack(_flat(words), 500), prefix, 500)
    assert [term for term, _ in found] == [w for w in sorted(words) if w.startswith(prefix)]
    for term, posting in found:
        assert np.array_equal(posting.ordinals, words[term][0])
        assert posting.frequencies is not None
        assert np.array_equal(posting.frequencies, words[term][1])


@given(st.lists(st.integers(0, 902), max_size=6), st.booleans())
@settings(max_examples=25)
def test_blocks_do_not_depend_on_the_pieces_handed_over(places: list[int], lexemes: bool) -> None:
    flat = _flat(_many_terms(3_000, 7, lexemes=lexemes))
    packer = Packer(3_000)
    cuts = [0, *sorted(min(place, len(flat.terms)) for place in places), len(flat.terms)]
    blocks: list[Block] = []
    for first, last in itertools.pairwise(cuts):
        blocks += packer.add(flat.of_terms(first, last))
    assert blocks + packer.finish() == pack(flat, 3_000)


def _changed(block: Block, column: str, data: bytes) -> Block:
    return Block(**(block._asdict() | {column: data}))


@pytest.mark.parametrize("column", ["terms", "counts", "ordinals", "frequencies"])
@pytest.mark.parametrize("n", [500, 6_000])
def test_damaged_blocks_are_noticed(column: str, n: int) -> None:
    blocks = pack(_flat(_many_terms(n, 3)), n)
    for place in (0, len(blocks) // 2, len(blocks) - 1):
        data: bytes = getattr(blocks[place], column)
        wrongs = {data + b"\xff", b"\xff" * len(data), data[:-1]}
        if column == "terms":
            wrongs.remove(data[:-1])  # may be another term
        if column == "frequencies":
            wrongs.remove(b"\xff" * len(data))  # may be other frequencies
        for wrong in wrongs:
            damaged = blocks.copy()
            damaged[place] = _changed(blocks[place], column, wrong)
            with pytest.raises(IndexDamaged):
                unpack(damaged, n)


@pytest.mark.parametrize(
    "columns",
    [
        (b"b\1a", bytes(4), bytes(2) + b"\1\0"),
        (b"a\1a", bytes(4), bytes(2) + b"\1\0"),
        (b"a", b"\1\0", b"\1\0\1\0"),
        (b"a", b"\1\0", b"\1\0\0\0"),
        (b"a", b"\0\0", b"\x2c\1"),
        (b"a\1b", b"\0\1\0\1", np.packbits(np.arange(300) < 257, bitorder="little").tobytes()),
        (b"a\1b", b"\0\1\0\0", np.append(np.arange(257), 0).astype("<u2").tobytes()),
    ],
)
def test_a_block_that_cannot_be_is_noticed(columns: tuple[bytes, bytes, bytes]) -> None:
    """Terms or ordinals not in order, an ordinal too high, a frequent term among others."""
    good = Block("a", b"a\1b", bytes(4), b"\0\0\1\0", b"")
    assert unpack([good], 300).terms == ["a", "b"]
    with pytest.raises(IndexDamaged):
        unpack([Block("a", *columns, b"")], 300)


def test_a_cut_block_is_noticed_by_a_look_up() -> None:
    one = (np.array([0], np.uint16), np.array([1], np.uint8))
    (block,) = pack(_flat({"a": one, "b": one}), 1)
    for column in ("counts", "ordinals", "frequencies"):
        cut = _changed(block, column, getattr(block, column)[:1])
        with pytest.raises(IndexDamaged):
            find(cut, "b", 1)


def test_sums_of_passages() -> None:
    words = _many_terms(300, 5)
    flat = _flat(words)
    values = np.random.default_rng(1).integers(0, 1 << 64, len(flat.terms), dtype=np.uint64)
    sums = [0] * 300
    for value, term in zip(values.tolist(), flat.terms, strict=True):
        for ordinal, frequency in zip(*map(np.ndarray.tolist, words[term]), strict=True):
            sums[ordinal] = (sums[ordinal] + value * frequency) % (1 << 64)
    assert passage_sums(flat, 300, values).tolist() == sums
    once = passage_sums(flat._replace(frequencies=None), 300, np.ones_like(values))
    assert once.tolist() == np.bincount(flat.ordinals, minlength=300).tolist()
