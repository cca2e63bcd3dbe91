"""The analyzer: what a text and a question have in common, in any script, of any size."""

from __future__ import annotations

import hashlib
import random
import unicodedata
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragsql import migration
from support.database import Database, Server

Connection = psycopg.Connection[Any]

MOST_BYTES = 1024 * 1024
"""What a tsvector can hold of lexemes and positions."""

relaxed = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

texts = st.text(
    st.one_of(
        st.characters(codec="utf-8", exclude_characters="\x00"),
        st.sampled_from("abcz019.-_/'@:+&<>;#%~=\" \n\té\u0301ßŉ\u2019\u2013倉庫のกิ각ខ្ا\u200c٣"),
    ),
    max_size=80,
)


def analyze(conn: Connection, text: str, config: str = "english") -> dict[str, list[int]]:
    """Lexemes of a document with their positions."""
    query = "select lexeme, positions from unnest(rag.analyze(%s, %s))"
    return dict(conn.execute(query, [text, config]).fetchall())


def asked(conn: Connection, question: str, config: str = "english") -> set[str]:
    """Lexemes that a question is scored by."""
    query = "select unnest(rag_internal.question_lexemes(%s, %s))"
    return {lexeme for (lexeme,) in conn.execute(query, [question, config])}


def common(conn: Connection, text: str, question: str, config: str = "english") -> set[str]:
    """Lexemes by which a question finds a text."""
    return asked(conn, question, config) & analyze(conn, text, config).keys()


def phrase_matches(conn: Connection, text: str, phrase: str, config: str = "english") -> bool:
    """Whether a text holds a phrase, by all of its lexemes and by its words alone."""
    query = """
        select rag.analyze(%(text)s, %(config)s) @@ p.query,
               rag_internal.parse_text(%(config)s, rag_internal.fold_text(%(text)s)) @@ p.query
        from rag_internal.phrase_query(%(phrase)s, %(config)s) p (query)
    """
    row = conn.execute(query, {"text": text, "config": config, "phrase": phrase}).fetchone()
    assert row is not None
    assert row[0] == row[1]
    return bool(row[0])


@pytest.fixture
def notices(conn: Connection) -> list[str]:
    """The messages that the server sends besides results."""
    messages: list[str] = []
    conn.add_notice_handler(lambda message: messages.append(str(message.message_primary)))
    return messages


@pytest.mark.parametrize(
    ("text", "question", "found_by"),
    [
        ("part ZK-7310 shipped", "ZK-7310", {"zk", "7310", "zk7310"}),
        ("part ZK-7310 shipped", "ZK 7310", {"zk", "7310"}),
        ("part ZK-7310 shipped", "7310", {"7310"}),
        ("part ZK-7310 shipped", "zk7310", {"zk7310"}),
        ("part ZK 7310 shipped", "zk-7310", {"zk", "7310"}),
        ("part ZK-7310A shipped", "ZK-7310", {"zk"}),
        ("a red t-shirt", "tshirt", {"tshirt"}),
        ("a red t-shirt", "t shirt", {"shirt"}),
        ("a red tshirt", "t-shirt", {"tshirt"}),
        ("two e-mails", "email", {"email"}),
        ("a well-known state-of-the-art pump", "known art", {"known", "art"}),
    ],
)
def test_c06_hyphens(conn: Connection, text: str, question: str, found_by: set[str]) -> None:
    assert common(conn, text, question) == found_by


def test_c07_underscores(conn: Connection) -> None:
    exact, apart = (
        "raised ERR_5001 in retry_policy_max",
        "err on the side of 5001 retries, policy max",
    )
    for question, whole in (("ERR_5001", "err5001"), ("retry_policy_max", "retrypolicymax")):
        assert whole in common(conn, exact, question)
        assert common(conn, exact, question) - common(conn, apart, question) == {whole}
    assert common(conn, "calls retryPolicyMax", "retry_policy_max") == {"retrypolicymax"}
    assert common(conn, exact, "5001") == common(conn, apart, "5001") == {"5001"}
    assert common(conn, "def __init__(self)", "__init__") == {"init"}


