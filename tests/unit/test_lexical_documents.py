"""The documents of a part: who sees them when, and where their passages lie."""

import uuid
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.errors import IndexDamaged
from ragsql_engine.lexical.documents import FOREVER, NEVER, Documents

_MOMENTS = st.integers(-5, 5)
_IDS = st.integers(1, 4) | st.sampled_from([-(1 << 63), (1 << 63) - 1])


@st.composite
def _documents(draw: st.DrawFn) -> Documents:
    size = draw(st.integers(0, 12))

    def column(values: st.SearchStrategy[int]) -> Any:
        return np.array(draw(st.lists(values, min_size=size, max_size=size)), np.int64)

    counts = column(st.integers(1, 3)) if draw(st.booleans()) else np.ones(size, np.int64)
    names = [draw(st.uuids()).bytes for _ in range(size)]
    return Documents(
        entry_ids=column(st.integers(1, 20)),
        document_ids=np.frombuffer(b"".join(names), ">u8").astype(np.uint64).reshape(-1, 2),
        collection_ids=column(_IDS),
        acl_ids=column(_IDS),
        first_passages=(np.cumsum(counts) - counts).astype(np.uint32),
        first_indexes=column(st.sampled_from([0, 4_096])).astype(np.uint32),
        valid_from=column(_MOMENTS | st.just(NEVER)),
        valid_until=column(_MOMENTS | st.just(FOREVER)),
        passages=int(counts.sum()),
    )


def _ids(*values: int) -> Any:
    return np.array(sorted(values), np.int64)


@given(
    _documents(),
    st.none() | st.sets(_IDS),
    st.none() | st.sets(_IDS),
    st.sets(st.integers(0, 21)),
    _MOMENTS,
)
def test_who_sees_what(
    documents: Documents,
    acls: set[int] | None,
    collections: set[int] | None,
    dead: set[int],
    now: int,
) -> None:
    mask = documents.visible(
        None if acls is None else _ids(*acls),
        None if collections is None else _ids(*collections),
        _ids(*dead),
        now,
    )
    expected = [
        (acls is None or acl in acls)
        and (collections is None or collection in collections)
        and entry not in dead
        and valid_from <= now < valid_until
        for acl, collection, entry, valid_from, valid_until in zip(
            documents.acl_ids.tolist(),
            documents.collection_ids.tolist(),
            documents.entry_ids.tolist(),
            documents.valid_from.tolist(),
            documents.valid_until.tolist(),
            strict=True,
        )
    ]
    assert (mask is None) == all(expected)
    assert mask is None or mask.tolist() == expected


@given(_documents(), _MOMENTS)
def test_until_when_that_holds(documents: Documents, now: int) -> None:
    until = documents.until(now)
    assert until > now
    before = documents.visible(None, None, _ids(), now)
    for moment in range(now, min(until, 8)):
        after = documents.visible(None, None, _ids(), moment)
        assert (before is None) == (after is None)
        assert before is None or after is None or np.array_equal(before, after)
    bounds = {*documents.valid_from.tolist(), *documents.valid_until.tolist()}
    assert until == FOREVER or until in bounds


@given(_documents())
def test_keys_sort_like_the_identity_of_passages(documents: Documents) -> None:
    ordinals = np.arange(documents.passages, dtype=np.uint16)[::-1]
    high, low, index = documents.keys(ordinals)
    assert [str(half.dtype) for half in (high, low, index)] == ["uint64", "uint64", "int64"]
    bounds = [*documents.first_passages.tolist(), documents.passages]
    names = []
    for number, (one, other) in enumerate(documents.document_ids.tolist()):
        name = uuid.UUID(int=one << 64 | other)
        first = int(documents.first_indexes[number]) - bounds[number]
        names += [(name.bytes, first + at) for at in range(bounds[number], bounds[number + 1])]
    names.reverse()
    by_keys = sorted(range(len(names)), key=lambda at: (high[at], low[at], index[at]))
    assert [names[at] for at in by_keys] == sorted(names)
    assert index.tolist() == [number for _, number in names]


@given(_documents(), st.data())
def test_what_is_said_of_documents_is_said_of_their_passages(
    documents: Documents, data: st.DataObject
) -> None:
    size = len(documents)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), np.bool_)
    bounds = [*documents.first_passages.tolist(), documents.passages]
    expected = [bool(mask[at]) for at in range(size) for _ in range(bounds[at], bounds[at + 1])]
    assert documents.spread(mask).tolist() == expected


@given(_documents())
def test_a_row_comes_back(documents: Documents) -> None:
    row = documents.to_row()
    assert row["documents"] == len(documents)
    again = Documents.from_row(row)
    assert again.to_row() == row
    assert np.array_equal(again.document_ids, documents.document_ids)
    assert again.nbytes >= 72 * len(documents)
    names = [row["document_ids"][at : at + 16] for at in range(0, 16 * len(documents), 16)]
    halves = [one << 64 | other for one, other in documents.document_ids.tolist()]
    assert [int.from_bytes(name, "big") for name in names] == halves


@pytest.mark.parametrize(
    "change",
    [
        {"entry_ids": bytes(8)},
        {"acl_ids": bytes(17)},
        {"document_ids": bytes(24)},
        {"first_passages": np.array([0, 1, 9], "<u4").tobytes()},
        {"first_passages": np.array([1, 2, 3], "<u4").tobytes()},
        {"first_passages": np.array([0, 2, 1], "<u4").tobytes()},
        {"passages": 65_537},
    ],
)
def test_a_row_that_contradicts_itself_is_refused(change: dict[str, Any]) -> None:
    three = np.zeros(3, np.int64)
    row = Documents(
        three,
        np.zeros((3, 2), np.uint64),
        three,
        three,
        np.array([0, 1, 2], np.uint32),
        np.zeros(3, np.uint32),
        three,
        three,
        passages=4,
    ).to_row()
    assert len(Documents.from_row(row)) == 3
    with pytest.raises(IndexDamaged):
        Documents.from_row(row | change)
