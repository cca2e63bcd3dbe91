"""Several sessions that are driven step by step."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

import psycopg
from psycopg.types.string import TextLoader

from ragsql_engine.lexical.purge import Purge
from ragsql_engine.lexical.store import Store
from ragsql_engine.lexical.upkeep import Upkeep
from support.database import Database

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

READ_COMMITTED = "read committed"
REPEATABLE_READ = "repeatable read"

_PATIENCE = 3_000  # looks, of 10 ms and more each, before a test gives up
_WAITS = "select pg_blocking_pids(%s), pg_sleep(0.01)"


class Session:
    """A session of one role, whose transactions begin and end where the test says so."""

    def __init__(self, database: Database, role: str | None, threads: ThreadPoolExecutor) -> None:
        self.connection = database.connect(role)
        self.role = role
        self._threads = threads
        self.prepare()

    def prepare(self) -> None:
        """Lets a test that waits for itself fail."""
        self.run("set lock_timeout = '20s'")

    @property
    def pid(self) -> int:
        """The process of the server."""
        return self.connection.info.backend_pid

    def run(self, query: str, *values: Any) -> list[Any]:
        """Rows of a statement; single values where there is one column."""
        cursor = self.connection.execute(query.encode(), values or None)
        if cursor.description is None:
            return []
        return [row[0] if len(row) == 1 else row for row in cursor.fetchall()]

    def begin(self, isolation: str = READ_COMMITTED) -> Session:
        """Begins a transaction; at repeatable read it sees what is committed by now."""
        self.run(f"begin isolation level {isolation}")
        if isolation != READ_COMMITTED:
            self.run("select 1")
        return self

    def commit(self) -> None:
        self.run("commit")

    def rollback(self) -> None:
        self.run("rollback")

    def start(self, query: str, *values: Any) -> Future[list[Any]]:
        """Runs a statement that is going to wait for somebody, in a thread."""
        self.running = self._threads.submit(self.run, query, *values)
        return self.running

    # what tests do most ----------------------------------------------------------------------
    def ingest(self, source: str, content: str, collection: str = "c", **options: Any) -> str:
        """Ingests a document; its id."""
        names = "".join(f", {name} => %s" for name in options)
        (document_id,) = self.run(
            f"select (rag.ingest(%s, %s, %s{names})).document_id",
            collection, content, source, *options.values(),
        )  # fmt: skip
        return str(document_id)

    def delete(self, document_id: str) -> None:
        self.run("select rag.delete_document(%s)", document_id)

    def build(self, text_config: str = "english") -> int:
        """A build of its own transaction, or of the one that is open; passages built."""
        (built,) = self.run("select rag_internal.build_segment(%s)", text_config)
        return int(built)

    def merge(self, text_config: str = "english", most_passages: int = 65_536) -> bool:
        (merged,) = self.run(
            "select rag_internal.merge_segments(%s, %s)", text_config, most_passages
        )
        return bool(merged)

    def sweep(self) -> int:
        (swept,) = self.run("select rag_internal.sweep_tombstones()")
        return int(swept)

    def find(self, query: str = "valve", collections: Sequence[str] | None = None) -> list[str]:
        """Sources of the passages that bm25_search finds, sorted."""
        rows = self.run(
            "select source from rag.bm25_search(%s, %s::text[], 100000) order by source",
            query, list(collections) if collections else None,
        )  # fmt: skip
        return [str(source) for source in rows]


class Stage:
    """Opens sessions on a database, and knows who waits for whom.

    Sessions go on from one test to the next, with all that they keep of the index.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._threads = ThreadPoolExecutor(8)
        self._free: list[Session] = []
        self._taken: list[Session] = []
        self.root = self.session()

    def session(self, role: str | None = None) -> Session:
        """A session of a role, in no transaction; without one, of the superuser."""
        for session in self._free:
            if session.role == role:
                self._free.remove(session)
                break
        else:
            session = Session(self.database, role, self._threads)
        self._taken.append(session)
        return session

    def submit(
        self, work: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Future[Result]:
        """Runs something of several statements in a thread."""
        return self._threads.submit(work, *args, **kwargs)

    def end_test(self) -> None:
        """Takes every session back but the root's; open transactions are rolled back."""
        for session in self._taken:
            if not session.connection.closed:
                session.connection.rollback()
                session.run("reset all")
                session.prepare()
                if session is not self.root:
                    self._free.append(session)
        self._taken = [self.root]

    def await_wait(self, waiting: Session, holder: Session) -> None:
        """Returns when `waiting` waits for `holder`."""
        for _ in range(_PATIENCE):
            ((pids, _),) = self.root.run(_WAITS, waiting.pid)
            if holder.pid in pids:
                return
            if waiting.running.done():
                break
        raise AssertionError(f"the session did not wait: {waiting.running}")

    def await_end(self, session: Session) -> None:
        """Returns when the server's process of a session is gone."""
        for _ in range(_PATIENCE):
            there = self.root.run(
                "select 1 from pg_stat_activity, pg_sleep(0.01) where pid = %s", session.pid
            )
            if not there:
                return
        raise AssertionError("the process does not end")

    def close(self) -> None:
        """Ends every session."""
        for session in self._free + self._taken:
            session.connection.close()
        self._threads.shutdown()


class SteppedUpkeep:
    """The engine's upkeep outside the server, to act between any two of its statements.

    before(number): called before each statement, numbered from 0.
    """

    def __init__(self, session: Session, before: Callable[[int], None]) -> None:
        self._connection = session.connection
        self._before = before
        self.statements = 0
        self._connection.adapters.register_loader("uuid", TextLoader)
        store = Store(self._rows, 2**24)
        self.upkeep = Upkeep(self._rows, store, lambda: None)
        self.purge = Purge(self._rows, store, self.upkeep, lambda: None)

    def _rows(self, sql: str, types: Sequence[str], *values: Any) -> list[Mapping[str, Any]]:
        self._before(self.statements)
        self.statements += 1
        typed = re.sub(r"\$(\d+)", lambda match: f"${match[1]}::{types[int(match[1]) - 1]}", sql)
        with psycopg.RawCursor(self._connection) as cursor:
            cursor.execute(typed.encode(), values)
            if cursor.description is None:
                return []
            names = [column.name for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
