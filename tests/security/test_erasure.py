"""Deleting by document, by source and by what a text says: who may, what goes, what stays."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import psycopg
import pytest

from support import RoleFactory, as_role, throws_ok
from support.remains import canary, tables_with

Connection = psycopg.Connection[Any]


class Removal(NamedTuple):
    """A row of rag.removal, without the document's id."""

    kind: str
    collection: str | None
    source: str | None
    version: str | None
    passages: int | None
    vectors: int | None
    entries: int | None


_COLUMNS = "r.kind, r.collection, r.source, r.version, r.passages, r.vectors, r.entries"
_ERASE = f"select {_COLUMNS} from rag.erase_content(%s, %s, %s, %s) r"


def erase(
    conn: Connection,
    pattern: str,
    kind: str = "like",
    collections: list[str] | None = None,
    dry_run: bool = False,
) -> list[Removal]:
    return [Removal(*row) for row in conn.execute(_ERASE, [pattern, kind, collections, dry_run])]


def erased(rows: list[Removal]) -> list[str | None]:
    """Sources of the documents among what was removed."""
    return [row.source for row in rows if row.kind == "document"]


def counted(rows: list[Removal]) -> dict[str, int | None]:
    """Entries of each other kind."""
    return {row.kind: row.entries for row in rows if row.kind != "document"}


def stored(conn: Connection) -> list[str]:
    """Sources of what is there, whoever may read it."""
    return [s for (s,) in conn.execute("select source from rag_internal.document order by 1")]


def ingest(conn: Connection, source: str, content: str, **options: Any) -> str:
    collection = options.pop("collection", "docs")
    names = "".join(f", {name} => %s" for name in options)
    row = conn.execute(
        f"select document_id::text from rag.ingest(%s, %s, %s{names})",
        [collection, content, source, *options.values()],
    ).fetchone()
    assert row is not None
    return str(row[0])


def build(conn: Connection) -> None:
    conn.execute("select rag_internal.build_segment('english')")


@pytest.fixture
def docs(conn: Connection) -> Connection:
    """A superuser's session with a collection without vectors."""
    conn.execute("select rag.create_collection('docs', model => 'none')")
    return conn


# what is removed --------------------------------------------------------------------------------


def test_deleting_tells_what_was_deleted(conn: Connection) -> None:
    document = ingest(conn, "a.md", "Close the red valve.", version="2", embed="now")
    query = f"select {_COLUMNS}, r.document_id::text from rag.delete_document(%s) r"
    assert conn.execute(query, [document]).fetchall() == [
        (*Removal("document", "docs", "a.md", "2", 1, 1, None), document)
    ]
    assert stored(conn) == []
    throws_ok(conn, query, "P0002", params=[document])


def test_a_source_goes_with_all_its_versions(docs: Connection) -> None:
    for version in ("1", "2"):
        ingest(docs, "a.md", f"Version {version}.", version=version)
    ingest(docs, "b.md", "Another.")
    query = f"select {_COLUMNS} from rag.delete_source('docs', %s) r"
    assert [row[2:4] for row in docs.execute(query, ["a.md"])] == [("a.md", "1"), ("a.md", "2")]
    assert stored(docs) == ["b.md"]
    throws_ok(docs, query, "P0002", '"docs" has no document "a.md"', params=["a.md"])
    throws_ok(docs, query, "P0002", "null", params=[None])


