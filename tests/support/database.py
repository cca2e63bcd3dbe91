"""Databases and roles that live as long as a test module or a test."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

_numbers = count(1)


class Database:
    """One database of the test cluster. dsn: libpq key=value string of its superuser."""

    def __init__(self, dsn: str, name: str) -> None:
        self.name = name
        self.dsn = make_conninfo(dsn, dbname=name)
        self._open: list[psycopg.Connection[Any]] = []

    @property
    def params(self) -> dict[str, Any]:
        """host, port, user and dbname, for a client that takes no connection string."""
        return conninfo_to_dict(self.dsn)

    def connect(self, role: str | None = None, autocommit: bool = True) -> psycopg.Connection[Any]:
        """Opens a session, logged in as `role` where one is given; closed at the module's end."""
        target = self.dsn if role is None else make_conninfo(self.dsn, user=role)
        connection = psycopg.connect(target, autocommit=autocommit)
        self._open.append(connection)
        return connection

    def close(self) -> None:
        """Closes every session opened here."""
        while self._open:
            self._open.pop().close()


class Server:
    """Makes and drops databases and roles through one superuser session."""

    def __init__(self, dsn: str) -> None:
        self.dsn = make_conninfo(dsn, dbname="postgres")
        self._connection = psycopg.connect(self.dsn, autocommit=True)

    def create_database(self, template: str | None = None, prefix: str = "test") -> Database:
        """Makes a database with a name of its own from `template` (None: an empty one)."""
        name = f"{prefix}_{next(_numbers)}"
        self._connection.execute(
            sql.SQL("create database {} template {}").format(
                sql.Identifier(name), sql.Identifier(template or "template0")
            )
        )
        return Database(self.dsn, name)

    def drop_database(self, database: Database) -> None:
        """Drops a database, ending the sessions on it."""
        database.close()
        self._connection.execute(
            sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(database.name))
        )

    def close(self) -> None:
        """Ends the superuser session."""
        self._connection.close()


class RoleFactory:
    """Makes login roles with names of their own, and drops them with all they own."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._roles: list[str] = []

    def __call__(
        self, member_of: Iterable[str] = ("rag_reader",), name: str = "user", login: bool = True
    ) -> str:
        """Makes a role that is a member of the roles `member_of`; returns its unique name."""
        role = f"t_{name}_{next(_numbers)}"
        connection = self._database.connect()
        login_or_not = sql.SQL("login" if login else "nologin")
        connection.execute(sql.SQL("create role {} {}").format(sql.Identifier(role), login_or_not))
        self._roles.append(role)
        for group in member_of:
            connection.execute(
                sql.SQL("grant {} to {}").format(sql.Identifier(group), sql.Identifier(role))
            )
        connection.close()
        return role

    def drop_all(self) -> None:
        """Drops the roles made here, newest first."""
        connection = self._database.connect()
        while self._roles:
            role = sql.Identifier(self._roles.pop())
            connection.execute(sql.SQL("drop owned by {} cascade").format(role))
            connection.execute(sql.SQL("drop role {}").format(role))
        connection.close()
