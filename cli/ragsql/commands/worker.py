"""`ragsql worker`: embeds what was ingested for later."""

from __future__ import annotations

import contextlib
import threading
import time

import click

from ragsql.interrupts import interrupts
from ragsql.settings import Settings
from ragsql.work.crew import STOPPING, Crew
from ragsql.work.overseer import Overseer, supervise
from ragsql.work.watch import Watch, passages

_HELP = """Embed the passages that wait for a vector, and go on as new ones come.

It works on rag.job_status: what was ingested with embed => 'later', what rag.prepare_model asked
for, and what could not be embedded before. With a role that sees everything these are the jobs of
all, else your own. Each worker claims 32 passages, commits, and embeds them in a transaction of
its own, so nothing is locked meanwhile. A claim whose worker was killed returns after 5 minutes.

A passage that fails is tried five times, then it is in rag.dead_letter; the rest of its batch is
stored. Where a model cannot be used, its passages wait and none is charged.

The server may restart: the workers connect again and go on. SIGTERM and Ctrl-C end after the claims
in hand, with exit status 0. Each worker holds a model on the server, unless `ragsql embedder
--attach` runs; one connection more looks how far the jobs are.

\b
Exit status: 0 stopped, or with --once nothing left; 1 not allowed, or with --once passages remain
that cannot be embedded now; 3 migrations are missing.
"""


@click.command(help=_HELP)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    help="Connections that embed at once.",
)
@click.option("--once", is_flag=True, help="End when nothing is left to embed.")
@click.option(
    "--poll",
    type=click.FloatRange(0.05, 3600),
    default=1.0,
    show_default=True,
    help="Seconds between two looks at an empty queue.",
)
@click.option(
    "--patience",
    type=click.FloatRange(1),
    default=360.0,
    show_default=True,
    help="With --once: seconds without any progress after which it gives up. A claim of a "
    "killed worker needs 300.",
)
@click.pass_obj
def worker(settings: Settings, workers: int, once: bool, poll: float, patience: float) -> None:
    watch = Watch()
    stop = threading.Event()
    crew = Crew(settings, workers, poll, stop, watch.say)
    started = time.monotonic()
    with (
        interrupts(stop, lambda: crew.connections, STOPPING),
        contextlib.closing(Overseer(settings, watch)) as overseer,
        watch.shown(),
    ):
        overseer.look()  # before the work begins, or an end that comes soon is not seen as one
        with crew:
            problem = supervise(overseer, crew, stop, poll, patience if once else None)
        if crew.problem is None:
            overseer.last_look()
    seconds = time.monotonic() - started
    counted = f"{watch.ended} job{'' if watch.ended == 1 else 's'} ended"
    given_up = f", {passages(watch.failed)} given up" if watch.failed else ""
    click.echo(
        f"Embedded {passages(crew.passages)} in {seconds:.1f} s; {counted}{given_up}.", err=True
    )
    problem = crew.problem or problem
    if problem is not None:
        raise click.ClickException(problem)