def test_c08_versions(conn: Connection) -> None:
    written, other = ("upgrade to v2.14.0 now", "upgrade to 2.14.0 now"), "upgrade to 2.140 now"
    for question in ("2.14.0", "v2.14.0"):
        for text in written:
            assert {"2.14.0", "14", "0"} <= common(conn, text, question)
        assert common(conn, other, question) <= {"2"}
    for text in (*written, "libfoo-2.14.0", "2.14.0-rc1"):
        assert {"2", "14"} & common(conn, text, "2.14")
    assert "2.14.0" in common(conn, "libfoo-2.14.0 and foo_2.14.0", "2.14.0")
    assert "2.14.0" in common(conn, "2.14.0-rc1", "2.14.0")


C09 = (
    "edit settings.local.json and src/core/loader.py, mail ops.desk@quarry.example, "
    "see https://docs.quarry.example/setup/tls.html"
)


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("settings", "set"), ("loader", "loader"), ("loader.py", "loader.py"), ("tls", "tls"),
        ("quarry", "quarri"), ("ops.desk", "ops.desk"), ("tls.html", "tls.html"),
        ("ops.desk@quarry.example", "ops.desk@quarry.example"),
        ("quarry.example", "quarry.example"), ("settings.local.json", "settings.local.json"),
        ("https://docs.quarry.example/setup/tls.html", "docs.quarry.example"),
        ("docs.quarry.example/setup", "docs.quarry.example"),
        ("http://docs.quarry.example/setup/tls.html?x=1&y=2", "tls.html"),
    ],
)  # fmt: skip
def test_c09_c10_names_with_dots(conn: Connection, question: str, whole: str) -> None:
    assert whole in common(conn, C09, question)


def test_a_path_is_a_phrase(conn: Connection) -> None:
    assert phrase_matches(conn, C09, "src/core/loader.py")
    assert phrase_matches(conn, C09, "docs.quarry.example/setup")
    assert not phrase_matches(conn, C09, "core/src/loader.py")


@pytest.mark.parametrize(
    "question",
    [
        "Ops <ops@quarry.example>", "'\":*", "&", "|", "!", "(((", "foo:*", "a\\b", '"open quote',
        "it\u02bcs", "it\uff07s", "team:red", "%_", ";--", "???", "\\", "'", "''", "@", "a@", "@.b",
        "c++'", "a'b.c", "-.-", "_", "a_", "v1.", ".v1", "'a.b'", "a:1.b:2", "x.y:3A", "\x01", "\x01.a",
    ],
)  # fmt: skip
def test_c04_no_text_is_an_error(conn: Connection, question: str) -> None:
    for config in ("english", "simple"):
        conn.execute("select rag_internal.phrase_query(%s, %s)", [question, config])
        assert asked(conn, question, config) <= analyze(conn, question, config).keys()


def test_c04_plain_words_inside_still_match(conn: Connection) -> None:
    for question in ("Ops <ops@quarry.example>", "(((pump", "pump:*", "'pump\"", "pump<x>"):
        assert common(conn, "a pump of Ops <x> at quarry", question), question


def test_c05_stop_words(conn: Connection) -> None:
    assert asked(conn, "to be or not to be") == set()
    for text in ("Don Quixote notes", "The Who tour", "Will and Can"):
        row = conn.execute(
            "select tsvector_to_array(rag_internal.surface_forms(%s)) @> %s",
            [text, text.lower().split()],
        ).fetchone()
        assert row == (True,)


def test_c12_accents(conn: Connection) -> None:
    nfc, nfd = "cr\u00e8me br\u00fbl\u00e9e", "cre\u0300me bru\u0302le\u0301e"
    assert analyze(conn, nfc) == analyze(conn, nfd) == analyze(conn, "creme brulee")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("the miner\u2019s lamp", "miner's"), ("the miner\u2019s lamp", "miner\u2019s"),
        ("the miner\u2019s lamp", "miners"), ("the miners", "miner\u2019s"),
        ("O\u2019Neil valve", "oneil"), ("O\u2019Neil valve", "o'neil"), ("oneil", "O\u2019Neil's"),
        ("rock 'n' roll", "rock n roll"), ("the Qur\u02bcaan", "quraan"), ("l'avion", "avion"),
    ],
)  # fmt: skip
def test_c14_apostrophes(conn: Connection, text: str, question: str) -> None:
    assert common(conn, text, question)


