"""Random documents with secrets in random places, read in every way.

Who is not `unredacted` sees no secret, nor more than three characters of one in a row; owners see
all, at the same offsets. Secrets are planted within words, across the edges of passages and beside
one another, into titles, headings, tags, sources and metadata.
"""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from support import RoleFactory
from support.redaction import House, Row

FILLER = "valve pump lantern gauge öl rust steam water filter 水 naïve 😀".split()
UPPER, DIGITS = string.ascii_uppercase, string.digits
BASE64 = string.ascii_letters + DIGITS
STRATEGIES = ("hybrid", "semantic", "bm25", "fuzzy")
DETECTORS = (
    "email", "phone", "credit_card", "iban", "us_ssn", "ipv4", "ipv6", "jwt", "aws_access_key",
    "private_key", "url_password",
)  # fmt: skip
DOCUMENTS = 8
# digits and letters that are no text of a document
TIMES = {"created_at", "updated_at"}
KEYS = {"citation", "attributes"}
STAY = (
    "rank", "score", "document_id", "chunk_index", "start_offset", "end_offset", "start_line",
    "end_line", "token_count", "kind",
)  # fmt: skip


class Planted(NamedTuple):
    """A document: what rag.ingest gets, and the secrets in it."""

    content: str
    given: dict[str, Any]
    secrets: list[str]


def some(rng: random.Random, letters: str, count: int) -> str:
    """Random letters."""
    return "".join(rng.choices(letters, k=count))


def key(rng: random.Random) -> str:
    """A block of a private key, short or longer than any passage."""
    lines = [some(rng, BASE64 + "+/", 64) for _ in range(rng.choice([3, 30]))]
    return "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"])


def card(rng: random.Random) -> str:
    """Sixteen digits."""
    return rng.choice(["", " ", "-", "\u00a0"]).join(some(rng, DIGITS, 4) for _ in range(4))


def marked(rng: random.Random) -> str:
    """What an owner's own pattern finds; its end looks like its beginning, and it can hold headings."""
    words = (some(rng, UPPER, 7) for _ in range(rng.choice([1, 3, 90])))
    return "§" + "".join(word + rng.choice([" ", " ", "\n\n# "]) for word in words) + "§"


KINDS: list[Callable[[random.Random], str]] = [
    card,
    key,
    lambda r: f"{some(r, DIGITS, 3)}-{some(r, DIGITS, 2)}-{some(r, DIGITS, 4)}",
    lambda r: f"+49 89 {some(r, DIGITS, 7)}",
    lambda r: f"DE{some(r, DIGITS, 2)} {card(r)} {some(r, DIGITS, 2)}",
    lambda r: f"{some(r, UPPER, 6)}.{some(r, DIGITS, 2)}@{some(r, UPPER, 5)}.example",
    lambda r: ".".join(str(r.randint(100, 255)) for _ in range(4)),
    lambda r: ":".join(some(r, "0123456789ABCDEF", 4) for _ in range(8)),
    lambda r: f"eyJ{some(r, BASE64, 30)}.{some(r, BASE64, 50)}.{some(r, BASE64, 40)}",
    lambda r: "AKIA" + some(r, UPPER + DIGITS, 16),
    lambda r: f"https://{some(r, UPPER, 5)}:{some(r, UPPER + DIGITS + '/?!', 9)}@",
    marked,
]


def secrets(rng: random.Random, count: int, limit: int = 5000) -> list[str]:
    """That many secrets of random kinds, of at most `limit` characters."""
    made: list[str] = []
    while len(made) < count:
        secret = rng.choice(KINDS)(rng)
        made += [secret] * (len(secret) <= limit)
    return made


def plant(rng: random.Random, text: str, hidden: list[str]) -> str:
    """The text with each of the secrets at a place of its own."""
    places = sorted(rng.randint(0, len(text)) for _ in hidden)
    edges = [0, *places, len(text)]
    parts = [text[a:b] for a, b in pairwise(edges)]
    return "".join(part + new for part, new in zip(parts, [*hidden, ""], strict=True))


