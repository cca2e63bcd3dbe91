"""Which classes a reader sees in which collections, and how SQL gets to know them."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.lexical.documents import FOREVER, NEVER, Documents
from ragsql_engine.lexical.parts import Visible
from ragsql_engine.lexical.sight import Pairs, distinct, pairs_of

_documents = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(1, 3), st.lists(st.booleans(), max_size=3)),
    max_size=12,
)


def documents(rows: list[tuple[int, int, list[bool]]]) -> Documents:
    """Documents by class, collection and, for each passage, whether it is visible."""
    counts = np.array([len(seen) for _, _, seen in rows], np.int64)
    n = len(rows)
    return Documents(
        entry_ids=np.arange(n, dtype=np.int64),
        document_ids=np.zeros((n, 2), np.uint64),
        collection_ids=np.array([c for _, c, _ in rows], np.int64),
        acl_ids=np.array([a for a, _, _ in rows], np.int64),
        first_passages=(np.cumsum(counts) - counts).astype(np.uint32),
        first_indexes=np.zeros(n, np.uint32),
        valid_from=np.full(n, NEVER, np.int64),
        valid_until=np.full(n, FOREVER, np.int64),
        passages=int(counts.sum()),
    )


@given(_documents)
def test_pairs_are_those_of_documents_with_visible_passages(
    rows: list[tuple[int, int, list[bool]]],
) -> None:
    # a document is seen or not, with all of its passages
    rows = [(a, c, [all(seen)] * len(seen)) for a, c, seen in rows]
    mask = np.array([s for _, _, seen in rows for s in seen], np.bool_)
    found = pairs_of(documents(rows), Visible(mask, int(mask.sum()), 0))
    assert [tuple(p) for p in found.tolist()] == sorted({(a, c) for a, c, s in rows if any(s)})
    everything = pairs_of(documents(rows), Visible(None, len(mask), 0))
    assert [tuple(p) for p in everything.tolist()] == sorted({(a, c) for a, c, s in rows if s})


def test_the_same_pairs_have_the_same_name() -> None:
    left = np.array([[2, 1], [1, 9], [2, 1]], np.int64)
    right = np.array([[1, 9]], np.int64)
    both = Pairs.of(distinct([left, right]))
    assert both.values.tolist() == [[1, 9], [2, 1]]
    assert both.name == Pairs.of(distinct([right, left])).name
    assert both.name != Pairs.of(distinct([right])).name
    assert Pairs.of(distinct([])).values.shape == (0, 2)


def test_one_pair_of_each_collection_stands_for_all() -> None:
    pairs = Pairs.of(distinct([np.array([[5, 1], [3, 1], [4, 2]], np.int64)]))
    assert pairs.few.values.tolist() == [[3, 1], [4, 2]]


def test_a_statement_gets_the_pairs_as_constants() -> None:
    pairs = Pairs.of(distinct([np.array([[-7, 1], [8, 1]], np.int64)]))
    filled = pairs.fill("{acls} {collections} {pair_acls} {pair_collections} {collection}")
    arrays = re.findall(r"'\{([-0-9,]*)\}'::pg_catalog.int8\[\]", filled)
    assert arrays == ["-7,8", "1", "-7,8", "1,1"]
    assert filled.endswith(" e.collection_id")
    assert pairs.fill("%s {} {0}") == "%s {} {0}"


def test_an_index_is_not_asked_for_far_more_pairs_than_there_are() -> None:
    pairs = Pairs.of(distinct([np.array([[n, n] for n in range(5)], np.int64)]))
    assert pairs.fill("{collection}") == "(e.collection_id + 0)"
