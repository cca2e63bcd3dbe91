"""Questions, taken apart."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragsql_engine.lexical.question import parse
from ragsql_engine.understanding import Part, decompose, follow_up_terms

NOW = datetime(2024, 6, 12, 15, 30)  # a Wednesday
TICK = timedelta(microseconds=1)


def parts(query: str) -> list[Part]:
    return decompose(query, NOW)


def queries(query: str) -> list[str]:
    return [part.query for part in parts(query)]


def only(query: str) -> Part:
    (part,) = parts(query)
    return part


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "What is HNSW and how are tombstones merged?",
            ["What is HNSW", "how are tombstones merged?"],
        ),
        (
            "What changed in billing? What changed in auth?",
            ["What changed in billing?", "What changed in auth?"],
        ),
        (
            "What is the retention policy and also who approves invoices?",
            ["What is the retention policy", "who approves invoices?"],
        ),
        ("create a collection, then load the documents", ["create a collection", "load the documents"]),
        ("rotate the keys; restart the server", ["rotate the keys", "restart the server"]),
        (
            "explain what HNSW is and how vectors are stored",
            ["explain what HNSW is", "how vectors are stored"],
        ),
        ("is the server slow and is the disk full", ["is the server slow", "is the disk full"]),
        (
            "How do I load files and index words and how do I drop roles and also who may grant rights?",
            ["How do I load files and index words", "how do I drop roles", "who may grant rights?"],
        ),
    ],
)  # fmt: skip
def test_is_cut_where_both_sides_stand_by_themselves(query: str, expected: list[str]) -> None:
    assert queries(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "backup and restore",
        "How do backups and restores work?",
        "What is HNSW and how does it work?",
        "What is HNSW? How does it work?",
        "What is a view and what does that do?",
        "customers who pay late and who complain often",
        "the server is slow and is crashing often",
        "who can see tables and can edit rows",
        "difference between how vacuum works and how analyze works",
        "compare how vacuum works and how analyze works",
        "If the disk is full and how do I notice",
        "pros and cons, who and when",
        'say "what is a and how is b" again',
        "how do I (and why should I) rotate keys",
        "for (int i = 0; i < n; i++) return x;",
        "int x = 1; y = 2;",
        "SELECT a; SELECT b;",
        "Was ist ein Vektor und wie wird er gespeichert?",
        "back then and now, then",
        "and then also and",
    ],
)
def test_stays_whole_where_a_side_does_not(query: str) -> None:
    assert queries(query) == [query]


@pytest.mark.parametrize(
    ("query", "rest", "excluded"),
    [
        ("deploy without docker or kubernetes", "deploy", ["docker", "kubernetes"]),
        ("how to deploy without using docker", "how to deploy", ["docker"]),
        ("python not java", "python", ["java"]),
        ("python NOT java", "python", ["java"]),
        ("backups, not windows", "backups", ["windows"]),
        ("databases but not in production", "databases", ["production"]),
        ("all roles except for the owner", "all roles", ["owner"]),
        ("reports except drafts, invoices and receipts", "reports",
         ["drafts", "invoices", "receipts"]),
        ('documents excluding "release notes"', "documents", ["release notes"]),
        ("documents excluding release notes", "documents", ["release notes"]),
        ("web servers without .net", "web servers", [".net"]),
    ],
)  # fmt: skip
def test_negation_becomes_exclusions(query: str, rest: str, excluded: list[str]) -> None:
    part = only(query)
    assert sorted(part.excluded) == sorted(excluded)
    assert parse(part.query).text.rstrip(",") == rest
    assert "left out" in part.reason


@pytest.mark.parametrize(
    "query",
    [
        "file not found",
        "column is not null",
        "why does it not work",
        "not only backups",
        "keys that are not valid",
        "restore a backup without downtime",
        "change a table without locking the readers",
        "try except in python",
        "select a EXCEPT select b",
        "not windows",
        "without",
        "whether or not",
        "Was tun bei Not Aus",
        "backup not backup",
    ],
)
def test_other_negation_stays_what_is_asked_for(query: str) -> None:
    part = only(query)
    assert (part.query, part.excluded) == (query, ())


def test_a_quote_that_is_left_open_stays_open() -> None:
    part = only('19" rack "wide not docker docker')
    assert part.query == '-"docker docker" 19" rack "wide'
    assert part.excluded == ("docker docker",)
    assert parse(part.query).phrases == ()


def test_exclusions_that_are_written_as_such_count_for_all_parts() -> None:
    query = 'how are keys rotated -windows -"old way" and how are roles revoked without scripts?'
    first, second = parts(query)
    assert first.query == 'how are keys rotated -windows -"old way"'
    assert set(first.excluded) == {"windows", "old way"}
    assert set(second.excluded) == {"windows", "old way", "scripts"}


@pytest.mark.parametrize(
    ("query", "least", "end"),
    [
        ("invoices since 2024-01-15", datetime(2024, 1, 15), None),
        ("invoices updated after 2024-01-15", datetime(2024, 1, 15), None),
        ("invoices since 2024-01-15T10:20", datetime(2024, 1, 15, 10, 20), None),
        ("invoices since 2023", datetime(2023, 1, 1), None),
        ("invoices after 2023", datetime(2024, 1, 1), None),
        ("invoices after 2023-04", datetime(2023, 5, 1), None),
        ("invoices since March 2024", datetime(2024, 3, 1), None),
        ("invoices since Mar. 2024", datetime(2024, 3, 1), None),
        ("invoices since March 5, 2024", datetime(2024, 3, 5), None),
        ("invoices since the 5th of March 2024", datetime(2024, 3, 5), None),
        ("invoices since march", datetime(2024, 3, 1), None),
        ("invoices since August", datetime(2023, 8, 1), None),
        ("invoices since Q2 2023", datetime(2023, 4, 1), None),
        ("invoices since yesterday", datetime(2024, 6, 11), None),
        ("invoices since last week", datetime(2024, 6, 3), None),
        ("invoices after last week", datetime(2024, 6, 10), None),
        ("invoices since last month", datetime(2024, 5, 1), None),
        ("invoices since last quarter", datetime(2024, 1, 1), None),
        ("invoices since last year", datetime(2023, 1, 1), None),
        ("invoices since this week", datetime(2024, 6, 10), None),
        ("invoices since Monday", datetime(2024, 6, 10), None),
        ("invoices since last Wednesday", datetime(2024, 6, 5), None),
        ("invoices since 3 days ago", NOW - timedelta(days=3), None),
        ("invoices since a month ago", datetime(2024, 5, 12, 15, 30), None),
        ("invoices before March 2023", None, datetime(2023, 3, 1)),
        ("invoices before 2024-01-15?", None, datetime(2024, 1, 15)),
        ("invoices until 2023", None, datetime(2024, 1, 1)),
        ("invoices until March 2024", None, datetime(2024, 4, 1)),
        ("invoices updated last week", datetime(2024, 6, 3), datetime(2024, 6, 10)),
        ("invoices updated in 2023", datetime(2023, 1, 1), datetime(2024, 1, 1)),
        ("invoices updated in the last 30 days", NOW - timedelta(days=30), None),
        ("invoices since 2023 before 2024", datetime(2023, 1, 1), datetime(2024, 1, 1)),
        ("invoices since 2022 and since 2023", datetime(2023, 1, 1), None),
    ],
)  # fmt: skip
def test_dates_become_bounds(query: str, least: datetime | None, end: datetime | None) -> None:
    part = only(query)
    assert part.bounds.least == least
    assert part.bounds.greatest == (None if end is None else end - TICK)
    assert part.query.split()[0].rstrip("?") == "invoices"
    assert not any(c.isdigit() for c in part.query)
    assert "date: " in part.reason


@pytest.mark.parametrize(
    "query",
    [
        "what happened after 2000 requests",
        "what is new since version 15",
        "projects planned after 2030",
        "certificates that expire before 2031",
        "companies founded before 1990",
        "before may I ask",
        "invoices since the 31st of February",
        "invoices since 2023-13-40",
        "invoices since 2024 before 2023",
        "since 2023",
        "ever since then",
        'the words "since 2023" in a contract',
    ],
)
def test_other_dates_stay_what_is_asked_for(query: str) -> None:
    part = only(query)
    assert part.query == query
    assert (part.bounds.least, part.bounds.greatest) == (None, None)


def test_what_was_updated_is_still_asked_for() -> None:
    part = only("what was updated since yesterday?")
    assert part.query == "what was updated?"
    assert part.bounds.least == datetime(2024, 6, 11)


def test_a_date_counts_for_its_part_and_a_first_one_for_all() -> None:
    first, second = parts("who owns billing and what changed in auth since 2023?")
    assert (first.bounds.least, second.bounds.least) == (None, datetime(2023, 1, 1))
    assert second.query == "what changed in auth?"
    first, second = parts("Since 2023, who owns billing and what changed in auth?")
    assert first.query == "who owns billing"
    assert first.bounds.least == second.bounds.least == datetime(2023, 1, 1)


@pytest.mark.parametrize(
    ("query", "strategy"),
    [
        ("max_connections", "bm25"),
        ("ERR-1042", "bm25"),
        ("KeyStore.rotate() timeout", "bm25"),
        ("src/main.rs", "bm25"),
        ("10.0.0.1", "bm25"),
        ("HNSW", "bm25"),
        ('"write ahead log" size', "bm25"),
        ("conn*", "bm25"),
        ("how does max_connections work?", "hybrid"),
        ("invoices of the last quarter", "hybrid"),
        ("kubernetes", "hybrid"),
        ("rhythm", "hybrid"),
        ("strengths", "hybrid"),
        ("naïve", "hybrid"),
        ("postgrs", "fuzzy"),
        ("helllo wrld", "fuzzy"),
        ("検索", "hybrid"),
        ("2024", "hybrid"),
        ("", "hybrid"),
    ],
)
def test_goes_to_the_strategy_that_fits(query: str, strategy: str) -> None:
    assert only(query).strategy == strategy


WORDS = """and then also not without except excluding since after before until updated in the what
how is are who it docker keys 2023 last week days ago 30 March , ; ? "a -b c* ( ) ' don't and how""".split()
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)


