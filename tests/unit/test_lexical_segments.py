"""Segments of the lexical index: their documents, how they are built and merged."""

import random
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsql_engine.errors import IndexDamaged, LimitExceeded
from ragsql_engine.lexical import build as building
from ragsql_engine.lexical import merge as merging
from ragsql_engine.lexical.arrangement import NewSegment
from ragsql_engine.lexical.build import build
from ragsql_engine.lexical.codec import MAX_PASSAGES
from ragsql_engine.lexical.documents import Documents
from ragsql_engine.lexical.merge import merge
from unit.lexical_rows import Document, Passage, as_source, expected, indexed, pending_row

NOBODY = np.empty(0, np.int64)
TERMS = ["a", "ab", "b", "caf\u00e9", "\u4e2d\u6587", "\U0001f600", "\ue000", "z" * 20, "z" * 21]

_passages = st.builds(
    Passage,
    st.dictionaries(st.sampled_from(TERMS), st.integers(1, 255), max_size=6),
    st.frozensets(st.sampled_from(TERMS), max_size=6),
)


@st.composite
def _corpora(draw: st.DrawFn) -> list[Document]:
    """Documents with entries of their own; some in two consecutive rows."""
    documents = []
    moments = st.none() | st.integers(-(10**15), 10**16)
    for entry in range(1, 1 + draw(st.integers(0, 8))):
        document = Document(
            entry * draw(st.sampled_from([1, -1, 1 << 40])),
            draw(st.uuids()),
            draw(st.integers(1, 3)),
            draw(st.integers(1, 3)),
            draw(st.lists(_passages, max_size=5)),
            valid_from=draw(moments),
            valid_until=draw(moments),
        )
        cut = draw(st.integers(0, len(document.passages)))
        documents.append(document._replace(passages=document.passages[:cut]))
        rest = document.passages[cut:]
        documents.append(document._replace(passages=rest, first_index=cut))
    return draw(st.permutations(documents))


def _built(documents: Sequence[Document]) -> list[NewSegment]:
    segment = build([pending_row(document) for document in documents], "english")
    return [] if segment is None else [segment]


def _assert_same(one: Sequence[NewSegment], other: Sequence[NewSegment]) -> None:
    """Bit for bit."""
    assert [segment.row for segment in one] == [segment.row for segment in other]
    assert [segment.blocks for segment in one] == [segment.blocks for segment in other]


# building ---------------------------------------------------------------------------------------


@given(_corpora())
def test_a_segment_says_what_its_documents_do(documents: list[Document]) -> None:
    segments = _built(documents)
    assert indexed(segments) == expected(documents)
    assert bool(segments) == any(document.passages for document in documents)
    for segment in segments:
        own = Documents.from_row(segment.row)
        keys = list(
            zip(
                own.acl_ids.tolist(),
                own.collection_ids.tolist(),
                own.document_ids.tolist(),
                own.first_indexes.tolist(),
                strict=True,
            )
        )
        assert keys == sorted(keys)
        assert len(set(own.entry_ids.tolist())) == len(own) == segment.row["documents"]
        assert segment.row["text_config"] == "english"


def test_a_document_id_may_be_bytes() -> None:
    document = Document(1, uuid.uuid4(), 1, 1, [Passage({"a": 1}, frozenset("a"))])
    row = pending_row(document)
    _assert_same(
        _built([document]), [_some(build([row | {"document_id": document[1].bytes}], "english"))]
    )


def _some(segment: NewSegment | None) -> NewSegment:
    assert segment is not None
    return segment


def test_batches_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = _random_documents(300, seed=3)
    whole = _built(documents)
    monkeypatch.setattr(building, "_BATCH", 7)
    pauses: list[None] = []
    rows = (pending_row(document) for document in documents)
    _assert_same([_some(build(rows, "english", lambda: pauses.append(None)))], whole)
    assert len(pauses) > 40


def test_a_segment_has_its_limit() -> None:
    empty = Passage({}, frozenset())
    full = [Document(number, uuid.uuid4(), 1, 1, [empty] * 4_096) for number in range(16)]
    (segment,) = _built(full)
    assert segment.row["passages"] == MAX_PASSAGES
    assert segment.blocks == {"l": [], "s": []}
    with pytest.raises(LimitExceeded):
        _built([*full, Document(17, uuid.uuid4(), 1, 1, [empty])])


@pytest.mark.parametrize(
    "change",
    [
        {"lengths": b"\0\0\0\1"},
        {"passages": 3},
        {"lexemes": b"a\x01b\x01\x02\x02c\x01\x02"},
        {"lexemes": b"a\x01b\x01\x02c\x01"},
        {"lexemes": b"a\x01b\x02c\x01\x02"},
        {"lexemes": b"a\x01\x01\x02c\x01\x02"},
        {"lexemes": b"a\x01a\x01\x02c\x01\x02"},
        {"lexemes": b"a\x01\xff\x01\x02c\x01\x02"},
        {"lexemes": b"a\x01\x00\x01\x02c\x01\x02"},
        {"surfaces": b"a\x01a\x01\x02c\x01\x02"},
        {"surfaces": b""},
        {"frequencies": b"\1\1"},
        {"frequencies": b"\1\1\1\1"},
        {"frequencies": b"\1\0\1"},
    ],
)
def test_a_row_that_contradicts_itself_is_refused(change: dict[str, Any]) -> None:
    row = {
        **pending_row(Document(1, uuid.uuid4(), 1, 1, [])),
        "passages": 2,
        "lengths": bytes(8),
        "lexemes": b"a\x01b\x01\x02c\x01\x02",
        "frequencies": b"\1\2\3",
        "surfaces": b"\x02\x02",
    }
    assert build([row], "english") is not None
    with pytest.raises(IndexDamaged):
        build([row | change], "english")