@pytest.mark.parametrize("place", ["pending", "segment", "merged", "replaced", "moved"])
def test_nothing_of_an_erased_document_is_left_in_any_table(docs: Connection, place: str) -> None:
    word = canary(place)
    document = ingest(docs, "a.md", f"The valve {word} is closed.", title=f"On {word}")
    ingest(docs, "b.md", "The pump is open.")
    if place != "pending":
        build(docs)
    if place == "merged":
        ingest(docs, "c.md", "The pump is closed.")
        build(docs)
        assert docs.execute("select rag_internal.merge_segments('english', 65536)").fetchone() == (
            True,
        )
    if place == "replaced":  # its words are in an entry that is dead, and in a new one
        ingest(docs, "a.md", f"The valve {word} is open.", title=f"On {word}")
    if place == "moved":  # the words stay in the dictionary while the entry is pending again
        docs.execute("select rag.grant_read(document_id => %s, reader => 'public')", [document])
        docs.execute("select rag_internal.purge_segment()")
    before = {"document", "chunk"}
    before |= {"pending"} if place in ("pending", "replaced", "moved") else set()
    before |= {"posting"} if place not in ("pending", "moved") else set()
    before |= {"word"} if place != "pending" else set()
    assert set(tables_with(docs, word)) == before
    rows = erase(docs, f"%{word}%")
    assert erased(rows) == ["a.md"]
    assert tables_with(docs, word) == []
    assert tables_with(docs, bytes.fromhex(document.replace("-", ""))) == []
    assert ("word" in counted(rows)) == (place != "pending")
    assert docs.execute("select * from rag.verify_index('docs')").fetchall() == []
    assert docs.execute("table rag_internal.tombstone").fetchall() == []


def words(conn: Connection) -> set[str]:
    return {word for (word,) in conn.execute("select word from rag_internal.word")}


def test_words_that_others_use_stay(docs: Connection) -> None:
    one, both, fresh = canary("one"), canary("both"), canary("fresh")
    ingest(docs, "a.md", f"{one} {both} {fresh}")
    ingest(docs, "b.md", both)
    build(docs)
    ingest(docs, "c.md", fresh)
    assert counted(erase(docs, f"%{one}%")) == {"posting": 6, "word": 1}
    assert words(docs) == {both, fresh}


def test_a_segment_goes_with_its_last_document(docs: Connection) -> None:
    ingest(docs, "a.md", "The valve.")
    build(docs)
    assert counted(erase(docs, "%valve%")) == {"posting": 3, "word": 2}
    for table in ("segment", "posting", "word", "pending", "tombstone"):
        assert docs.execute(f"select count(*) from rag_internal.{table}").fetchone() == (0,), table


def test_entries_without_a_tombstone_go_too(docs: Connection) -> None:
    """Where triggers did not run, as on a replica, nothing says that an entry is dead."""
    word = canary("stray")
    ingest(docs, "a.md", f"The valve {word}.")
    build(docs)
    docs.execute("set local session_replication_role = replica")
    ingest(docs, "a.md", "The valve.")
    docs.execute("truncate rag_internal.tombstone")
    docs.execute("set local session_replication_role = origin")
    assert tables_with(docs, word) == ["posting", "word"]
    assert erased(erase(docs, "%valve%")) == ["a.md"]
    assert tables_with(docs, word) == []


def test_vectors_and_tasks_go(conn: Connection) -> None:
    word = canary("vector")
    ingest(conn, "a.md", f"The valve {word}.", embed="now")
    vector = conn.execute("select v::text from rag_internal.embedding").fetchone()
    assert vector is not None
    ingest(conn, "b.md", f"The pump {word}.", embed="later")
    assert len(tables_with(conn, vector[0])) == 1
    rows = erase(conn, f"%{word}%")
    assert [(row.source, row.passages, row.vectors) for row in rows if row.kind == "document"] == [
        ("a.md", 1, 1),
        ("b.md", 1, 0),
    ]
    assert tables_with(conn, vector[0]) == []
    assert conn.execute("select count(*) from rag_internal.embedding_task").fetchone() == (0,)


# what matches -----------------------------------------------------------------------------------

PLACES: dict[str, dict[str, Any]] = {
    "title": {"title": "On Jane Doe"},
    "version": {"version": "of Jane Doe"},
    "tag": {"tags": ["pump", "by Jane Doe"]},
    "metadata": {"metadata": json.dumps({"a": [{"b": 'the "Jane Doe"'}]})},
    "key": {"metadata": json.dumps({"Jane Doe": None})},
}


@pytest.mark.parametrize("place", PLACES)
def test_texts_beside_the_content_match(docs: Connection, place: str) -> None:
    ingest(docs, "a.md", "The valve.", **PLACES[place])
    ingest(docs, "b.md", "The valve.", title="On Jane Roe")
    assert erased(erase(docs, "%Jane Doe%")) == ["a.md"]
    assert stored(docs) == ["b.md"]


