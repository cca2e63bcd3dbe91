"""What identity and visibility add to a search, and what a grant takes.

Milliseconds are of processor time of the backend (`server.seconds`): the differences are small, and
a busy machine would hide them.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from bench import server
from bench.access_data import ADMIN, ALL
from bench.server import Connection

GRANTS = 21
COLD = 15
"""Changes of access, each followed by a first search."""

_SEARCH = "select document_id from rag.search(%s, %s, query_vector => %s, top_k => 10)"
_CHANGE = """
insert into rag_internal.acl (reader_set) select sha256(gen_random_uuid()::text::bytea)
"""
_GRANT = "select rag.grant_read('access-0', 'role:bench_four')"
_REVOKE = "select rag.revoke_read('access-0', 'role:bench_four')"
_COUNT = "select count(*) from rag.semantic_search(null, query_vector => %s, top_k => 10)"


@dataclass(frozen=True, slots=True)
class Costs:
    """Milliseconds beyond a warm search by one who sees everything, each a median.

    changed: first search after a change of access in another session. fresh: first search of a
    role in a session whose engine has only worked for others.
    """

    warm: float
    changed: float
    fresh: float


def measure(
    dsn: str, vectors: Mapping[str, str], names: Sequence[str] | None, repeat: int
) -> Costs:
    """Costs of reading everything through classes, in these collections (None: all)."""

    def spent(connection: Connection, question: str) -> float:
        arguments = [question, names, vectors[question]]
        return _spent(connection, lambda: connection.execute(_SEARCH, arguments, prepare=True))

    questions = list(vectors)
    fresh = []
    for question in questions[:COLD]:
        with server.connect(dsn) as session:
            # the same engine, loaded and with the segments, works for another role
            session.execute("set role " + ADMIN)
            for _ in range(2):
                expected = spent(session, question)
            session.execute("set role " + ALL)
            fresh.append(spent(session, question) - expected)
    with ExitStack() as stack:
        changing = stack.enter_context(server.connect(dsn))
        admin = stack.enter_context(server.connect(dsn, ADMIN))
        reader = stack.enter_context(server.connect(dsn, ALL))
        warm = []
        for question in questions:
            spent(reader, question)
            spent(admin, question)
            read = [spent(reader, question) - spent(admin, question) for _ in range(repeat)]
            warm.append(statistics.median(read))
        changed = []
        for question in questions[:COLD]:
            expected = spent(admin, question)
            changing.execute(_CHANGE)
            changed.append(spent(reader, question) - expected)
    return Costs(statistics.median(warm), statistics.median(changed), statistics.median(fresh))


def grants(dsn: str, vector: str) -> tuple[float, float]:
    """Milliseconds of a grant on the first collection and of its revocation, medians.

    Another session sees the collection right after the one and not after the other.
    """
    taken: dict[str, list[float]] = {_GRANT: [], _REVOKE: []}
    with server.connect(dsn) as owner, server.connect(dsn, "bench_four") as reader:
        for _ in range(GRANTS):
            for statement, hits in ((_GRANT, 10), (_REVOKE, 0)):
                taken[statement].append(_spent(owner, partial(owner.execute, statement)))
                row = reader.execute(_COUNT, [vector]).fetchone()
                if row != (hits,):
                    raise SystemExit(f"{row} hits instead of {hits} after: {statement}")
    return statistics.median(taken[_GRANT]), statistics.median(taken[_REVOKE])


def _spent(connection: Connection, work: Callable[[], object]) -> float:
    return 1000 * server.seconds(connection, work)
