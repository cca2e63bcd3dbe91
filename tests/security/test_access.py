"""Row-level access by database role: before a grant, after it, after its end."""

from __future__ import annotations

from typing import Any

import psycopg

from support import LOG_ROW, Database, RoleFactory, as_role, count, sources, throws_ok

Connection = psycopg.Connection[Any]

STRATEGIES = ("hybrid", "semantic", "bm25", "fuzzy")
VIEWS = (
    "collection", "document", "chunk", "principal", "model", "job_status", "dead_letter", "ingest_log"
)  # fmt: skip


def test_without_a_grant_there_is_nothing(filled: Connection, role_factory: RoleFactory) -> None:
    reader = role_factory()
    with as_role(filled, reader):
        for strategy in STRATEGIES:
            assert sources(filled, strategy=strategy) == []
        for table in VIEWS:
            rows = filled.execute(f"select * from rag.{table}").fetchall()
            if table == "principal":  # its own names, whether anybody granted them something or not
                assert sorted(rows) == [
                    ("public", "public", None), ("role", "rag_reader", None), ("role", reader, None)
                ]  # fmt: skip
            else:
                assert rows == [], table
        assert filled.execute("select * from rag.list_collections()").fetchall() == []


def test_every_table_of_rag_is_covered_above(conn: Connection) -> None:
    rows = conn.execute(
        "select relname from pg_class where relnamespace = 'rag'::regnamespace and relkind in ('r', 'p', 'v')"
    )
    # models tell nothing of content, and the log of searches is granted to rag_admin alone
    assert {name for (name,) in rows} == {*VIEWS, "model", "reranker", "search_log"}


def test_grant_and_revoke_in_one_session(filled: Connection, role_factory: RoleFactory) -> None:
    reader = role_factory()
    for granted in (True, False, True):
        verb = "grant" if granted else "revoke"
        assert filled.execute(
            f"select rag.{verb}_read('docs', %s)", [f"role:{reader}"]
        ).fetchone() == (True,)
        assert filled.execute(f"select rag.{verb}_read('docs', %s)", [reader]).fetchone() == (
            False,
        )
        with as_role(filled, reader):
            for strategy in STRATEGIES:
                assert sources(filled, strategy=strategy) == (["a.md", "b.md"] if granted else [])
            for table in ("document", "chunk"):
                assert count(filled, table) == (2 if granted else 0)
            assert count(filled, "collection") == (1 if granted else 0)


def test_one_document_by_itself(filled: Connection, role_factory: RoleFactory) -> None:
    reader = role_factory()
    document = filled.execute(
        "select document_id from rag.document where source = 'a.md'"
    ).fetchone()
    assert document is not None
    filled.execute("select rag.grant_read(document_id => %s, reader => %s)", [document[0], reader])
    with as_role(filled, reader):
        for strategy in STRATEGIES:
            assert sources(filled, strategy=strategy) == ["a.md"]
        assert (
            count(filled, "document") == count(filled, "chunk") == count(filled, "collection") == 1
        )
        assert filled.execute(
            "select documents, readers from rag.list_collections()"
        ).fetchall() == [(1, None)]
    filled.execute("select rag.revoke_read(document_id => %s, reader => %s)", [document[0], reader])
    with as_role(filled, reader):
        assert sources(filled) == []
        assert count(filled, "collection") == 0
        throws_ok(filled, "select * from rag.search('valve', '{docs}')", "P0002")


def test_readers_given_on_ingest_are_exactly_those(
    filled: Connection, role_factory: RoleFactory
) -> None:
    first, second = role_factory(), role_factory()
    filled.execute("select rag.grant_read('docs', %s)", [second])
    filled.execute("select rag.ingest('docs', 'Rusty valve.', 'own.md', readers => %s)", [[first]])
    with as_role(filled, first):
        assert sources(filled) == ["own.md"]
    with as_role(filled, second):
        assert sources(filled) == ["a.md", "b.md"]
    # a later ingest that names no readers leaves them
    filled.execute("select rag.ingest('docs', 'Rusty old valve.', 'own.md')")
    with as_role(filled, second):
        assert sources(filled) == ["a.md", "b.md"]
    filled.execute("select rag.ingest('docs', 'Rusty old valve.', 'own.md', readers => '{}')")
    with as_role(filled, first):
        assert sources(filled) == []