def test_texts_of_passages_match(docs: Connection) -> None:
    given: dict[str, dict[str, Any]] = {
        "text": {"embed_text": "The valve of Jane Doe."},
        "heading": {"heading": ["On Jane Doe"]},
        "metadata": {},
        "other": {"heading": ["On Jane Roe"]},
    }
    for source, chunk in given.items():
        chunks = json.dumps([{"content": "The valve.", **chunk}])
        docs.execute(
            "select rag.ingest_chunks('docs', %s, 'The valve.', %s, embed => 'later')",
            [chunks, source],
        )
    docs.execute(
        'update rag_internal.chunk c set metadata = \'{"by": "Jane Doe"}\''
        " from rag_internal.document d where d.document_id = c.document_id and source = 'metadata'"
    )
    assert sorted(map(str, erased(erase(docs, "%Jane Doe%")))) == ["heading", "metadata", "text"]


@pytest.mark.parametrize(
    ("pattern", "kind", "sources"),
    [
        ("Jane Doe", "like", ["exact"]),
        ("%Jane_Doe%", "like", ["exact", "within"]),
        ("%jane doe%", "like", []),
        (r"%100\%%", "like", ["percent"]),
        ("100%", "like", ["number", "percent"]),
        (r"\mDoe\M", "regex", ["exact", "within"]),
        ("(?i)jane", "regex", ["exact", "within"]),
        ("^Jane Doe$", "regex", ["exact"]),
    ],
)
def test_patterns(docs: Connection, pattern: str, kind: str, sources: list[str]) -> None:
    texts = {"exact": "Jane Doe", "within": "By Jane Doe, 7", "percent": "100%", "number": "1000"}
    for source, text in texts.items():
        ingest(docs, source, text)
    assert erased(erase(docs, pattern, kind)) == sources
    assert stored(docs) == sorted(texts.keys() - set(sources))


