"""Whoever asked before on a connection leaves nothing to whoever asks next."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from psycopg import sql

from support import Database, throws_ok
from support.company import SEARCH, Company, company_of, seen
from support.identities import Connection, Identity, asking, become

FIND = SEARCH.replace(", token => %s", "")


@pytest.fixture(scope="module")
def company(db: Database) -> Iterator[Company]:
    with company_of(db) as made:
        yield made


@pytest.fixture
def pool(company: Company) -> Iterator[Connection]:
    """A connection of the pool."""
    connection = company.db.connect(company.pool)
    yield connection
    connection.close()


def assert_nobody(connection: Connection) -> None:
    """Expects a session without an identity, as a pool hands it out."""
    throws_ok(connection, FIND, "42501", "permission denied")
    rows = connection.execute(
        "select current_user = session_user, current_setting('rag.token', true),"
        " current_setting('rag.user', true), current_setting('rag.groups', true)"
    ).fetchone()
    assert rows is not None
    assert rows[0] is True
    assert not any(rows[1:])


def test_each_transaction_of_a_pooled_connection_is_its_own(
    company: Company, pool: Connection
) -> None:
    """Four rounds: the driver prepares what it has sent five times."""
    everybody = list(company.everybody.items())
    rng = random.Random(6)
    for _ in range(4):
        rng.shuffle(everybody)
        for identity, expected in everybody:
            with asking(pool, identity) as token:
                assert seen(pool, token) == expected, identity
    assert_nobody(pool)


@pytest.mark.parametrize("plans", ["auto", "force_generic_plan", "force_custom_plan"])
def test_a_prepared_statement_has_no_owner(company: Company, pool: Connection, plans: str) -> None:
    """F08: seven times each, and again after every other one."""
    everybody = [(i, found) for i, found in company.some.items() if i.way != "argument"]
    pool.execute(f"set plan_cache_mode = {plans}")
    with asking(pool, Identity("role", company.alice)):
        pool.execute(f"prepare find as {FIND}")
        pool.execute("prepare read as select source from rag.document")
        pool.execute("prepare chunks as select content from rag.chunk")
    rounds = [(7, everybody), (1, everybody[::-1])]
    for times, identity, expected in [(n, *one) for n, people in rounds for one in people]:
        with asking(pool, identity):
            for _ in range(times):
                for name in ("find", "read"):
                    rows = pool.execute(f"execute {name}").fetchall()
                    assert {source for (source,) in rows} == expected, identity
                assert len(pool.execute("execute chunks").fetchall()) == len(expected)


def test_a_prepared_statement_takes_the_token_of_each_call(
    company: Company, pool: Connection
) -> None:
    tokens = {
        identity.token(): expected
        for identity, expected in company.everybody.items()
        if identity.way == "argument"
    }
    pool.execute(f'set role "{company.gateway}"')
    pool.execute(f"prepare find (text) as {SEARCH.replace('%s', '$1')}")
    for _ in range(7):
        for token, expected in tokens.items():
            find = sql.SQL("execute find ({})")
            rows = pool.execute(find.format(token)).fetchall()
            assert {source for (source,) in rows} == expected
            # one that is refused is nobody's, whoever asked before
            throws_ok(pool, find.format(f"{token}x"), "28000", "token refused")
        assert pool.execute("execute find (null)").fetchall() == []


NO_GROUP_AND_STAFF: tuple[tuple[tuple[str, ...], set[str]], ...] = (
    ((), {"ann.md"}),
    (("staff",), {"ann.md", "staff.md"}),
)


def test_groups_that_change_count_at_once(company: Company, pool: Connection) -> None:
    """F08: of a service, of a token, and of a role."""
    ann = Identity("service", company.service, "ann")
    told = (ann, replace(ann, way="setting", role=company.gateway))
    for identity in told:
        for _ in range(4):
            for groups, expected in NO_GROUP_AND_STAFF:
                with asking(pool, replace(identity, groups=groups)):
                    assert seen(pool) == expected
    for _ in range(3):
        company.root.execute(f'grant "{company.bob}" to "{company.alice}"')
        with asking(pool, Identity("role", company.alice)):
            assert seen(pool) == {"alice.md", "bob.md"}
        company.root.execute(f'revoke "{company.bob}" from "{company.alice}"')
        with asking(pool, Identity("role", company.alice)):
            assert seen(pool) == {"alice.md"}


def test_an_error_ends_the_identity(company: Company, pool: Connection) -> None:
    """F06: transaction 1 as somebody, 2 without, 3 as somebody else after an error."""
    for identity, expected in company.some.items():
        for failing in ("select 1 / 0", "select from rag.search('')", "select nonsense"):
            with pytest.raises(psycopg.Error), asking(pool, identity):
                pool.execute(failing)
            assert_nobody(pool)
        with asking(pool, identity) as token:
            assert seen(pool, token) == expected


def test_an_error_within_leaves_the_identity(company: Company, pool: Connection) -> None:
    """A block that catches an exception takes back what was set in it."""
    ann = Identity("service", company.service, "ann")
    with asking(pool, ann):
        pool.execute(
            "do $$ begin perform set_config('rag.user', 'ben', true); raise 'no';"
            " exception when others then null; end $$"
        )
        assert seen(pool) == {"ann.md"}
        throws_ok(pool, "select set_config('rag.user', 'ben', true), 1 / 0", "22012")
        assert seen(pool) == {"ann.md"}


def test_savepoints_bring_back_who_it_was(company: Company, pool: Connection) -> None:
    everybody = list(company.everybody.items())
    for (first, of_first), (second, of_second) in zip(everybody, everybody[3:], strict=False):
        with asking(pool, first) as token:
            with pool.transaction(force_rollback=True):
                inner = become(pool, second)
                assert seen(pool, inner) == of_second
            assert seen(pool, token) == of_first
            with pool.transaction():
                inner = become(pool, second)
            assert seen(pool, inner) == of_second  # released, not taken back
        assert_nobody(pool)


def test_a_grant_that_is_taken_back_is_forgotten(company: Company) -> None:
    """By rollback, by savepoint; in the session that made it, which had searched meanwhile."""
    session = company.db.connect()
    document = session.execute(
        "select document_id from rag.document where source = 'nobody.md'"
    ).fetchone()
    assert document is not None
    for identity, expected in company.some.items():
        reader = f"user:{identity.user}" if identity.user else f"role:{identity.role}"
        # who asks for nobody gets nothing by a grant to its role
        gets = bool(identity.user) or identity.role in (company.alice, company.bob)
        gained = expected | ({"nobody.md"} if gets and not identity.tenant else set())
        for _ in range(2):
            with session.transaction(force_rollback=True):
                session.execute(
                    "select rag.grant_read(document_id => %s, reader => %s)", [*document, reader]
                )
                with session.transaction():
                    assert seen(session, become(session, identity)) == gained, identity
            with asking(session, identity) as token:
                assert seen(session, token) == expected, identity
            with session.transaction():
                with session.transaction(force_rollback=True):
                    session.execute(
                        "select rag.grant_read(document_id => %s, reader => %s)",
                        [*document, reader],
                    )
                    assert seen(session, become(session, identity)) == gained, identity
                assert seen(session, become(session, identity)) == expected, identity


def test_a_revoke_that_is_taken_back_is_forgotten(company: Company) -> None:
    session = company.db.connect()
    document = session.execute("select document_id from rag.document where source = 'alice.md'")
    values = [*(document.fetchone() or ()), f"role:{company.alice}"]
    alice = Identity("role", company.alice)
    for _ in range(2):
        with session.transaction(force_rollback=True):
            session.execute("select rag.revoke_read(document_id => %s, reader => %s)", values)
            with session.transaction():
                become(session, alice)
                assert seen(session) == set()
        with asking(session, alice):
            assert seen(session) == {"alice.md"}


def test_another_session_is_felt_from_the_next_statement_on(company: Company) -> None:
    """F10: also within a transaction that had searched before."""
    session = company.db.connect(company.alice)
    readers = f"role:{company.alice}"
    with session.transaction():
        for granted in (True, False, True, False):
            assert seen(session) == {"alice.md"} | (set() if granted else {"bob.md"})
            verb = "grant" if granted else "revoke"
            company.root.execute(
                f"select rag.{verb}_read(document_id => d.document_id, reader => %s)"
                " from rag.document d where source = 'bob.md'",
                [readers],
            )
        assert seen(session) == {"alice.md"}


@pytest.mark.parametrize("forget", ["discard all", "reset all; reset role", "rollback"])
def test_what_a_pool_does_between_clients(company: Company, pool: Connection, forget: str) -> None:
    """Identities of the session, not of a transaction, as a careless client sets them."""
    pool.prepare_threshold = None  # what the driver prepares is discarded, too
    for identity, expected in company.some.items():
        if identity.way in ("argument", "set_identity"):
            continue
        is_block = forget == "rollback"
        if is_block:
            pool.execute("begin")
        pool.execute(f'set role "{identity.role}"')
        settings = {
            "token": identity.token() if identity.way == "setting" else None,
            "user": identity.user if identity.way == "service" else None,
            "groups": ",".join(identity.groups) if identity.way == "service" else None,
            "tenant": identity.tenant if identity.way == "service" else None,
            "clearance": str(identity.clearance) if identity.way == "service" else None,
        }
        for name, value in settings.items():
            pool.execute("select set_config(%s, %s, false)", [f"rag.{name}", value or ""])
        assert seen(pool) == expected, identity
        for statement in forget.split("; "):
            pool.execute(statement.encode())
        assert_nobody(pool)


def test_set_identity_ends_with_its_transaction(company: Company, pool: Connection) -> None:
    token = Identity("set_identity", company.gateway, "ann").token()
    pool.execute(f'set role "{company.gateway}"')
    with pool.transaction():
        row = pool.execute("select * from rag.set_identity(%s)", [token]).fetchone()
        assert row is not None
        assert row[0] == "user:ann"
        assert seen(pool) == {"ann.md"}
    assert seen(pool) == set()
    pool.execute("select rag.set_identity(%s)", [token])  # of its own statement alone
    assert seen(pool) == set()
    with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification), pool.transaction():
        pool.execute("select rag.set_identity(%s)", [f"{token}x"])
    assert seen(pool) == set()


def test_session_authorization(company: Company) -> None:
    """A superuser that becomes somebody for the session is that, with all caches it has."""
    session = company.db.connect()
    assert len(seen(session)) == 8
    for role, expected in ((company.alice, {"alice.md"}), (company.bob, {"bob.md"})):
        session.execute(f'set session authorization "{role}"')
        assert seen(session) == expected
        session.execute("reset session authorization")
        assert len(seen(session)) == 8
        session.execute(f'set role "{role}"')
        assert seen(session) == expected
        session.execute("set role none")


def test_settings_of_one_without_a_service_count_nothing(company: Company) -> None:
    """F06 and F08: whoever sets them, whatever they say."""
    session = company.db.connect(company.alice)
    for name, value in (("user", "ann"), ("groups", "staff"), ("clearance", "9")):
        session.execute("select set_config(%s, %s, false)", [f"rag.{name}", value])
    session.execute("set rag.tenant = 'north'")
    assert seen(session) == {"alice.md"}


def test_caches_of_a_session_are_of_each_identity(company: Company) -> None:
    """Warm or cold, every column is the same."""
    find = SEARCH.replace("source", "h.*", 1).replace("token => %s)", "token => %s) h")
    warm = company.db.connect(company.pool)
    answers = []
    for identity in [*company.everybody] * 2:
        with asking(warm, identity) as token:
            answers.append((identity, warm.execute(find, [token]).fetchall()))
    assert any(rows for _, rows in answers)
    for identity, rows in random.Random(1).sample(answers, 6):
        cold = company.db.connect(company.pool)
        with asking(cold, identity) as token:
            assert cold.execute(find, [token]).fetchall() == rows
        cold.close()
