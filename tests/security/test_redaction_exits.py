"""The other ways on which text leaves, and what changes while a search runs."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support import RoleFactory
from support.redaction import House

Connection = psycopg.Connection[Any]

SECRET = "The valve of the zanzibarium is Quagga."
# what rag.search does between finding and showing
REDACT = """
select h.* from rag_internal.ticket_key k,
       rag_internal.authenticate(%(role)s, rag_internal.ticket(k.secret, %(role)s)) i,
       unnest(rag_internal.redact_hits(i, (select hits from found))) h
"""


@pytest.fixture
def hidden(house: House) -> House:
    """A document with two secret words in docs, and an open collection that the reader knows."""
    house.tell(SECRET)
    house.rule("animal", "(?i)zanzibarium|quagga", "?")
    house.rows(house.owner, "select rag.create_collection('open')")
    house.rows(house.owner, "select rag.grant_read('open', %s)", [house.reader])
    house.rows(house.owner, "select rag.ingest('open', 'The gauge is closed.', 'open.md')")
    return house


def test_no_word_of_redacted_text_is_a_correction(hidden: House) -> None:
    correct = "select corrected from rag.correct_query('zanzibarius quaga gauje')"
    for collections in ("", ", '{docs,open}'"):
        query = correct.replace("')", f"'{collections})")
        words = [row["corrected"] for row in hidden.rows(hidden.reader, query)]
        assert "gauge" in words
        assert not {"zanzibarium", "quagga"} & set(words)
        words = [row["corrected"] for row in hidden.rows(hidden.owner, query)]
        assert {"zanzibarium", "quagga", "gauge"} <= set(words)
    only = "select corrected from rag.correct_query('zanzibarius valbe', '{docs}')"
    assert {row["corrected"] for row in hidden.rows(hidden.reader, only)} == {None}


def test_no_search_shows_what_a_query_was_corrected_to(hidden: House) -> None:
    """Not even where the page holds none of the passages with that word."""
    for page in ("", ", skip => 1", ", skip => 1, collections => '{docs,open}'"):
        for function in ("search", "fuzzy_search"):
            query = f"select * from rag.{function}('zanzibarius quaga gauje'{page})"
            hits = hidden.rows(hidden.reader, query)
            assert hits
            assert {hit["corrected_query"] for hit in hits} == {None}
    open_alone = "select corrected_query from rag.fuzzy_search('gauje', '{open}')"
    assert hidden.rows(hidden.reader, open_alone) == [{"corrected_query": "gauge"}]
    owners = hidden.rows(hidden.owner, "select * from rag.fuzzy_search('zanzibarius')")
    assert [hit["corrected_query"] for hit in owners] == ["zanzibarium"]


def test_rules_that_the_caller_cannot_see_the_texts_of_change_nothing(
    house: House, role_factory: RoleFactory
) -> None:
    other = role_factory(["rag_writer"])
    house.rows(other, "select rag.ingest('theirs', 'A hidden gauge.', 'x.md')")
    house.tell("The gauge is closed.")
    query = "select corrected_query, content, citation from rag.fuzzy_search('gauje')"
    before = house.rows(house.reader, query)
    assert before[0]["corrected_query"] == "gauge"
    house.rows(other, "select rag.add_redaction_rule('theirs', 'r', 'gauge')")
    assert house.rows(house.reader, query) == before


def test_a_dead_letter_does_not_name_what_is_redacted(
    house: House, role_factory: RoleFactory
) -> None:
    writer = role_factory(["rag_writer"])
    for verb in ("read", "write"):
        house.rows(house.owner, f"select rag.grant_{verb}('docs', %s)", [writer])
    document = house.tell("The valve.", "/home/nora/a.md")
    house.rule("home", "/home/[a-z]+", "~")
    house.conn.execute(
        """
        with job as (
            insert into rag_internal.job (kind, collection_id, created_by, role_oid)
            select 'embed', d.collection_id, %(role)s::text, %(role)s::text::regrole
            from rag_internal.document d where d.document_id = %(document)s
            returning job_id, collection_id
        )
        insert into rag_internal.embedding_task
               (model_id, chunk_id, job_id, acl_id, collection_id, is_dead, error, failed_at)
        select m.model_id, c.chunk_id, j.job_id, d.acl_id, j.collection_id, true, 'x', now()
        from job j, rag_internal.model m, rag_internal.chunk c
        join rag_internal.document d using (document_id)
        where d.document_id = %(document)s
        """,
        {"role": writer, "document": document},
    )
    letters = "select source from rag.dead_letter"
    assert house.rows(writer, letters) == [{"source": "~/a.md"}]
    house.rows(house.owner, "select rag.grant_unredacted('docs', %s)", [writer])
    assert house.rows(writer, letters) == [{"source": "/home/nora/a.md"}]


def test_words_that_explain_a_score_are_those_of_the_query(hidden: House) -> None:
    (hit,) = hidden.rows(hidden.reader, "select * from rag.bm25_search('zanz* valv*')")
    terms = hidden.rows(
        hidden.reader,
        "select term from rag.explain_bm25('zanz* valv*', %s, 0)",
        [hit["document_id"]],
    )
    assert {row["term"] for row in terms} == {"zanz*", "valv*"}


def test_nothing_is_shown_of_what_has_changed_while_it_was_searched(house: House) -> None:
    """Each change comes between finding and redacting, as another session's may."""
    document = house.tell("The valve is Quagga.")
    house.tell("Another valve.", "b.md")
    house.rule("animal", "Quagga")
    house.conn.execute(
        "create temp table found as"
        " select array(select h from rag.search('valve', strategy => 'bm25') h) as hits"
    )
    house.conn.execute("grant select on found to public")

    def shown() -> list[str]:
        rows = house.rows(house.conn.info.user, REDACT, {"role": house.reader})
        return sorted(row["content"] for row in rows)

    assert shown() == ["Another valve.", "The valve is [redacted]."]
    for change, left in (
        (f"update rag_internal.document set content = 'x' where document_id = '{document}'", 1),
        (f"delete from rag_internal.document where document_id = '{document}'", 1),
        # its rules go with it
        ("delete from rag_internal.collection", 0),
    ):
        with house.conn.transaction(force_rollback=True):
            house.conn.execute(change.encode())
            assert shown() == ["Another valve."][:left]


def test_the_log_keeps_queries_redacted(conn: Connection, hidden: House) -> None:
    row = conn.execute(
        "select rag_internal.redact_text(array_agg(collection_id), 'is Quagga a zanzibarium'),"
        " rag_internal.redact_text(null, 'Quagga'), rag_internal.redact_text('{}', 'Quagga')"
        " from rag_internal.redaction_rule"
    ).fetchone()
    assert row == ("is ? a ?", "?", "Quagga")
