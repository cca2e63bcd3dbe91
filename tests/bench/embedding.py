"""Speed, memory and recall of embedding and of the HNSW index, against their targets.

All in a private server of its own; speed is a ratio to fastembed on the same texts in the same run.
README.md says where texts, questions and vectors come from.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from bench import footprint, passages, raw, recall, server, throughput
from bench.report import Report
from ragsql.commands.up import register_model
from ragsql.models import MINILM, ModelChoice, ensure_model

DATA = ROOT.parent / "shared/data"
SIZE = 800
"""Characters of a passage: most have 150 to 250 tokens, and the model reads 256."""
MEMORY_PASSAGES = 500


@dataclass
class Bench:
    """A run: its database, its model, and what it found."""

    dsn: str
    model: ModelChoice
    options: argparse.Namespace
    report: Report = field(default_factory=Report)

    def passages(self, count: int) -> list[str]:
        """Passages that the model reads whole."""
        texts = passages.load(self.options.data, SIZE)
        return throughput.fitting(texts, throughput.Lengths(self.model), count)


def main() -> None:
    """Runs the parts that were asked for and prints what they found."""
    options = parse_arguments()
    with ExitStack() as stack:
        dsn = stack.enter_context(server.database(options.cluster, options.folder))
        choice = ensure_model(server.MODELS, MINILM.name)
        register_model(dsn, choice)
        bench = Bench(dsn, choice, options)
        for part, measure in PARTS.items():
            if part in options.only:
                print(f"{part} ...", file=sys.stderr, flush=True)
                measure(bench)
        print(bench.report)


def measure_throughput(bench: Bench) -> None:
    """Bulk embedding by rag.embed and by the queue, of passages a second of fastembed."""
    lengths = throughput.Lengths(bench.model)
    parts = throughput.groups(bench.passages(bench.options.passages), lengths)
    what = f"of {raw.WORKERS} processes of fastembed, median of {bench.options.rounds}"
    with raw.Pool(bench.model.name, bench.model.directory) as pool:
        ratio = throughput.bulk(bench.dsn, pool, parts, bench.options.rounds)
        name = f"bulk: passages/s of {raw.WORKERS} sessions in rag.embed, {what}"
        bench.report.add(name, ratio, at_least=0.95)
        ratio = throughput.queued(bench.dsn, pool, parts, bench.options.rounds)
        name = f"queue: passages/s of {raw.WORKERS} sessions from claim to stored vector, {what}"
        bench.report.add(name, ratio)


def measure_query(bench: Bench) -> None:
    """A new question, warm, over a connection; and by fastembed in this process."""
    asked = passages.questions(bench.options.data)[: bench.options.queries]
    ours, other, ratio = throughput.query(bench.dsn, bench.model, asked)
    bench.report.add("query: rag.embed of one new question, p50", ours, " ms")
    bench.report.add("query: fastembed's own call, p50", other, " ms")
    bench.report.add("query: rag.embed : fastembed, p50 of the ratios", ratio, at_most=1.3)


def measure_recall(bench: Bench) -> None:
    """What HNSW finds of the ten nearest."""
    options = bench.options
    vectors, queries = recall.embed(bench.model, options.data, options.cache, options.vectors)
    with server.connect(bench.dsn) as connection:
        recall.measure(connection, vectors, queries[: options.queries], bench.report)


def measure_memory(bench: Bench) -> None:
    """Private memory of a session before, with and after the model."""
    texts = bench.passages(MEMORY_PASSAGES)
    with server.connect(bench.dsn) as connection:
        footprint.measure(connection, texts, bench.report)


PARTS: dict[str, Callable[[Bench], None]] = {
    "throughput": measure_throughput,
    "query": measure_query,
    "recall": measure_recall,
    "memory": measure_memory,
}


def chosen_parts(names: str) -> tuple[str, ...]:
    """Parts by their names, with commas between them."""
    parts = tuple(names.split(","))
    if unknown := set(parts) - set(PARTS):
        raise argparse.ArgumentTypeError(f"no such part: {', '.join(sorted(unknown))}")
    return parts


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Speed, memory and recall of embedding.")
    parser.add_argument("--cache", type=Path, required=True, help="keeps the vectors for recall")
    parser.add_argument(
        "--only", type=chosen_parts, default=tuple(PARTS), help="of " + ",".join(PARTS)
    )
    parser.add_argument("--passages", type=int, default=384, help="how many, for the throughput")
    parser.add_argument("--rounds", type=int, default=5, help="of the throughput")
    parser.add_argument("--queries", type=int, default=1000, help="at most, of query and recall")
    parser.add_argument("--vectors", type=int, default=20_000, help="real ones, for the recall")
    parser.add_argument("--cluster", metavar="DSN", help="instead of a cluster of its own")
    parser.add_argument("--folder", type=Path, help="where that cluster lies; default /tmp")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of shared data")
    return parser.parse_args()


if __name__ == "__main__":
    main()
