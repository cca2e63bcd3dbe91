"""Signed tokens in SQL: whom they make of a session, for how long, and what errors tell."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import jwt
import psycopg
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from support import Database, RoleFactory, as_role, function_privs_are, throws_ok
from support.identities import KID, SECRET, prepare_tokens, sign

Connection = psycopg.Connection[Any]

GIVEN = "select array(select source from rag.search('valve', token => {}) order by source)"
SEEN = GIVEN.format("null")
WHO = "select source from rag.whoami()"
OTHER_SECRET = "another secret, of the next quarter of the year"


@pytest.fixture(scope="module")
def reader(db: Database) -> Iterator[str]:
    """A role that may read role.md; the user alice may read hers.md, the group team theirs.md."""
    name = f"{db.name}_reader"
    with db.connect() as connection:
        connection.execute(f'create role "{name}" login in role rag_reader')
        prepare_tokens(connection)
        for source, who in (
            ("role.md", f"role:{name}"),
            ("hers.md", "user:alice"),
            ("theirs.md", "group:team"),
        ):
            connection.execute(
                "select rag.ingest('docs', %s, %s, readers => %s)",
                [f"The valve of {source}.", source, [who]],
            )
    yield name
    db.close()
    with db.connect() as connection:
        connection.execute(f'drop owned by "{name}" cascade')
        connection.execute(f'drop role "{name}"')


@pytest.fixture
def session(db: Database, reader: str) -> Iterator[Connection]:
    """A session of the role, without a transaction around it."""
    connection = db.connect(reader)
    yield connection
    connection.close()


@pytest.fixture
def root(db: Database, reader: str) -> Iterator[Connection]:
    """A superuser's session; the key of the other tests is as it was afterwards."""
    connection = db.connect()
    yield connection
    connection.execute("set rag.token = ''")
    connection.execute("delete from rag_internal.setting where name = 'identity_leeway_seconds'")
    connection.execute("delete from rag_internal.identity_key")
    prepare_tokens(connection)
    connection.close()


def seen(connection: Connection) -> list[str]:
    """Sources of what a search finds."""
    row = connection.execute(SEEN).fetchone()
    assert row is not None
    return list(row[0])


def use(connection: Connection, token: str) -> None:
    """Sets the token for the transaction, or for the session where there is none."""
    connection.execute("select set_config('rag.token', %s, false)", [token])


def test_a_token_is_somebody_and_the_role_is_another(session: Connection) -> None:
    assert seen(session) == ["role.md"]
    use(session, sign({"sub": "alice", "groups": ["team", "nowhere"]}))
    assert seen(session) == ["hers.md", "theirs.md"]
    use(session, sign({"sub": "bob", "groups": ["team"]}))
    assert seen(session) == ["theirs.md"]
    use(session, sign({"sub": "team", "groups": ["alice"]}))  # a group is no user
    assert seen(session) == []
    use(session, "")
    assert seen(session) == ["role.md"]


@pytest.mark.parametrize("token", ["x", " ", "a.b.c", "Bearer x"])
def test_a_refused_token_is_never_the_role(session: Connection, token: str) -> None:
    use(session, token)
    for query in (
        SEEN, WHO, "select from rag.document", "select from rag.chunk",
        "select from rag.collection", "select from rag.list_collections()",
        "select from rag.get_document(gen_random_uuid())",
    ):  # fmt: skip
        throws_ok(session, query, "28000", "token refused")
    use(session, "")
    throws_ok(
        session, "select from rag.search('valve', token => %s)", "28000", "token refused", [token]
    )
    throws_ok(session, "select from rag.set_identity(%s)", "28000", "token refused", [token])


def test_a_superuser_with_a_token_is_only_whom_it_names(root: Connection) -> None:
    assert len(seen(root)) == 3
    use(root, sign({"sub": "alice"}))
    assert seen(root) == ["hers.md"]
    throws_ok(root, "select from rag.list_identity_keys()", "42501")
    throws_ok(root, "select rag.drop_identity_key('tests')", "42501")
    throws_ok(root, "select rag.add_identity_key('mine', 'HS256', %s)", "42501", None, [SECRET])


def test_behind_a_pool_a_token_ends_with_its_transaction(session: Connection) -> None:
    for user, sources in (("alice", ["hers.md"]), ("bob", [])):
        with session.transaction():
            session.execute("select set_config('rag.token', %s, true)", [sign({"sub": user})])
            assert seen(session) == sources
        assert seen(session) == ["role.md"]
    with pytest.raises(psycopg.errors.DivisionByZero), session.transaction():
        session.execute("select rag.set_identity(%s)", [sign({"sub": "alice"})])
        session.execute("select 1 / 0")
    assert seen(session) == ["role.md"]
    with session.transaction():
        with session.transaction(force_rollback=True):  # a savepoint
            session.execute("select rag.set_identity(%s)", [sign({"sub": "alice"})])
            assert seen(session) == ["hers.md"]
        assert seen(session) == ["role.md"]


