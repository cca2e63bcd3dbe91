"""What a hybrid search costs beside the embedding of its question, and with many clients.

200,000 passages, with the vectors of `recall.py`, in a private server. Questions are asked once in
a session, so that nothing that it keeps of them helps. README.md says how it is measured.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import psycopg

from bench import access_data, passages, recall, server
from bench.access_data import ADMIN, ALL
from bench.report import Report, table
from bench.server import Connection
from ragsql.commands.up import register_model
from ragsql.models import MINILM, ensure_model

DATA = ROOT.parent / "shared/data"
CLASSES = 1000
COPIES = 9
PARTS = ("latency", "clients")
WARM = 5
ALONE, TOGETHER = 60, 20
"""Questions of a round: of the one client, and of each of many."""

Times = NDArray[np.float64]

_SEARCH = "select document_id from rag.search(%s, top_k => 10)"
_EMBED = "select rag.embed(array[%s], null, 'query')"
_FORGET = "delete from rag_internal.search_log"
_STEPS = """
select step ->> 'step', (step ->> 'milliseconds')::double precision
from rag_internal.search_log l, jsonb_array_elements(l.steps) step
"""
_ROUTES = """
select distinct step ->> 'route'
from rag_internal.search_log l, jsonb_array_elements(l.steps) step
where step ->> 'step' = 'semantic'
"""


class Way(NamedTuple):
    """A session, and what it is asked with a question."""

    session: Connection
    statement: str

    def ask(self, question: str) -> None:
        self.session.execute(self.statement, [question], prepare=True).fetchall()


@dataclass
class Bench:
    """A run: its database, its questions, and what it found."""

    dsn: str
    connection: Connection
    questions: list[str]
    passages: int
    report: Report = field(default_factory=Report)


def main() -> None:
    """Loads the passages, runs the parts that were asked for and prints what they found."""
    options = parse_arguments()
    choice = ensure_model(server.MODELS, MINILM.name)
    vectors, queries = recall.embed(choice, options.data, options.cache, options.vectors)
    found = recall.make_set(vectors, queries[:1], options.copies)
    originals = passages.load(options.data, recall.SIZE, options.vectors)
    texts = [access_data.text(originals, int(source)) for source in found.sources]
    with ExitStack() as stack:
        dsn = stack.enter_context(server.database(options.cluster, options.folder))
        connection = stack.enter_context(server.connect(dsn))
        register_model(dsn, choice)
        access_data.make_roles(connection)
        access_data.make_collections(connection, choice.name)
        say(f"loading {len(texts):,} passages")
        chosen = access_data.plan(len(texts), CLASSES)
        access_data.load(connection, found.vectors, texts, chosen, choice.name)
        bench = Bench(dsn, connection, passages.questions(options.data), len(texts))
        if "latency" in options.only:
            measure_latency(bench, options.queries)
        if "clients" in options.only:
            measure_clients(bench, options.clients, options.rounds)
        print(f"\n{bench.report}")


def measure_latency(bench: Bench, count: int) -> None:
    """Hybrid search beside rag.embed alone, and what each step of it takes."""
    say("asking")
    with ExitStack() as stack:
        sessions = {
            name: stack.enter_context(server.connect(bench.dsn, role))
            for name, role in (("search", ALL), ("search as rag_admin", ADMIN), ("embed", ALL))
        }
        ways = {
            name: Way(session, _EMBED if name == "embed" else _SEARCH)
            for name, session in sessions.items()
        }
        for number in range(WARM):
            for way in ways.values():
                way.ask(f"What is the number {number}?")
        bench.connection.execute(_FORGET)
        taken = ask_in_turns(ways, bench.questions[:count])
    embed, embed_work = taken["embed"].T
    what = f"hybrid, {bench.passages:,} passages"
    bench.report.add("rag.embed of a question, p50", float(np.median(embed)), " ms")
    for name in ("search", "search as rag_admin"):
        spent, work = taken[name].T
        most = 3 if name == "search" else None
        label = what if name == "search" else f"{what}, as rag_admin"
        bench.report.add(f"{label}: p50", float(np.median(spent)), " ms")
        bench.report.add(f"{label}: p95", float(np.percentile(spent, 95)), " ms")
        ratio = float(np.median(spent) / np.median(embed))
        bench.report.add(f"{label}: p50 : that of rag.embed alone", ratio, at_most=most)
        ratio = float(np.median(work) / np.median(embed_work))
        bench.report.add(f"{label}: the same of processor time", ratio)
    report_steps(bench, float(np.mean(taken["search"][:, 0])))


def ask_in_turns(ways: dict[str, Way], questions: Sequence[str]) -> dict[str, Times]:
    """What each way takes for each question, which it is asked once: float[n, 2].

    Milliseconds that a client waits, and that its backend works.
    """
    chance = random.Random(1)
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for question in questions:
        for name in chance.sample(list(ways), len(ways)):
            way = ways[name]
            began = time.perf_counter()
            work = server.seconds(way.session, partial(way.ask, question))
            taken[name].append((1000 * (time.perf_counter() - began), 1000 * work))
    return {name: np.asarray(spent) for name, spent in taken.items()}


def report_steps(bench: Bench, whole: float) -> None:
    """The share of each step, as the log of searches has them, in the mean time of a client."""
    spent: dict[str, float] = defaultdict(float)
    where = f" where l.role_name = '{ALL}'"
    for step, taken in bench.connection.execute(_STEPS + where):
        spent[step] += taken
    count = f"select count(*) from rag_internal.search_log l{where}"
    ((searches,),) = bench.connection.execute(count).fetchall()
    steps = {step: total / searches for step, total in spent.items()}
    steps["identity, redaction, log, commit, transport"] = whole - sum(steps.values())
    rows = [[step, f"{mean:.2f}", f"{mean / whole:.1%}"] for step, mean in steps.items()]
    print(f"\n{table(['step', 'mean ms', 'share'], rows)}", flush=True)
    for step, mean in steps.items():
        bench.report.add(f"hybrid: share of {step}", 100 * mean / whole, " %")
    routes = sorted(route for (route,) in bench.connection.execute(_ROUTES))
    bench.report.notes.append(f"Routes of the semantic leg: {', '.join(routes)}.")


def measure_clients(bench: Bench, count: int, rounds: int) -> None:
    """Searches a second of many clients and of one, in turns."""
    say(f"asking as {count} clients")
    needed = rounds * max(ALONE, TOGETHER)
    if needed > len(bench.questions):
        raise SystemExit(f"{rounds} rounds need {needed} questions, not {len(bench.questions)}.")
    errors: list[str] = []
    rates: dict[int, list[float]] = {1: [], count: []}
    with ExitStack() as stack:
        pools = {
            clients: [stack.enter_context(server.connect(bench.dsn, ALL)) for _ in range(clients)]
            for clients in rates
        }
        for sessions in pools.values():
            ask_together(sessions, ["What is the number of it?"], errors)
        for turn in range(rounds):
            for clients in sorted(rates, reverse=bool(turn % 2)):
                size = ALONE if clients == 1 else TOGETHER
                questions = bench.questions[turn * size : (turn + 1) * size]
                rates[clients].append(ask_together(pools[clients], questions, errors))
    one, many = (float(np.median(rates[clients])) for clients in (1, count))
    bench.report.add("1 client: searches", one, " / s")
    bench.report.add(f"{count} clients: searches", many, " / s")
    bench.report.add(f"{count} clients: rate : one client's", many / one, at_least=1.5)
    bench.report.add(f"{count} clients: errors", len(errors), at_most=0)
    bench.report.notes.extend(f"An error: {error}" for error in sorted(set(errors)))


def ask_together(
    sessions: Sequence[Connection], questions: Sequence[str], errors: list[str]
) -> float:
    """Answers a second, where all sessions ask all questions at once, each in its own order."""
    start = threading.Barrier(len(sessions) + 1)

    def ask(number: int, session: Connection) -> int:
        order = random.Random(number).sample(list(questions), len(questions))
        way, answers = Way(session, _SEARCH), 0
        start.wait()
        for question in order:
            try:
                way.ask(question)
                answers += 1
            except psycopg.Error as error:
                errors.append(f"{error.sqlstate} {error.diag.message_primary}")
        return answers

    with ThreadPoolExecutor(len(sessions)) as pool:
        asked = [pool.submit(ask, *pair) for pair in enumerate(sessions)]
        start.wait()
        began = time.perf_counter()
        answers = sum(one.result() for one in asked)
        return answers / (time.perf_counter() - began)


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
    parser = argparse.ArgumentParser(description="What a hybrid search costs.")
    parser.add_argument("--cache", type=Path, required=True, help="keeps the vectors")
    parser.add_argument("--only", type=chosen_parts, default=PARTS, help="of " + ",".join(PARTS))
    parser.add_argument("--vectors", type=int, default=20_000, help="real ones")
    parser.add_argument("--copies", type=int, default=COPIES, help="of each, with noise")
    parser.add_argument("--queries", type=int, default=200, help="how many, at most")
    parser.add_argument("--clients", type=int, default=16, help="sessions that ask at once")
    parser.add_argument("--rounds", type=int, default=5, help="of one client and of many")
    parser.add_argument("--cluster", metavar="DSN", help="instead of a cluster of its own")
    parser.add_argument("--folder", type=Path, help="where that cluster lies; default /tmp")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of shared data")
    return parser.parse_args()


if __name__ == "__main__":
    main()
