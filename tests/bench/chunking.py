"""Retrieval quality of the chunking strategies, token by token.

Reproduces the evaluation of "Evaluating Chunking Strategies for Retrieval" (Smith and Troynikov,
Chroma, 2024). A corpus is chunked, the chunks of that corpus are ranked for each of its questions
by the cosine of all-MiniLM-L6-v2 vectors, and the 5 best are compared with the exact excerpts that
answer the question. As in the report's own framework, lengths are counted in characters, and the
length of chunks that overlap counts every time. With R the excerpts and C the 5 chunks:

    recall    = |R and C| / |R|
    precision = |R and C| / sum of |chunk|
    IoU       = |R and C| / (sum of |chunk| + |R without C|)
    precision omega = the IoU of retrieving exactly the chunks that hold a part of an excerpt:
                      what a perfect ranking could reach with these cuts

All are averaged over questions. Two things differ from the framework: chunks that merely touch an
excerpt count as not holding it, and questions are ranked within their corpus only.

Parameters are chosen on chatlogs, pubmed and state_of_the_union, and reported on finance and
wikitexts; docs/chunking.md says what was decided after a look at the latter. The model is the
quantised one that `ragsql up` installs.
"""

import argparse
import itertools
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from bench.scores import Passage, Range, Scores, score, union
from bench.splitters import Splitter, recursive, text_splitter
from bench.vectors import Vectors
from ragsql_engine import chunking
from ragsql_engine.tokens import TokenWindow

DATA = ROOT.parent / "shared/data/chunking"
TUNING = ("chatlogs", "pubmed", "state_of_the_union")
REPORT = ("finance", "wikitexts")
RETRIEVED = 5
STRATEGIES = ("semantic", "auto", "markdown", "character", "word")
HEADER = """\
| corpora | splitter | size/overlap | chunks | length | recall | precision | IoU | precision ω |
|---|---|---|---:|---:|---:|---:|---:|---:|"""


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the excerpts that answer it, disjoint and in order."""

    text: str
    excerpts: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A text, and what is asked about it."""

    name: str
    text: str
    questions: tuple[Question, ...]


def read_corpora(data: Path, names: Sequence[str]) -> list[Corpus]:
    """The corpora called `names`, with newlines as they are in the files."""
    questions: dict[str, list[Question]] = {name: [] for name in names}
    with (data / "questions.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["corpus"] in questions:
                found = [Range(r["start_index"], r["end_index"]) for r in row["references"]]
                question = Question(row["question"], tuple(union(found)))
                questions[row["corpus"]].append(question)
    return [
        Corpus(
            name,
            (data / f"corpora/{name}.md").read_bytes().decode("utf-8"),
            tuple(questions[name]),
        )
        for name in names
    ]


def evaluate(corpus: Corpus, passages: Sequence[Passage], vectors: Vectors) -> list[Scores]:
    """The scores of every question about one corpus."""
    matrix = vectors.of([passage.embedded for passage in passages])
    asked = vectors.of([question.text for question in corpus.questions], "query")
    order = np.argsort(-(asked @ matrix.T), axis=1, kind="stable")[:, :RETRIEVED]
    return [
        score(question.excerpts, passages, [passages[index] for index in best])
        for question, best in zip(corpus.questions, order, strict=True)
    ]


def ours(plan: chunking.Plan, window: TokenWindow) -> Splitter:
    """A strategy of ragsql's, within the model's window."""

    def split(text: str) -> list[Passage]:
        rows = chunking.chunk(text, plan, window)
        return [
            Passage(row["start_offset"], row["end_offset"], row["embed_text"] or row["content"])
            for row in rows
        ]

    return split


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the table to come."""

    name: str
    size: str
    split: Splitter


def entries(
    names: Sequence[str], size: int | None, shared: int | None, window: TokenWindow
) -> list[Entry]:
    """Our strategies, and after those of one size the other splitters of that size."""
    plans = [chunking.plan(name, size, shared) for name in names]
    found = []
    for sizes, group in itertools.groupby(plans, lambda p: (p.chunk_size, p.overlap)):
        label, in_characters = "{}/{}".format(*sizes), True
        for plan in group:
            in_characters = plan.strategy.unit == "characters"
            unit = "" if in_characters else f" {plan.strategy.unit}"
            found.append(Entry(plan.strategy.name, label + unit, ours(plan, window)))
        if in_characters:
            found.append(Entry("*recursive*", label, recursive(*sizes)))
            if other := text_splitter(*sizes):
                found.append(Entry("*semantic-text-splitter*", label, other))
    return found


def measure(entry: Entry, corpora: Sequence[Corpus], vectors: Vectors) -> Iterator[str]:
    """Rows of the table: every corpus by itself, then those of each group together."""
    scores: dict[str, list[Scores]] = {}
    lengths: dict[str, list[int]] = {}
    for corpus in corpora:
        passages = entry.split(corpus.text)
        scores[corpus.name] = evaluate(corpus, passages, vectors)
        lengths[corpus.name] = [p.end - p.start for p in passages]
    for name, members in groups(scores):
        merged = np.array([row for member in members for row in scores[member]]) * 100
        size = [length for member in members for length in lengths[member]]
        means, spread = merged.mean(axis=0), merged.std(axis=0)
        cells = [f"{mean:.1f} ± {std:.1f}" for mean, std in zip(means, spread, strict=True)]
        first = [name, entry.name, entry.size, f"{len(size):,}", f"{np.mean(size):.0f}"]
        yield f"| {' | '.join([*first, *cells])} |"


def groups(names: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Every corpus, then each group of more than one of them."""
    present = list(names)
    together = {"**tuning**": TUNING, "**report**": REPORT, "**all**": TUNING + REPORT}
    found = [(name, [name]) for name in present]
    for label, wanted in together.items():
        members = [name for name in present if name in wanted]
        if len(members) == len(wanted):
            found.append((label, members))
    return found


def main() -> None:
    """Prints the table, sorted by corpora."""
    options = parse_arguments()
    vectors = Vectors(options.models, options.cache or Path(tempfile.mkdtemp(prefix="vectors-")))
    corpora = read_corpora(options.data, options.corpus or [*TUNING, *REPORT])
    names = options.strategy or STRATEGIES
    rows: list[str] = []
    for entry in entries(names, options.size, options.overlap, vectors.window):
        began = time.perf_counter()
        rows += measure(entry, corpora, vectors)
        seconds = time.perf_counter() - began
        print(f"{entry.name} {entry.size}: {seconds:.0f} s", file=sys.stderr)
    order = [label for label, _ in groups(corpus.name for corpus in corpora)]
    print(HEADER)
    for row in sorted(rows, key=lambda row: order.index(row.split(" | ")[0].lstrip("| "))):
        print(row)


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Retrieval quality of the chunking strategies, as a Markdown table."
    )
    parser.add_argument("--corpus", action="append", choices=TUNING + REPORT)
    parser.add_argument("--strategy", action="append", help="default: " + ", ".join(STRATEGIES))
    parser.add_argument("--size", type=int, help="instead of each strategy's default")
    parser.add_argument("--overlap", type=int)
    parser.add_argument("--cache", type=Path, help="keeps vectors from one run to the next")
    parser.add_argument("--data", type=Path, default=DATA, help="corpora/ and questions.jsonl")
    parser.add_argument("--models", type=Path, default=ROOT / ".ragsql/models")
    return parser.parse_args()


if __name__ == "__main__":
    # One thread for the model, as in a database backend; no threads of the tokenizer's own.
    os.environ.update(OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false")
    main()
