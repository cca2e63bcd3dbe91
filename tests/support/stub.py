"""A database whose passages are embedded by a scripted server, and what must hold of its vectors.

stub = Stub(db, server)         # models `stub` and `other`, which differ by a passage prefix
stub.collection("c")            # searched by `stub`
stub.ingest("a", "some text", embed="later")
stub.work()                     # call rag.run_jobs()
stub.assert_whole()             # one vector of each text, and no more
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import psycopg

from support.database import Database
from support.embedding_server import EmbeddingServer, Reply, vector_of

OTHER_PREFIX = "other: "

_EMPTY = """
truncate rag_internal.acl, rag_internal.collection, rag_internal.document, rag_internal.segment,
         rag_internal.pending, rag_internal.tombstone, rag_internal.word, rag_internal.job,
         rag_internal.provider_pause cascade
"""
_VECTORS = """
select m.passage_prefix || w.content, e.v::text,
       (e.acl_id, e.collection_id) = (w.acl_id, w.collection_id),
       e.embed_hash = rag_internal.embed_hash(w.revision, w.content)
from rag_internal.wanted_embedding w
join rag_internal.model m using (model_id)
left join rag_internal.embedding e using (model_id, chunk_id)
where m.name in ('stub', 'other')
"""
_STRAYS = """
select count(*) from rag_internal.embedding e
where not exists (select from rag_internal.wanted_embedding w
                  where w.model_id = e.model_id and w.chunk_id = e.chunk_id)
"""


class Ingested(NamedTuple):
    """What an ingest answered."""

    document_id: str
    status: str
    job_id: int | None


class Status(NamedTuple):
    """A row of rag.job_status, in part."""

    status: str
    total: int
    done: int
    waiting: int
    failed: int


class Stub:
    """See the module."""

    def __init__(self, database: Database, server: EmbeddingServer) -> None:
        self.database = database
        self.server = server
        self.root = database.connect()
        self.run("select rag.allow_http(%s)", [server.host])
        for name, prefix in (("stub", ""), ("other", OTHER_PREFIX)):
            options = {"endpoints": [{"url": server.url}], "passage_prefix": prefix}
            self.run(
                "select rag.add_model(%s, 'openai', %s, %s)",
                name, server.dimensions, json.dumps(options),
            )  # fmt: skip

    def reset(self) -> None:
        """No documents, no jobs, and a server that behaves."""
        self.run(_EMPTY)
        self.run("select rag.unload_model()")  # and the queries that the session keeps
        self.server.script.clear()
        self.server.words.clear()
        self.server.always = Reply()
        self.server.requests.clear()

    def run(self, query: str, *values: Any) -> list[Any]:
        """Rows of a superuser's statement; single values where there is one column."""
        return run(self.root, query, *values)

    def collection(self, name: str = "c", model: str = "stub", **options: Any) -> None:
        names = "".join(f", {option} => %s" for option in options)
        self.run(
            f"select rag.create_collection(%s, model => %s{names})", name, model, *options.values()
        )

    def ingest(self, source: str, content: str, collection: str = "c", **options: Any) -> Ingested:
        """Ingests by the superuser, in a transaction of its own."""
        return ingest(self.root, source, content, collection, **options)

    def passages(
        self, source: str, texts: Sequence[str], collection: str = "c", embed: str = "later"
    ) -> int | None:
        """Ingests a document of these passages; its job."""
        chunks = json.dumps([{"content": text} for text in texts])
        (job_id,) = self.run(
            "select job_id from rag.ingest_chunks(%s, %s, source => %s, embed => %s)",
            collection, chunks, source, embed,
        )  # fmt: skip
        return None if job_id is None else int(job_id)

    def work(self, max_passages: int | None = None) -> None:
        """Embeds all that may be claimed, or so many."""
        self.run("call rag.run_jobs(%s)", max_passages)

    def claim(self, max_passages: int = 32) -> str | None:
        (claim,) = self.run("select rag.claim_job(%s)", max_passages)
        return None if claim is None else str(claim)

    def embed(self, claim: str | None) -> int:
        """Embeds a claim; how many passages are finished."""
        (finished,) = self.run("select rag.embed_claimed(%s::uuid)", claim)
        return int(finished)

    def pass_time(self) -> None:
        """As if leases, pauses and waits between attempts were over."""
        self.run("update rag_internal.embedding_task set run_after = now() where not is_dead")
        self.run("update rag_internal.provider_pause set until = now()")

    def status(self, job_id: int | None) -> Status:
        (row,) = self.run(
            "select status, total, done, waiting, failed from rag.job_status where job_id = %s",
            job_id,
        )
        return Status(*row)

    def tasks(self, columns: str = "attempts") -> list[Any]:
        """Columns of the open tasks, in the order of their passages."""
        return self.run(
            f"select {columns} from rag_internal.embedding_task where not is_dead"
            " order by model_id, chunk_id"
        )

    def dead(self) -> list[Any]:
        """Source, passage, attempts and error of what was given up."""
        return self.run(
            "select source, chunk_index, attempts, error from rag.dead_letter order by 1, 2"
        )

    def found(self, query: str, how: str = "semantic_search") -> list[str]:
        """Sources of what a search of the superuser's finds, in their order."""
        return self.run(f"select source from rag.{how}(%s, top_k => 100) order by rank", query)

    def assert_whole(self, missing: Sequence[str] = ()) -> None:
        """Expects one vector for each passage but those of the texts `missing`, of its own text,
        class and collection, and no other vectors."""
        lacking = []
        for text, vector, in_place, hashed in self.run(_VECTORS):
            if vector is None:
                lacking.append(text)
                continue
            assert in_place, f"the vector of {text!r} is of another class"
            assert hashed, f"the vector of {text!r} says it is of another text"
            expected = vector_of(text, self.server.dimensions)
            assert np.allclose(json.loads(vector), expected, atol=2e-3), f"not that of {text!r}"
        assert sorted(lacking) == sorted(missing)
        assert self.run(_STRAYS) == [0]

    def assert_index(self) -> None:
        """Expects a lexical index that is as computed anew."""
        assert not self.run(
            "select k.name, d.* from rag_internal.collection k, rag.verify_index(k.name) d"
        )


def run(connection: psycopg.Connection[Any], query: str, *values: Any) -> list[Any]:
    """Rows of a statement; single values where there is one column."""
    cursor = connection.execute(query.encode(), values or None)
    if cursor.description is None:
        return []
    return [row[0] if len(row) == 1 else row for row in cursor.fetchall()]


def ingest(
    connection: psycopg.Connection[Any],
    source: str,
    content: str,
    collection: str = "c",
    **options: Any,
) -> Ingested:
    """rag.ingest by whoever the session is."""
    names = "".join(f", {name} => %s" for name in options)
    (row,) = run(
        connection,
        "select i.document_id::text, i.status, i.job_id"
        f" from rag.ingest(%s, %s, %s{names}) i",
        collection, content, source, *options.values(),
    )  # fmt: skip
    return Ingested(*row)
