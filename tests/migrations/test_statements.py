"""Kinds of statements: what runs again and again holds only what can be run again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlglot import Token, TokenType
from sqlglot.dialects.postgres import Postgres

from support import CHECKOUT

SQL = CHECKOUT / "sql"
VERSIONS = CHECKOUT / "migrations" / "versions"

REPEATABLE = re.compile(
    r"create or replace (function|procedure|aggregate|view|trigger)\b"
    r"|drop (policy|trigger) if exists\b"
    r"|create (policy|trigger)\b"
    r"|comment on\b|grant\b|revoke\b"
    r"|alter (function|procedure|aggregate|view) .* owner to rag_owner$"
)
TRANSACTION = re.compile(r"(begin|commit|rollback|start transaction|abort|end|savepoint)\b")
UNSAFE_TO_REPEAT = re.compile(r"create (policy|trigger) (\S+) .*?\bon (\S+)")


def statements(text: str) -> Iterator[str]:
    """Statements in lower case, blanks made one, bodies in dollar quotes kept as one word.

    The body of a `begin atomic` function belongs to its statement.
    """
    words: list[str] = []
    depth = 0
    for token in Postgres().tokenize(re.sub(r"@extschema:\w+@", "public", text)):
        depth += _nesting(token, words, depth)
        if token.token_type == TokenType.SEMICOLON and depth == 0:
            if words:
                yield " ".join(words)
            words = []
        else:
            words.append(token.text.lower())
    if words:
        yield " ".join(words)


def _nesting(token: Token, words: list[str], depth: int) -> int:
    word = token.text.lower()
    if word == "atomic" and words and words[-1] == "begin":
        return 1
    if depth and word == "case":
        return 1
    return -1 if depth and word == "end" else 0


def sql_files() -> list[str]:
    return sorted(path.relative_to(SQL).as_posix() for path in SQL.rglob("*.sql"))


def test_statements_are_split_where_the_server_splits() -> None:
    text = """
        create or replace function f() returns int begin atomic
            select case when true then 1 else 2 end; select 3; end;
        do $$ begin perform 1; end $$; comment on function f() is 'a; b'
    """
    starts = [statement.split()[0] for statement in statements(text)]
    assert starts == ["create", "do", "comment"]


@pytest.mark.parametrize("name", sql_files())
def test_a_sql_file_can_be_run_again(name: str) -> None:
    found = list(statements((SQL / name).read_text("utf-8")))
    assert found, "the file is empty"
    others = [text for text in found if not REPEATABLE.match(text)]
    assert others == []
    for text in found:
        match = UNSAFE_TO_REPEAT.match(text)
        if match:
            dropped = f"drop {match[1]} if exists {match[2]} on {match[3]}"
            assert any(other.startswith(dropped) for other in found), dropped


def test_revisions_leave_transactions_to_alembic() -> None:
    for path in sorted(VERSIONS.rglob("*.sql")):
        _check_no_transaction(path)


def _check_no_transaction(path: Path) -> None:
    for text in statements(path.read_text("utf-8")):
        assert not TRANSACTION.match(text), f"{path.name}: {text[:60]}"
