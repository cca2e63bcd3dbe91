"""Questions of several parts, and searches that ask again."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

import psycopg
import pytest

from support import RoleFactory, as_role, throws_ok

Connection = psycopg.Connection[Any]

FOUND = "select source, score from rag.search_multi(%s, '{docs}', %s, max_hops => %s)"
SURE = ", threshold => 0"
UNSURE = ", threshold => 2"
TEXTS = {
    "keys.md": "Keys are rotated every month, see KeyStore.py for how.",
    "store.md": "KeyStore.py takes the new secret and writes an audit line by AuditLog.",
    "audit.md": "An AuditLog is kept for a year.",
    "roles.md": "A role is revoked by a script in docker.",
    "plain.md": "A role is revoked by an administrator.",
    "valve.md": "The valve of the red pump is closed before the filter is changed.",
}


@pytest.fixture
def docs(conn: Connection) -> Connection:
    """The collection docs, whose words alone count."""
    conn.execute("select rag.create_collection('docs', model => 'none', readers => '{public}')")
    for source, text in TEXTS.items():
        conn.execute("select rag.ingest('docs', %s, %s)", [text, source])
    return conn


def sources(conn: Connection, query: str, more: str = "") -> list[str]:
    rows = conn.execute(
        f"select source from rag.search_multi(%s, '{{docs}}'{more})".encode(), [query]
    )
    return [row[0] for row in rows.fetchall()]


def test_the_parts_of_a_question(conn: Connection, role_factory: RoleFactory) -> None:
    conn.execute("set local timezone = 'Asia/Tokyo'")
    with as_role(conn, role_factory()):
        rows = conn.execute(
            "select * from rag.decompose_query("
            "'how are keys rotated since 2024-01-15 and what is KeyStore.py without docker?')"
        ).fetchall()
    tokyo = conn.execute("select '2024-01-15'::timestamptz").fetchone()
    assert tokyo is not None
    assert [row[:-1] for row in rows] == [
        (1, "how are keys rotated", "hybrid", [], tokyo[0], None),
        (2, "what is KeyStore.py -docker", "hybrid", ["docker"], None, None),
    ]
    assert 'date: "since 2024-01-15"' in rows[0][-1]
    assert 'left out: "without docker"' in rows[1][-1]


def test_yesterday_is_counted_from_the_statement(conn: Connection) -> None:
    conn.execute("set local timezone = 'Pacific/Kiritimati'")
    row = conn.execute(
        "select min_updated_at, date_trunc('day', statement_timestamp() - interval '1 day')"
        " from rag.decompose_query('invoices since yesterday')"
    ).fetchone()
    assert row is not None
    assert row[0] == row[1]


def test_refuses_what_cannot_be_asked(docs: Connection, role_factory: RoleFactory) -> None:
    for call in (
        "rag.decompose_query(' ')",
        "rag.decompose_query(null)",
        "rag.search_multi(' ')",
        "rag.search_multi('keys', top_k => 0)",
        "rag.search_multi('keys', max_hops => -1)",
        "rag.search_multi('keys', max_hops => 11)",
        "rag.search_multi('keys', max_hops => null)",
        "rag.search_multi('keys', threshold => 'NaN')",
        "rag.search_multi('keys', strategy => 'magic')",
        "rag.search_multi('keys', filter_path => '$.tags')",
    ):
        throws_ok(docs, f"select * from {call}", "22023")
    docs.execute("select rag.create_collection('closed', model => 'none', readers => '{}')")
    with as_role(docs, role_factory()):
        for name in ("closed", "missing"):
            throws_ok(docs, f"select rag.search_multi('keys', '{{{name}}}')", "P0002")


def test_a_question_of_one_part_is_a_search(docs: Connection) -> None:
    query = "how are keys rotated by a role"
    found = docs.execute("select source from rag.search(%s, '{docs}', 3)", [query]).fetchall()
    assert sources(docs, query, ", 3" + SURE) == [row[0] for row in found]


def test_parts_are_merged_by_reciprocal_ranks(docs: Connection) -> None:
    parts = ("how are keys rotated in KeyStore.py", "how is a role revoked by KeyStore.py")
    expected: dict[str, float] = defaultdict(float)
    for part in parts:
        for rank, source in docs.execute(
            "select rank, source from rag.search(%s, '{docs}', 50)", [part]
        ).fetchall():
            expected[source] += 1 / (1 + rank)
    found = docs.execute(FOUND, [" and ".join(parts), 10, 0]).fetchall()
    assert dict(found) == pytest.approx(dict(expected))
    assert [score for _, score in found] == sorted(expected.values(), reverse=True)
    first = docs.execute(FOUND, [" and ".join(parts), 2, 0]).fetchall()
    assert first == found[:2]


def test_what_is_not_wanted_is_left_out(docs: Connection) -> None:
    assert "roles.md" in sources(docs, "how is a role revoked", SURE)
    for word in ("not docker", "without docker", "except docker", "excluding docker"):
        found = sources(docs, f"role revoked, {word}", SURE)
        assert "plain.md" in found
        assert "roles.md" not in found


def test_dates_narrow_those_of_the_caller(docs: Connection) -> None:
    for source, day in (("roles.md", "2023-03-01"), ("plain.md", "2024-03-01")):
        docs.execute(
            "update rag_internal.document set updated_at = %s where source = %s",
            [datetime.fromisoformat(f"{day}T12:00:00+00:00"), source],
        )
    question = "how is a role revoked "

    def found(dates: str, more: str = "") -> set[str]:
        return set(sources(docs, question + dates, more + SURE)) & {"roles.md", "plain.md"}

    assert found("") == {"roles.md", "plain.md"}
    assert found("since 2024-01-01") == {"plain.md"}
    assert found("before 2024") == {"roles.md"}
    since = ", min_updated_at => '2024-01-01'"
    assert found("since 2020", since) == {"plain.md"}
    assert found("", since) == {"plain.md"}
    # nothing lies within both, and that is no mistake of the caller
    assert found("before 2024", since) == set()
    assert docs.execute("select rag.search_status()").fetchone() == ("no match",)


def test_what_collections_say_holds(docs: Connection) -> None:
    for _ in range(2):
        docs.execute("select rag.ingest('docs', 'A pump is repaired.', gen_random_uuid()::text)")
    long = "\n\n".join(f"# Pump {n}\n\nThe pump {n} is repaired and painted." for n in range(3))
    docs.execute("select rag.ingest('docs', %s, 'long.md', chunk_size => 5, overlap => 0)", [long])
    question = "how is a pump repaired and how is a pump painted"
    assert sources(docs, question).count("long.md") > 1
    defaults = '{"max_per_document": 1, "collapse": true, "strategy": "bm25"}'
    docs.execute("select rag.alter_collection('docs', search_defaults => %s)", [defaults])
    found = sources(docs, question, UNSURE)
    assert found.count("long.md") == 1
    assert len(found) == len(set(found)) == len(set(found) - set(TEXTS)) + 1
    rows = docs.execute("select distinct content from rag.search_multi(%s)", [question]).fetchall()
    assert len(rows) == len(found)
    ranks = docs.execute("select array_agg(rank) from rag.search_multi(%s)", [question]).fetchone()
    assert ranks == (list(range(1, len(found) + 1)),)


def test_names_in_the_first_hits_lead_further(docs: Connection) -> None:
    question = "when are keys rotated"
    hops = [sources(docs, question, f", max_hops => {n}{UNSURE}") for n in range(3)]
    assert "store.md" not in hops[0]
    assert "store.md" in hops[1]
    assert "audit.md" not in hops[1]
    assert "audit.md" in hops[2]
    assert {hop[0] for hop in hops} == {"keys.md"}
    # words that are there are enough where nothing measures how well they fit
    assert sources(docs, question) == hops[0]


def test_a_part_by_one_leg_is_asked_again_by_all(docs: Connection) -> None:
    """Nothing has the name as it is written, but there is one like it."""
    assert sources(docs, "AuditLgo", ", max_hops => 0") == []
    assert set(sources(docs, "AuditLgo")) == {"store.md", "audit.md"}
    assert sources(docs, "AuditLgo", ", strategy => 'bm25'") == []


def test_what_is_redacted_leads_nowhere(docs: Connection, role_factory: RoleFactory) -> None:
    docs.execute("select rag.add_redaction_rule('docs', 'file', pattern => 'KeyStore.py')")
    question, more = "when are keys rotated", ", max_hops => 1" + UNSURE
    assert "store.md" in sources(docs, question, more)
    with as_role(docs, role_factory()):
        assert sources(docs, question, more) == sources(docs, question, ", max_hops => 0")
        hits = docs.execute(
            "select content from rag.search_multi('keys rotated and how is KeyStore.py read')"
        ).fetchall()
    assert hits
    assert not any("KeyStore.py" in content for (content,) in hits)


def test_hidden_documents_change_nothing(docs: Connection, role_factory: RoleFactory) -> None:
    reader, calls = role_factory(), ("how are keys rotated and when is a role revoked", "keys")
    more = UNSURE

    def seen() -> list[Any]:
        with as_role(docs, reader):
            return [
                docs.execute(
                    f"select to_jsonb(h) from rag.search_multi(%s, '{{docs}}'{more}) h".encode(),
                    [call],
                ).fetchall()
                for call in calls
            ]

    before = seen()
    docs.execute(
        "select rag.ingest('docs', 'Keys are rotated by Hidden.py and AuditLog.', 'x.md',"
        " readers => '{}')"
    )
    assert "x.md" in sources(docs, calls[0], more)
    assert seen() == before


def test_is_recorded_as_one_search(docs: Connection) -> None:
    docs.execute("select rag.configure_search_log('text')")
    question = "how are keys rotated and when is a role revoked"
    found = sources(docs, question, UNSURE)
    (row,) = docs.execute(
        "select strategy, collections, query, cardinality(document_ids), steps from rag.search_log"
    ).fetchall()
    assert row[:4] == ("multi", ["docs"], question, len(found))
    steps = [step["step"] for step in row[4]]
    assert steps.count("part") == 2
    assert "follow-up" in steps
    assert steps[-1] == "merge"
    assert docs.execute("select rag.search_status()").fetchone() == ("found",)


def test_scores_are_sure_in_this_order(conn: Connection) -> None:
    columns = "(rerank_score, semantic_score, bm25_score, fuzzy_score)"
    for rows, expected in (
        ([(0.2, 0.9, 7, 0.5), (0.3, None, None, None)], 0.3),
        ([(None, 0.1, None, None), (None, 0.4, 7, 0.9)], 0.4),
        ([(None, None, 7, None), (None, None, None, 0.9)], 1),
        ([(None, None, None, 0.5)], 0.5),
        ([], 0),
    ):
        conn.execute("create temporary table hit of rag.hit on commit drop")
        for row in rows:
            conn.execute(f"insert into hit {columns} values (%s, %s, %s, %s)".encode(), row)
        got = conn.execute(
            "select rag_internal.best_score(array(select h::rag.hit from hit h))"
        ).fetchone()
        assert got == (expected,)
        conn.execute("drop table hit")


def test_meaning_tells_whether_to_ask_again(conn: Connection) -> None:
    for source, text in TEXTS.items():
        conn.execute("select rag.ingest('docs', %s, %s)", [text, source])
    conn.execute("select from rag.search_multi('How often are keys rotated?', '{docs}')")
    conn.execute("select from rag.search_multi('Who won the cup of 1954?', '{docs}')")
    rows = conn.execute("select steps from rag.search_log order by searched_at").fetchall()
    asked_again = ["follow-up" in [step["step"] for step in steps] for (steps,) in rows]
    assert asked_again == [False, True]
