"""Recall of HNSW against an exact search, on vectors of real passages and real questions.

Each passage's vector stands five times among the vectors that are searched: as it is, and as four
copies with Gaussian noise of norm 0.1 added, scaled to length 1 again. So a hundred thousand
vectors have the neighbourhoods of real ones, at the price of embedding twenty thousand.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench import passages, raw
from bench.report import Report
from bench.server import Connection
from bench.timing import Times
from ragsql.models import ModelChoice

COPIES = 4
NOISE = 0.1
TOP = 10
SIZE = 120
"""Characters of a passage: twenty thousand different ones lie in the shared data."""
GROUP, BATCH = 64, 8
"""Passages that a process embeds at a time, and the model."""

OPTIONS: dict[str, str | None] = {
    "default": None,
    "memory_efficient": '{"memory_efficient": true}',
    "binary": '{"quantization": "binary", "memory_efficient": false}',
}
"""Options of rag.add_model that are given one after the other; each builds the index anew."""
REACHING = ("default", "binary")
"""Those with a target."""
CHECKED = 100
"""Passages that rag.check_recall asks for their neighbours."""

_MODEL, _COLLECTION_NAME = "bench-recall", "recall"
_ADD_MODEL = f"select rag.add_model('{_MODEL}', 'external', %s, %s)"
_MODEL_ID = f"select model_id from rag_internal.model where name = '{_MODEL}'"
_COLLECTION = f"select rag.create_collection('{_COLLECTION_NAME}', model => '{_MODEL}')"
_PER_DOCUMENT = 100
_ROWS = {
    "document": f"""
    insert into rag_internal.document (collection_id, source, content, content_hash, attributes,
                                       indexed_as, acl_id, text_config)
    select k.collection_id, n::text, '', sha256(''), '{{}}', '{{}}', k.acl_id, k.text_config
    from rag_internal.collection k,
         generate_series(0, (select max(number) from vector_to_load) / {_PER_DOCUMENT}) n
    where k.name = '{_COLLECTION_NAME}'
    """,
    "chunk": f"""
    insert into rag_internal.chunk (document_id, chunk_index, content, start_offset, end_offset,
                                    start_line, end_line, tsv)
    select d.document_id, l.number % {_PER_DOCUMENT}, l.number::text, 0, 1, 1, 1, ''
    from vector_to_load l
    join rag_internal.document d on d.source = (l.number / {_PER_DOCUMENT})::text
    join rag_internal.collection k using (collection_id)
    where k.name = '{_COLLECTION_NAME}'
    """,
    "embedding": f"""
    insert into rag_internal.embedding (model_id, chunk_id, acl_id, collection_id, embed_hash, v)
    select k.model_id, c.chunk_id, d.acl_id, d.collection_id,
           sha256(convert_to(c.content, 'UTF8')), l.v
    from vector_to_load l
    join rag_internal.chunk c on c.content = l.number::text
    join rag_internal.document d using (document_id)
    join rag_internal.collection k using (collection_id)
    where k.name = '{_COLLECTION_NAME}'
    """,
}
_INDEX = """
select rag_internal.index_document(d.document_id)
from rag_internal.document d join rag_internal.collection k using (collection_id)
where k.name = %s
"""
_BUILD = f"""
select rag_internal.build_vector_index(m) from rag_internal.model m where m.name = '{_MODEL}'
"""
_SIZE = f"""
select pg_relation_size(format('rag_internal.embedding_%s_hnsw', m.model_id)::regclass)
from rag_internal.model m where m.name = '{_MODEL}'
"""
_SEARCH = f"""
select content::integer
from rag.semantic_search(null, array['{_COLLECTION_NAME}'], query_vector => %s, top_k => %s)
"""
_CHECK = f"select recall from rag.check_recall('{_COLLECTION_NAME}', {CHECKED})"

Vectors = NDArray[np.float32]
Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Set:
    """Vectors to search, questions to ask, and the true nearest ones of each question, in order.

    sources: for each vector the number of the given one that it is a copy of, plus how many there
    were for each copy before it.
    """

    vectors: Vectors
    queries: Vectors
    nearest: Ids
    sources: Ids

    @property
    def dimensions(self) -> int:
        """Of each vector."""
        return int(self.vectors.shape[1])


def make_set(vectors: Vectors, queries: Vectors, copies: int = COPIES) -> Set:
    """The set that stands for `vectors`, rounded as halfvec rounds them."""
    chance = np.random.default_rng(passages.SEED)
    parts = [vectors]
    for _ in range(copies):
        noise = chance.standard_normal(vectors.shape, dtype=np.float32)
        noise *= NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
        moved = vectors + noise
        parts.append(moved / np.linalg.norm(moved, axis=1, keepdims=True))
    all_vectors = np.concatenate(parts)
    # copies lie apart in the table, as passages that are alike do
    sources = chance.permutation(len(all_vectors))
    all_vectors = all_vectors[sources].astype(np.float16).astype(np.float32)
    asked = queries.astype(np.float16).astype(np.float32)
    lengths = np.linalg.norm(all_vectors, axis=1)
    nearest = [np.argsort(-(all_vectors @ query) / lengths)[:TOP] for query in asked]
    return Set(all_vectors, queries, np.asarray(nearest, dtype=np.int64), sources)


def embed(choice: ModelChoice, data: Path, cache: Path, count: int) -> tuple[Vectors, Vectors]:
    """Vectors of `count` passages and of all questions; kept in `cache`, for they take minutes."""
    texts, questions = passages.load(data, SIZE, count), passages.questions(data)
    digest = hashlib.sha256("\0".join([choice.revision, *texts, *questions]).encode()).hexdigest()
    file = cache / f"embedding-{digest[:16]}.npz"
    if not file.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        np.savez(file, vectors=_passages(choice, texts), queries=_queries(choice, questions))
    with np.load(file) as kept:
        return kept["vectors"], kept["queries"]


def _passages(choice: ModelChoice, texts: Sequence[str]) -> Vectors:
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    groups = [
        [[texts[number] for number in batch] for batch in _portions(group, BATCH)]
        for group in _portions(order, GROUP)
    ]
    with raw.Pool(choice.name, choice.directory) as pool:
        found = np.concatenate(pool.passages(groups))
    vectors = np.empty_like(found)
    vectors[order] = found
    return vectors


def _queries(choice: ModelChoice, questions: Sequence[str]) -> Vectors:
    model = raw.model(choice.name, choice.directory)
    return np.asarray(list(model.query_embed(list(questions))), dtype=np.float32)


def _portions(numbers: Sequence[int], size: int) -> list[Sequence[int]]:
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]


def measure(connection: Connection, vectors: Vectors, queries: Vectors, report: Report) -> None:
    """Recall, build time and size of the index of a model with each of OPTIONS."""
    found = make_set(vectors, queries)
    connection.execute(_ADD_MODEL, [found.dimensions, "{}"])
    load(connection, found.vectors)
    for name, options in OPTIONS.items():
        seconds = build(connection, options, found.dimensions)
        index = f"recall: {len(found.vectors):,} vectors, {name}"
        report.add(f"{index}, build", seconds, " s")
        report.add(f"{index}, size of the index", _scalar(connection, _SIZE) / 1e6, " MB")
        ids, times = ask(connection, found.queries)
        report.add(f"{index}, rag.semantic_search, p50", times.p50, " ms")
        target = 0.95 if name in REACHING else None
        report.add(f"{index}, recall@{TOP}", share(ids, found.nearest), at_least=target)
        live = _scalar(connection, _CHECK)
        report.add(f"{index}, rag.check_recall of {CHECKED} passages", live)


def load(connection: Connection, vectors: Vectors) -> None:
    """Stores the vectors as those of passages of a collection, without an index.

    Rows go into the tables as they are, without triggers: neither text nor queue is measured.
    """
    connection.execute(_COLLECTION)
    connection.execute("create temporary table vector_to_load (number integer, v halfvec)")
    with connection.cursor() as cursor, cursor.copy("copy vector_to_load from stdin") as copy:
        for number, vector in enumerate(vectors):
            copy.write_row((number, text(vector)))
    connection.execute("analyze vector_to_load")
    connection.execute("drop index rag_internal." + _index(connection))
    connection.execute("set session_replication_role = replica")
    for table, statement in _ROWS.items():
        connection.execute(statement)
        connection.execute(f"analyze rag_internal.{table}")
    connection.execute("reset session_replication_role")
    connection.execute("drop table vector_to_load")
    # whose passages are seen is asked of the lexical index
    connection.execute(_INDEX, [_COLLECTION_NAME])
    connection.execute("call rag.maintain()")
    connection.execute("vacuum analyze")


def build(connection: Connection, options: str | None, dimensions: int) -> float:
    """Builds the index anew, with these options or as the model is; seconds that it took."""
    began = time.perf_counter()
    if options is None:
        connection.execute(_BUILD)
    else:
        connection.execute(_ADD_MODEL, [dimensions, options])
    return time.perf_counter() - began


def ask(connection: Connection, queries: Vectors) -> tuple[Ids, Times]:
    """Numbers of the vectors that are found for each question, -1 for none; and how long it took."""
    found = np.full((len(queries), TOP), -1, dtype=np.int64)
    times: list[float] = []
    for number, query in enumerate(queries):
        vector = text(query)
        began = time.perf_counter()
        rows = connection.execute(_SEARCH, [vector, TOP], prepare=True).fetchall()
        times.append((time.perf_counter() - began) * 1000)
        found[number, : len(rows)] = [row[0] for row in rows]
    return found, Times(tuple(times))


def share(found: Ids, nearest: Ids) -> float:
    """The share of the true nearest ones that was found, over all questions."""
    hits = [np.intersect1d(*pair).size for pair in zip(found, nearest, strict=True)]
    return sum(hits) / nearest.size


def text(vector: Vectors) -> str:
    """A vector as pgvector reads it."""
    return "[" + ",".join(map("%.9g".__mod__, vector.tolist())) + "]"


def _index(connection: Connection) -> str:
    return f"embedding_{_scalar(connection, _MODEL_ID):.0f}_hnsw"


def _scalar(connection: Connection, statement: str) -> float:
    row = connection.execute(statement).fetchone()
    if row is None:
        raise SystemExit(f"Nothing was found by: {statement}")
    return float(row[0])
