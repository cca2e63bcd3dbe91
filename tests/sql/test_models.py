"""The registry of embedding models, and the index that each of them has."""

from __future__ import annotations

import json
import math
from typing import Any

import psycopg
import pytest

from support import RoleFactory, as_role, throws_ok
from support.vectors import literal, near, place

Connection = psycopg.Connection[Any]

ENDPOINTS = [{"url": "http://127.0.0.1:9/v1"}]


def add(
    conn: Connection, name: str, provider: str = "external", dimensions: int = 8, **options: Any
) -> None:
    conn.execute(
        "select rag.add_model(%s, %s, %s, %s)", [name, provider, dimensions, json.dumps(options)]
    )


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "options is not a JSON object"),
        ("m", "options is not a JSON object"),
        ({"colour": 1}, "unknown option: colour"),
        ({"revision": 1}, "revision is not a string"),
        ({"query_prefix": None}, "query_prefix is not a string"),
        ({"passage_prefix": ["x"]}, "passage_prefix is not a string"),
        ({"metric": "hamming"}, "metric is not cosine"),
        ({"metric": ["cosine"]}, "metric is not cosine"),
        ({"max_tokens": "512"}, "max_tokens is not a whole number"),
        ({"max_tokens": 31}, "max_tokens is not a whole number"),
        ({"max_tokens": 100.5}, "max_tokens is not a whole number"),
        ({"is_default": "yes"}, "is_default is not a boolean"),
        ({"endpoints": {"url": "x"}}, "endpoints is not a list of objects"),
        ({"endpoints": ["http://x"]}, "endpoints is not a list of objects"),
        ({"storage": "bit"}, "storage is not halfvec or vector"),
        ({"quantization": True}, "quantization is not none or binary"),
        ({"m": 1}, "m is not a whole number from 2 to 100"),
        ({"m": None}, "m is not a whole number from 2 to 100"),
        ({"m": 101}, "m is not a whole number from 2 to 100"),
        ({"ef_construction": 3}, "ef_construction is not a whole number from 4"),
        ({"ef_search": 1001}, "ef_search is not a whole number from 1 to 1,000"),
        ({"ef_search": [100]}, "ef_search is not a whole number"),
        ({"memory_efficient": 1}, "memory_efficient is not a boolean"),
        ({"long_input": "cut"}, "long_input is not average or error"),
        ({"m": 100}, "ef_construction is 64, but must be twice m"),
        ({"endpoints": ENDPOINTS}, "provider external has no endpoints"),
    ],
)
def test_options_are_checked(conn: Connection, options: Any, message: str) -> None:
    throws_ok(
        conn,
        "select rag.add_model('m', 'external', 8, %s)",
        "22023",
        message,
        [json.dumps(options)],
    )


def test_providers_are_checked(conn: Connection) -> None:
    throws_ok(conn, "select rag.add_model('m', 'magic')", "22023", 'unknown provider "magic"')
    throws_ok(conn, "select rag.add_model('m', 'openai', 8)", "22023", "openai needs endpoints")
    throws_ok(
        conn,
        "select rag.add_model('BAAI/bge-base-en-v1.5', dimensions => 768,"
        """ options => '{"max_tokens": null}')""",
        "22023",
        "a fastembed model needs its window",
    )
    for dimensions in ("0", "16001", "null", "-1"):
        throws_ok(
            conn,
            f"select rag.add_model('m', 'external', {dimensions})",
            "22023",
            "must be 1 to 16,000",
        )


def test_a_model_has_what_its_options_say(conn: Connection) -> None:
    before = conn.execute("select * from rag.model").fetchall()
    add(conn, "m")
    fresh = model(conn, "m")
    assert (fresh["max_tokens"], fresh["storage"], fresh["quantization"]) == (
        None, "halfvec", "none",
    )  # fmt: skip
    assert (fresh["m"], fresh["ef_construction"], fresh["ef_search"]) == (16, 64, 100)
    add(conn, "m")
    assert model(conn, "m") == fresh, "registering again changes nothing"
    options = {
        "revision": "2", "metric": "l2", "query_prefix": "q: ", "passage_prefix": "p: ",
        "max_tokens": 512, "storage": "vector", "quantization": "binary", "m": 20,
        "ef_construction": 80, "ef_search": 7, "long_input": "error",
    }  # fmt: skip
    add(conn, "m", **options)
    assert model(conn, "m") == fresh | options
    add(conn, "m", max_tokens=None)
    assert model(conn, "m") == fresh | options | {"max_tokens": None}, "the others stay"
    add(conn, "m", memory_efficient=True)
    assert (model(conn, "m")["m"], model(conn, "m")["ef_construction"]) == (8, 32)
    add(conn, "m", memory_efficient=True, m=12)
    assert (model(conn, "m")["m"], model(conn, "m")["ef_construction"]) == (12, 32)
    add(conn, "m", memory_efficient=False)
    assert (model(conn, "m")["m"], model(conn, "m")["ef_construction"]) == (16, 64)
    assert conn.execute("select * from rag.model where name <> 'm'").fetchall() == before


