"""Documents whose passages lie in several rows of pending, and then in several segments."""

from __future__ import annotations

import uuid

import pytest

from concurrency.cast import Cast
from concurrency.reference import Piece, places
from concurrency.stage import Session

PASSAGES = 4_096 + 600

# Ingesting so many passages takes seconds. The text differs at its ends alone.
_WRITE = """
with document as (
    insert into rag_internal.document (document_id, collection_id, source, content, content_hash,
                                       attributes, indexed_as, acl_id, text_config)
    select %(id)s, k.collection_id, 'long', 'valve', '', '{}', '{}', k.acl_id, k.text_config
    from rag_internal.collection k where k.name = 'c'
    returning *
), text as (
    select i, case i when 0 then 'valve head' when 4095 then 'valve edge' when 4096 then 'valve next'
                     when %(passages)s - 1 then 'valve tail' else 'rust' end as content
    from generate_series(0, %(passages)s - 1) i
)
insert into rag_internal.chunk (document_id, chunk_index, content, start_offset, end_offset,
                                start_line, end_line, tsv)
select d.document_id, t.i, t.content, t.i, t.i + 1, 1, 1,
       rag_internal.index_text(null, '{}', t.content, d.text_config, 2, 1)
from document d, text t
"""


def _write(session: Session, passages: int = PASSAGES) -> str:
    document_id = str(uuid.uuid4())
    session.begin()
    session.connection.execute(_WRITE, {"id": document_id, "passages": passages})
    session.run("select rag_internal.index_document(%s)", document_id)
    session.commit()
    return document_id


def _pieces(cast: Cast) -> list[Piece]:
    """Pieces of the entry that lives."""
    (entry_id,) = cast.root.run("select entry_id from rag_internal.indexed_document")
    return sorted(places(cast.root)[entry_id], key=lambda piece: piece.first_index)


def _build_apart(cast: Cast) -> None:
    """Puts the two pieces into a segment each: one is locked while the other is built."""
    holder = cast.another().begin()
    holder.run("select from rag_internal.pending where first_index = 0 for update")
    assert cast.root.build() == PASSAGES - 4_096
    holder.rollback()
    assert cast.root.build() == 4_096


@pytest.fixture
def document_id(cast: Cast) -> str:
    """A document in two segments."""
    document_id = _write(cast.root)
    assert [piece[1:] for piece in _pieces(cast)] == [(0, 4_096), (4_096, 600)]
    _build_apart(cast)
    assert len({piece.part for piece in _pieces(cast)}) == 2
    return document_id


def test_its_pieces_are_merged_and_die_together(cast: Cast, document_id: str) -> None:
    cast.assert_well()
    old = cast.another("alice").begin("repeatable read")
    worker = cast.another().begin()
    assert worker.merge()
    cast.revoke(cast.owner, document_id, "bob")  # two pending rows more
    assert (cast.alice.find(), cast.bob.find()) == (["long"] * 4, [])
    worker.commit()
    assert (cast.alice.find(), cast.bob.find()) == (["long"] * 4, [])
    assert cast.root.sweep() == 0
    cast.owner.run("call rag.maintain()")
    cast.assert_well()
    assert old.find("tail") == ["long"]
    cast.owner.delete(document_id)
    assert cast.alice.find() == []
    assert old.find("tail") == ["long"]
    cast.owner.run("call rag.maintain()")
    assert places(cast.root) == {}
    assert old.find("edge") == ["long"]


def test_a_piece_is_merged_while_the_other_is_dead(cast: Cast, document_id: str) -> None:
    """The tombstone stays until both are gone."""
    held = cast.another().begin()
    held.run("select from rag_internal.segment order by passages limit 1 for update")
    cast.owner.delete(document_id)
    assert cast.root.merge()
    assert sum(map(len, places(cast.root).values())) == 1
    assert cast.root.sweep() == 0
    assert cast.alice.find() == []
    held.rollback()
    assert cast.root.merge()
    assert cast.root.sweep() == 1
    assert places(cast.root) == {}


def test_a_piece_is_built_while_the_document_is_deleted(cast: Cast) -> None:
    document_id = _write(cast.root)
    holder, worker = cast.another().begin(), cast.another().begin()
    holder.run("select from rag_internal.pending where first_index = 0 for update")
    assert worker.build() == 600
    cast.owner.delete(document_id)
    holder.rollback()
    assert cast.root.build() == 0  # taken, and dropped
    assert cast.root.sweep() == 0
    worker.commit()
    assert cast.alice.find() == []
    assert cast.root.sweep() == 0
    assert cast.root.merge()
    assert cast.root.sweep() == 1
    assert places(cast.root) == {}