def test_equal_reader_sets_share_one_class(filled: Connection, role_factory: RoleFactory) -> None:
    first, second = role_factory(), role_factory()
    classes = "select count(*) from rag_internal.acl"
    (before,) = filled.execute(classes).fetchone() or (0,)
    for i, readers in enumerate(([first, second], [second, first], [first, second, first])):
        filled.execute(
            "select rag.ingest('docs', 'Rusty valve.', %s, readers => %s)", [f"{i}", readers]
        )
    assert filled.execute(classes).fetchone() == (before + 1,)


def test_missing_and_hidden_collections_look_alike(
    filled: Connection, role_factory: RoleFactory
) -> None:
    reader = role_factory()
    with as_role(filled, reader):
        for call in (
            "rag.search('valve', '{%s}')",
            "rag.semantic_search('valve', '{%s}')",
            "rag.bm25_search('valve', '{%s}')",
            "rag.fuzzy_search('valve', '{%s}')",
            "rag.describe_collection('%s')",
        ):
            errors = [
                throws_ok(filled, f"select * from {call % name}", "P0002")
                for name in ("none", "docs", "none")
            ]
            # the first failure of a function in a session has a line of context less
            hidden, missing = (
                (e.diag.message_primary, e.diag.message_detail, e.diag.message_hint, e.diag.context)
                for e in errors[1:]
            )
            assert str(hidden).replace("docs", "none") == str(missing)


def test_writers_write_to_their_own_collections_alone(
    filled: Connection, role_factory: RoleFactory
) -> None:
    writer = role_factory(member_of=["rag_writer"])
    with as_role(filled, writer):
        filled.execute("select rag.ingest('mine', 'My valve.', 'm.md')")
        assert sources(filled) == ["m.md"]
        # a name that somebody else has, unseen, is free; and what is made so is one's own
        filled.execute("select rag.ingest('docs', 'My other valve.', 'o.md')")
        assert sorted(sources(filled)) == ["m.md", "o.md"]
        filled.execute("select rag.drop_collection('docs')")
        throws_ok(filled, "select rag.grant_read('docs', 'public')", "P0002")
        throws_ok(filled, "select rag.drop_collection('docs')", "P0002")
    filled.execute("select rag.grant_read('docs', %s)", [writer])
    document = filled.execute(
        "select document_id from rag.document where source = 'a.md'"
    ).fetchone()
    with as_role(filled, writer):
        throws_ok(filled, "select rag.ingest('docs', 'Their valve.')", "42501", "somebody else")
        throws_ok(filled, "select rag.update_document(%s, title => 'x')", "42501", params=document)
        throws_ok(filled, "select rag.delete_document(%s)", "42501", params=document)
        throws_ok(
            filled,
            "select rag.grant_read(document_id => %s, reader => 'public')",
            "42501",
            params=document,
        )
        throws_ok(filled, "select rag.rename_collection('docs', 'x')", "42501")
        throws_ok(filled, "select rag.alter_collection('docs', description => 'x')", "42501")
    filled.execute("select rag.revoke_read('docs', %s)", [writer])
    with as_role(filled, writer):
        throws_ok(filled, "select rag.update_document(%s, title => 'x')", "P0002", params=document)
        throws_ok(filled, "select rag.delete_document(%s)", "P0002", params=document)


def test_f12_the_same_file_of_two_owners(filled: Connection, role_factory: RoleFactory) -> None:
    alice, bob = role_factory(member_of=["rag_writer"]), role_factory(member_of=["rag_writer"])
    for writer in (alice, bob):
        with as_role(filled, writer):
            row = filled.execute(
                "select status from rag.ingest(%s, 'The plan of the valve.', 'plan.md')",
                [f"{writer}-docs"],
            ).fetchone()
            assert row == ("created",)
            assert count(filled, "document") == 1