@pytest.mark.parametrize("mode", ["force_generic_plan", "force_custom_plan"])
def test_a_prepared_statement_asks_who_asks_now(session: Connection, mode: str) -> None:
    session.execute(f"set plan_cache_mode = {mode}")
    session.execute(f"prepare seen as {SEEN}")
    session.execute(f"prepare given as {GIVEN.format('$1')}")
    alice, bob = sign({"sub": "alice"}), sign({"sub": "bob", "groups": ["team"]})
    for token, sources in ((alice, ["hers.md"]), (bob, ["theirs.md"]), (alice, ["hers.md"])):
        use(session, token)
        assert session.execute("execute seen").fetchone() == (sources,)
        use(session, "")
        assert session.execute("execute seen").fetchone() == (["role.md"],)
        assert session.execute(f"execute given ('{token}')").fetchone() == (sources,)
    throws_ok(session, f"execute given ('{alice}A')", "28000")


def test_the_argument_goes_before_the_setting(session: Connection) -> None:
    use(session, sign({"sub": "alice"}))
    query = GIVEN.format("%s")
    given = session.execute(query, [sign({"sub": "bob", "groups": ["team"]})]).fetchone()
    assert given == (["theirs.md"],)
    assert session.execute(query, [""]).fetchone() == (["hers.md"],)  # not set
    throws_ok(session, query, "28000", None, ["x"])
    use(session, "x")
    assert session.execute(query, [sign({"sub": "alice"})]).fetchone() == (["hers.md"],)


def test_set_role_keeps_the_user_and_the_role_of_a_token_binds_it(
    conn: Connection, role_factory: RoleFactory, reader: str
) -> None:
    other = role_factory()
    conn.execute(f'grant "{reader}" to "{other}"')
    member = role_factory()
    use(conn, sign({"sub": "alice"}))
    for role in (reader, other, member):
        with as_role(conn, role):
            assert seen(conn) == ["hers.md"]
    use(conn, sign({"sub": "alice", "role": reader}))
    for role in (reader, other):  # a member of it, too
        with as_role(conn, role):
            assert seen(conn) == ["hers.md", "role.md"]
    with as_role(conn, member):
        throws_ok(conn, SEEN, "28000", "token refused: it is for another database role")
    for role in ("nobody at all", "rag_admin", "postgres"):
        use(conn, sign({"sub": "alice", "role": role}))
        with as_role(conn, member):
            throws_ok(conn, SEEN, "28000", "token refused: it is for another database role")


def test_an_expired_token_is_refused_in_the_middle_of_a_session(
    session: Connection, root: Connection
) -> None:
    leeway = (
        "insert into rag_internal.setting values ('identity_leeway_seconds', %s) "
        "on conflict (name) do update set value = excluded.value"
    )
    root.execute(leeway, ["300"])
    use(session, sign({"sub": "alice", "exp": int(time.time()) - 60}))
    with session.transaction():
        assert seen(session) == ["hers.md"]
        root.execute(leeway, ["59"])
        throws_ok(session, SEEN, "28000", "token refused: it has expired")
        root.execute(leeway, ["300"])
        assert seen(session) == ["hers.md"]
    root.execute(leeway, ["0"])
    use(session, sign({"sub": "alice", "exp": int(time.time()) + 1}))
    session.execute("select pg_sleep(1.1)")
    throws_ok(session, SEEN, "28000", "token refused: it has expired")
    root.execute(leeway, ["forever"])
    throws_ok(session, SEEN, "55000", "identity_leeway_seconds is no number")


def test_a_key_that_is_dropped_or_replaced_or_ends_is_refused_at_once(
    session: Connection, root: Connection
) -> None:
    use(session, sign({"sub": "alice"}))
    add = "select rag.add_identity_key(%s, 'HS256', %s, not_after => %s)"
    with session.transaction():
        assert seen(session) == ["hers.md"]
        root.execute("select rag.drop_identity_key(%s)", [KID])
        throws_ok(session, SEEN, "28000", "token refused: its key is not known")
        root.execute(add, [KID, SECRET, None])
        assert seen(session) == ["hers.md"]
        root.execute(add, [KID, OTHER_SECRET, None])
        throws_ok(session, SEEN, "28000", "token refused: its signature does not verify")
        root.execute(add, [KID, SECRET, "2001-01-01"])
        throws_ok(session, SEEN, "28000", "token refused: its key is not valid now")
    throws_ok(session, SEEN, "28000", "token refused: its key is not valid now")


