"""What of a passage matched, and passages with what stands around them."""

from __future__ import annotations

import html
import json
import random
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from support import Database

Connection = psycopg.Connection[Any]

TRAVEL = """# Travel

What it costs to go.

## Trains

Trains are <b>cheap</b> & fast.

## Hotels

{hotels}

## Cars

No cars.
"""


@pytest.fixture(scope="module")
def session(db: Database) -> Iterator[Connection]:
    connection = db.connect(autocommit=True)
    yield connection
    connection.close()


def spans(
    conn: Connection, content: str, query: str, config: str = "english"
) -> list[tuple[int, int]]:
    """The matches, checked against the marked text."""
    row = conn.execute(
        "select (rag_internal.highlight(%s, %s, %s)).*", [content, query, config]
    ).fetchone()
    assert row is not None
    found = list(zip(row[0][::2], row[0][1::2], strict=True))
    pieces, done = [], 0
    for start, end in found:
        assert done <= start < end <= len(content)
        pieces += [html.escape(content[done:start], False)]
        pieces += [f"<mark>{html.escape(content[start:end], False)}</mark>"]
        done = end
    assert row[1] == "".join([*pieces, html.escape(content[done:], False)])
    return found


def marked(conn: Connection, content: str, query: str, config: str = "english") -> list[str]:
    """The texts of the matches."""
    return [content[start:end] for start, end in spans(conn, content, query, config)]


@pytest.mark.parametrize(
    ("content", "query", "config", "expected"),
    [
        ("The miner's rules, running fast", "runs miners rule", "english",
         ["miner", "rules", "running"]),
        ("the state of the art, and art of state", '"state of the art"', "english",
         ["state of the art"]),
        ("valve A and valve B", '"valve B"', "english", ["valve B"]),
        ("open the valve", "open -valve", "english", ["open"]),
        ("open the gauge", "the", "english", []),
        ("Call ERR_5001 or err 5002.", "err5001", "english", ["ERR_5001"]),
        ("Call ERR_5001.", "ERR_5001", "english", ["ERR_5001"]),
        ("in C++ or C", "c++", "english", ["C++", "C"]),
        ("in C++ or C", '"C++"', "english", ["C++"]),
        ("node.js and nodejs", "nodejs", "english", ["node.js", "nodejs"]),
        ("set foo.bar.baz = 1", "foo.bar", "english", ["foo", "bar"]),
        ("release v2.14.0-rc1", "2.14.0", "english", ["v2.14.0"]),
        ("E-Mails by email", "e-mail", "english", ["E-Mails", "email"]),
        ("ZK-7310, zk7399, zk8", "zk73*", "english", ["ZK-7310", "zk7399"]),
        ("the runner runs", "runn*", "english", ["runner"]),
        ("it's O'Neil's", "oneil", "english", ["O'Neil"]),
        ("Die Straße und ÄPFEL", "strasse apfel", "german", ["Straße", "ÄPFEL"]),
        ("cafe\u0301, café, cafes", "cafe", "english", ["cafe\u0301", "café", "cafes"]),
        ("zero\u00adwidth", "zerowidth", "english", ["zero\u00adwidth"]),
        ("любовь и дом", "любовью", "russian", ["любовь"]),
        ("数据库系统", "数据库", "english", ["数据库"]),
        ("水道の水", "水", "simple", ["水", "水"]),
        ("第5章 数据", "5", "simple", ["5"]),
        ("การทดสอบภาษาไทย", "ภาษา", "simple", ["ภาษา"]),
        ("नमस्ते दुनिया", "नमस्ते", "simple", ["नमस्ते"]),
        ("مدرسة المدرسة بيت", "المدرسة", "arabic", ["مدرسة", "المدرسة"]),
        ("1e5 and 0x1f and 3d", "3D 1E5", "english", ["1e5", "3d"]),
        ("<script>alert(1)</script>", "alert script", "english", ["script", "alert", "script"]),
        ("x", "", "english", []),
        ("", "x", "english", []),
        ('"', '"', "english", []),
        ("' . - _ @ + #", "' . - _ @ + # \\ '' % $1", "english", []),
    ],
)  # fmt: skip
def test_words_of_the_query_are_marked(
    session: Connection, content: str, query: str, config: str, expected: list[str]
) -> None:
    assert marked(session, content, query, config) == expected


PIECES = (
    "run running runs Runner valve valves opened opening ERR_5001 err5001 foo.bar node.js C++ c "
    "état etat naïve 2.14.0 v2.14.0 o'neil miner's 数据 数据库 库 水 the of and zk-7310 x1 3d"
).split()


def test_marks_are_where_the_analyzer_sees_the_words(session: Connection) -> None:
    """Against each piece analysed by itself: marked where it has a lexeme of the query."""
    draw = random.Random(7)
    for _ in range(100):
        pieces = [draw.choice(PIECES) for _ in range(draw.randint(1, 30))]
        query = " ".join(draw.sample(PIECES, draw.randint(1, 4)))
        content = " | ".join(pieces)
        row = session.execute(
            """select array(select exists (
                   select from unnest(tsvector_to_array(rag.analyze(p))) l
                   where l = any (rag_internal.question_lexemes(%(query)s, 'english')))
                   from unnest(%(pieces)s::text[]) with ordinality u (p, n) order by n)""",
            {"query": query, "pieces": pieces},
        ).fetchone()
        assert row is not None
        found = spans(session, content, query)
        at, is_marked = 0, []
        for piece in pieces:
            end = at + len(piece)
            is_marked.append(any(at <= first and last <= end for first, last in found))
            at = end + 3
        assert is_marked == row[0], (content, query)
        assert not any("|" in content[first:last] for first, last in found)