def test_c14_contractions_have_no_whole(conn: Connection) -> None:
    text = "don't can't we'll they've I'm it's"
    assert not {"dont", "cant", "well", "theyve", "im"} & analyze(conn, text, "simple").keys()
    assert "lavion" not in analyze(conn, "l'avion", "french")
    assert phrase_matches(conn, "the miner's lamp", "miners lamp")


def test_c16_phrases(conn: Connection) -> None:
    text = "the state of the art pump"
    for phrase in ("state of the art", "state of the", "\u201cstate of the art\u201d", "art pump"):
        assert phrase_matches(conn, text, phrase), phrase
    for phrase in ("state art", "art state", "pump art", "state of the pump"):
        assert not phrase_matches(conn, text, phrase), phrase
    query = "select rag_internal.phrase_query(%s, 'english')::text"
    assert conn.execute(query, ["state of the art"]).fetchone() == ("'state' <3> 'art'",)
    assert conn.execute(query, ["of the"]).fetchone() == (None,)


def test_wholes_end_no_phrase(conn: Connection) -> None:
    assert not phrase_matches(conn, "err_5001 and a lamp", "lamp err5001")
    title = "select rag_internal.index_text('Red pump', '{Green,Lamp}', 'Blue valve', 'english')"
    for phrase, matches in (("red pump", True), ("pump green", False), ("lamp blue", False)):
        row = conn.execute(
            f"select ({title}) @@ rag_internal.phrase_query(%s, 'english')", [phrase]
        ).fetchone()
        assert row == (matches,), phrase


C17 = "倉庫の鍵は青い箱にあります tls"


@pytest.mark.parametrize(
    ("question", "found_by"),
    [
        ("青い箱", {"青い", "い箱"}), ("倉庫", {"倉庫"}), ("鍵 箱", {"鍵", "箱"}),
        ("tls 青い箱", {"tls", "青い", "い箱"}), ("倉庫鍵", {"倉庫"}), ("TLS倉庫", {"tls", "倉庫"}),
    ],
)  # fmt: skip
def test_c17_scripts_without_spaces(conn: Connection, question: str, found_by: set[str]) -> None:
    assert common(conn, C17, question) == found_by


@pytest.mark.parametrize(
    ("text", "phrase", "matches"),
    [
        (C17, "青い箱", True), (C17, "箱い青", False), (C17, "鍵は青い箱に", True), (C17, "鍵箱", False),
        ("서버가 재시작됩니다", "재시작", True), ("ฐานข้อมูลภาษาไทย", "ข้อมูล", True),
        ("ຖານຂໍ້ມູນ", "ຂໍ້ມູນ", True), ("មូលដ្ឋានទិន្នន័យ", "ទិន្នន័យ", True),
        ("ဒေတာဘေ့စ်", "ဘေ့စ်", True), ("ｶﾀｶﾅ", "カタカナ", True),
    ],
)  # fmt: skip
def test_c17_pairs_keep_the_order(conn: Connection, text: str, phrase: str, matches: bool) -> None:
    for config in ("simple", "english"):
        assert phrase_matches(conn, text, phrase, config) is matches
        assert bool(common(conn, text, phrase, config)) is matches