def test_keys_are_replaced_without_a_gap(session: Connection, root: Connection) -> None:
    old = sign({"sub": "alice"})
    use(session, old)
    root.execute("select rag.add_identity_key('next', 'HS256', %s)", [OTHER_SECRET])
    new = sign({"sub": "bob", "groups": ["team"]}, key=OTHER_SECRET, kid="next")
    assert seen(session) == ["hers.md"]
    use(session, new)
    assert seen(session) == ["theirs.md"]
    root.execute("select rag.drop_identity_key(%s)", [KID])
    assert seen(session) == ["theirs.md"]
    use(session, old)
    throws_ok(session, SEEN, "28000", "token refused: its key is not known")
    use(session, sign({"sub": "alice"}, key=OTHER_SECRET, kid=KID))
    throws_ok(session, SEEN, "28000", "token refused: its key is not known")


def _pair(algorithm: str) -> tuple[Any, str]:
    if algorithm == "RS256":
        private: Any = rsa.generate_private_key(65537, 2048)
    elif algorithm == "ES256":
        private = ec.generate_private_key(ec.SECP256R1())
    else:
        private = ed25519.Ed25519PrivateKey.generate()
    pem = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private, pem.decode()


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
def test_public_keys(session: Connection, root: Connection, algorithm: str) -> None:
    private, public = _pair(algorithm)
    root.execute(
        "select rag.add_identity_key('idp', %s, %s, 'https://login.example', 'ragsql')",
        [algorithm, public],
    )
    claims = {
        "sub": "alice", "exp": int(time.time()) + 600, "iss": "https://login.example", "aud": "ragsql"
    }  # fmt: skip

    def token(**changed: Any) -> str:
        return jwt.encode(claims | changed, private, algorithm, {"kid": "idp"})

    use(session, token())
    assert seen(session) == ["hers.md"]
    use(session, token(iss="https://other.example"))
    throws_ok(session, SEEN, "28000", "token refused: its iss is not the issuer of its key")
    use(session, token(aud="billing"))
    throws_ok(session, SEEN, "28000", "token refused: it is for another audience")
    use(session, jwt.encode(claims, OTHER_SECRET, "HS256", {"kid": "idp"}))
    throws_ok(session, SEEN, "28000", "token refused: its algorithm is not that of its key")


def test_the_tenant_of_a_key_is_that_of_its_users(session: Connection, root: Connection) -> None:
    tenant = "select tenant, identity from rag.whoami()"
    for bound, claim, expected in (
        (None, None, ""), (None, "acme", "acme"), ("acme", None, "acme"), ("acme", "acme", "acme"),
        ("", None, ""), ("acme", "globex", None), ("", "acme", None),
    ):  # fmt: skip
        root.execute(
            "select rag.add_identity_key(%s, 'HS256', %s, tenant => %s)", [KID, SECRET, bound]
        )
        claims = {"sub": "alice"} if claim is None else {"sub": "alice", "tenant": claim}
        use(session, sign(claims))
        if expected is None:
            throws_ok(session, tenant, "28000", "token refused: its tenant is not that of its key")
        else:
            assert session.execute(tenant).fetchone() == (expected, "user:alice")


def test_names_of_every_script_reach_sql_as_they_are(conn: Connection) -> None:
    for name in (
        "Ünder",
        "e\u0301",
        "é",
        "Мария",
        "田中",
        "🙂",
        "o'Brien",
        'a"b\\c',
        "{a,b}",
        "a,b",
        "%s",
    ):
        token = sign({"sub": name, "groups": [name], "tenant": name})
        row = conn.execute(
            "select c ->> 'sub', c -> 'groups' ->> 0, c ->> 'tenant' from rag_internal.verified_claims(%s) c",
            [token],
        ).fetchone()
        assert row == (name, name, name)
    hostile = sign({"sub": "a\0b"})
    throws_ok(
        conn, "select rag_internal.verified_claims(%s)", "28000", "sub cannot be a name", [hostile]
    )


def test_errors_have_nothing_of_token_claims_and_key(session: Connection, root: Connection) -> None:
    claims = {"sub": "MARKER-alice", "groups": ["MARKER-team"]}
    tokens = [
        sign(claims, key=OTHER_SECRET), sign(claims, kid="MARKER"), sign(claims | {"exp": 1}),
        sign(claims | {"exp": "MARKER"}), sign(claims | {"nbf": 10**11}), sign(claims | {"aud": "MARKER"}),
        sign(claims | {"sub": "MARKER\0"}), sign(claims | {"tenant": ["MARKER"]}),
        sign(claims | {"role": "MARKER"}), sign(claims) + "x", "MARKER." + sign(claims),
        sign(claims | {"filler": "x" * 8192}), "MARKER",
    ]  # fmt: skip
    for token in tokens:
        for query in (
            GIVEN.format("%s"),
            "select rag.set_identity(%s)",
        ):
            error = throws_ok(session, query, "28000", "token refused: ", [token])
            _tells_nothing(error, token)
    query = "select rag.add_identity_key('new', %s, %s)"
    for algorithm, key in (("HS256", "MARKER"), ("RS256", "MARKER" * 20), ("MARKER", SECRET)):
        _tells_nothing(throws_ok(root, query, "22023", None, [algorithm, key]), key)


