"""Speed, size and correctness of the lexical index, against its targets.

One run, in a database of its own: passages are loaded, indexed and merged; BM25 is timed as three
readers who see all, half and a thousandth of them, at 1, 100 and 10,000 sharing classes, taking
turns with ts_rank_cd over GIN (and pg_textsearch, where it is installed). Times are those of a
client on the unix socket, warm: of each query the median of its repetitions, and over the queries
p50 and p95. README.md says how the passages, queries and classes are made.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from bench import classes, competitors, corpus, cranfield, loading, server, sizes, tiling
from bench.report import Report, table
from bench.server import Connection
from bench.timing import Times, Way, median_times, milliseconds, take_turns

DATA = ROOT.parent / "shared/data/cranfield"
QUERIES = Path(__file__).with_name("lexical_queries.txt")
PARTS = ("cranfield", "size", "speed", "pending", "growth")
PENDING = 1000
COLLECTION = "bench"
GIN, WAND, WAND_FEW = "ts_rank_cd over GIN", "pg_textsearch", "pg_textsearch, a thousandth"
ALL, HALF, FEW = classes.SHARES
_SEARCH = "select document_id, chunk_index, score from rag.bm25_search(%s, top_k => 10)"


@dataclass
class Bench:
    """A run: its database, its passages, and what it found."""

    dsn: str
    connection: Connection
    documents: list[corpus.Document]
    spare: list[corpus.Document]
    queries: list[str]
    repeat: int
    report: Report = field(default_factory=Report)

    @property
    def passages(self) -> int:
        """How many are in the index."""
        return sum(len(document.passages) for document in self.documents)


def bm25(connection: Connection) -> Way:
    """BM25 as whoever is logged in."""

    def answer(query: str) -> object:
        return connection.execute(_SEARCH, [query], prepare=True).fetchall()

    return answer


def main() -> None:
    """Runs the parts that were asked for and prints what they found."""
    options = parse_arguments()
    parts = options.only
    with ExitStack() as stack:
        dsn = stack.enter_context(server.database(options.cluster, options.folder))
        connection = stack.enter_context(server.connect(dsn))
        queries = QUERIES.read_text(encoding="utf-8").splitlines()
        bench = Bench(dsn, connection, [], [], queries, options.repeat)
        if "cranfield" in parts:
            say("Cranfield")
            cranfield.measure(connection, options.data, bench.report)
        if set(parts) - {"cranfield"}:
            found = corpus.load(options.cache, options.passages + PENDING)
            bench.documents, bench.spare = corpus.split(found, options.passages)
            measure(bench, parts, options.tiles)
        print(f"\n{bench.report}")


def measure(bench: Bench, parts: Sequence[str], tiles: int) -> None:
    """What is measured on the passages of the corpus."""
    load(bench)
    classes.make_roles(bench.connection)
    timed = set(parts) - {"cranfield", "size"}
    for count in classes.COUNTS if "speed" in timed else classes.COUNTS[-1:] if timed else ():
        say(f"{count:,} sharing classes")
        chosen = classes.plan([*bench.documents, *bench.spare], count)
        classes.apply(bench.connection, [*bench.documents, *bench.spare], chosen)
        loading.reindex(bench.connection)
        if "speed" in parts:
            measure_speed(bench, chosen)
    if "pending" in parts:
        say(f"{PENDING:,} pending passages")
        measure_pending(bench)
    if "growth" in parts:
        say(f"{tiles} tiles")
        measure_growth(bench, tiles)


def load(bench: Bench) -> None:
    """Loads and indexes the passages; how fast that is, and how large it gets."""
    report, connection = bench.report, bench.connection
    say(f"loading {bench.passages:,} passages")
    loading.make_collection(connection, COLLECTION)
    analysis = loading.load(connection, COLLECTION, bench.documents, bench.spare)
    analysis *= bench.passages / (bench.passages + PENDING)
    seconds = loading.index(connection, analysis)
    text, small = sizes.text_bytes(connection), sizes.index_bytes(connection)
    segments = len(loading.segment_sizes(connection))
    merging = loading.merge_all(connection)
    large, disk = sizes.index_bytes(connection), sizes.disk_bytes(connection)

    report.add("passages", bench.passages)
    report.add("text", text / sizes.MEGABYTE, " MB")
    rate = bench.passages / seconds.total
    report.add("build: analysis, entries, segments, small merges", rate, "/s", at_least=3000)
    apart = {
        "analysis": seconds.analysis,
        "entries": seconds.entries,
        "segments": seconds.build,
        "small merges": seconds.merge,
        "full merge": merging,
    }
    for name, spent in apart.items():
        report.add(f"build: {name} alone", bench.passages / max(spent, 1e-9), "/s")
    percent = 100 / text
    name = f"size as ingested, {segments} segments, of the text"
    report.add(name, small * percent, " %", at_most=60)
    segments = len(loading.segment_sizes(connection))
    name = f"size after a full merge, {segments} segments, of the text"
    report.add(name, large * percent, " %", at_most=45)
    report.add("size on disk after a full merge, of the text", disk * percent, " %")
    for name, size in sizes.other_indexes(connection).items():
        report.add(f"size of {name}, of the text", size * percent, " %")


def measure_speed(bench: Bench, chosen: classes.Plan) -> None:
    """Times of the readers and the competitors at one number of classes."""
    competitors.make_table(bench.connection)
    ways: dict[str, Way] = {}
    with ExitStack() as stack:
        for role in chosen.readers:
            ways[role] = bm25(stack.enter_context(server.connect(bench.dsn, role)))
        rival = stack.enter_context(server.connect(bench.dsn))
        ways[GIN] = competitors.gin(rival, competitors.or_queries(rival, bench.queries))
        if competitors.textsearch_available(rival):
            competitors.make_textsearch(rival)
            ways[WAND] = competitors.textsearch(rival, None)
            ways[WAND_FEW] = competitors.textsearch(rival, FEW)
        times = take_turns(ways, bench.queries, bench.repeat)
    print_times(f"{chosen.count:,} sharing classes", times)

    ours = [times[role].p50 for role in chosen.readers]
    at = f"at {chosen.count:,} classes"
    name = f"{GIN} : BM25, p50, {at}"
    bench.report.add(name, times[GIN].p50 / times[ALL].p50, at_least=60)
    if len(ours) > 1:
        name = f"slowest : fastest of all, half and a thousandth visible, p50, {at}"
        bench.report.add(name, max(ours) / min(ours), at_most=1.5)
    if WAND in times:
        name = f"BM25 : {WAND}, p50, {at}"
        bench.report.add(name, times[ALL].p50 / times[WAND].p50, at_most=1.3)
        if FEW in times:
            name = f"BM25 : {WAND_FEW}, p50, {at}"
            bench.report.add(name, times[FEW].p50 / times[WAND_FEW].p50, at_most=0.2)
    elif chosen.count == classes.COUNTS[0]:
        bench.report.notes.append(f"Left out: {WAND} is not installed (PostgreSQL 17 or newer).")


def measure_pending(bench: Bench) -> None:
    """What pending passages add: to the first search after a change, and to the next ones."""
    loading.set_aside(bench.connection)
    taken: dict[tuple[bool, str], list[list[float]]] = {}
    with server.connect(bench.dsn, ALL) as connection:
        way = bm25(connection)
        for turn in range(bench.repeat + 1):
            for number, query in enumerate(bench.queries):
                for full in (False, True) if number % 2 else (True, False):
                    loading.fill_pending(bench.connection, full)
                    for which in ("first", "next"):
                        elapsed = milliseconds(way, query)
                        rows = taken.setdefault((full, which), [[] for _ in bench.queries])
                        if turn:
                            rows[number].append(elapsed)
    loading.fill_pending(bench.connection, False)
    times = {key: median_times(rows) for key, rows in taken.items()}
    for which in ("first", "next"):
        added = times[True, which].p50 - times[False, which].p50
        name = f"{PENDING:,} pending passages add, {which} search after a commit"
        bench.report.add(name, added, " ms", at_most=4)
    shown = {f"{'full' if full else 'empty'}, {which}": t for (full, which), t in times.items()}
    print_times(f"{PENDING:,} passages pending, or none", shown)


def measure_growth(bench: Bench, tiles: int) -> None:
    """Times of the readers where the passages are there `tiles` times, against those here.

    The passages once are in a copy of the database, so that both sizes take turns.
    """
    few, many = f"{bench.passages:,} passages", f"{bench.passages * tiles:,} passages"
    bench.connection.close()
    with ExitStack() as stack:
        copy = stack.enter_context(server.copied(bench.dsn))
        with server.connect(bench.dsn) as connection:
            tiling.tile(connection, tiles)
        ways = {
            f"{role}, {size}": bm25(stack.enter_context(server.connect(dsn, role)))
            for role in classes.SHARES
            for size, dsn in ((few, copy), (many, bench.dsn))
        }
        times = take_turns(ways, bench.queries, bench.repeat)
    print_times("Growth", times)
    for role in classes.SHARES:
        growth = times[f"{role}, {many}"].p50 / times[f"{role}, {few}"].p50
        bench.report.add(f"growth of p50, {few} to {many}, {role}", growth, at_most=8)


def print_times(title: str, times: Mapping[str, Times]) -> None:
    """A table of milliseconds."""
    rows = [[name, f"{found.p50:.2f}", f"{found.p95:.2f}"] for name, found in times.items()]
    print(f"\n{title}\n\n{table(['way', 'p50 ms', 'p95 ms'], rows)}", flush=True)


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
    parser = argparse.ArgumentParser(description="Speed, size and correctness of BM25.")
    parser.add_argument("--cache", type=Path, required=True, help="keeps packages and passages")
    parser.add_argument("--only", type=chosen_parts, default=PARTS, help="of " + ",".join(PARTS))
    parser.add_argument("--passages", type=int, default=200_000)
    parser.add_argument("--tiles", type=int, default=15, help="how often, for the growth")
    parser.add_argument("--repeat", type=int, default=3, help="times that each query is asked")
    parser.add_argument("--cluster", metavar="DSN", help="instead of a cluster of its own")
    parser.add_argument("--folder", type=Path, help="where that cluster lies; default /tmp")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of Cranfield")
    return parser.parse_args()


if __name__ == "__main__":
    main()