@given(st.one_of(st.text(), SENTENCES))
def test_any_text_has_parts_that_can_be_asked(query: str) -> None:
    found = parts(query)
    assert 1 <= len(found) <= 8
    for part in found:
        assert part.strategy in ("hybrid", "bm25", "fuzzy")
        question = parse(part.query)
        assert part.excluded == question.excluded + question.excluded_phrases
        assert not part.bounds.is_empty
        if any(map(str.isalnum, query)) and not parse(query).excluded:
            assert any(map(str.isalnum, part.query))


@example('"a not docker docker')
@example('and not "a "a docker')
@given(SENTENCES)
def test_phrases_and_exclusions_of_the_caller_hold(query: str) -> None:
    whole = parse(query)
    found = parts(query)
    phrases = {phrase for part in found for phrase in parse(part.query).phrases}
    assert phrases <= set(whole.phrases)
    # "not" makes an exclusion of a phrase
    assert set(whole.phrases) <= phrases | {thing for part in found for thing in part.excluded}
    for part in found:
        assert set(whole.excluded) <= set(part.excluded)
        assert set(whole.excluded_phrases) <= set(part.excluded)


@given(st.text("ab cd.,!\n\t", max_size=40))
def test_what_is_not_understood_is_asked_as_it_is(query: str) -> None:
    assert queries(query) == [query]