def document(rng: random.Random, number: int) -> Planted:
    """A document under a few headings."""
    words = [
        "\n\n# " if rng.random() < 0.03 else rng.choice(FILLER) + rng.choice(["", "", ".\n", ","])
        for _ in range(rng.randint(5, 400))
    ]
    text = "valve " + " ".join(words)
    inside, aside = secrets(rng, rng.randint(0, 6)), secrets(rng, 5, limit=200)
    title, tag, member, value, source = (plant(rng, "pump valve", [s]) for s in aside)
    given = {
        "title": title,
        "tags": [tag, "öl"],
        "metadata": json.dumps({"a": [{member: 1}, value], "n": 4111111111111111}),
        "source": f"{number} {source}",
    }
    return Planted(plant(rng, text, inside), given, [*inside, *aside, "4111111111111111"])


def texts(rows: Iterable[Row]) -> str:
    """All texts that a reader can read in rows."""
    shown = []
    for row in rows:
        given = {
            name: value for name, value in row.get("attributes", {}).items() if name not in TIMES
        }
        read = {n: v for n, v in row.items() if isinstance(v, str | list | dict) and n not in KEYS}
        shown.append(json.dumps([{**read, "attributes": given}], ensure_ascii=False))
    return "\n".join(shown).replace(r"\n", "\n")


def leaks(shown: str, hidden: Iterable[str]) -> set[str]:
    """Pieces of four characters that can be seen, and are of no innocent text."""
    innocent = f"{' '.join(FILLER)} [redacted] \n\n# "
    pieces = {s[i : i + 4] for s in hidden for i in range(len(s) - 3)}
    return {piece for piece in pieces if piece in shown and piece not in innocent}


def read(house: House, role: str, ids: list[str], queries: list[str]) -> dict[str, list[Row]]:
    """What a role gets by each way of reading."""
    calls = {
        "view document": "select r.* from rag.document r",
        "view chunk": "select r.* from rag.chunk r",
        "get_document": "select r.* from unnest(%s::uuid[]) d, rag.get_document(d) r",
        "get_chunks": "select r.* from unnest(%s::uuid[]) d, rag.get_chunks(d) r",
    }
    rows = {}
    for way, call in calls.items():
        order = "document_id, chunk_index" if "chunk" in way else "document_id"
        params = [ids] if "%s" in call else None
        rows[way] = house.rows(role, f"{call} order by {order}", params)
    for strategy in STRATEGIES:
        for query in queries:
            call = "select * from rag.search(%s, strategy => %s, top_k => 500) order by rank"
            rows[f"{strategy} {query}"] = house.rows(role, call, [query, strategy])
    return rows


def stays(rows: Iterable[Row]) -> list[tuple[Any, ...]]:
    """What redaction leaves as it is."""
    return [tuple(row.get(column) for column in STAY) for row in rows]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_way_of_reading_shows_a_piece_of_a_secret(
    house: House, role_factory: RoleFactory, seed: int
) -> None:
    rng = random.Random(seed)
    cut = "chunk_size => 60, overlap => 15, strategy => %s"
    strategy = ("word", "markdown", "semantic")[seed % 3]
    house.rows(house.owner, f"select rag.alter_collection('docs', {cut})", [strategy])
    documents = [document(rng, number) for number in range(DOCUMENTS)]
    ids = [house.tell(d.content, **d.given) for d in documents]
    add = "select rag.add_redaction_rule('docs', %s, detector => %s)"
    for name in DETECTORS:
        house.rows(house.owner, add, [name, name])
    house.rule("marked", "§[^§]*§")
    hidden = [s for d in documents for s in d.secrets]
    queries = ["valve pump", *(" ".join(re.findall(r"\w+", s)[:3]) for s in rng.sample(hidden, 2))]

    own = read(house, house.owner, ids, queries)
    writer = role_factory(["rag_writer"])
    for verb in ("read", "write"):
        house.rows(house.owner, f"select rag.grant_{verb}('docs', %s)", [writer])
    for role in (house.reader, writer):
        got = read(house, role, ids, queries)
        assert got["view document"] == got["view chunk"] == []
        for way, rows in got.items():
            assert leaks(texts(rows), hidden) == set(), (role, way)
            if not way.startswith("view"):
                assert stays(rows) == stays(own[way]), (role, way)

    contents = {str(row["document_id"]): row["content"] for row in own["get_document"]}
    assert [contents[i] for i in ids] == [d.content for d in documents]
    for way, rows in own.items():
        for row in rows:
            start, end = row.get("start_offset", 0), row.get("end_offset")
            assert row["content"] == contents[str(row["document_id"])][start:end], way
    house.rows(house.owner, "select rag.grant_unredacted('docs', %s)", [house.reader])
    for way, rows in read(house, house.reader, ids, queries).items():
        assert rows == own[way], way
