"""Marks, wider passages, contexts and citations show no more than the hits they are made of."""

from __future__ import annotations

import hashlib
import json
import random
import re
from typing import Any

import pytest

from support import RoleFactory, as_role, throws_ok
from support.redaction import House, Row

SECRET = "Quagga"
TEXT = f"""# Keeper

The valve of the lantern is {SECRET}.

The gauge is closed at night.

# Other

Nothing here but a {SECRET} and a pump.
"""
CITED = r"[0-9a-f]{16}\.[0-9a-f]{16}"


@pytest.fixture
def hidden(house: House) -> House:
    """A document whose secret is in two passages, its title, source, version and heading."""
    house.rows(
        house.owner,
        "select rag.alter_collection('docs', strategy => 'markdown', chunk_size => 60,"
        " min_chunk_size => 1)",
    )
    house.tell(TEXT, f"{SECRET}.md", title=f"About {SECRET}", version=f"{SECRET} 2")
    house.rule("animal", "(?i)quagga")
    return house


def search(house: House, role: str, query: str, **given: Any) -> list[Row]:
    arguments = "".join(f", {name} => %({name})s" for name in given)
    return house.rows(
        role, f"select * from rag.search(%(query)s{arguments})", {"query": query, **given}
    )


def context(house: House, role: str, query: str, **given: Any) -> Row:
    arguments = "".join(f", {name} => %({name})s" for name in given)
    (row,) = house.rows(
        role, f"select * from rag.context(%(query)s{arguments})", {"query": query, **given}
    )
    return row


def said(rows: Any) -> str:
    return json.dumps(rows, default=str)


QUERIES = ["valve", "quagga", '"valve of the lantern is quagga"', "quag*", "qwagga", "gauge pump"]


@pytest.mark.parametrize("query", QUERIES)
def test_a_secret_is_in_nothing_that_is_made_of_a_hit(hidden: House, query: str) -> None:
    for expand in ("chunk", "section", "neighbours"):
        for strategy in ("bm25", "fuzzy", "hybrid") if expand == "section" else ("bm25",):
            given = {"expand": expand, "strategy": strategy}
            hits = search(hidden, hidden.reader, query, highlight=True, **given)
            assert SECRET.lower() not in said(hits).lower()
            for hit in hits:
                if "[redacted]" in hit["content"]:
                    assert (hit["highlight"], hit["matches"]) == (None, None)
                assert (hit["expanded"] is None) == (expand == "chunk")
            asked = {**given, "source_template": "{title} {source} {version} {heading} {content}"}
            made = context(hidden, hidden.reader, query, **asked)
            found = {**made, "context": made["context"].replace(query, "")}
            assert SECRET.lower() not in said(found).lower()
    owners = search(hidden, hidden.owner, query, highlight=True, expand="section", top_k=1)
    assert SECRET in said(owners)


def test_what_is_not_redacted_is_marked(hidden: House) -> None:
    hits = search(hidden, hidden.reader, "gauge", highlight=True, expand="neighbours", top_k=1)
    (owners,) = search(hidden, hidden.owner, "gauge", highlight=True, expand="neighbours", top_k=1)
    assert "<mark>gauge</mark>" in hits[0]["highlight"]
    for name in ("highlight", "matches", "content", "expanded_start", "expanded_end"):
        assert hits[0][name] == owners[name], name
    assert SECRET in owners["expanded"]
    assert hits[0]["expanded"] == owners["expanded"].replace(SECRET, "[redacted]")


def test_a_context_counts_the_lines_of_the_original(hidden: House) -> None:
    hidden.rule("lines", "(?s)The valve.*?night", "a\nb\nc\nd\ne\nf\ng")
    for expand in ("chunk", "section", "neighbours"):
        places = [
            [(s["start_line"], s["end_line"]) for s in context(
                hidden, role, "gauge", expand=expand, top_k=1)["sources"]]
            for role in (hidden.reader, hidden.owner)
        ]  # fmt: skip
        assert places[0] == places[1]


def resolved(house: House, role: str, citation: str) -> Row:
    (row,) = house.rows(role, "select * from rag.resolve_citation(%s)", [citation])
    return row


def test_a_citation_shows_redacted_text(hidden: House) -> None:
    for hit in search(hidden, hidden.reader, "valve gauge pump", strategy="bm25"):
        found = resolved(hidden, hidden.reader, hit["citation"])
        assert found["status"] == "current"
        for name in ("content", "source", "title", "version", "start_offset", "start_line"):
            assert found[name] == hit[name], name
        assert SECRET not in said(found)
        # who reads the original can be given it
        owners = resolved(hidden, hidden.owner, hit["citation"])
        assert owners["status"] == "current"
        assert owners["content"].replace(SECRET, "[redacted]") == hit["content"]


def test_a_guess_at_a_secret_is_not_confirmed_by_a_citation(hidden: House) -> None:
    """With hashes that anybody can compute, right and wrong guesses are the same."""
    (hit,) = search(hidden, hidden.reader, "valve", strategy="bm25")
    (owners,) = search(hidden, hidden.owner, "valve", strategy="bm25")
    answers = []
    for guess in (SECRET, "Giraffe"):
        text = TEXT.replace(SECRET, guess)
        passage = owners["content"].replace(SECRET, guess)
        hashes = [hashlib.sha256(t.encode()).hexdigest()[:16] for t in (text, passage)]
        for made in (".".join(hashes), hashes[0]):
            citation = re.sub(CITED, made, hit["citation"])
            answers.append(resolved(hidden, hidden.reader, citation))
    assert all(answer == answers[0] for answer in answers)
    assert answers[0]["status"] == "changed"
    assert resolved(hidden, hidden.owner, owners["citation"])["status"] == "current"
    # an owner's citation says nothing to the reader either, and is no error
    assert resolved(hidden, hidden.reader, owners["citation"]) == answers[0]