@pytest.mark.parametrize(
    ("pattern", "kind", "problem"),
    [
        ("", "like", "empty"),
        (" \n", "like", "empty"),
        (None, "like", "empty"),
        ("%", "like", "wildcards"),
        ("_%_", "like", "wildcards"),
        ("% %", "like", "wildcards"),
        ("valve\\", "like", "escape"),
        ("", "regex", "empty"),
        ("valve*|", "regex", "matches the empty string"),
        ("^", "regex", "matches the empty string"),
        ("(valve", "regex", "parentheses"),
        ("[", "regex", "brackets"),
        ("valve", "glob", "like, regex"),
        ("valve", None, "like, regex"),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_refused_patterns(
    docs: Connection, pattern: str | None, kind: str | None, problem: str, dry_run: bool
) -> None:
    ingest(docs, "a.md", "The valve.")
    throws_ok(docs, _ERASE, "22023", problem, params=[pattern, kind, None, dry_run])
    assert stored(docs) == ["a.md"]


def test_a_dry_run_changes_nothing_and_needs_no_more_than_reading(docs: Connection) -> None:
    ingest(docs, "a.md", "The valve.")
    ingest(docs, "b.md", "The pump.")
    build(docs)
    log = "select rag.log_ingest(gen_random_uuid(), 'docs', 'a.md', 'failed', detail => 'valve')"
    docs.execute(log)
    docs.commit()
    try:
        docs.execute("set transaction isolation level repeatable read, read only")
        rows = erase(docs, "%valve%", dry_run=True)
        assert erased(rows) == ["a.md"]
        assert counted(rows) == {"ingest_log": 1}
        docs.rollback()
        assert stored(docs) == ["a.md", "b.md"]
        assert docs.execute("select detail from rag.ingest_log").fetchall() == [("valve",)]
        docs.rollback()
        docs.execute("set transaction isolation level repeatable read")
        throws_ok(docs, _ERASE, "25001", params=["%valve%", "like", None, False])
    finally:
        docs.rollback()
        docs.execute("select rag.drop_collection('docs')")
        docs.execute("delete from rag_internal.ingest_log")
        docs.commit()


# who may ----------------------------------------------------------------------------------------


def test_owners_erase_what_they_own_and_read(conn: Connection, role_factory: RoleFactory) -> None:
    owner, other = role_factory(["rag_writer"]), role_factory(["rag_writer"])
    for role, collection in ((owner, "own"), (other, "others")):
        with as_role(conn, role):
            conn.execute(
                "select rag.create_collection(%s, model => 'none', readers => '{public}')",
                [collection],
            )
            ingest(conn, f"{collection}.md", "The valve.", collection=collection)
    with as_role(conn, owner):
        ingest(conn, "hidden.md", "The valve.", collection="own", readers=[f"role:{other}"])
        throws_ok(conn, _ERASE, "42501", "belongs", params=["%valve%", "like", ["others"], False])
        throws_ok(conn, _ERASE, "P0002", params=["%valve%", "like", ["none"], False])
        throws_ok(conn, _ERASE, "22023", "empty", params=["%valve%", "like", [], False])
        for dry_run in (True, False):
            assert erased(erase(conn, "%valve%", dry_run=dry_run)) == ["own.md"]
        assert erase(conn, "%valve%", collections=["own"]) == []
    assert stored(conn) == ["hidden.md", "others.md"]
    admin = role_factory(["rag_admin"])
    with as_role(conn, admin):
        assert erased(erase(conn, "%valve%")) == ["others.md", "hidden.md"]


def test_readers_may_not(docs: Connection, role_factory: RoleFactory) -> None:
    ingest(docs, "a.md", "The valve.", readers=["public"])
    with as_role(docs, role_factory()):
        throws_ok(docs, _ERASE, "42501", params=["%valve%", "like", None, True])
        throws_ok(docs, "select rag.delete_source('docs', 'a.md')", "42501")
        throws_ok(docs, "select rag.scrub_step()", "42501")
    with as_role(docs, role_factory(["rag_writer"])):
        throws_ok(docs, "select rag.delete_source('docs', 'a.md')", "42501", "belongs")
        throws_ok(docs, "select rag.scrub_step()", "42501", "scrub_step")
        assert erase(docs, "%valve%") == []
    assert stored(docs) == ["a.md"]


def test_writers_delete_but_do_not_erase(docs: Connection, role_factory: RoleFactory) -> None:
    writer = role_factory(["rag_writer"])
    documents = {s: ingest(docs, s, "The valve.") for s in ("a.md", "b.md", "c.md")}
    ingest(docs, "c.md", "The valve.", version="hidden", readers=["role:rag_admin"])
    for verb in ("read", "write"):
        docs.execute(f"select rag.grant_{verb}('docs', %s)", [f"role:{writer}"])
    with as_role(docs, writer):
        throws_ok(docs, _ERASE, "42501", params=["%valve%", "like", ["docs"], True])
        assert erase(docs, "%valve%") == []
        assert docs.execute(
            "select source from rag.delete_document(%s)", [documents["a.md"]]
        ).fetchall() == [("a.md",)]
        query = "select source, version from rag.delete_source('role:postgres/docs', 'c.md')"
        assert docs.execute(query).fetchall() == [("c.md", "")]
        hidden = throws_ok(docs, query, "P0002")
        missing = throws_ok(docs, query.replace("c.md", "d.md"), "P0002")
        assert str(hidden) == str(missing).replace("d.md", "c.md")
    assert stored(docs) == ["b.md", "c.md"]


# what is written about them ---------------------------------------------------------------------

_SEARCH = """
insert into rag_internal.search_log
    (role_name, source, strategy, query, query_hash, document_ids, chunk_indexes, steps)
values (current_user, 'database role', 'bm25', %s, '\\x00', '{}', '{}', '[]')
"""
_LOG = "select rag.log_ingest(gen_random_uuid(), %s, %s, 'failed', %s, detail => %s)"


def test_questions_that_match_are_forgotten_where_an_administrator_erases(
    docs: Connection, role_factory: RoleFactory
) -> None:
    owner = role_factory(["rag_writer"])
    with as_role(docs, owner):
        ingest(docs, "a.md", "The valve of Jane Doe.", collection="own")
    for query in ("where is Jane Doe", "where is the valve"):
        docs.execute(_SEARCH, [query])
    queries = "select query, query_hash is null from rag_internal.search_log order by query"
    with as_role(docs, owner):
        assert "search_log" not in counted(erase(docs, "%Jane Doe%"))
    assert docs.execute(queries).fetchall() == [
        ("where is Jane Doe", False),
        ("where is the valve", False),
    ]
    assert counted(erase(docs, "%Jane Doe%", dry_run=True)) == {"search_log": 1}
    assert counted(erase(docs, "%Jane Doe%")) == {"search_log": 1}
    assert docs.execute(queries).fetchall() == [("where is the valve", False), (None, True)]


def test_loads_of_what_is_erased_are_told_without_its_name(
    docs: Connection, role_factory: RoleFactory
) -> None:
    owner, other = role_factory(["rag_writer"]), role_factory(["rag_writer"])
    with as_role(docs, owner):
        document = ingest(docs, "a.md", "The valve.", collection="own")
        docs.execute(_LOG, ["own", "a.md", None, "by source"])
        docs.execute(_LOG, ["own", "x.md", None, "no valve in it"])
        docs.execute(_LOG, ["own", "y.md", None, "stays"])
    with as_role(docs, other):
        docs.execute(_LOG, ["own", "b.md", document, "by document"])
        docs.execute(_LOG, ["own", "a.md", None, "a valve of another"])
    with as_role(docs, owner):
        assert counted(erase(docs, "%valve%"))["ingest_log"] == 3
    logged = docs.execute("select source, detail from rag_internal.ingest_log order by 2, 1")
    assert logged.fetchall() == [
        ("a.md", "a valve of another"),
        ("y.md", "stays"),
        *[("(erased)", None)] * 3,
    ]
    assert counted(erase(docs, "%valve%")) == {"ingest_log": 1}
    assert counted(erase(docs, "%valve%")) == {}


def test_errors_that_quote_it_are_forgotten(conn: Connection) -> None:
    for source in ("a.md", "b.md"):
        ingest(conn, source, f"The valve of {source}.", embed="later")
    conn.execute(
        "update rag_internal.embedding_task set is_dead = true, failed_at = now(),"
        " error = (select 'no: ' || c.content from rag_internal.chunk c"
        "          where c.chunk_id = embedding_task.chunk_id)"
    )
    conn.execute(
        "update rag_internal.job set status = 'failed', finished_at = now(), error ="
        " (select t.error from rag_internal.embedding_task t where t.job_id = job.job_id)"
    )
    assert tables_with(conn, "valve of a.md") == ["chunk", "document", "embedding_task", "job"]
    assert counted(erase(conn, "%valve of a.md%"))["error"] == 1
    assert tables_with(conn, "valve of a.md") == []
    assert conn.execute("select error from rag_internal.job order by 1").fetchall() == [
        ("no: The valve of b.md.",),
        (None,),
    ]


def test_whatever_is_kept_of_a_document_goes_with_it(conn: Connection) -> None:
    """Tables that name documents or passages, but those that are cleaned by hand, are cascades."""
    rows = conn.execute(
        """select distinct a.attrelid::regclass::text
           from pg_attribute a
           join pg_class c on c.oid = a.attrelid
           left join pg_constraint k on k.conrelid = a.attrelid and k.contype = 'f'
                                    and k.confdeltype = 'c' and a.attnum = any (k.conkey)
           where c.relnamespace = 'rag_internal'::regnamespace and c.relkind in ('r', 'p')
             and a.attname ~ '^(document|chunk|entry)_ids?$'
           group by a.attrelid having count(k.oid) = 0"""
    )
    by_hand = {"ingest_log", "pending", "search_log", "segment", "tombstone"}
    assert {name for (name,) in rows} == {f"rag_internal.{n}" for n in by_hand} | {
        "rag_internal.document"
    }