def test_readers_may_not_write(filled: Connection, role_factory: RoleFactory) -> None:
    reader = role_factory()
    document = filled.execute("select document_id from rag.document limit 1").fetchone()
    filled.execute("select rag.grant_read('docs', %s)", [reader])
    with as_role(filled, reader):
        for statement in (
            "select rag.ingest('docs', 'x')",
            "select rag.ingest_many('docs', '[]')",
            "select rag.create_collection('x')",
            "select rag.grant_read('docs', 'public')",
            "select rag.add_model('x')",
            "insert into rag_internal.document default values",
            "select * from rag_internal.document for share",
            LOG_ROW,
        ):
            throws_ok(filled, statement, "42501")
        for statement in (
            "insert into rag.document (source) values ('x')",
            "update rag.document set content = ''",
            "delete from rag.chunk",
        ):
            throws_ok(filled, statement, "55000", "view")
        throws_ok(filled, "select rag.delete_document(%s)", "42501", params=document)


def test_rag_internal_is_closed(
    db: Database, filled: Connection, role_factory: RoleFactory
) -> None:
    objects = filled.execute(
        "select relname from pg_class where relnamespace = 'rag_internal'::regnamespace"
        " and relkind in ('r', 'p', 'v')"
    ).fetchall()
    assert len(objects) > 5
    for roles in (["rag_reader"], ["rag_writer"], ["rag_admin"]):
        role = role_factory(member_of=roles)
        with as_role(filled, role):
            for (name,) in objects:
                throws_ok(filled, f"select * from rag_internal.{name}", "42501")
            throws_ok(filled, "select rag_internal.readable_acls('postgres', null)", "42501")


def test_a_log_row_is_written_in_ones_own_name(
    filled: Connection, role_factory: RoleFactory
) -> None:
    alice, bob = role_factory(member_of=["rag_writer"]), role_factory(member_of=["rag_writer"])
    with as_role(filled, alice):
        filled.execute(LOG_ROW)
        assert count(filled, "ingest_log") == 1
        row = filled.execute("select user_name from rag.ingest_log").fetchone()
        assert row == (alice,)
    with as_role(filled, bob):
        assert count(filled, "ingest_log") == 0
    admin = role_factory(member_of=["rag_admin"])
    with as_role(filled, admin):
        assert count(filled, "ingest_log") == 2


