"""Passages with given vectors, written past the engine: thousands in a second."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

Connection = psycopg.Connection[Any]
Vectors = NDArray[np.float64]
Found = list[tuple[str, float]]

DOCUMENTS = """
    insert into rag_internal.document (collection_id, source, content, content_hash, attributes,
                                       indexed_as, acl_id, text_config)
    select k.collection_id, n.source, n.source, sha256(convert_to(n.source, 'UTF8')),
           jsonb_build_object('source', n.source, 'number', n.number), '{}', a.acl_id, 'english'
    from given n, rag_internal.collection k, rag_internal.collection a
    where k.name = %s and a.name = n.readers"""
PASSAGES = """
    insert into rag_internal.chunk (document_id, chunk_index, content, start_offset, end_offset,
                                    start_line, end_line, tsv)
    select d.document_id, 0, n.source, 0, length(n.source), 1, 1,
           to_tsvector('english', 'word' || n.number %% 7)
    from given n join rag_internal.document d using (source)
    join rag_internal.collection k using (collection_id)
    where k.name = %s"""
EMBEDDINGS = """
    insert into rag_internal.embedding (model_id, chunk_id, acl_id, collection_id, embed_hash, {column})
    select m.model_id, c.chunk_id, d.acl_id, d.collection_id, d.content_hash, n.v::text::{type}
    from given n join rag_internal.document d using (source)
    join rag_internal.collection k using (collection_id)
    join rag_internal.chunk c using (document_id)
    join rag_internal.model m on m.name = %s
    where k.name = %s"""

INDEX = """
    select rag_internal.index_document(d.document_id)
    from given n join rag_internal.document d using (source)
    join rag_internal.collection k using (collection_id)
    where k.name = %s"""


def unit(vectors: Vectors) -> Vectors:
    """Rows scaled to length 1, with the precision of float32."""
    scaled: Vectors = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return scaled.astype(np.float32).astype(np.float64)


def near(count: int, dimensions: int, seed: int, clusters: int = 50) -> Vectors:
    """`count` unit vectors around `clusters` centres, as those of texts lie."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(clusters, dimensions))
    noise = random.normal(size=(count, dimensions)) * 0.7
    return unit(centres[random.integers(clusters, size=count)] + noise)


def add_model(
    conn: Connection,
    name: str,
    provider: str = "external",
    dimensions: int = 8,
    **options: Any,
) -> None:
    """Registers a model, or changes it."""
    conn.execute(
        "select rag.add_model(%s, %s, %s, %s)", [name, provider, dimensions, json.dumps(options)]
    )


def literal(vector: Vectors) -> str:
    """The vector as pgvector reads it."""
    return "[" + ",".join(repr(float(x)) for x in vector) + "]"


def place(
    conn: Connection,
    collection: str,
    vectors: Vectors,
    *,
    model: str,
    readers_of: Sequence[str] | None = None,
    first: int = 0,
) -> None:
    """A document of one passage per row of `vectors`, named by its number from `first`.

    Each can be read by the readers of the collection that `readers_of` has in its place (None:
    of `collection` itself).
    """
    row = conn.execute(
        "select storage, model_id from rag_internal.model where name = %s", [model]
    ).fetchone()
    assert row is not None
    kind, column = ("public.vector", "full_v") if row[0] == "vector" else ("public.halfvec", "v")
    conn.execute(
        "create temporary table given (number integer, source text, v public.vector, readers text)"
    )
    with conn.cursor().copy("copy given from stdin") as copy:
        for number, vector in enumerate(vectors, first):
            readers = readers_of[number - first] if readers_of else collection
            copy.write_row((number, f"{number:06}", literal(vector), readers))
    conn.execute(DOCUMENTS, [collection])
    conn.execute(PASSAGES, [collection])
    # a graph is built faster than row by row
    conn.execute(f"drop index if exists rag_internal.embedding_{row[1]}_hnsw")
    conn.execute(EMBEDDINGS.format(column=column, type=kind), [model, collection])
    conn.execute(
        "select rag_internal.build_vector_index(m) from rag_internal.model m where m.name = %s",
        [model],
    )
    # a search by vectors asks the lexical index for what the caller sees
    conn.execute(INDEX, [collection])
    conn.execute("drop table given")
    conn.execute("analyze rag_internal.document, rag_internal.chunk, rag_internal.embedding")


def collection(
    conn: Connection, name: str, model: str, count: int = 40, seed: int = 1, **options: Any
) -> Vectors:
    """A collection of `count` passages under a new external model; returns their vectors.

    options: those of rag.add_model, or dimensions (8).
    """
    add_model(conn, model, **options)
    conn.execute("select rag.create_collection(%s, model => %s)", [name, model])
    vectors = near(count, options.get("dimensions", 8), seed)
    place(conn, name, vectors, model=model)
    return vectors


def ask(conn: Connection, vector: Vectors, collections: list[str], top_k: int = 10) -> Found:
    """Sources and scores of the passages nearest to a vector, best first."""
    return conn.execute(
        "select source, score from rag.semantic_search(null, %s, %s, query_vector => %s)",
        [collections, top_k, literal(vector)],
    ).fetchall()
