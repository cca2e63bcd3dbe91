"""Storing one document and its row of the log, both or neither."""

import random
import threading
import time
import uuid
from dataclasses import dataclass
from enum import Enum

import click
import psycopg
from psycopg.types.json import Jsonb

from ragsql.connection import describe
from ragsql.loading.names import one_line
from ragsql.loading.prepare import Document, Refused

_TRIES = 6
_INGEST = """
select i.document_id, i.status, i.chunks_created, (to_jsonb(i) ->> 'job_id')::bigint
from rag.ingest(collection => %s, content => %s, source => %s, title => %s, tags => %s::text[],
                metadata => %s, mime => %s, strategy => %s, chunk_size => %s, overlap => %s{embed})
     i
"""
# older schemas know neither jobs nor the option
_NOW = _INGEST.format(embed="")
_LATER = _INGEST.format(embed=", embed => 'later'")
_LOG = """
select rag.log_ingest(run_id => %s, collection => %s, source => %s, outcome => %s,
                      document_id => %s, chunks => %s, detail => %s)
"""
_SCHEMA = """
select to_regnamespace('rag') is not null,
       coalesce(has_schema_privilege(to_regnamespace('rag'), 'usage'), false),
       exists (select from pg_catalog.pg_proc
               where pronamespace = to_regnamespace('rag') and proname = %s)
"""


class RunStopped(Exception):
    """An error that would meet every further file too; the message says the next step."""


class RunInterrupted(Exception):
    """The statement was cancelled because the user asked for the end."""


class Meaning(Enum):
    """What an error of one statement means for the run."""

    FILE = "this file fails, the next may not"
    RETRY = "another session was in the way; the same again will do"
    STOP = "no file can be stored"


@dataclass(frozen=True, slots=True)
class FileResult:
    """What happened to one file.

    ``detail`` is what the log says about it; ``warned``, that this is what the
    server warned of; ``job_id``, what makes its vectors later.
    """

    source: str
    outcome: str
    size: int = 0
    chunks: int = 0
    detail: str = ""
    document: Document | None = None
    warned: bool = False
    job_id: int | None = None


def meaning_of(error: psycopg.Error, connection: psycopg.Connection) -> Meaning:
    """Judge an error by its SQLSTATE (PostgreSQL, appendix A)."""
    state = error.sqlstate or ""
    if state in ("23505", "40001", "40P01", "55P03"):
        return Meaning.RETRY
    if connection.closed or connection.broken or not state:
        return Meaning.STOP
    if state == "53200":  # out of memory: it may be this file that is too much
        return Meaning.FILE
    # Rights, identity, read-only server, missing objects, missing model, no room, shutdown.
    if state[:2] in ("08", "0A", "28", "42", "3D", "3F", "53", "58") or state[:3] == "57P":
        return Meaning.STOP
    return Meaning.STOP if state in ("25006", "55000", "P0002") else Meaning.FILE


class SchemaMissing(click.ClickException):
    """The database lacks the schema, or the part of it that a command needs."""

    exit_code = 3


def schema_problem(connection: psycopg.Connection, function: str) -> click.ClickException | None:
    """Say why ``rag.<function>`` cannot be called, with the next step; None where it can."""
    with connection.transaction():
        row = connection.execute(_SCHEMA, (function,)).fetchone()
    present, usable, has_function = row or (False, False, False)
    where = f'database "{connection.info.dbname}"'
    if not present:
        return SchemaMissing(
            f"The {where} has no ragsql schema.\nHint: run `ragsql migrate upgrade`."
        )
    if not usable:
        user = connection.info.user
        return click.ClickException(
            f'Role "{user}" may not use the ragsql schema of {where}.\n'
            f'Hint: have an administrator run: grant rag_reader to "{user}" (rag_writer to load)'
        )
    if not has_function:
        return SchemaMissing(
            f"The ragsql schema of {where} is older than this command: it has no "
            f"rag.{function}.\nHint: run `ragsql migrate upgrade`."
        )
    return None


@dataclass(frozen=True, slots=True)
class Chunking:
    """How a run cuts its documents; None: as the collection says."""

    strategy: str | None = None
    chunk_size: int | None = None
    overlap: int | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """Where the documents of a run go; ``later``: their vectors are left to a worker."""

    collection: str
    tags: tuple[str, ...]
    run_id: uuid.UUID
    chunking: Chunking = Chunking()
    later: bool = False