def test_c18_full_width_and_capitals(conn: Connection) -> None:
    assert common(conn, "ПРИВЕТ ＦＵＬＬ", "привет") == {"привет"}
    assert common(conn, "ПРИВЕТ ＦＵＬＬ", "full") == {"full"}
    assert common(conn, "новый новая", "новые", "russian")
    assert analyze(conn, "Straße Łódź søster ʼn İstanbul ΟΔΟΣ ৩ ๓", "simple").keys() == {
        "strasse", "lodz", "soster", "n", "istanbul", "οδοσ", "3"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "question", "found_by"),
    [
        ("Intro to C#", "C#", {"c", "c#"}),
        ("Intro to C++", "C++", {"c", "c++"}),
        ("Intro to C++", "C#", {"c"}),
        ("C++17 and (C#)", "c++ C#", {"c", "c++", "c#"}),
        ("node.js and .NET tips", ".net", {"net", ".net"}),
        ("node.js and .NET tips", "node", {"node"}),
        ("node.js and .NET tips", "NodeJS", {"nodej"}),
        ("the U.S.A. coast", "usa", {"usa"}),
        ("Vec<String> stays", "string", {"string"}),
        ("on 2024-11-30 at 10.0.0.2", "2024-11-30", {"2024", "11", "30", "2024-11-30"}),
        ("on 2024-11-30 at 10.0.0.2", "10.0.0.2", {"10", "0", "2", "10.0.0.2"}),
        ("edit foo_bar.py", "foo_bar", {"foo", "bar", "foobar"}),
        ("mail bob@quarry.example", "quarry.example", {"quarri", "exampl", "quarry.example"}),
    ],
)
def test_c20_names_with_signs(
    conn: Connection, text: str, question: str, found_by: set[str]
) -> None:
    assert common(conn, text, question) == found_by


@relaxed
@given(text=texts)
def test_any_text_is_analysed(conn: Connection, text: str) -> None:
    row = conn.execute(
        """
        select tsvector_to_array(rag.analyze(%(t)s, 'simple'))
                   @> rag_internal.question_lexemes(%(t)s, 'simple'),
               rag_internal.fold_text(rag_internal.fold_text(%(t)s)) = rag_internal.fold_text(%(t)s),
               rag.analyze(%(t)s, 'simple') @@ rag_internal.phrase_query(%(t)s, 'simple'),
               tsvector_to_array(rag.analyze(%(t)s, 'simple'))
                   @> tsvector_to_array(rag_internal.parse_text(
                          'simple', rag_internal.fold_text(%(t)s))),
               rag_internal.words_skipped(%(t)s),
               length(rag_internal.surface_forms(%(t)s)) >= 0
        """,
        {"t": text},
    ).fetchone()
    assert row is not None
    assert row[:2] == (True, True)
    assert row[2] in (True, None)
    assert row[3:] == (True, 0, True)


@relaxed
@given(text=texts)
def test_composed_and_decomposed_text_are_one(conn: Connection, text: str) -> None:
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD")]
    query = "select rag.analyze(%s, 'simple') = rag.analyze(%s, 'simple')"
    assert conn.execute(query, forms).fetchone() == (True,)


@relaxed
@given(
    text=st.one_of(
        st.text("abez019.-_/'@:+&<>;#%~=\"!?*()[]{}|^$\\` \n\t\r\x01\x1b\x7f", max_size=80),
        st.from_regex(
            r"(https?://|~/|</?|&#?|[+-])?[a-e]{1,3}([./@:&=?~-][a-e0-9]{1,3}){1,6}",
            fullmatch=True,
        ),
    )
)
def test_the_parser_sees_words_alone(conn: Connection, text: str) -> None:
    """The short way through ASCII finds the words that the long one does."""
    query = """
        select rag_internal.parse_text('simple', f.folded)
                   = to_tsvector('simple', rag_internal.word_stream(f.folded)),
               array(select token from ts_parse('default', rag_internal.word_stream(f.folded))
                     where tokid <> 12)
                   = array_remove(string_to_array(rag_internal.word_stream(f.folded), ' '), '')
        from rag_internal.fold_text(%s) f (folded)
    """
    assert conn.execute(query, [text]).fetchone() == (True, True)


def test_letters_stay_and_signs_go(conn: Connection) -> None:
    """By Unicode's categories, in the plane where living scripts are."""
    letters, signs = [], []
    for code in range(0x80, 0x10000):
        category = unicodedata.category(chr(code))
        if category[0] in "PSZ":
            signs.append(chr(code))
        elif category[0] == "L" or category == "Nd":
            letters.append(chr(code))
    whole = "select x from unnest(%s::text[]) x where rag_internal.fold_text('a' || x || 'b') ~ ' '"
    lost = {x for (x,) in conn.execute(whole, [letters])}
    assert all(unicodedata.normalize("NFKD", x) != x for x in lost), lost
    parted = """
        select x from unnest(%s::text[]) x
        where rag_internal.word_stream(rag_internal.fold_text('a' || x || 'b')) !~ ' '
    """
    kept = {x for (x,) in conn.execute(parted, [signs])}
    assert all(unicodedata.normalize("NFKD", x) != x for x in kept), kept