def test_long_texts_are_asked_as_they_are() -> None:
    text = "What is a? What is b and how is c since 2023 without d; " * 200
    assert queries(text) == [text]
    for text in ('"' * 4000, "(" * 4000, "and how a " * 400, "without a, " * 360, "since " * 660):
        assert parts(text)


def test_names_in_what_was_found_are_asked_for_next() -> None:
    texts = [
        "Keys are rotated by `rotate_keys()` in KeyStore.py, see src/keys.rs and rotate_keys.",
        "On ERR-1042 call std::rotate, or rotate_keys(old). A well-known end.Next https://a.example/x_y",
    ]
    terms = follow_up_terms("how are keys rotated", texts, 10)
    assert terms == ["rotate_keys", "KeyStore.py", "src/keys.rs", "ERR-1042", "std::rotate"]
    assert follow_up_terms("rotate_keys in KeyStore.py", texts, 1) == ["src/keys.rs"]
    assert "KeyStore.py" not in follow_up_terms("keys -keystore", texts, 10)
    assert follow_up_terms("keys", ["plain words only, e.g. and/or 2024"], 10) == []


@given(st.text(), st.lists(st.text(), max_size=3))
def test_terms_are_plain_words_of_the_texts(query: str, texts: list[str]) -> None:
    terms = follow_up_terms(query, texts, 5)
    assert len(terms) <= 5
    for term in terms:
        assert any(term in text for text in texts)
        assert parse(term).is_plain
