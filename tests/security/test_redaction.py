"""What redaction rules take out of texts, and that no way around them is left open."""

from __future__ import annotations

import hashlib
import json

from support import RoleFactory, as_role, throws_ok
from support.redaction import House

STRATEGIES = ("hybrid", "semantic", "bm25", "fuzzy")
MAIL = "Write to nora.quist@example.com about the valve."
PRIVATE_KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join(hashlib.sha256(bytes([i])).hexdigest() for i in range(60))
    + "\n-----END RSA PRIVATE KEY-----"
)


def test_a_reader_gets_redacted_text_and_the_owner_what_is_written(house: House) -> None:
    document = house.tell(MAIL)
    with as_role(house.conn, house.owner):
        house.conn.execute("select rag.add_redaction_rule('docs', 'mail', detector => 'email')")
    shown = {house.owner: MAIL, house.reader: "Write to [redacted] about the valve."}
    for role, text in shown.items():
        for strategy in STRATEGIES:
            search = "select * from rag.search('valve', strategy => %s)"
            (hit,) = house.rows(role, search, [strategy])
            assert (hit["content"], hit["start_offset"], hit["end_offset"]) == (text, 0, len(MAIL))
        assert house.document(role, document)["content"] == text
        (chunk,) = house.rows(role, "select * from rag.get_chunks(%s)", [document])
        assert (chunk["content"], chunk["end_offset"]) == (text, len(MAIL))
    assert chunk["embed_text"] is chunk["tsv"] is None
    assert house.document(house.reader, document)["content_hash"] is None
    assert house.document(house.owner, document)["content_hash"] is not None


def test_the_views_leave_such_collections_out(house: House) -> None:
    house.tell(MAIL)
    house.rule("mail", "nora")
    for view in ("document", "chunk"):
        assert house.rows(house.reader, f"select * from rag.{view}") == []
        # nor is a condition asked of what they leave out
        probe = f"select 1 / position('zzz' in content) from rag.{view}"
        assert house.rows(house.reader, probe) == []
        assert len(house.rows(house.owner, f"select * from rag.{view}")) == 1


def test_every_text_of_a_document_is_redacted(house: House) -> None:
    metadata = {"PIN": "1234", "n": 12345, "deep": [{"a\n1234": ["x 1234\n", True, None, 0.5]}]}
    document = house.tell(
        "# Door 1234\n\nThe valve.\n", "plan-1234.md", title="Plan 1234", tags=["1234", "t"],
        metadata=json.dumps(metadata), version="v1234",
    )  # fmt: skip
    house.rule("pin", "1234", "[pin]")
    row = house.document(house.reader, document)
    (hit,) = house.rows(house.reader, "select * from rag.search('valve', strategy => 'bm25')")
    (chunk,) = house.rows(house.reader, "select * from rag.get_chunks(%s)", [document])
    shown = {"PIN": "[pin]", "n": "[pin]5", "deep": [{"a\n[pin]": ["x [pin]\n", True, None, 0.5]}]}
    assert (row["metadata"], hit["metadata"]) == (shown, shown)
    assert {key: row["attributes"][key] for key in shown} == shown
    assert (row["source"], row["title"], row["version"]) == (
        "plan-[pin].md",
        "Plan [pin]",
        "v[pin]",
    )
    assert (row["tags"], hit["source"], hit["title"]) == (
        ["[pin]", "t"],
        row["source"],
        row["title"],
    )
    for part in (row, hit, chunk):
        texts = [value for key, value in part.items() if key not in ("document_id", "citation")]
        assert "1234" not in json.dumps(texts, default=lambda value: "")
    assert row["attributes"]["created_at"] == row["created_at"].strftime("%Y-%m-%dT%H:%M:%SZ")