def test_one_model_is_the_default(conn: Connection) -> None:
    add(conn, "m", is_default=True)
    row = conn.execute("select array_agg(name) from rag.model where is_default").fetchone()
    assert row == (["m"],)
    add(conn, "m")
    assert model(conn, "m")["is_default"]


def test_endpoints_need_a_superusers_word(conn: Connection, role_factory: RoleFactory) -> None:
    question = "select rag.add_model('m', 'openai', 8, %s)"
    options = [json.dumps({"endpoints": ENDPOINTS})]
    throws_ok(conn, question, "42501", "127.0.0.1", options)
    conn.execute("select rag.allow_http('{127.0.0.1:9, unix:/run/x.sock}')")
    conn.execute(question, options)
    assert model(conn, "m")["endpoints"] == ENDPOINTS
    assert model(conn, "m")["max_tokens"] == 8192
    keyed = [json.dumps({"endpoints": [{**ENDPOINTS[0], "key_variable": "RAGSQL_TEST_KEY"}]})]
    throws_ok(conn, question, "42501", "RAGSQL_TEST_KEY", keyed)
    conn.execute("select rag.allow_http('{127.0.0.1:9}', '{RAGSQL_TEST_KEY}')")
    conn.execute(question, keyed)
    conn.execute("select rag.create_collection('docs', model => 'none')")
    conn.execute(
        "update rag_internal.collection set model_id ="
        " (select model_id from rag_internal.model where name = 'm')"
    )
    conn.execute(question, options)
    assert model(conn, "m")["endpoints"] == ENDPOINTS, "also while it is in use"

    admin, writer = role_factory(["rag_admin"]), role_factory(["rag_writer"])
    with as_role(conn, admin):
        assert model(conn, "m")["endpoints"] == ENDPOINTS
        throws_ok(conn, "select rag.allow_http('{example.org}')", "42501", "only a superuser")
    with as_role(conn, writer):
        assert model(conn, "m")["endpoints"] is None
        throws_ok(conn, "select rag.allow_http('{example.org}')", "42501")
        throws_ok(conn, "select rag.add_model('n', 'external', 8)", "42501")
        throws_ok(conn, "select rag.drop_model('m')", "42501")


def test_hosts_are_replaced_and_switched_off(conn: Connection) -> None:
    settings = "select name, value from rag_internal.setting where name like 'http%' order by name"
    conn.execute("select rag.allow_http('{a.example:8080, [::1]:11434, unix:/run/x}', '{A, B_1}')")
    assert conn.execute(settings).fetchall() == [
        ("http_hosts", "a.example:8080,[::1]:11434,unix:/run/x"),
        ("http_key_variables", "A,B_1"),
    ]
    conn.execute("select rag.allow_http('{b.example}')")
    assert conn.execute(settings).fetchall() == [("http_hosts", "b.example")]
    for hosts in ("{*.example}", "{https://a.example}", '{"a b"}', '{"a,b"}', "{a/b}", '{""}', "{null}",
                  "{unix:x}", "{me@a.example}", None):  # fmt: skip
        throws_ok(conn, "select rag.allow_http(%s)", "22023", "hosts", [hosts])
    for variables in ("{A=1}", "{1A}", '{""}', "{null}", None):
        throws_ok(conn, "select rag.allow_http('{a}', %s)", "22023", "key_variables", [variables])
    conn.execute("select rag.allow_http('{}')")
    assert conn.execute(settings).fetchall() == []


def test_e01_other_dimensions_are_refused_naming_both(conn: Connection) -> None:
    add(conn, "m")
    throws_ok(
        conn, "select rag.add_model('m', 'external', 9)", "22023", '"m" has 8 dimensions, not 9'
    )
    add(conn, "wide", dimensions=16)
    conn.execute("select rag.create_collection('docs', model => 'm')")
    place(conn, "docs", near(3, 8, 1), model="m")
    for wrong in (7, 9, 16):
        throws_ok(
            conn,
            "select * from rag.semantic_search(null, '{docs}', query_vector => %s)",
            "22023",
            f'"docs" has {wrong} dimensions, but model "m" has 8',
            [literal(near(1, wrong, 2)[0])],
        )


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
    assert "m='16', ef_construction='64'" in str(index_of(conn, "m"))
    add(conn, "m", memory_efficient=True)
    assert "m='8', ef_construction='32'" in str(index_of(conn, "m"))
    add(conn, "m", quantization="binary")
    assert "bit_hamming_ops" in str(index_of(conn, "m"))
    oid = "select oid from pg_class where relname = 'embedding_' || %s || '_hnsw'"
    number = conn.execute("select max(model_id) from rag_internal.model").fetchone()
    built = conn.execute(oid, number).fetchone()
    add(conn, "m", ef_search=500, query_prefix="q: ", quantization="binary", m=8)
    assert conn.execute(oid, number).fetchone() == built, "nothing that the graph depends on"


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


