"""Who makes redaction rules and whom they spare, what is no rule, and from when on a rule holds."""

from __future__ import annotations

import pytest

from support import Database, RoleFactory, as_role, throws_ok
from support.redaction import ADD_RULE, House

MAIL = "Write to nora.quist@example.com about the valve."


def test_unredacted_is_granted_and_revoked(house: House, role_factory: RoleFactory) -> None:
    house.tell(MAIL)
    house.rule("mail", "nora")
    stranger = role_factory()
    read = "select content from rag.document"
    for verb, changed, rows in (
        ("grant", True, 1), ("grant", False, 1), ("revoke", True, 0), ("revoke", False, 0)
    ):  # fmt: skip
        for role in (house.reader, stranger):
            call = f"select rag.{verb}_unredacted('docs', %s) as changed"
            assert house.rows(house.owner, call, [f"role:{role}"]) == [{"changed": changed}]
        assert len(house.rows(house.reader, read)) == rows
        assert house.rows(stranger, read) == []  # it is no grant to read
    house.rows(house.owner, "select rag.grant_unredacted('docs', 'public')")
    assert house.rows(house.reader, read) == [{"content": MAIL}]


def test_a_writer_is_a_reader_like_others(house: House, role_factory: RoleFactory) -> None:
    document = house.tell(MAIL)
    house.rule("mail", "nora")
    writer = role_factory(["rag_writer"])
    house.rows(house.owner, "select rag.grant_read('docs', %s)", [writer])
    house.rows(house.owner, "select rag.grant_write('docs', %s)", [writer])
    assert "nora" not in house.document(writer, document)["content"]
    with as_role(house.conn, writer):
        for call in (
            "rag.add_redaction_rule('docs', 'x', 'x')", "rag.drop_redaction_rule('docs', 'mail')",
            "rag.list_redaction_rules('docs')", f"rag.grant_unredacted('docs', '{writer}')",
            f"rag.revoke_unredacted('docs', '{house.owner}')",
        ):  # fmt: skip
            throws_ok(house.conn, f"select {call}", "42501", "belongs to somebody else")
    outsider = role_factory(["rag_writer"])
    with as_role(house.conn, outsider):
        throws_ok(house.conn, "select rag.list_redaction_rules('docs')", "P0002")


def test_rules_are_added_changed_listed_and_dropped(house: House) -> None:
    with as_role(house.conn, house.owner):
        for pattern, replacement, changed in (
            ("b+a", "x", True), ("b+a", "x", False), ("b+a", "y", True), ("b+c", "y", True)
        ):  # fmt: skip
            row = house.conn.execute(ADD_RULE, ["r", pattern, replacement]).fetchone()
            assert row == (changed,)
        house.conn.execute("select rag.add_redaction_rule('docs', 'm', detector => 'email')")
        rules = "select name, detector, pattern, replacement from rag.list_redaction_rules('docs')"
        expected = [("m", "email", None, "[redacted]"), ("r", None, "b+c", "y")]
        assert house.conn.execute(rules).fetchall() == expected
        for dropped in (True, False):
            row = house.conn.execute("select rag.drop_redaction_rule('docs', 'r')").fetchone()
            assert row == (dropped,)
    admin = "select name from rag.list_redaction_rules('docs')"
    assert house.conn.execute(admin).fetchall() == [("m",)]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("", "is empty"), ("(a", "not balanced"), ("a*", "matches the empty string"),
        ("a" * 1001, "1,000"), (r"(a)\1", "back-reference"), (r"\\\\(a)\\\1", "back-reference"),
        ("(?:(?:x{1,255}){1,255})", "repeats"), (r"(?b)\(a*\)b\1", "syntax"), ("***=x", "syntax"),
        ("redacted", "replacement"),
    ],
)  # fmt: skip
def test_a_pattern_that_could_not_be_used_is_refused(
    house: House, pattern: str, problem: str
) -> None:
    with as_role(house.conn, house.owner):
        throws_ok(house.conn, ADD_RULE, "22023", problem, ["r", pattern, "[redacted]"])


def test_arguments_that_make_no_rule_are_refused(house: House) -> None:
    call = "select rag.add_redaction_rule('docs', {})".format
    house.rule("word", "fish", "[a word]")
    with as_role(house.conn, house.owner):
        for arguments, problem in (
            ("'r'", "either a pattern or a detector"),
            ("'r', 'x', 'email'", "either a pattern or a detector"),
            ("'r', 'x', replacement => null", "replacement is null"),
            ("'r', 'x', replacement => repeat('y', 201)", "200 characters"),
            ("' ', 'x'", "name"),
            # of another rule
            ("'r', 'x', replacement => 'a fish'", "its own replacement or that of another"),
            ("'r', 'a w'", "its own replacement or that of another"),
        ):
            throws_ok(house.conn, call(arguments), "22023", problem)
        error = throws_ok(house.conn, call("'r', detector => 'nose'"), "22023", "nose")
        assert "email, phone" in str(error.diag.message_hint)
        for number in range(29):
            house.conn.execute(ADD_RULE, [f"r{number}", f"x{number}", "y"])
        throws_ok(house.conn, ADD_RULE, "54000", "30", ["one more", "x", "y"])
        house.conn.execute(ADD_RULE, ["r7", "changed", "y"])


def test_a_rule_of_another_session_holds_from_the_next_statement_on(
    db: Database, role_factory: RoleFactory
) -> None:
    owner, reader = role_factory(["rag_writer"]), role_factory()
    writing, reading = db.connect(owner), db.connect(reader, autocommit=False)
    writing.execute("select rag.create_collection('live', readers => %s)", [[reader]])
    writing.execute("select rag.ingest('live', 'The red valve.', 'a.md')")
    search = "select content from rag.search('valve', '{live}')"
    try:
        assert reading.execute(search).fetchall() == [("The red valve.",)]
        writing.execute(
            "select rag.add_redaction_rule('live', 'colour', 'red', replacement => '?')"
        )
        assert reading.execute(search).fetchall() == [("The ? valve.",)]
        writing.execute("select rag.grant_unredacted('live', %s)", [reader])
        assert reading.execute(search).fetchall() == [("The red valve.",)]
    finally:
        reading.rollback()
        writing.execute("select rag.drop_collection('live')")


def test_a_slow_pattern_ends_with_the_time_limit(house: House) -> None:
    document = house.tell("a" * 100_000)
    house.rule("slow", "a(.*Z)?", "?")
    with as_role(house.conn, house.reader):
        house.conn.execute("set local statement_timeout = '300ms'")
        throws_ok(house.conn, f"select * from rag.get_document('{document}')", "57014")
