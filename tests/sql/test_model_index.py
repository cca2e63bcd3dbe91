"""The vector index that each model has, and what its vectors are compared by."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from support import Database, throws_ok
from support.vectors import add_model as add
from support.vectors import ask, collection, literal, near, place

Connection = psycopg.Connection[Any]


def model(conn: Connection, name: str) -> dict[str, Any]:
    cursor = conn.execute("select * from rag.model where name = %s", [name])
    row = cursor.fetchone()
    assert row is not None
    return {column.name: value for column, value in zip(cursor.description or (), row, strict=True)}


def index_of(conn: Connection, name: str) -> str | None:
    """The definition of the model's vector index."""
    row = conn.execute(
        "select pg_get_indexdef(to_regclass(format('rag_internal.embedding_%%s_hnsw', model_id)))"
        " from rag_internal.model where name = %s",
        [name],
    ).fetchone()
    assert row is not None
    definition: str | None = row[0]
    return definition and definition.replace("public.", "")


def warnings_of(conn: Connection) -> list[str]:
    found: list[str] = []
    conn.add_notice_handler(lambda diagnostic: found.append(diagnostic.message_primary or ""))
    return found


def test_what_made_the_vectors_stays_while_there_are_any(conn: Connection) -> None:
    changes: dict[str, Any] = {
        "revision": "2", "passage_prefix": "p: ", "metric": "l2", "storage": "vector",
    }  # fmt: skip
    add(conn, "m")
    conn.execute("select rag.create_collection('docs', model => 'm')")

    def refused() -> None:
        for option, value in changes.items():
            throws_ok(
                conn,
                "select rag.add_model('m', 'external', 8, %s)",
                "55000",
                f'"m" is in use, and cannot change its {option}',
                [json.dumps({option: value})],
            )
        throws_ok(conn, "select rag.add_model('m', dimensions => 8)", "55000", "provider")

    refused()
    add(conn, "m", query_prefix="q: ", ef_search=200, long_input="error", is_default=False)
    assert model(conn, "m")["query_prefix"] == "q: "

    place(conn, "docs", near(3, 8, 1), model="m")
    conn.execute("update rag_internal.collection set model_id = null where name = 'docs'")
    refused()
    conn.execute("delete from rag_internal.document")
    conn.execute(
        "insert into rag_internal.collection_model select k.collection_id, m.model_id"
        " from rag_internal.collection k, rag_internal.model m where m.name = 'm'"
    )
    refused()
    conn.execute("delete from rag_internal.collection_model")
    add(conn, "m", **changes)
    assert model(conn, "m").items() >= changes.items()
    assert "((full_v)::vector(8)) vector_l2_ops" in str(index_of(conn, "m"))


@pytest.mark.parametrize(
    ("dimensions", "options", "expected"),
    [
        (384, {}, "((v)::halfvec(384)) halfvec_cosine_ops"),
        (4000, {"metric": "l2"}, "((v)::halfvec(4000)) halfvec_l2_ops"),
        (2000, {"storage": "vector"}, "((full_v)::vector(2000)) vector_cosine_ops"),
        (2001, {"storage": "vector", "metric": "inner_product"}, "((full_v)::halfvec(2001)) halfvec_ip_ops"),
        (4001, {"quantization": "binary"}, "((binary_quantize((v)::halfvec(4001)))::bit(4001)) bit_hamming_ops"),
        (16000, {"quantization": "binary", "storage": "vector"},
         "((binary_quantize((full_v)::vector(16000)))::bit(16000)) bit_hamming_ops"),
        (4001, {}, None),
        (16000, {"storage": "vector"}, None),
    ],
)  # fmt: skip
def test_each_form_of_vectors_has_its_index(
    conn: Connection, dimensions: int, options: dict[str, Any], expected: str | None
) -> None:
    warnings = warnings_of(conn)
    add(conn, "m", dimensions=dimensions, **options)
    definition = index_of(conn, "m")
    if expected is None:
        assert definition is None
        assert [f"{dimensions} dimensions are more than" in w for w in warnings] == [True]
    else:
        assert expected in str(definition)
        assert warnings == []
    add(conn, "m", dimensions=dimensions, **options)
    assert len(warnings) == (expected is None), "once, not each time"


@pytest.mark.parametrize("dimensions", [3072, 4096])
@pytest.mark.parametrize("storage", ["halfvec", "vector"])
def test_e07_many_dimensions_never_fail(conn: Connection, dimensions: int, storage: str) -> None:
    add(conn, "m", dimensions=dimensions, storage=storage)
    assert (index_of(conn, "m") is None) == (dimensions == 4096)
    conn.execute("select rag.create_collection('docs', model => 'm')")
    vectors = near(12, dimensions, 3)
    place(conn, "docs", vectors, model="m")
    hits = conn.execute(
        "select source, score from rag.semantic_search(null, '{docs}', 3, query_vector => %s)",
        [literal(vectors[7])],
    ).fetchall()
    assert hits[0] == ("000007", pytest.approx(1, abs=1e-4))
    assert len(hits) == 3
    add(conn, "m", dimensions=dimensions, quantization="binary")
    assert "bit_hamming_ops" in str(index_of(conn, "m"))


def test_another_graph_is_built_at_once(conn: Connection) -> None:
    add(conn, "m")
    conn.execute("select rag.create_collection('docs', model => 'm')")
    place(conn, "docs", near(50, 8, 1), model="m")
    assert "m='16', ef_construction='128'" in str(index_of(conn, "m"))
    add(conn, "m", memory_efficient=True)
    assert "m='8', ef_construction='128'" in str(index_of(conn, "m"))
    add(conn, "m", quantization="binary")
    assert "bit_hamming_ops" in str(index_of(conn, "m"))
    oid = "select oid from pg_class where relname = 'embedding_' || %s || '_hnsw'"
    number = conn.execute("select max(model_id) from rag_internal.model").fetchone()
    built = conn.execute(oid, number).fetchone()
    add(conn, "m", ef_search=500, query_prefix="q: ", quantization="binary", m=8)
    assert conn.execute(oid, number).fetchone() == built, "nothing that the graph depends on"


