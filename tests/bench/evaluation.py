"""How well searches answer the questions of two public datasets, against the targets.

Passages are stored as they are published, embedded by the server, and measured by rag.evaluate,
all in a private server of its own. README.md says where the datasets come from.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from bench import server
from bench.report import Report
from ragsql.commands.up import register_model
from ragsql.evaluation import folder, measuring, storing
from ragsql.models import MINILM, ensure_model

DATA = ROOT.parent / "shared/data"
JOBS = 2
LEGS = {"semantic": 0.6, "bm25": 0.3}
FUSIONS = ("linear", "convex")


def main() -> None:
    """Measures both datasets and prints what was found."""
    options = parse_arguments()
    report = Report()
    with ExitStack() as stack:
        dsn = stack.enter_context(server.database(options.cluster, options.folder))
        register_model(dsn, ensure_model(server.MODELS, MINILM.name))
        connections = [stack.enter_context(closing(server.connect(dsn))) for _ in range(JOBS)]
        for name in options.only:
            load(connections, options.data / name)
        if "cranfield" in options.only:
            cranfield(connections[0], report)
        if "codebases" in options.only:
            codebases(connections[0], report)
    print(report)


def load(connections: list[server.Connection], path: Path) -> None:
    """Stores the passages of a dataset, and its questions."""
    read = folder.read(path)
    print(f"{read.name} ...", file=sys.stderr, flush=True)
    connections[0].execute("select rag.create_collection(%s)", [read.name])
    storing.store(connections, read.name, read.documents, whole=False)
    measuring.keep_dataset(connections[0], read.name, read, [read.name])
    connections[0].execute("call rag.maintain()")
    connections[0].execute("vacuum analyze")


def cranfield(connection: server.Connection, report: Report) -> None:
    """nDCG@10 of the default hybrid, of its legs and of the other fusions."""
    plan = measuring.Plan()
    found = {
        row["strategy"]: row["ndcg_10"]
        for row in measuring.evaluate(connection, "cranfield", plan)
        if row["stage"] == "result"
    }
    hybrid = found.pop("hybrid")
    report.add("Cranfield: nDCG@10, hybrid", hybrid, at_least=0.385)
    for leg, value in found.items():
        report.add(f"Cranfield: nDCG@10, {leg}", value)
        if leg in LEGS:
            report.add(f"Cranfield: hybrid : {leg}", hybrid / value, at_least=1)
    for fusion in FUSIONS:
        report.add(f"Cranfield: nDCG@10, {fusion}", result(connection, "cranfield", fusion=fusion))


def codebases(connection: server.Connection, report: Report) -> None:
    """recall@20 of two legs, and nDCG@10 of each fusion."""
    weights = {**LEGS, "fuzzy": 0}
    value = result(connection, "codebases", "recall_20", weights=weights)
    report.add("Code bases: recall@20, rrf, weights 0.6 and 0.3", value, at_least=0.865)
    report.add("Code bases: nDCG@10, rrf", result(connection, "codebases"))
    for fusion in FUSIONS:
        value = result(connection, "codebases", fusion=fusion)
        target = 0.7 if fusion == "convex" else None
        report.add(f"Code bases: nDCG@10, {fusion}", value, at_least=target)


def result(
    connection: server.Connection, dataset: str, measure: str = "ndcg_10", **settings: object
) -> float:
    """A measure of what a hybrid search with these settings returns."""
    rows = measuring.evaluate(connection, dataset, measuring.Plan(["hybrid"], settings))
    return next(float(row[measure]) for row in rows if row["stage"] == "result")


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="How well searches answer.")
    parser.add_argument(
        "--only", nargs="+", choices=("cranfield", "codebases"), default=("cranfield", "codebases")
    )
    parser.add_argument("--cluster", metavar="DSN", help="instead of a cluster of its own")
    parser.add_argument("--folder", type=Path, help="where that cluster lies; default /tmp")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of shared data")
    return parser.parse_args()


if __name__ == "__main__":
    main()
