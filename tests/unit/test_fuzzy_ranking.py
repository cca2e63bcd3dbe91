"""The fuzzy leg's ranking against the definition of its score."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.fuzzy import Alternative, Meaning, rank
from unit.fuzzy_stand_ins import TextPart, forms_of

Document = tuple[uuid.UUID, int, Sequence[str]]
Hit = tuple[uuid.UUID, int, float]

# Passages without any of the words asked for: they make a part large, so that few are scored.
FILLER: Document = (uuid.UUID(int=1 << 64), 0, ["filler"] * 600)


def score(meanings: Sequence[Meaning], text: str) -> float:
    """The mean of the best similarities, added up in order."""
    words = set(forms_of(text))
    telling = [meaning.alternatives for meaning in meanings if meaning.alternatives]
    total = 0.0
    for alternatives in telling:
        total += max((a.similarity for a in alternatives if set(a.words) <= words), default=0.0)
    return total / len(telling) if telling else 0.0


def by_definition(
    documents: Sequence[Document], meanings: Sequence[Meaning], hidden: set[tuple[uuid.UUID, int]]
) -> list[Hit]:
    scored = [
        (document_id, first + at, score(meanings, text))
        for document_id, first, texts in documents
        for at, text in enumerate(texts)
        if (document_id, first + at) not in hidden
    ]
    matching = (hit for hit in scored if hit[2] > 0)
    return sorted(matching, key=lambda hit: (-hit[2], hit[0], hit[1]))


def places(documents: Sequence[Document]) -> list[tuple[uuid.UUID, int]]:
    return [(name, first + at) for name, first, texts in documents for at in range(len(texts))]


def ranked(
    layout: Sequence[Sequence[Document]],
    meanings: Sequence[Meaning],
    k: int,
    unseen: set[tuple[uuid.UUID, int]],
    left_out: set[tuple[uuid.UUID, int]],
) -> list[Hit]:
    parts, allowed = [], []
    for documents in layout:
        own = places(documents)
        mask = np.array([place not in unseen for place in own], np.bool_)
        parts.append(TextPart(documents, None if mask.all() else mask))
        filtered = np.array([place not in left_out for place in own], np.bool_)
        allowed.append(None if filtered.all() else filtered)
    found = rank(parts, meanings, k, allowed)
    named = [places(documents) for documents in layout]
    return [
        (*named[int(part)][int(ordinal)], float(value))
        for part, ordinal, value in zip(*found, strict=True)
    ]


PASSAGES = st.lists(st.sampled_from("aaa aab aba bbb ccc ddd".split()), max_size=4).map(" ".join)
DOCUMENTS = st.lists(
    st.tuples(
        st.builds(lambda high, low: uuid.UUID(int=high << 64 | low), *[st.integers(0, 3)] * 2),
        st.integers(0, 2),
        st.lists(PASSAGES, min_size=1, max_size=3),
    ),
    max_size=8,
    unique_by=lambda document: document[0],
)
WORDS = st.lists(
    st.sampled_from("aaa aab aba bbb ccc zzz".split()), min_size=1, max_size=2, unique=True
)
ALTERNATIVES = st.lists(
    st.builds(
        Alternative,
        WORDS.map(tuple),
        st.sampled_from([1.0, 0.9, 2 / 3, 1 - 1 / 7]),
        st.just(1),
    ),
    max_size=4,
)
MEANINGS = st.lists(
    st.builds(Meaning, st.just(("x",)), ALTERNATIVES.map(tuple), st.none()), max_size=4
)


@given(DOCUMENTS, MEANINGS, st.integers(0, 12), st.integers(1, 3), st.booleans(), st.data())
def test_equals_the_definition_in_every_layout(
    documents: list[Document],
    meanings: list[Meaning],
    k: int,
    parts: int,
    filled: bool,
    data: st.DataObject,
) -> None:
    layout = [documents[number::parts] for number in range(parts)]
    if filled:
        layout = [[*own, FILLER] for own in layout]
    everything = places(documents)
    subsets = st.sets(st.sampled_from(everything)) if everything else st.just(set())
    unseen, left_out = data.draw(subsets), data.draw(subsets)
    if filled and data.draw(st.booleans()):
        unseen |= set(places([FILLER]))
    expected = by_definition(documents, meanings, unseen | left_out)[:k]
    assert ranked(layout, meanings, k, unseen, left_out) == expected


def test_a_meaning_without_alternatives_does_not_count() -> None:
    meanings = [
        Meaning(("x",), (), None),
        Meaning(("aaa",), (Alternative(("aaa",), 1.0, 0),), None),
    ]
    found = rank([TextPart([(uuid.UUID(int=1), 0, ["aaa"])])], meanings, 5)
    assert found.scores.tolist() == [1.0]


@pytest.mark.parametrize("k", [1, 10, 100, 5000])
def test_ties_are_cut_by_their_keys(k: int) -> None:
    generator = np.random.default_rng(7)
    names = [uuid.UUID(bytes=generator.bytes(16)) for _ in range(3000)]
    documents: list[Document] = [
        (name, 0, ["aaa", "aaa bbb"] if number % 50 == 0 else ["aaa"])
        for number, name in enumerate(names)
    ]
    meanings = [Meaning((word,), (Alternative((word,), 1.0, 0),), None) for word in ("aaa", "bbb")]
    expected = by_definition(documents, meanings, set())[:k]
    for layout in ([documents], [documents[:100], documents[100:]]):
        assert ranked(layout, meanings, k, set(), set()) == expected