def test_searches_go_on_while_a_graph_is_built(db: Database) -> None:
    owner = db.connect()
    vectors = collection(owner, "docs", "m")
    owner.execute(
        """create function public.wait_here() returns event_trigger language plpgsql as
           $$ begin perform pg_advisory_xact_lock_shared(7); end $$"""
    )
    owner.execute(
        "create event trigger wait_here on ddl_command_end when tag in ('CREATE INDEX')"
        " execute function public.wait_here()"
    )
    owner.execute("select pg_advisory_lock(7)")
    with ThreadPoolExecutor(1) as pool:
        built = pool.submit(add, db.connect(), "m", m=8)
        waits = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
        while owner.execute(waits).fetchone() != (1,):
            assert not built.done()
        owner.execute("set statement_timeout = '30s'")
        assert ask(owner, vectors[3], ["docs"], 1)[0][0] == "000003"
        owner.execute("select pg_advisory_unlock(7)")
        built.result()
    assert "m='8'" in str(index_of(owner, "m"))
    owner.execute("drop event trigger wait_here")
    owner.execute("select rag.drop_collection('docs')")
    owner.execute("select rag.drop_model('m')")


def test_e09_without_shared_memory_one_process_builds_the_index(conn: Connection) -> None:
    """A small /dev/shm: what a parallel build fails with there."""
    add(conn, "m")
    conn.execute("select rag.create_collection('docs', model => 'm')")
    place(conn, "docs", near(50, 8, 1), model="m")
    conn.execute(
        """create function public.no_shared_memory() returns event_trigger language plpgsql as $$
           begin
               if current_setting('max_parallel_maintenance_workers')::integer > 0 then
                   raise sqlstate '53100' using message = 'could not resize shared memory segment';
               end if;
           end $$"""
    )
    conn.execute(
        "create event trigger no_shared_memory on ddl_command_start when tag in ('CREATE INDEX')"
        " execute function public.no_shared_memory()"
    )
    conn.execute("set max_parallel_maintenance_workers = 3")
    add(conn, "m", m=8)
    assert "m='8'" in str(index_of(conn, "m"))
    assert conn.execute("show max_parallel_maintenance_workers").fetchone() == ("3",)
    assert conn.execute("select count(*) from rag_internal.embedding").fetchone() == (50,)
    row = conn.execute(
        "select count(*) from pg_index i join pg_class c on c.oid = i.indrelid"
        " where c.relnamespace = 'rag_internal'::regnamespace and not i.indisvalid"
    ).fetchone()
    assert row == (0,)
    conn.execute(
        """create or replace function public.no_shared_memory() returns event_trigger
           language plpgsql as $$
           begin raise sqlstate '53100' using message = 'the disk is full'; end $$"""
    )
    throws_ok(
        conn,
        """select rag.add_model('m', 'external', 8, '{"m": 4}')""",
        "53100",
        "the disk is full",
    )
    assert "m='8'" in str(index_of(conn, "m")), "the old index is still there"


def test_cosine_similarity(conn: Connection) -> None:
    def cosine(a: list[float], b: list[float]) -> float:
        row = conn.execute(
            "select rag.cosine_similarity(%s, %s)", [json.dumps(a), json.dumps(b)]
        ).fetchone()
        assert row is not None
        return float(row[0])

    assert cosine([1, 0], [1, 1]) == pytest.approx(math.sqrt(0.5), abs=1e-7)
    assert cosine([1, 2, 3], [2, 4, 6]) == 1
    assert cosine([1, 2, 3], [-2, -4, -6]) == -1
    assert cosine([0, 0], [1, 1]) == 0
    assert cosine([0, 0], [0, 0]) == 0
    # squares of these leave the range of a float
    assert cosine([1e30, 0], [1e30, 1e30]) == pytest.approx(math.sqrt(0.5), abs=1e-7)
    assert cosine([1e-30, 0], [1e-30, 1e-30]) == pytest.approx(math.sqrt(0.5), abs=1e-7)
    assert cosine([1e30, 0], [3, 4]) == pytest.approx(0.6, abs=1e-7)
    for vector in near(50, 7, 4):
        scaled = [float(x) * 3 for x in vector]
        assert -1 <= cosine([float(x) for x in vector], scaled) <= 1
    throws_ok(conn, "select rag.cosine_similarity('[1,2]', '[1,2,3]')", "22023", "2 and 3 dimens")
    assert conn.execute("select rag.cosine_similarity(null, '[1]')").fetchone() == (None,)


def test_similarity(conn: Connection) -> None:
    row = conn.execute(
        "select rag.similarity(0.25, 'cosine'), rag.similarity(3, 'l2'), rag.similarity(-0.5, 'inner_product')"
    ).fetchone()
    assert row == (0.75, 0.25, 0.5)
    throws_ok(conn, "select rag.similarity(1, 'hamming')", "22023", 'unknown metric "hamming"')


def test_a_reader_in_a_transaction_keeps_no_model_out(db: Database) -> None:
    with db.connect(autocommit=False) as reader, db.connect(autocommit=True) as owner:
        reader.execute("select count(*) from rag_internal.embedding")
        owner.execute("select rag.add_model('beside', 'external', 4)")
        # what needs the table for itself gives up before others wait behind it for long
        throws_ok(owner, "select rag.drop_model('beside')", "55P03")
        reader.rollback()
        owner.execute("select rag.drop_model('beside')")
