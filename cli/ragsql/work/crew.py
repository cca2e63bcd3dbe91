"""Threads that claim passages and have them embedded, each with a connection of its own."""

from __future__ import annotations

import contextlib
import random
import threading
import time
import uuid
from collections.abc import Callable
from typing import Self

import click
import psycopg

from ragsql.connection import connect, describe
from ragsql.loading.names import one_line
from ragsql.settings import Settings

STOPPING = "Finishing the claims in hand; interrupt again to cancel them."

CLAIM = 32
"""Passages of one claim: a few seconds of work, which is what a kill can cost."""

_LEASE = 300.0  # seconds that a claim is its worker's
_CLAIM = "select rag.claim_job(%s)"
_EMBED = "select rag.embed_claimed(%s)"
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0  # seconds between tries to connect, or after an error

Say = Callable[[str], None]


def open_session(settings: Settings) -> psycopg.Connection:
    """A connection on which each statement commits by itself, as the two steps of a claim need."""
    connection = connect(settings)
    connection.autocommit = True
    connection.execute("set client_encoding to 'UTF8'")
    connection.execute("set default_transaction_isolation to 'read committed'")
    connection.execute("set statement_timeout to 0")  # a claim takes as long as its texts do
    return connection


def is_lost(connection: psycopg.Connection, error: psycopg.Error) -> bool:
    """Whether an error ended the session: the server stops, restarts or is gone."""
    state = error.sqlstate or ""
    return connection.closed or connection.broken or state[:2] == "08" or state[:3] == "57P"


def backoff(failures: int) -> float:
    """Seconds to wait after that many failures in a row: doubling, with jitter."""
    longest: float = min(_FIRST_WAIT * 2 ** min(failures, 10), _LONGEST_WAIT)
    return longest * random.uniform(0.5, 1)


class _Hand:
    """The claim that a worker has, if any, and until when it is sure to be its own."""

    def __init__(self) -> None:
        self.claim: uuid.UUID | None = None
        self.until = 0.0

    def take(self, claim: uuid.UUID | None) -> bool:
        """Hold a claim; False where there was none to have."""
        self.claim, self.until = claim, time.monotonic() + _LEASE
        return claim is not None

    def keep(self) -> None:
        """After a failure: hold on to the claim, unless others may have it by now.

        To let it go would leave its passages alone for the rest of the lease, and to claim others
        instead would charge those with an attempt while the fault may be in none of them.
        """
        if time.monotonic() > self.until:
            self.claim = None


class Crew:
    """``number`` threads on the queue until ``stop`` is set.

    A session that is lost is opened again, and goes on with the claim it had in hand. An error of
    the queue itself (no right, no schema) stops all and is kept in ``problem``.
    """

    def __init__(
        self, settings: Settings, number: int, poll: float, stop: threading.Event, say: Say
    ) -> None:
        self.problem: str | None = None
        self._settings = settings
        self._poll = poll
        self._stop = stop
        self._say = say
        self._said: dict[str, float] = {}
        self._lock = threading.Lock()
        self._passages = 0
        self._connections: dict[int, psycopg.Connection] = {}
        self._threads = [
            threading.Thread(target=self._work, args=(place,), name=f"worker {place}", daemon=True)
            for place in range(number)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    @property
    def passages(self) -> int:
        """Passages that got their vector here."""
        return self._passages

    @property
    def connections(self) -> list[psycopg.Connection]:
        """The sessions that are open."""
        return list(self._connections.values())

    def say_once(self, line: str, seconds: float = 60) -> None:
        """A line that is not repeated within so many seconds, whoever has cause to."""
        with self._lock:
            now = time.monotonic()
            if now - self._said.get(line, -seconds) < seconds:
                return
            self._said[line] = now
        self._say(line)

    def _work(self, place: int) -> None:
        hand = _Hand()
        failures = 0
        while not self._stop.is_set():
            try:
                connection = open_session(self._settings)
            except (click.ClickException, psycopg.Error):
                self.say_once("The server does not answer; trying until it does.")
                self._stop.wait(backoff(failures))
                failures += 1
                continue
            failures = 0
            self._connections[place] = connection
            with contextlib.closing(connection):
                self._serve(connection, hand)
            del self._connections[place]

    def _serve(self, connection: psycopg.Connection, hand: _Hand) -> None:
        """Work until the end, or until the session is lost."""
        failures = 0
        while not self._stop.is_set():
            try:
                if hand.claim is None and not hand.take(_claim(connection)):
                    self._stop.wait(self._poll * random.uniform(0.8, 1.2))
                    continue
                done = _embed(connection, hand.claim)
                hand.claim = None
                failures = 0
                with self._lock:
                    self._passages += done
            except psycopg.Error as error:
                if is_lost(connection, error):
                    if not self._stop.is_set():
                        self.say_once("The connection was lost; connecting again.")
                        self._stop.wait(backoff(0))
                    return
                self._failed(error, hand, failures)
                failures += 1

    def _failed(self, error: psycopg.Error, hand: _Hand, failures: int) -> None:
        """Judge an error of a session that lives on."""
        state = error.sqlstate or ""
        if hand.claim is None and state[:2] in ("42", "3F", "0A", "28"):
            self.problem = describe(error)
            self._stop.set()
            return
        if self._stop.is_set():
            return
        hand.keep()
        if state not in ("40001", "40P01"):
            reason = one_line(error.diag.message_primary or type(error).__name__)[:300]
            self.say_once(f"A step of the queue failed, it is tried again: {reason}")
        self._stop.wait(backoff(failures))


def _claim(connection: psycopg.Connection) -> uuid.UUID | None:
    row = connection.execute(_CLAIM, (CLAIM,)).fetchone()
    return row[0] if row else None


def _embed(connection: psycopg.Connection, claim: uuid.UUID | None) -> int:
    row = connection.execute(_EMBED, (claim,)).fetchone()
    return int(row[0] or 0) if row else 0