def test_every_function_works_for_who_may_call_it(
    filled: Connection, role_factory: RoleFactory
) -> None:
    """No function needs more rights than its grant, or reaches rag_internal by name."""
    reader = [
        "rag.analyze('The valves')",
        "rag.bm25_search('valve')",
        "rag.check_recall('mine')",
        "rag.chunk_quality(collection => 'mine')",
        "rag.chunk_text('The valves are closed.')",
        "rag.correct_query('vlave')",
        "rag.cosine_similarity('[1, 0]', '[1, 0]')",
        "rag.describe_collection('mine')",
        "rag.detect_document_type('The valves are closed.')",
        "rag.doctor()",
        "rag.embed(array['valve'])",
        "rag.explain_bm25('valve', (select document_id from rag.document where source = 'x'), 0)",
        "rag.fuzzy_search('valve')",
        "rag.get_chunks(gen_random_uuid())",
        "rag.get_document(gen_random_uuid())",
        "rag.list_collections()",
        "rag.predict_chunk_value('The valves are closed.')",
        """rag.rrf('{"a": ["x"]}')""",
        "rag.search('valve')",
        "rag.semantic_search('valve')",
        "rag.similarity(0.5, 'cosine')",
        "rag.unload_model()",
        "rag.whoami()",
        "rag.explain_search('valve')",
        "rag.list_sources()",
        "rag.context('valve')",
        "rag.count_matches('valve')",
        "rag.decompose_query('valve and pump')",
        "rag.search_multi('valve')",
        "rag.search_status()",
        """rag.add_dataset('questions', '[{"query_id": "1", "query": "valve"}]',
                           '[{"query_id": "1", "source": "x", "relevance": 1}]', '{mine}')""",
        "rag.list_datasets()",
        "rag.evaluate('questions', '{bm25}')",
        "rag.list_evaluations('questions')",
        "rag.drop_dataset('questions')",
    ]
    writer = [
        "rag.create_collection('mine')",
        "rag.alter_collection('mine', description => 'x')",
        "rag.ingest('mine', 'The valves are closed.', 'x')",
        """rag.ingest_many('mine', '[{"content": "More."}]')""",
        "rag.update_document((select document_id from rag.document where source = 'x'), title => 'y')",
        "rag.grant_read('mine', 'public')",
        "rag.log_ingest(gen_random_uuid(), 'mine', 'x', 'skipped')",
        "rag.revoke_read('mine', 'public')",
        "rag.set_readers('mine', '{public}')",
        "rag.grant_write('mine', 'public')",
        "rag.revoke_write('mine', 'public')",
        "rag.list_readers('mine')",
        "rag.add_redaction_rule('mine', 'mail', detector => 'email')",
        "rag.list_redaction_rules('mine')",
        "rag.grant_unredacted('mine', 'public')",
        "rag.revoke_unredacted('mine', 'public')",
        "rag.drop_redaction_rule('mine', 'mail')",
        "rag.verify_index('mine')",
        "rag.rebuild_index('mine')",
        "rag.maintain_step()",
        "rag.set_embeddings((select document_id from rag.document where source = 'x'), array[null]::vector[])",
        """rag.ingest_chunks('mine', '[{"content": "Even more."}]', embed => 'later')""",
        "rag.claim_job()",
        "rag.embed_claimed(gen_random_uuid())",
        "rag.retry_job((select job_id from rag.job_status limit 1))",
        "rag.cancel_job((select job_id from rag.job_status limit 1))",
        "rag.wait_for((select job_id from rag.job_status limit 1))",
        "rag.model_progress('mine')",
        "rag.prepare_model('mine')",
        "rag.release_model('mine', 'further')",
        "rag.set_model('mine', 'none')",
        "rag.delete_document((select document_id from rag.document where source <> 'x' limit 1))",
        "rag.delete_source('mine', 'x')",
        "rag.erase_content('%nothing has this%')",
        "rag.rename_collection('mine', 'yours')",
        "rag.drop_collection('yours')",
    ]
    admin = [
        "rag.add_model('some/model', 'external', 8)",
        "rag.drop_model('some/model')",
        "rag.adopt_role('rag_reader')",
        "rag.configure_role('rag_reader')",
        "rag.add_identity_key('k', 'HS256', repeat('k', 32))",
        "rag.list_identity_keys()",
        "rag.drop_identity_key('k')",
        "rag.allow_source('mine', 'nobody')",
        "rag.disallow_source('mine', 'nobody')",
        "rag.allow_all_sources('nobody')",
        "rag.configure_search_log()",
        "rag.prune_search_log()",
        "rag.add_reranker('judge')",
        "rag.drop_reranker('judge')",
    ]
    # commits: test_erasure.py; asks for what is cited, or a model: test_citation.py, test_rerank.py
    elsewhere = {"rag.scrub_step", "rag.resolve_citation", "rag.rerank"}
    service = ["rag.set_user('alice')"]
    token = ["rag.set_identity('x')"]  # refused: what verifies is tested with the tokens
    superuser = ["rag.allow_http('{localhost}')"]
    calls = {call.split("(")[0] for call in reader + writer + admin + service + token + superuser}
    rows = filled.execute(
        "select format('rag.%s', proname) from pg_proc"
        " where pronamespace = 'rag'::regnamespace and prokind <> 'p'"
    )
    assert calls | elsewhere == {name for (name,) in rows}
    filled.execute("select rag.add_model('further', 'external', 3)")
    with as_role(filled, role_factory(member_of=["rag_writer"])):
        for call in [*writer[:3], *reader, *writer[3:]]:
            filled.execute(f"select * from {call}")
    with as_role(filled, role_factory(member_of=["rag_admin"])):
        for call in admin:
            filled.execute(f"select * from {call}")
        for call in superuser:
            throws_ok(filled, f"select * from {call}", "42501")
    with as_role(filled, role_factory(member_of=["rag_reader"])):
        for call in token:
            throws_ok(filled, f"select * from {call}", "28000", "token")
        for call in service:
            throws_ok(filled, f"select * from {call}", "42501")
    with as_role(filled, role_factory(member_of=["rag_reader", "rag_service"])):
        for call in service:
            filled.execute(f"select * from {call}")
    for call in superuser:
        filled.execute(f"select * from {call}")
