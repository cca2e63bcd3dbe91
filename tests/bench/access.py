"""What access control costs, and that it costs no hits, at every share of what a reader sees.

100,000 passages with the vectors of `recall.py`, in a private server: times of hybrid search as
readers of all down to four passages, in turns with one who sees everything and with row security
as guides have it; recall of the semantic leg; what ten thousand visible classes add; a grant.
README.md says how passages, classes and readers are made.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from bench import access_data, access_overhead, guide, passages, recall, server
from bench.access_data import ADMIN, SHARES, Plan
from bench.recall import TOP
from bench.report import Report, table
from bench.server import Connection
from bench.timing import Way, take_turns
from ragsql.models import MINILM, ensure_model

DATA = ROOT.parent / "shared/data"
CLASSES, MANY_CLASSES = 1000, 10_000
PARTS = ("shares", "overhead", "grant")
MOST, GOAL = 2.5, 1.5
GUIDED = 5
"""Every fifth question is asked of the guide, once warm: its hybrid takes a second."""
_HYBRID = "select document_id from rag.search(%s, query_vector => %s, top_k => 10)"
_SEMANTIC = """
select document_id::text, chunk_index
from rag.semantic_search(null, query_vector => %s, top_k => 10)
"""


@dataclass
class Bench:
    """A run: its database, its passages and questions, and what it found."""

    dsn: str
    connection: Connection
    found: recall.Set
    texts: list[str]
    questions: list[str]
    repeat: int
    report: Report = field(default_factory=Report)

    def vector(self, question: str) -> str:
        """Its vector, as pgvector reads it."""
        return recall.text(self.found.queries[self.questions.index(question)])

    def load(self, classes: int) -> Plan:
        """Stores all passages in so many classes."""
        say(f"loading {len(self.texts):,} passages in {classes:,} classes")
        chosen = access_data.plan(len(self.texts), classes)
        access_data.load(self.connection, self.found.vectors, self.texts, chosen)
        return chosen


def main() -> None:
    """Runs the parts that were asked for and prints what they found."""
    options = parse_arguments()
    choice = ensure_model(server.MODELS, MINILM.name)
    vectors, queries = recall.embed(choice, options.data, options.cache, options.vectors)
    found = recall.make_set(vectors, queries[: options.queries])
    originals = passages.load(options.data, recall.SIZE, options.vectors)
    texts = [access_data.text(originals, int(source)) for source in found.sources]
    questions = passages.questions(options.data)[: options.queries]
    with ExitStack() as stack:
        dsn = stack.enter_context(server.database(options.cluster, options.folder))
        connection = stack.enter_context(server.connect(dsn))
        access_data.make_roles(connection)
        access_data.add_model(connection, found.dimensions)
        access_data.make_collections(connection)
        bench = Bench(dsn, connection, found, texts, questions, options.repeat)
        if "shares" in options.only:
            measure_shares(bench)
        if "overhead" in options.only:
            measure_overhead(bench)
        if "grant" in options.only:
            measure_grant(bench)
        print(f"\n{bench.report}")


def measure_shares(bench: Bench) -> None:
    """Hits, recall and times by what share a reader sees."""
    chosen = bench.load(CLASSES)
    classes = chosen.class_of[chosen.document_of]
    guide.load(bench.connection, bench.found.vectors, bench.texts, classes.tolist(), chosen.read)
    rows: dict[str, list[int]] = {}
    with ExitStack() as stack:
        ways: dict[str, Way] = {}

        def add(name: str, role: str, ask: Callable[[Connection, str], list[object]]) -> Connection:
            connection = stack.enter_context(server.connect(bench.dsn, role))
            ways[name] = partial(_counted, rows.setdefault(name, []), connection, ask)
            return connection

        for role in (ADMIN, *SHARES):
            add(role, role, partial(_hybrid, bench))
        for role in SHARES:
            add(f"guide, {role}", role, partial(_guide, bench, guide.NEAREST))
            add(f"guide hybrid, {role}", role, partial(_guide, bench, guide.HYBRID))
            iterating = add(f"guide iterating, {role}", role, partial(_guide, bench, guide.NEAREST))
            guide.settings(iterating, "strict_order")
        say("asking")
        own = {role: ways.pop(role) for role in (ADMIN, *SHARES)}
        times = take_turns(own, bench.questions, bench.repeat)
        say("asking as in the guide")
        times |= take_turns(ways, bench.questions[::GUIDED], 1)
    shown = [
        [name, f"{t.p50:.2f}", f"{t.p95:.2f}", f"{np.mean(rows[name]):.1f}", str(min(rows[name]))]
        for name, t in times.items()
    ]
    print(f"\n{table(['way', 'p50 ms', 'p95 ms', 'rows', 'fewest rows'], shown)}", flush=True)
    for role, share in SHARES.items():
        seen = chosen.seen(role)
        who = f"{100 * share:g} % visible"
        wanted = min(TOP, len(seen))
        complete = np.mean([count == wanted for count in rows[role]])
        bench.report.add(f"{who}: answers with {wanted} hits", float(complete), at_least=1)
        complete = np.mean([count == wanted for count in rows[f"guide, {role}"]])
        bench.report.add(f"{who}: answers with {wanted} hits, guide", float(complete))
        bench.report.add(f"{who}: hybrid, p50", times[role].p50, " ms")
        ratio = times[role].p50 / times[ADMIN].p50
        bench.report.add(f"{who}: p50 : one who sees everything", ratio, at_most=MOST)
        bench.report.add(f"{who}: the same, of the goal of {GOAL}", ratio / GOAL)
        found = measure_recall(bench, chosen, role)
        bench.report.add(f"{who}: recall@{TOP} of the semantic leg", found, at_least=0.95)
    guide.drop(bench.connection)


def measure_recall(bench: Bench, chosen: Plan, role: str) -> float:
    """The share of the ten nearest among what a role sees that semantic search finds."""
    number = access_data.numbers(bench.connection, chosen)
    seen = chosen.seen(role)
    vectors = bench.found.vectors[seen]
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    shares = []
    with server.connect(bench.dsn, role) as connection:
        for question, query in zip(bench.questions, bench.found.queries, strict=True):
            arguments = [bench.vector(question)]
            rows = connection.execute(_SEMANTIC, arguments, prepare=True).fetchall()
            nearest = seen[np.argsort(-(vectors @ query))[:TOP]]
            ids = [number[document, index] for document, index in rows]
            shares.append(np.intersect1d(ids, nearest).size / len(nearest))
    return float(np.mean(shares))


def measure_overhead(bench: Bench) -> None:
    """What it costs to read everything through ten thousand classes."""
    bench.load(MANY_CLASSES)
    say("asking")
    vectors = {question: bench.vector(question) for question in bench.questions}
    for where, names in (("everywhere", None), ("in a collection", ["access-0"])):
        costs = access_overhead.measure(bench.dsn, vectors, names, bench.repeat)
        name = f"{MANY_CLASSES:,} classes, hybrid {where}: identity and visibility add"
        bench.report.add(f"{name}, warm", costs.warm, " ms", at_most=1)
        bench.report.add(f"{name}, after a change of access", costs.changed, " ms", at_most=50)
        bench.report.add(f"{name}, as somebody new to the session", costs.fresh, " ms", at_most=50)


def measure_grant(bench: Bench) -> None:
    """A grant on one collection that has all passages, and its revocation."""
    if not access_data.is_loaded(bench.connection):
        bench.load(CLASSES)
    access_data.gather(bench.connection)
    granting, revoking = access_overhead.grants(bench.dsn, bench.vector(bench.questions[0]))
    name = f"on a collection of {len(bench.texts):,} passages, p50"
    bench.report.add(f"rag.grant_read {name}", granting, " ms", at_most=10)
    bench.report.add(f"rag.revoke_read {name}", revoking, " ms", at_most=10)


def _counted(
    counts: list[int],
    connection: Connection,
    ask: Callable[[Connection, str], list[object]],
    question: str,
) -> None:
    counts.append(len(ask(connection, question)))


def _hybrid(bench: Bench, connection: Connection, question: str) -> list[object]:
    arguments = [question, bench.vector(question)]
    return list(connection.execute(_HYBRID, arguments, prepare=True))


def _guide(bench: Bench, query: str, connection: Connection, question: str) -> list[object]:
    arguments = {"words": question, "vector": bench.vector(question)}
    return list(connection.execute(query, arguments, prepare=True))


def say(what: str) -> None:
    """Progress, on stderr."""
    print(f"{what} ...", file=sys.stderr, flush=True)


def chosen_parts(names: str) -> tuple[str, ...]:
    """Parts by their names, with commas between them."""
    parts = tuple(names.split(","))
    if unknown := set(parts) - set(PARTS):
        raise argparse.ArgumentTypeError(f"no such part: {', '.join(sorted(unknown))}")
    return parts


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="What access control costs.")
    parser.add_argument("--cache", type=Path, required=True, help="keeps the vectors")
    parser.add_argument("--only", type=chosen_parts, default=PARTS, help="of " + ",".join(PARTS))
    parser.add_argument("--vectors", type=int, default=20_000, help="real ones, a fifth of all")
    parser.add_argument("--queries", type=int, default=100, help="how many, at most")
    parser.add_argument("--repeat", type=int, default=3, help="times that each query is asked")
    parser.add_argument("--cluster", metavar="DSN", help="instead of a cluster of its own")
    parser.add_argument("--folder", type=Path, help="where that cluster lies; default /tmp")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of shared data")
    return parser.parse_args()


if __name__ == "__main__":
    main()