def test_a_keyed_citation_is_followed_after_a_re_ingest(hidden: House) -> None:
    (hit,) = search(hidden, hidden.reader, "valve", strategy="bm25")
    given = {"title": f"About {SECRET}", "version": f"{SECRET} 2"}
    hidden.tell("A preface.\n\n" + TEXT, f"{SECRET}.md", **given)
    found = resolved(hidden, hidden.reader, hit["citation"])
    assert (found["status"], found["content"]) == ("moved", hit["content"])
    hidden.tell(TEXT.replace("valve of", "cock of"), f"{SECRET}.md", **given)
    found = resolved(hidden, hidden.reader, hit["citation"])
    assert found["status"] == "changed"
    assert "cock of the lantern is [redacted]" in found["content"]


def test_made_up_spans_cut_no_secret_out(hidden: House) -> None:
    (hit,) = search(hidden, hidden.reader, "valve", strategy="bm25")
    place = TEXT.index(SECRET)
    zeros = "0" * 16
    for start in range(place - 3, place + len(SECRET) + 3):
        for end in (start + 1, start + 4, start + 40):
            made = re.sub("@.*", f"@{zeros}.{zeros}:{start}-{end}", hit["citation"])
            assert SECRET not in said(resolved(hidden, hidden.reader, made))
            old = re.sub("@.*", f"@{zeros}:{start}-{end}", hit["citation"])
            assert SECRET not in said(resolved(hidden, hidden.reader, old))
    # with the right hash of the document, as a citation of before has it
    keyed = hit["citation"].split("@")[1].split(".")[0]
    for start in range(place - 3, place + len(SECRET)):
        for end in range(start + 1, place + len(SECRET) + 3):
            made = re.sub("@.*", f"@{keyed}:{start}-{end}", hit["citation"])
            shown = resolved(hidden, hidden.reader, made)["content"]
            assert not set(shown.replace("[redacted]", "")) & set("Quag"), shown


CHANGED = """
select h.content, h.expanded from rag_internal.ticket_key k,
       rag_internal.authenticate(%(role)s, rag_internal.ticket(k.secret, %(role)s)) i,
       unnest(rag_internal.redact_hits(i, (select hits from found))) h
"""


def test_a_wider_passage_whose_surroundings_changed_meanwhile_is_left_out(hidden: House) -> None:
    """Nobody knows any more what to take out of it."""
    hidden.conn.execute(
        "create temp table found as select array(select h from rag.search("
        "'gauge', strategy => 'bm25', expand => 'neighbours') h) as hits"
    )
    hidden.conn.execute("grant select on found to public")
    role = {"role": hidden.reader}
    rows = hidden.rows(hidden.conn.info.user, CHANGED, role)
    assert "[redacted]" in rows[0]["expanded"]
    with hidden.conn.transaction(force_rollback=True):
        hidden.conn.execute(
            "update rag_internal.document set content = replace(content, 'Quagga', 'Quaggi')"
        )
        assert hidden.rows(hidden.conn.info.user, CHANGED, role) == []


def test_who_may_read_no_longer_gets_nothing(hidden: House) -> None:
    """F16: in no way, from the next statement on."""
    (hit,) = search(hidden, hidden.reader, "gauge", highlight=True, expand="neighbours", top_k=1)
    assert hit["highlight"]
    hidden.rows(hidden.owner, "select rag.revoke_read('docs', %s)", [hidden.reader])
    for strategy in ("hybrid", "bm25", "fuzzy", "semantic"):
        given = {"strategy": strategy, "expand": "neighbours"}
        assert search(hidden, hidden.reader, "gauge", highlight=True, **given) == []
        found = context(hidden, hidden.reader, "gauge", **given)
        assert (found["status"], found["sources"]) == ("nothing visible", [])
    with as_role(hidden.conn, hidden.reader):
        throws_ok(hidden.conn, "select rag.resolve_citation(%s)", "P0002", None, [hit["citation"]])


def test_hidden_documents_change_no_context_and_no_mark(
    house: House, role_factory: RoleFactory
) -> None:
    """What the reader gets, with what is hidden and after it has been deleted."""
    other = role_factory(["rag_writer"])
    draw = random.Random(5)
    words = "valve pump lantern gauge rust steam water filter".split()
    for i in range(8):
        text = ". ".join(" ".join(draw.choices(words, k=8)) for _ in range(6))
        house.tell(text, f"{i}.md")
        house.rows(other, "select rag.ingest('theirs', %s, %s)", [text, f"{i}.md"])
        house.tell(text + " hidden", f"own {i}.md", readers=[other])
    queries = ["valve pump", '"rust steam"', "lant* -filter", "hidden vlave"]
    asked = [
        (strategy, query, expand)
        for strategy in ("bm25", "hybrid")
        for query in queries
        for expand in ("chunk", "neighbours")
    ]

    def answers() -> list[Any]:
        return [
            (
                search(house, house.reader, q, strategy=s, expand=e, highlight=True),
                context(house, house.reader, q, strategy=s, expand=e, max_tokens=300),
            )
            for s, q, e in asked
        ]

    before = answers()
    assert sum(len(hits) for hits, _ in before) > 50
    house.conn.execute(
        "delete from rag_internal.document d using rag_internal.collection k"
        " where k.collection_id = d.collection_id and (k.name = 'theirs' or d.source like 'own%')"
    )
    assert answers() == before
