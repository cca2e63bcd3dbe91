"""Many passages out of few: the same documents again under other ids, segments and all.

Analysing and building fifteen times the same would take an hour and give the same segments, so
they are copied: the documents of a tile differ from the originals in the last byte of their ids
only, which leaves the order within a segment as it is.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from bench.server import Connection

_DOCUMENTS = """
insert into rag_internal.document (document_id, collection_id, source, title, content,
                                   content_hash, attributes, indexed_as, acl_id, text_config)
select bench.tile(d.document_id, %(tile)s), d.collection_id, d.source || '~' || %(tile)s::text,
       d.title, '', d.content_hash, '{}', d.indexed_as, d.acl_id, d.text_config
from rag_internal.document d join bench.document b using (document_id)
where not b.spare
"""
# BM25 reads no tsv: what lies in the segments is enough
_CHUNKS = """
insert into rag_internal.chunk (document_id, chunk_index, content, start_offset, end_offset,
                                start_line, end_line, tsv)
select bench.tile(c.document_id, %(tile)s), c.chunk_index, c.content, c.start_offset, c.end_offset,
       1, 1, ''
from rag_internal.chunk c join bench.document b using (document_id)
where not b.spare
"""
_FUNCTION = """
create or replace function bench.tile(document_id uuid, number integer) returns uuid
language sql immutable parallel safe
as $$
    select (left(document_id::text, 34) || lpad(to_hex(number), 2, '0'))::uuid
$$
"""
_COPIED = """
text_config, passages, documents, collection_ids, acl_ids, first_passages, first_indexes,
valid_from, valid_until, lengths
"""
_SEGMENT = f"""
insert into rag_internal.segment (entry_ids, document_ids, {_COPIED})
select %s, %s, {_COPIED} from rag_internal.segment where segment_id = %s
returning segment_id
"""
_POSTINGS = """
insert into rag_internal.posting (segment_id, kind, first_term, terms, counts, ordinals,
                                  frequencies)
select %s, kind, first_term, terms, counts, ordinals, frequencies
from rag_internal.posting where segment_id = %s
"""


def tile(connection: Connection, tiles: int) -> None:
    """Adds documents and segments until all is there `tiles` times, at most 256."""
    connection.execute(_FUNCTION)
    connection.execute("drop index if exists rag_internal.chunk_tsv")
    segments = connection.execute(
        "select segment_id, documents, document_ids from rag_internal.segment"
    ).fetchall()
    for number in range(1, tiles):
        connection.execute(_DOCUMENTS, {"tile": number})
        connection.execute(_CHUNKS, {"tile": number})
        for segment in segments:
            _copy_segment(connection, segment, number)
        print(f"tile {number + 1} of {tiles}", file=sys.stderr, flush=True)
    connection.execute(
        "vacuum analyze rag_internal.document, rag_internal.chunk, rag_internal.segment, "
        "rag_internal.posting"
    )


def _copy_segment(connection: Connection, segment: tuple[Any, ...], number: int) -> None:
    segment_id, documents, document_ids = segment
    ids = np.frombuffer(document_ids, np.uint8).reshape(documents, 16).copy()
    if ids[:, 15].any():
        raise SystemExit("A segment holds documents that are not the benchmark's own.")
    ids[:, 15] = number
    entries = os.urandom(8 * documents)
    row = connection.execute(_SEGMENT, [entries, ids.tobytes(), segment_id]).fetchone()
    assert row is not None
    connection.execute(_POSTINGS, [row[0], segment_id])