class Store:
    """Writes the files of a run through one connection, one transaction each."""

    def __init__(
        self, connection: psycopg.Connection, target: Target, stop: threading.Event
    ) -> None:
        self.connection = connection
        self._target = target
        self._stop = stop
        self._warnings: list[str] = []
        connection.add_notice_handler(self._hear)

    def save(self, document: Document) -> FileResult:
        """Ingest and log one document; a failure is rolled back and logged by itself.

        Raises:
            RunStopped: the error concerns every file (connection, rights, schema, model).
            RunInterrupted: cancelled by the user.
        """
        for attempt in range(1, _TRIES + 1):
            try:
                return self._save_once(document)
            except psycopg.Error as error:
                meaning = self._judge(error)
                if meaning is Meaning.RETRY and attempt < _TRIES:
                    time.sleep(random.uniform(0.01, 0.05) * 2**attempt)
                    continue
                return self._failed(document, error)
        raise AssertionError("unreachable")

    def refuse(self, refused: Refused, size: int = 0) -> FileResult:
        """Log a file that is not stored."""
        result = FileResult(refused.source, refused.outcome, size, 0, refused.reason)
        try:
            with self.connection.transaction():
                self._log(result, None)
        except psycopg.Error as error:
            self._judge(error)
            raise RunStopped(describe(error)) from error
        return result

    def _save_once(self, document: Document) -> FileResult:
        target = self._target
        self._warnings.clear()
        with self.connection.transaction():
            row = self.connection.execute(
                _LATER if target.later else _NOW,
                (
                    target.collection,
                    document.content,
                    document.source,
                    document.title,
                    list(target.tags),
                    Jsonb(document.metadata),
                    document.mime,
                    target.chunking.strategy,
                    target.chunking.chunk_size,
                    target.chunking.overlap,
                ),
            ).fetchone()
            if row is None:
                raise RunStopped("rag.ingest returned no row; run `ragsql doctor`.")
            document_id, status, chunks, job_id = row
            notes = "; ".join(note for note in (document.notes, *self._warnings) if note)
            warned = bool(self._warnings)
            result = FileResult(
                document.source,
                status,
                document.size,
                chunks or 0,
                notes[:1000],
                document,
                warned,
                job_id,
            )
            self._log(result, document_id)
        return result

    def _log(self, result: FileResult, document_id: uuid.UUID | None) -> None:
        target = self._target
        self.connection.execute(
            _LOG,
            (
                target.run_id,
                target.collection,
                result.source,
                result.outcome,
                document_id,
                result.chunks,
                result.detail or None,
            ),
        )

    def _hear(self, diagnostic: psycopg.errors.Diagnostic) -> None:
        """Keep what the engine did differently than asked, for the log."""
        if diagnostic.severity_nonlocalized == "WARNING" and diagnostic.message_primary:
            self._warnings.append(one_line(diagnostic.message_primary))

    def _judge(self, error: psycopg.Error) -> Meaning:
        if self._stop.is_set() and error.sqlstate == "57014":
            raise RunInterrupted from error
        meaning = meaning_of(error, self.connection)
        if meaning is Meaning.STOP:
            raise RunStopped(_described(error)) from error
        return meaning

    def _failed(self, document: Document, error: psycopg.Error) -> FileResult:
        message = error.diag.message_primary or str(error) or type(error).__name__
        reason = one_line(_without_quotes(message, document.content))
        return self.refuse(Refused(document.source, "failed", reason), document.size)


def _described(error: psycopg.Error) -> str:
    if error.sqlstate is None or error.sqlstate[:2] == "08" or error.sqlstate[:3] == "57P":
        return (
            f"The connection was lost: {one_line(str(error))}\n"
            "Hint: load again when the server answers; files that are stored are skipped."
        )
    return describe(error)


def _without_quotes(message: str, content: str) -> str:
    """Drop what a message quotes from the document: the log is no place for its text."""
    parts = message.split('"')
    for index in range(1, len(parts), 2):
        if len(parts[index]) > 16 and parts[index] in content:
            parts[index] = "…"
    return '"'.join(parts)