def test_what_repeats_a_part_of_a_match_is_replaced_too(house: House) -> None:
    house.rows(house.owner, "select rag.alter_collection('docs', strategy => 'markdown')")
    content = "# Open\n\nThe valve.\n\n<<\n\n# Nora Quist\n\nhas the valve key\n\n>>\n"
    document = house.tell(content, title="Nora *Quist*", metadata='{"who": "Quist", "is": "valve"}')
    mail = house.tell("# To nora@example.com\n\nThe valve.", "b.md", title="To nora@example.com")
    house.rule("private", "<<.*>>|[a-z]+@[a-z.]+", "[private]")
    chunks = "select content, heading from rag.get_chunks(%s)"
    assert "Nora Quist" in [
        heading for row in house.rows(house.owner, chunks, [document]) for heading in row["heading"]
    ]
    for row in house.rows(house.reader, chunks, [document]):
        assert "Quist" not in row["content"] + "".join(row["heading"])
    (row,) = house.rows(house.reader, chunks, [mail])
    assert row["heading"] == ["To [private]"] == [house.document(house.reader, mail)["title"]]
    row = house.document(house.reader, document)
    assert row["content"] == "# Open\n\nThe valve.\n\n[private]\n"
    assert (row["title"], row["metadata"]) == ("[private]", {"who": "[private]", "is": "valve"})


def test_matches_that_overlap_leave_no_rest(house: House) -> None:
    document = house.tell("The valve abcdef and cd, and dxyz.")
    for name, pattern in (("1", "bcd"), ("2", "cde"), ("3", "ef"), ("4", "(?<=dx)yz")):
        house.rule(name, pattern, rf"[{name}\1&]")
    text = house.document(house.reader, document)["content"]
    assert text == r"The valve a[1\1&] and cd, and dx[4\1&]."


def test_what_matches_after_all_is_withheld_as_a_whole(house: House) -> None:
    document = house.tell("The valve is xxyy.", title="xxyy", metadata='{"pass": "word"}')
    house.rule("join", "xy", "")
    house.rule("pair", 'pass": "w', "?")
    row = house.document(house.reader, document)
    assert (row["content"], row["title"], row["metadata"]) == ("", "", {})
    (hit,) = house.rows(house.reader, "select * from rag.search('valve')")
    assert (hit["content"], hit["title"], hit["metadata"]) == ("The valve is .", "", {})


def test_a_match_longer_than_passages_is_taken_out_of_each(house: House) -> None:
    house.rows(house.owner, "select rag.alter_collection('docs', chunk_size => 40, overlap => 10)")
    document = house.tell(f"The valve.\n\n{PRIVATE_KEY}\n\nAnother valve and a pump.")
    with as_role(house.conn, house.owner):
        house.conn.execute(
            "select rag.add_redaction_rule('docs', 'key', detector => 'private_key')"
        )
    chunks = house.rows(house.reader, "select * from rag.get_chunks(%s)", [document])
    own = house.rows(house.owner, "select * from rag.get_chunks(%s)", [document])
    assert len(chunks) > 10
    for column in ("chunk_index", "start_offset", "end_offset", "start_line", "token_count"):
        assert [c[column] for c in chunks] == [c[column] for c in own]
    shown = "".join(c["content"] for c in chunks)
    secrets = PRIVATE_KEY.splitlines()[1:-1]
    assert not [line for line in secrets for i in range(60) if line[i : i + 5] in shown]
    hits = house.rows(house.reader, "select * from rag.search('valve', top_k => 50)")
    assert {h["chunk_index"]: h["content"] for h in hits} == {
        c["chunk_index"]: c["content"] for c in chunks
    }


def test_the_hash_of_a_citation_cannot_be_guessed_at(
    house: House, role_factory: RoleFactory
) -> None:
    house.tell("The valve has PIN 7.")
    house.rule("pin", "PIN [0-9]")
    second = role_factory()
    house.rows(house.owner, "select rag.grant_read('docs', %s)", [second])
    cited = {}
    for role in (house.owner, house.reader, second):
        (hit,) = house.rows(role, "select citation from rag.search('valve')")
        cited[role] = hit["citation"].split("@")[1]
    guess = hashlib.sha256(b"The valve has PIN 7.").hexdigest()[:16]
    assert cited[house.owner] == f"{guess}.{guess}:0-20"
    assert cited[house.reader] == cited[second]
    assert guess not in cited[house.reader]
    assert cited[house.reader].endswith(":0-20")


def test_tokens_are_asked_by_the_functions_that_read(house: House) -> None:
    document = house.tell(MAIL)
    for call in (
        f"rag.get_document('{document}', token => 'x')",
        f"rag.get_chunks('{document}', token => 'x')",
        f"rag.explain_bm25('valve', '{document}', 0, token => 'x')",
        "rag.correct_query('valve', token => 'x')",
    ):
        throws_ok(house.conn, f"select * from {call}", "28000", "token refused")
