"""How fast passages and queries get vectors in the database, beside fastembed by itself."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import numpy as np

from bench import raw, server
from bench.server import Connection
from bench.timing import Way, milliseconds
from ragsql.models import ModelChoice
from ragsql_engine.embedding.batching import batches
from ragsql_engine.model import Model
from ragsql_engine.tokens import load_window

GROUP = 32
"""Passages that a call of rag.embed gets, and that a process of fastembed takes at once."""
COLLECTION = "bench"
WARM = 10
"""Questions before those that are timed."""

_EMBED = "select cardinality(rag.embed(%s))"
_QUERY = "select rag.embed(array[%s], null, 'query')"
# a passage fits the model's window, so that its document is not cut
_COLLECTION = "select rag.create_collection(%s, strategy => 'character', chunk_size => 4000)"
_STORED = """
select count(*) from rag_internal.embedding e join rag_internal.collection k using (collection_id)
where k.name = %s
"""

Group = list[list[str]]
"""Batches of passages of about the same length."""


class Lengths:
    """Lengths of passages in tokens of the model, special ones included."""

    def __init__(self, choice: ModelChoice) -> None:
        row = {"name": choice.name, "dimensions": choice.known.dimensions, **choice.options}
        self._window = load_window(Model.from_row(row), choice.directory)

    def of(self, text: str) -> int:
        """Tokens of a passage."""
        return self._window.count(text) + self._window.special_tokens

    def fit(self, text: str) -> bool:
        """Whether the model reads all of it."""
        return self._window.count(text) <= self._window.capacity


def fitting(texts: Sequence[str], lengths: Lengths, count: int) -> list[str]:
    """The first `count` passages that the model reads whole: fastembed cuts off the rest."""
    found = [text for text in texts if lengths.fit(text)]
    if len(found) < count:
        raise SystemExit(f"There are {len(found):,} passages that fit the model, not {count:,}.")
    return found[:count]


def groups(texts: Sequence[str], lengths: Lengths) -> list[Group]:
    """The passages sorted by length, cut into groups of batches, the longest ones first.

    A group's batches are those that the engine makes of it.
    """
    tokens = {text: lengths.of(text) for text in texts}
    order = sorted(tokens, key=tokens.__getitem__)
    cut = [order[start : start + GROUP] for start in range(0, len(order), GROUP)]
    return [list(batches({text: tokens[text] for text in part})) for part in reversed(cut)]


def bulk(dsn: str, pool: raw.Pool, parts: Sequence[Group], rounds: int) -> float:
    """Passages a second of two sessions that call rag.embed, over those of two processes."""
    with ExitStack() as stack:
        sessions = [stack.enter_context(server.connect(dsn)) for _ in range(raw.WORKERS)]
        threads = stack.enter_context(ThreadPoolExecutor(raw.WORKERS))
        _warm(sessions)
        calls = [[text for batch in part for text in batch] for part in parts]

        def in_database() -> None:
            waiting = iter(calls)  # a list's iterator may be shared by threads

            def work(session: Connection) -> None:
                for texts in waiting:
                    session.execute(_EMBED, [texts])

            list(threads.map(work, sessions))

        return _ratio(in_database, lambda: pool.passages(parts), rounds)


def queued(dsn: str, pool: raw.Pool, parts: Sequence[Group], rounds: int) -> float:
    """The same of two sessions that work off the queue, from the claim to the stored vector."""
    texts = [text for part in parts for batch in part for text in batch]
    with ExitStack() as stack:
        sessions = [stack.enter_context(server.connect(dsn)) for _ in range(raw.WORKERS)]
        threads = stack.enter_context(ThreadPoolExecutor(raw.WORKERS))
        _warm(sessions)

        def prepare() -> None:
            session = sessions[0]
            session.execute("select rag.drop_collection(name) from rag.list_collections()")
            session.execute("vacuum analyze")
            documents = [{"content": text, "source": f"{n}"} for n, text in enumerate(texts)]
            session.execute(_COLLECTION, [COLLECTION])
            session.execute(
                "select count(*) from rag.ingest_many(%s, %s, embed => 'later')",
                [COLLECTION, json.dumps(documents)],
            )

        found = _ratio(
            lambda: list(threads.map(_work_off, sessions)),
            lambda: pool.passages(parts),
            rounds,
            prepare,
        )
        row = sessions[0].execute(_STORED, [COLLECTION]).fetchone()
        if row is None or row[0] != len(texts):
            raise SystemExit(f"The queue stored {row and row[0]} vectors of {len(texts)}.")
        return found


def _warm(sessions: Sequence[Connection]) -> None:
    for session in sessions:
        session.execute(_EMBED, [["Weights are loaded with the first text."]])


def _work_off(session: Connection) -> None:
    while True:
        row = session.execute("select rag.claim_job(%s)", [GROUP]).fetchone()
        if row is None or row[0] is None:
            return
        session.execute("select rag.embed_claimed(%s)", [row[0]])


def query(dsn: str, choice: ModelChoice, questions: Sequence[str]) -> tuple[float, float, float]:
    """p50 of rag.embed of one new question and of fastembed's own call, in ms, and their ratio.

    The ratio is the median of those of the questions, each asked of both, one after the other.
    """
    model = raw.model(choice.name, choice.directory)
    with server.connect(dsn) as session:
        ways: tuple[Way, Way] = (
            lambda text: session.execute(_QUERY, [text], prepare=True).fetchone(),
            lambda text: list(model.query_embed(text)),
        )
        for number in range(WARM):
            for way in ways:
                way(f"What is the number {number}?")
        found = np.empty((len(questions), len(ways)))
        for number, text in enumerate(questions):  # once each: a session remembers the last ones
            for column in (0, 1) if number % 2 else (1, 0):
                found[number, column] = milliseconds(ways[column], text)
    ours, other = np.median(found, axis=0)
    return float(ours), float(other), float(np.median(found[:, 0] / found[:, 1]))


def _ratio(
    ours: Callable[[], object],
    other: Callable[[], object],
    rounds: int,
    prepare: Callable[[], None] = lambda: None,
) -> float:
    """Speed of ours over the other's: the median of rounds, in each of which both run."""
    found: list[float] = []
    for turn in range(rounds):
        spent: dict[bool, float] = {}
        for is_ours in (True, False) if turn % 2 else (False, True):
            if is_ours:
                prepare()
            began = time.perf_counter()
            (ours if is_ours else other)()
            spent[is_ours] = time.perf_counter() - began
        found.append(spent[False] / spent[True])
    return float(np.median(found))