def test_a_model_goes_when_nothing_uses_it(conn: Connection) -> None:
    add(conn, "m")
    conn.execute("select rag.create_collection('docs', model => 'm')")
    throws_ok(conn, "select rag.drop_model('m')", "55000", "is used or kept by docs")
    conn.execute("update rag_internal.collection set model_id = null")
    kept = (
        "insert into rag_internal.collection_model select k.collection_id, m.model_id"
        " from rag_internal.collection k, rag_internal.model m where m.name = 'm'"
    )
    conn.execute(kept)
    throws_ok(conn, "select rag.drop_model('m')", "55000", "is used or kept by docs")
    conn.execute("delete from rag_internal.collection_model")
    conn.execute(
        "insert into rag_internal.provider_pause (model_id, until, reason)"
        " select model_id, 'infinity', 'x' from rag_internal.model where name = 'm'"
    )
    number = conn.execute("select model_id from rag_internal.model where name = 'm'").fetchone()
    conn.execute("select rag.drop_model('m')")
    assert number is not None
    row = conn.execute(
        "select to_regclass('rag_internal.embedding_' || %s),"
        " (select count(*) from rag_internal.provider_pause),"
        " (select count(*) from rag_internal.model where name = 'm')",
        number,
    ).fetchone()
    assert row == (None, 0, 0)
    throws_ok(conn, "select rag.drop_model('m')", "P0002", "no embedding model is named")
    throws_ok(conn, "select rag.drop_model(null)", "22023")


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


def test_a_session_gives_its_models_back(conn: Connection, role_factory: RoleFactory) -> None:
    with as_role(conn, role_factory()):
        assert conn.execute("select rag.unload_model()").fetchone() == (0,)
        conn.execute("select rag.embed('{a text}')")
        assert conn.execute("select rag.unload_model()").fetchone() == (1,)
        assert conn.execute("select rag.unload_model()").fetchone() == (0,)
        row = conn.execute("select array_length(rag.embed('{a text}'), 1)").fetchone()
        assert row == (1,), "the next use loads again"


def test_the_doctor_knows_every_provider(conn: Connection, role_factory: RoleFactory) -> None:
    conn.execute("select rag.allow_http('{127.0.0.1:9}', '{RAGSQL_TEST_KEY}')")
    add(conn, "outside")
    endpoint = {**ENDPOINTS[0], "key_variable": "RAGSQL_TEST_KEY"}
    add(conn, "keyless", "openai", endpoints=[endpoint])
    conn.execute("select rag.create_collection('docs', model => 'outside')")
    place(conn, "docs", near(2, 8, 1), model="outside")
    conn.execute(
        "insert into rag_internal.job (kind, collection_id, created_by, status)"
        " select 'embed', collection_id, 'postgres', 'queued' from rag_internal.collection"
    )
    conn.execute(
        "insert into rag_internal.embedding_task"
        " (model_id, chunk_id, job_id, acl_id, collection_id, is_dead, error)"
        " select e.model_id, e.chunk_id, j.job_id, e.acl_id, e.collection_id,"
        " row_number() over () = 1, 'not finite'"
        " from rag_internal.embedding e, rag_internal.job j"
    )
    conn.execute(
        "insert into rag_internal.provider_pause (model_id, until, reason)"
        " select model_id, 'infinity', 'it sleeps' from rag_internal.model where name = 'outside'"
    )
    findings = {
        name: (status, detail, step)
        for name, status, detail, step in conn.execute("select * from rag.doctor()")
    }
    assert findings["model outside"][:2] == (
        "ok", "external, 8 dimensions, window unknown, vectors come with the call",
    )  # fmt: skip
    assert findings["model keyless"][0] == "fail"
    assert "rag.allow_http" in findings["model keyless"][2]
    queue = findings["queue of outside"]
    assert queue[0] == "warn"
    assert "1 passages wait for their vector, 1 were given up" in queue[1]
    assert "rests until infinity: it sleeps" in queue[1]
    assert "rag.retry_job" in queue[2]
    assert findings["http hosts"][1] == "127.0.0.1:9"
    assert findings["http key variables"][1] == "RAGSQL_TEST_KEY"
    with as_role(conn, role_factory()):
        told = conn.execute("select name, detail from rag.doctor()").fetchall()
    assert not {"queue of outside", "http hosts", "embedder"} & {name for name, _ in told}
    assert "127.0.0.1" not in str(told)