def test_a_dictionary_that_drops_words_moves_no_mark(session: Connection) -> None:
    session.execute("create text search dictionary only_a (template = simple, accept = false)")
    session.execute("create text search configuration picky (copy = simple)")
    session.execute("alter text search configuration picky alter mapping for asciiword with only_a")
    session.execute("alter text search configuration picky alter mapping for word with simple")
    assert marked(session, "one жук two жуки three", "жуки", "public.picky") == ["жуки"]


def test_the_cost_is_bounded(session: Connection) -> None:
    """Long texts and queries: the first 50,000 characters and 1,000 matches count."""
    assert marked(session, "x " * 25_000 + "valve", "valve") == []
    assert marked(session, "x " * 20_000 + "valve", "valve") == ["valve"]
    assert len(marked(session, "valve " * 5_000, "valve")) == 1_000
    phrases = " ".join('"' + "ab " * 400 + f'c{i}"' for i in range(100))
    assert marked(session, "ab " * 30_000, phrases) == []
    assert marked(session, "a.b-c_" * 20_000, "abc") == []
    words = " ".join(f"w{i}" for i in range(20_000))
    assert marked(session, words, "w5") == ["w5"]


@pytest.fixture(scope="module")
def travel(session: Connection) -> Connection:
    session.execute(
        "select rag.create_collection('travel', model => 'none', strategy => 'markdown',"
        " chunk_size => 200)"
    )
    session.execute(
        "select rag.ingest('travel', %s, 'travel.md', 'Costs')",
        [TRAVEL.format(hotels="A hotel costs 90 euro a night. " * 50)],
    )
    session.execute(
        "select rag.ingest('travel', %s, 'long.md')",
        ["# Long\n\n" + "The lantern is lit at dusk and put out again at dawn. " * 1_000],
    )
    return session


def test_a_hit_says_where_it_matched(travel: Connection) -> None:
    rows = travel.execute(
        """select h.content, h.highlight, h.matches, d.content
           from rag.search('cheap train -car', highlight => true) h
           join rag.document d using (document_id)"""
    ).fetchall()
    assert len(rows) == 1
    content, highlight, matches, document = rows[0]
    assert [document[start:end] for start, end in matches] == ["Trains", "Trains", "cheap"]
    assert "<mark>Trains</mark> are &lt;b&gt;<mark>cheap</mark>&lt;/b&gt; &amp; fast." in highlight
    bare = highlight.replace("<mark>", "").replace("</mark>", "")
    assert html.unescape(bare) == content


def test_without_being_asked_for_nothing_is_marked_or_expanded(travel: Connection) -> None:
    rows = travel.execute(
        "select highlight, matches, expanded, expanded_start, expanded_end from rag.search('train')"
    ).fetchall()
    assert rows == [(None, None, None, None, None)]


def test_marks_follow_a_correction(travel: Connection) -> None:
    row = travel.execute(
        "select corrected_query, highlight from rag.fuzzy_search('chaep', highlight => true)"
    ).fetchone()
    assert row is not None
    assert row[0] == "cheap"
    assert "<mark>cheap</mark>" in row[1]


EXPANDED = """
select h.chunk_index, h.start_offset, h.end_offset, h.expanded_start, h.expanded_end,
       h.expanded = substr(d.content, h.expanded_start + 1, h.expanded_end - h.expanded_start)
from rag.search(%s, expand => %s, top_k => 1) h
join rag.document d using (document_id)
"""
CHUNKS = """
select c.start_offset, c.end_offset, c.section_start, c.section_end
from rag.chunk c join rag.document d using (document_id)
where d.source = %s order by c.chunk_index
"""


@pytest.mark.parametrize("query", ["train", "hotel", "cars", "costs", "dusk"])
def test_expansion_is_cut_out_of_the_document(travel: Connection, query: str) -> None:
    source = "long.md" if query == "dusk" else "travel.md"
    chunks = travel.execute(CHUNKS, [source]).fetchall()
    for expand in ("section", "neighbours"):
        row = travel.execute(EXPANDED, [query, expand]).fetchone()
        assert row is not None
        at, start, end, expanded_start, expanded_end, is_exact = row
        assert is_exact
        assert expanded_start <= start < end <= expanded_end
        if expand == "neighbours":
            around = chunks[max(at - 1, 0) : at + 2]
            assert (expanded_start, expanded_end) == (around[0][0], around[-1][1])
        elif source == "travel.md":
            assert (expanded_start, expanded_end) == chunks[at][2:]
        else:  # as many of the nearest as fit
            assert 11_000 < expanded_end - expanded_start <= 12_000
            starts, ends = {c[0] for c in chunks}, {c[1] for c in chunks}
            assert expanded_start in starts
            assert expanded_end in ends


def test_a_passage_without_section_has_neighbours(session: Connection) -> None:
    chunks = [{"content": text} for text in ("alpha one", "beta two", "gamma three")]
    session.execute(
        "select rag.ingest_chunks('given', %s, 'alpha one. beta two. gamma three')",
        [json.dumps(chunks)],
    )
    rows = session.execute(
        "select expanded, content from rag.search('beta', '{given}', strategy => 'bm25', expand => 'section')"
    ).fetchall()
    assert rows == [("alpha one. beta two. gamma three", "beta two")]


def test_a_passage_that_is_too_long_stands_alone(session: Connection) -> None:
    texts = ["x" * 13_000 + " delta", "next"]
    session.execute(
        "select rag.ingest_chunks('large', %s)",
        [json.dumps([{"content": text} for text in texts])],
    )
    rows = session.execute(
        "select length(expanded), expanded_start, expanded_end"
        " from rag.search('delta', '{large}', strategy => 'bm25', expand => 'neighbours')"
    ).fetchall()
    assert rows == [(13_006, 0, 13_006)]