def digest(number: int) -> str:
    """A word nobody wrote."""
    return hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest()


def large_text(kind: str) -> str:
    """A text of about 2 MB that does not fit a tsvector, or looks as if it did not."""
    chance = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    some = {
        "distinct": lambda: " ".join("w" + digest(n) for n in range(60_000)),
        "dotted": lambda: " ".join(
            f"{''.join(chance.choices(letters, k=2))}.{''.join(chance.choices(letters, k=3))}"
            for _ in range(200_000)
        ),
        "joined": lambda: " ".join(
            f"{''.join(chance.choices(letters, k=2))}_{''.join(chance.choices(letters, k=3))}"
            for _ in range(200_000)
        ),
        "mail": lambda: " ".join(
            f"{digest(n)[:2]}.{digest(n)[3:5]}@{digest(n)[6:8]}.x" for n in range(100_000)
        ),
        "han": lambda: "".join(chr(chance.randrange(0x4E00, 0x9FFF)) for _ in range(300_000)),
        "one word": lambda: "Q" * 2_000_000,
        "one character": lambda: "倉" * 300_000,
        "dots": lambda: "a." * 500_000,
        "signs": lambda: "=-" * 1_000_000,
        "blanks": lambda: "pump" + " " * 2_000_000 + "\n" * 100_000,
        "control": lambda: "".join(map(chr, range(1, 32))) * 60_000,
        "marks": lambda: "a" + "\u0301" * 500_000,
        "positions": lambda: " ".join(digest(n % 5000)[:6] for n in range(300_000)),
    }  # fmt: skip
    return some[kind]()


@pytest.mark.parametrize(
    "kind",
    ["distinct", "dotted", "joined", "mail", "han", "one word", "one character", "dots", "signs",
     "blanks", "control", "marks", "positions"],
)  # fmt: skip
def test_c01_large_texts(conn: Connection, notices: list[str], kind: str) -> None:
    text = large_text(kind)
    row = conn.execute(
        """
        select pg_column_size(rag_internal.index_text(
                   left(%(t)s, 4000), array[left(%(t)s, 4000)], %(t)s, 'english', 3, 2)),
               pg_column_size(rag_internal.surface_forms(%(t)s)),
               rag_internal.words_skipped(%(t)s)
        """,
        {"t": text},
    ).fetchone()
    assert row is not None
    assert max(row[:2]) < MOST_BYTES + 8 * 70_000  # and eight bytes of each lexeme's entry
    assert (row[2] > 0) is (kind in ("distinct", "dotted", "joined", "mail", "han", "one word"))
    if kind == "distinct":
        assert analyze(conn, text).keys() >= {"w" + digest(0), "w" + digest(19_000)}
    assert notices == []


def test_c02_words_that_are_too_long(conn: Connection, notices: list[str]) -> None:
    text = "id47 " + "Q" * 3000 + " tail word"
    assert analyze(conn, text).keys() == {"id47", "tail", "word"}
    skipped = "select rag_internal.words_skipped(%s)"
    assert conn.execute(skipped, [text]).fetchone() == (1,)
    assert conn.execute(skipped, ["Q" * 2046 + " tail"]).fetchone() == (0,)
    assert analyze(conn, "Q" * 2046 + " tail").keys() == {"q" * 2046, "tail"}
    assert analyze(conn, "é" * 3000 + " б" * 2000).keys() == {"б"}
    assert conn.execute("select rag_internal.surface_forms(%s)::text", [text]).fetchone() == (
        "'id47' 'tail' 'word'",
    )
    assert notices == []


def test_every_configuration(conn: Connection) -> None:
    names = [
        name
        for (name,) in conn.execute(
            "select cfgname from pg_ts_config where cfgnamespace = 'pg_catalog'::regnamespace"
        )
    ]
    text = f"{C09} ERR_5001 O'Neil {C17} ПРИВЕТ المدرسة t-shirt C++"
    fingerprints = set()
    for name in names:
        assert asked(conn, text, name) <= analyze(conn, text, name).keys()
        assert "c++" in analyze(conn, text, name)
        row = conn.execute("select rag_internal.analyzer_fingerprint(%s)", [name]).fetchone()
        fingerprints.add(row)
    assert len(fingerprints) == len(names)


