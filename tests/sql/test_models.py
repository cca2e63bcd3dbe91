"""The registry of embedding models, and the index that each of them has."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest

from support import RoleFactory, as_role, throws_ok
from support.vectors import add_model as add
from support.vectors import literal, near, place

Connection = psycopg.Connection[Any]

ENDPOINTS = [{"url": "http://127.0.0.1:9/v1"}]


def model(conn: Connection, name: str) -> dict[str, Any]:
    cursor = conn.execute("select * from rag.model where name = %s", [name])
    row = cursor.fetchone()
    assert row is not None
    return {column.name: value for column, value in zip(cursor.description or (), row, strict=True)}


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
        ({"m": 16.0}, "m is not a whole number"),
        ({"max_tokens": 256.0}, "max_tokens is not a whole number"),
        ({"long_input": "cut"}, "long_input is not average or error"),
        ({"m": 100}, "ef_construction is 128, but must be twice m"),
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
    assert (fresh["m"], fresh["ef_construction"], fresh["ef_search"]) == (16, 128, 100)
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
    assert (model(conn, "m")["m"], model(conn, "m")["ef_construction"]) == (8, 128)
    add(conn, "m", memory_efficient=True, m=12)
    assert (model(conn, "m")["m"], model(conn, "m")["ef_construction"]) == (12, 128)
    add(conn, "m", memory_efficient=False)
    assert (model(conn, "m")["m"], model(conn, "m")["ef_construction"]) == (16, 128)
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


def test_the_doctor_says_how_the_embedder_comes_back(conn: Connection) -> None:
    conn.execute("insert into rag_internal.setting values ('embedder', 'unix:/tmp/no-such-socket')")
    found = conn.execute(
        "select status, next_step from rag.doctor() where name like 'model %'"
    ).fetchall()
    assert [status for status, _ in found] == ["fail"]
    assert "ragsql embedder --attach" in found[0][1]