def _tells_nothing(error: psycopg.Error, secret: str) -> None:
    fields = [name for name in dir(error.diag) if not name.startswith("_")]
    shown = "\n".join(str(getattr(error.diag, name)) for name in fields)
    assert "verified_claims" in shown or "token_identity" in shown or "identity_key" in shown
    assert error.diag.message_hint and error.diag.message_detail is None
    assert "MARKER" not in shown
    assert not any(len(part) > 8 and part in shown for part in (secret, *secret.split(".")))


def test_keys_are_for_administrators_and_shown_to_nobody(
    conn: Connection, role_factory: RoleFactory, reader: str
) -> None:
    functions = {
        "add_identity_key": "'k', 'HS256', repeat('x', 32)",
        "drop_identity_key": "'k'",
        "list_identity_keys": "",
    }
    for name, arguments in functions.items():
        for role, privileges in (("public", ()), ("rag_writer", ()), ("rag_admin", ("EXECUTE",))):
            for schema in ("rag", "rag_internal"):
                function_privs_are(conn, f"{schema}.{name}", role, privileges)
        for groups in (["rag_writer"], ["rag_service"]):
            with as_role(conn, role_factory(groups)):
                throws_ok(conn, f"select rag.{name}({arguments})", "42501")
    for name in ("verified_claims", "stored_identity_key"):
        for role in ("public", "rag_admin"):
            function_privs_are(conn, f"rag_internal.{name}", role, ())
    with as_role(conn, role_factory(["rag_admin"])):
        throws_ok(conn, "select from rag_internal.identity_key", "42501")
        throws_ok(conn, "select rag_internal.verified_claims('x')", "42501")
        rows = conn.execute("select to_jsonb(k)::text from rag.list_identity_keys() k").fetchall()
        assert len(rows) == 1 and SECRET not in rows[0][0]


def test_the_list_of_keys(conn: Connection) -> None:
    conn.execute("delete from rag_internal.identity_key")
    add = "select rag.add_identity_key(%s, 'HS256', %s, %s, %s, %s, %s, %s)"
    conn.execute(add, ["b", SECRET, None, None, None, None, "2001-01-01"])
    conn.execute(add, ["a", SECRET, "https://i", "ragsql", "acme", "2001-01-01", "infinity"])
    conn.execute(add, ["c", SECRET, None, None, None, "3001-01-01", None])
    query = (
        "select kid, algorithm, issuer, audience, tenant, not_before::date::text,"
        " not_after::date::text, is_valid from rag.list_identity_keys()"
    )
    assert conn.execute(query).fetchall() == [
        ("a", "HS256", "https://i", "ragsql", "acme", "2001-01-01", "infinity", True),
        ("b", "HS256", None, None, None, None, "2001-01-01", False),
        ("c", "HS256", None, None, None, "3001-01-01", None, False),
    ]
    conn.execute(add, ["b", SECRET, None, None, None, None, None])  # everything anew, nothing kept
    rows = conn.execute(query + " where kid = 'b'").fetchall()
    assert rows == [("b", "HS256", None, None, None, None, None, True)]
    conn.execute("select rag.drop_identity_key('b')")
    throws_ok(conn, "select rag.drop_identity_key('b')", "P0002", "there is no key")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("null, 'HS256', 'x'", "is null"),
        ("'k', null, 'x'", "is null"),
        ("'k', 'HS256', null", "is null"),
        ("'', 'HS256', 'x'", "kid is not"),
        ("'a b', 'HS256', 'x'", "kid is not"),
        ("'ключ', 'HS256', 'x'", "kid is not"),
        ("repeat('k', 201), 'HS256', 'x'", "kid is not"),
        ("'k', 'HS256', repeat('x', 31)", "at least 32 bytes"),
        ("'k', 'hs256', repeat('x', 40)", "no such algorithm"),
        ("'k', 'RS256', 'x'", "not a public key"),
        ("'k', 'HS256', repeat('x', 40), ' '", "no visible character"),
        ("'k', 'HS256', repeat('x', 40), null, ''", "no visible character"),
        ("'k', 'HS256', repeat('x', 40), tenant => ' '", "no visible character"),
        ("'k', 'HS256', repeat('x', 40), repeat('i', 201)", "at most 200"),
        ("'k', 'HS256', repeat('x', 40), not_before => now(), not_after => now()", "not_after"),
    ],
)
def test_what_cannot_be_a_key(conn: Connection, arguments: str, message: str) -> None:
    throws_ok(conn, f"select rag.add_identity_key({arguments})", "22023", message)