def test_an_unknown_configuration(conn: Connection) -> None:
    for call in (
        "rag.analyze('x', 'klingon')", "rag_internal.question_lexemes('x', 'klingon')",
        "rag_internal.phrase_query('x', 'klingon')",
        "rag_internal.index_text('x', '{x}', 'x', 'klingon')",
    ):  # fmt: skip
        with pytest.raises(psycopg.errors.UndefinedObject), conn.transaction():
            conn.execute(f"select {call}")


def test_index_text_weighs_by_repetition(conn: Connection) -> None:
    index = """
        select lexeme, cardinality(positions), weights[1]
        from unnest(rag_internal.index_text('Pump', '{Care,Oil}', 'the pump oil', 'english', %s, %s))
        order by 1
    """
    assert conn.execute(index, [3, 2]).fetchall() == [
        ("care", 2, "B"), ("oil", 3, "B"), ("pump", 4, "A")
    ]  # fmt: skip
    assert conn.execute(index, [0, 0]).fetchall() == [("oil", 1, "D"), ("pump", 1, "D")]
    nothing = "select rag_internal.index_text(null, null, '', 'english', 1, 1)::text"
    assert conn.execute(nothing).fetchone() == ("",)


@pytest.mark.parametrize(
    ("language", "config"),
    [
        ("de", "german"), ("ger", "german"), ("German", "german"), (" DE-at ", "german"),
        ("pt_BR", "portuguese"), ("nb", "norwegian"), ("zh-Hant", "simple"), ("python", "simple"),
        ("", "simple"), (None, "simple"), ("de; drop", "simple"), ("english", "english"),
    ],
)  # fmt: skip
def test_text_config_for(conn: Connection, language: str | None, config: str) -> None:
    query = "select rag_internal.text_config_for(%s, 'simple')"
    assert conn.execute(query, [language]).fetchone() == (config,)


@pytest.fixture
def c_locale(server: Server) -> Iterator[Connection]:
    """A session in a migrated database with lc_ctype C."""
    admin = psycopg.connect(server.dsn, autocommit=True)
    admin.execute("drop database if exists analyze_c")
    admin.execute("create database analyze_c template template0 lc_ctype 'C' lc_collate 'C'")
    database = Database(server.dsn, "analyze_c")
    migration.upgrade(database.dsn)
    yield database.connect()
    server.drop_database(database)
    admin.close()


def test_c18_lexemes_do_not_depend_on_the_locale(conn: Connection, c_locale: Connection) -> None:
    samples = [
        "ПРИВЕТ ＦＵＬＬ ёлка", "Crème brûlée — “quoted” naïveté…", C17, "المدرسة كتاب\u200cها",
        "ฐานข้อมูล ຖານຂໍ້ມູນ ទិន្នន័យ ဒေတာ", "서버가 재시작", "हिन्दी किताबें", "தமிழ் நூல்", "ΟΔΟΣ",
        "O’Neil ERR_5001 ½ Ⅷ ™ ❶", C09,
    ]  # fmt: skip
    for text in samples:
        for config in ("simple", "english", "russian", "arabic", "hindi"):
            assert analyze(conn, text, config) == analyze(c_locale, text, config), text
    assert common(c_locale, "ПРИВЕТ ＦＵＬＬ", "привет full") == {"привет", "full"}


def test_a_session_setting_changes_nothing(db: Database) -> None:
    text = "Caf\u00e9 ERR_5001 C++ \u6771\u4eac\u5927\u5b66 v2.14.0 miner's"
    with db.connect() as fresh, db.connect() as usual:
        fresh.execute("set standard_conforming_strings = off")
        before = fresh.execute("select rag.analyze(%s)", [text]).fetchone()
        fresh.execute("set standard_conforming_strings = on")
        after = fresh.execute("select rag.analyze(%s)", [text]).fetchone()
        assert before == after == usual.execute("select rag.analyze(%s)", [text]).fetchone()
