"""The numbering of terms, in bulk."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.errors import IndexDamaged
from ragsql_engine.lexical import vocabulary as vocabularies
from ragsql_engine.lexical.vocabulary import Vocabulary

WORDS = st.text(st.characters(exclude_characters="\0\1\2", codec="utf-8"), min_size=1)


@given(st.lists(st.lists(st.lists(WORDS, max_size=6), max_size=4), max_size=4))
def test_terms_get_one_number_each(batches: list[list[list[str]]]) -> None:
    vocabulary = Vocabulary()
    numbers: dict[str, int] = {}
    for batch in batches:
        text = "".join("".join(word + "\x01" for word in passage) + "\x02" for passage in batch)
        got, counts = vocabulary.read(text.encode(), len(batch))
        assert counts.tolist() == [len(passage) for passage in batch]
        for word, number in zip(itertools.chain(*batch), got.tolist(), strict=True):
            assert numbers.setdefault(word, number) == number
    assert sorted(numbers.values()) == list(range(len(numbers)))
    terms, ranks = vocabulary.ranked()
    assert terms == sorted(numbers)
    assert all(terms[ranks[number]] == word for word, number in numbers.items())


@pytest.mark.parametrize("slot_bits", [2, 12, 19])
def test_many_terms_of_every_size_get_one_number_each(
    slot_bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the table is so small that most terms want a slot that is taken."""
    monkeypatch.setattr(vocabularies, "_SLOT_BITS", slot_bits)
    rng = random.Random(4)
    words = [
        "".join(rng.choices("ab\u00e9", k=size)) for size in range(1, 40) for _ in range(1_000)
    ]
    vocabulary = Vocabulary()
    numbers: dict[str, int] = {}
    for _ in range(3):
        rng.shuffle(words)
        got, _ = vocabulary.read("".join(w + "\x01" for w in words).encode() + b"\x02", 1)
        for word, number in zip(words, got.tolist(), strict=True):
            assert numbers.setdefault(word, number) == number
    assert len(set(numbers.values())) == len(numbers) == len(set(words))
    terms, ranks = vocabulary.ranked()
    assert terms == sorted(set(words))
    assert all(terms[ranks[number]] == word for word, number in numbers.items())


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        (b"a\1\2", 2),
        (b"a\1\2\2", 1),
        (b"", 1),
        (b"\1\2", 1),
        (b"a\1\1\2", 1),
        (b"a\1\2b\1", 1),
        (b"a\1\2b", 1),
        (b"a\1b\2", 1),
        (b"a\1\0\1\2", 1),
        (b"a\1\0b\1\2", 1),
        (b"\0a\1\2", 2),
    ],
)
def test_a_text_that_is_marked_otherwise_is_refused(text: bytes, passages: int) -> None:
    with pytest.raises(IndexDamaged):
        vocabularies.Vocabulary().read(text, passages)