# merging ----------------------------------------------------------------------------------------


@given(_corpora(), st.data())
@settings(max_examples=150)
def test_merging_is_building_anew(documents: list[Document], data: st.DataObject) -> None:
    """Of what is alive, however it was spread over segments."""
    parts: list[list[Document]] = [[] for _ in range(data.draw(st.integers(1, 4)))]
    for document in documents:
        parts[data.draw(st.integers(0, len(parts) - 1))].append(document)
    sources = [as_source(segment) for part in parts for segment in _built(part)]
    entries = sorted({document.entry_id for document in documents} | {77})
    dead = data.draw(st.lists(st.sampled_from(entries), unique=True).map(sorted))
    alive = [document for document in documents if document.entry_id not in dead]
    merged = merge(sources, np.array(dead, np.int64), "english")
    assert indexed(merged) == expected(alive)
    _assert_same(merged, _built(alive))


def _random_documents(count: int, seed: int, acls: int = 3) -> list[Document]:
    rng = random.Random(seed)
    words = [f"w{int(rng.paretovariate(0.7))}" for _ in range(20_000)]

    def passage() -> Passage:
        lexemes = {rng.choice(words): rng.randint(1, 3) for _ in range(20)}
        return Passage(lexemes, frozenset(lexemes))

    return [
        Document(
            rng.getrandbits(63),
            uuid.UUID(int=rng.getrandbits(128)),
            rng.randint(1, 5),
            rng.randint(1, acls),
            [passage() for _ in range(rng.randint(1, 9))],
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("batch", [60, 1_000, 1_000_000])
def test_reading_piece_by_piece_makes_no_difference(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "_BATCH", batch)
    documents = _random_documents(600, seed=1)
    sources = [as_source(_built(documents[number::5])[0]) for number in range(5)]
    sources = [
        source._replace(blocks={kind: iter(blocks) for kind, blocks in source.blocks.items()})
        for source in sources
    ]
    dead = np.sort(np.array([document.entry_id for document in documents[::4]]))
    pauses: list[None] = []
    merged = merge(sources, dead, "english", lambda: pauses.append(None))
    alive = [document for number, document in enumerate(documents) if number % 4]
    _assert_same(merged, _built(alive))
    assert pauses


def test_what_is_too_much_for_one_segment_becomes_several() -> None:
    """Cut between documents, in the order of all, though each document lies in two sources."""
    whole = [
        Document(
            number,
            uuid.UUID(int=number << 96 | number),
            1,
            number % 2,
            [Passage({f"d{number}": 1, "every": 2}, frozenset(["every"]))] * 5_000,
        )
        for number in range(1, 17)
    ]
    halves = [
        [document._replace(passages=document.passages[:100]) for document in whole],
        [
            document._replace(passages=document.passages[100:], first_index=100)
            for document in whole
        ],
    ]
    documents = [*halves[0], *halves[1]]
    parts = [halves[0], halves[1][:9], halves[1][9:]]
    sources = [as_source(segment) for part in parts for segment in _built(part)]
    merged = merge(sources, np.array([2, 4]), "english")
    assert [segment.row["passages"] for segment in merged] == [65_000, 5_000]
    alive = [document for document in documents if document.entry_id not in (2, 4)]
    assert indexed(merged) == expected(alive)
    own = [Documents.from_row(segment.row) for segment in merged]
    classes = np.concatenate([segment.acl_ids for segment in own])
    assert classes.tolist() == [0] * 6 + [1] * 8
    for segment, part in zip(merged, own, strict=True):
        rows = [document for document in alive if document.entry_id in part.entry_ids.tolist()]
        _assert_same([segment], _built(rows))


def test_a_document_longer_than_any_segment() -> None:
    passages = [Passage({f"p{number % 10}": 1}, frozenset()) for number in range(70_000)]
    other = Document(2, uuid.UUID(int=0), 1, 1, passages[:5])
    name = uuid.UUID(int=1)
    rows = [
        Document(1, name, 1, 1, passages[first : first + 4_096], first)
        for first in range(0, 70_000, 4_096)
    ]
    sources = [as_source(_built(part)[0]) for part in ([other, *rows[::2]], rows[1::2])]
    merged = merge(sources, NOBODY, "english")
    assert indexed(merged) == expected([other, *rows])
    assert [segment.row["documents"] for segment in merged] == [2, 1]
    assert all(segment.row["passages"] <= MAX_PASSAGES for segment in merged)


def test_nothing_alive_is_no_segment() -> None:
    documents = _random_documents(5, seed=2)
    dead = np.sort(np.array([document.entry_id for document in documents]))
    assert merge([as_source(_built(documents)[0])], dead, "english") == []
    assert merge([], NOBODY, "english") == []


def test_a_source_that_contradicts_itself_is_refused() -> None:
    source = as_source(_built(_random_documents(5, seed=2))[0])
    with pytest.raises(IndexDamaged):
        merge([source._replace(lengths=source.lengths[1:])], NOBODY, "english")
    blocks = {**source.blocks, "l": list(source.blocks["l"])[::-1] * 2}
    with pytest.raises(IndexDamaged):
        merge([source._replace(blocks=blocks)], NOBODY, "english")
