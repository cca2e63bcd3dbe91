"""Speed of the chunking strategies: against str.split, in MB/s, and as the text grows.

Times are processor time of this process, the best of several runs, without a model, so without
token_count. Rows are consumed as they come. A strategy that needs a model is left out.
"""

import argparse
import collections
import itertools
import json
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from ragsql_engine import chunking

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared/data/chunking"
MEGABYTE = 1_000_000
SAMPLE = 6  # MB, for the speeds
LONGEST_LINE = 10  # MB

Grow = Callable[[float], str]
"""Gives a text of that many MB; a smaller one is the beginning of a larger one."""


def main() -> None:
    """Prints three tables."""
    options = parse_arguments()
    names = options.strategy or [s.name for s in chunking.STRATEGIES if s.unit != "tokens"]
    texts, lines = texts_by_kind(options.data)
    cases = [(name, kind) for name in names for kind in kinds_for(name)]
    print_speeds(cases, texts, options.runs)
    sizes = [options.largest / 2**power for power in (4, 3, 2, 1, 0)]
    print_growth("Many lines", cases, texts, sizes, options.runs)
    cases = [(name, kind) for name, kind in cases if kind in lines]
    sizes = [min(LONGEST_LINE, options.largest) / 2**power for power in (2, 1, 0)]
    print_growth("One line", cases, lines, sizes, options.runs)


def kinds_for(name: str) -> list[str]:
    """Prose for every strategy, and what it is made for."""
    own = {"markdown": ["Markdown"], "code": ["Python"], "json": ["JSON"]}
    return ["prose", *own.get(name, [])]


def texts_by_kind(data: Path) -> tuple[dict[str, Grow], dict[str, Grow]]:
    """Texts of many lines, and of one: natural ones, repeated as often as needed."""
    prose = joined(sorted((data / "corpora").glob("*.md")))
    rows = [json.loads(row) for row in (data / "questions.jsonl").open(encoding="utf-8")]
    texts: dict[str, Grow] = {
        "prose": partial(grown, prose + "\n\n"),
        "Markdown": partial(grown, joined(own_files("*.md")) + "\n\n"),
        "Python": partial(grown, joined(own_files("*.py")) + "\n\n"),
        "JSON": partial(json_array, rows, 2),
    }
    line = " ".join(prose.split()) + " "
    lines: dict[str, Grow] = {
        "prose": partial(grown, line),
        "JSON": partial(json_array, rows, None),
    }
    return texts, lines


def joined(files: Iterable[Path]) -> str:
    """The content of files, one after the other."""
    return "\n\n".join(file.read_bytes().decode("utf-8") for file in files)


def own_files(pattern: str) -> list[Path]:
    """Files of this repository, hidden folders left out."""
    files = sorted(ROOT.rglob(pattern))
    return [f for f in files if not any(p.startswith(".") for p in f.relative_to(ROOT).parts)]


def grown(text: str, size: float) -> str:
    """`text` repeated and cut to `size` MB of UTF-8."""
    wanted, content = round(size * MEGABYTE), text.encode()
    return (content * (wanted // len(content) + 1))[:wanted].decode("utf-8", "ignore")


def json_array(rows: list[object], indent: int | None, size: float) -> str:
    """One JSON array of about `size` MB."""
    row_size = len(json.dumps(rows, indent=indent, ensure_ascii=False).encode()) / len(rows)
    wanted = round(size * MEGABYTE / row_size)
    chosen = itertools.islice(itertools.cycle(rows), wanted)
    return json.dumps(list(chosen), indent=indent, ensure_ascii=False)


def chunk(name: str, text: str) -> None:
    """Chunk with defaults and forget the rows."""
    collections.deque(chunking.chunk(text, chunking.plan(name)), maxlen=0)


def best(runs: int, work: Callable[[], object]) -> float:
    """Seconds of processor time, of the fastest run."""
    seconds = []
    for _ in range(runs):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return min(seconds)


def print_speeds(cases: Sequence[tuple[str, str]], texts: dict[str, Grow], runs: int) -> None:
    """A row for each strategy and kind of text."""
    print("| strategy | text | MB/s | times str.split |\n|---|---|---:|---:|", flush=True)
    for name, kind in cases:
        text = texts[kind](SAMPLE)
        split, seconds = best(runs, text.split), best(runs, partial(chunk, name, text))
        rate = len(text.encode()) / MEGABYTE / seconds
        print(f"| {name} | {kind} | {rate:.1f} | {seconds / split:.1f} |", flush=True)


def print_growth(
    title: str,
    cases: Sequence[tuple[str, str]],
    texts: dict[str, Grow],
    sizes: Sequence[float],
    runs: int,
) -> None:
    """A row for each strategy: seconds at each size, and the largest ratio of two neighbours."""
    heads = " | ".join(f"{size:g} MB" for size in sizes)
    print(f"\n{title}: seconds by size, and the largest growth from a size to its double\n")
    print(f"| strategy | text | {heads} | growth |\n|---|---|{'---:|' * (len(sizes) + 1)}")
    for name, kind in cases:
        seconds = [best(runs, partial(chunk, name, texts[kind](size))) for size in sizes]
        growth = max(after / before for before, after in itertools.pairwise(seconds))
        cells = " | ".join(f"{value:.2f}" for value in seconds)
        print(f"| {name} | {kind} | {cells} | {growth:.2f} |", flush=True)


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Speed of the chunking strategies.")
    parser.add_argument("--strategy", action="append", help="default: all that need no model")
    parser.add_argument("--largest", type=float, default=50, help="largest text, in MB")
    parser.add_argument("--runs", type=int, default=3, help="runs of which the best counts")
    parser.add_argument("--data", type=Path, default=DATA, help="corpora/ and questions.jsonl")
    return parser.parse_args()


if __name__ == "__main__":
    main()
