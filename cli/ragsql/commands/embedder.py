"""`ragsql embedder`: one process that runs the models for all sessions."""

from __future__ import annotations

import contextlib
import ipaddress
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragsql.settings import Settings

if TYPE_CHECKING:
    from ragsql.embedder.listening import Listener
    from ragsql.embedder.pool import Pool

SOCKET_NAME = "embedder.sock"


def _loopback(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    name = "127.0.0.1" if value == "localhost" else value.strip("[]")
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no IP address.") from None
    if not address.is_loopback:
        raise click.BadParameter(
            f"{value} can be reached from elsewhere, and the embedder asks nobody who they are. "
            "Use 127.0.0.1, ::1 or a socket."
        )
    return str(address)


def _mode(_context: click.Context, _parameter: click.Parameter, value: str) -> int:
    try:
        mode = int(value, 8)
    except ValueError:
        mode = -1
    if not 0 < mode <= 0o777:
        raise click.BadParameter(f"{value!r} is no octal mode such as 0600.")
    return mode


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


_HELP = """Run the models in one process, for all sessions of the database.

A session that embeds with a model of its own holds some 270 MB; with an embedder attached, a
hundred sessions share one model. Questions go before bulk work, batch by batch.

It speaks HTTP: POST /v1/embeddings as OpenAI does (also input_type: query or passage, and
revision), POST /v1/rerank as Jina and Cohere do, GET /v1/models, GET /health. A text beyond the
model's window is refused and never cut; texts get no prefix here. It asks nobody who they are:
the socket's mode, or loopback, is what keeps others out.

Started by root, it goes on as the user postgres. SIGTERM and Ctrl-C stop it after the requests
in work; then it removes its socket and, with --attach, the setting.

\b
Example: ragsql embedder --attach
Example: ragsql embedder --port 8089 --model BAAI/bge-small-en-v1.5
"""


@click.command(help=_HELP)
@click.option(
    "--socket",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"Socket file to listen on.  [default: {SOCKET_NAME} beside the private cluster's]",
)
@click.option(
    "--socket-mode",
    default="0600",
    show_default=True,
    callback=_mode,
    help="Mode of that file, in octal; 0666 lets every user of this machine ask.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Listen on loopback instead of a socket; 0 takes a free port and says which.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    callback=_loopback,
    help="Loopback address for --port.",
)
@click.option(
    "--models",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    envvar="RAGSQL_MODELS",
    show_envvar=True,
    help="Folder of the models.  [default: the private cluster's]",
)
@click.option(
    "--model",
    "names",
    multiple=True,
    help="Load this one at the start, not when it is first asked for; can be repeated.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    help="Batches that each model runs at once, on one thread each.  [default: one per core]",
)
@click.option(
    "--attach",
    is_flag=True,
    help="Have the database use it for its fastembed models while it runs; needs a superuser.",
)
@click.pass_obj
def embedder(
    settings: Settings,
    path: Path | None,
    socket_mode: int,
    port: int | None,
    host: str,
    models: Path | None,
    names: tuple[str, ...],
    threads: int | None,
    attach: bool,
) -> None:
    if path is not None and port is not None:
        raise click.UsageError("Choose one of --socket and --port.")
    from ragsql.cluster import Cluster
    from ragsql.connection import resolve_dsn
    from ragsql.embedder.pool import Pool
    from ragsql.embedder.serving import become, say, stoppable
    from ragsql.server import server_user

    cluster = Cluster(settings.home_dir)
    root = (models or cluster.models).resolve()
    if not root.is_dir():
        raise click.ClickException(
            f"There is no folder of models at {root}.\nHint: run `ragsql up`, or name it with "
            "--models."
        )
    if attach:
        settings.dsn = resolve_dsn(settings)
    os.environ.update(_QUIET)
    become(server_user(), root)
    pool = Pool(root, threads or _cores(), say)
    with contextlib.ExitStack() as stack:
        stack.enter_context(stoppable())
        listener = _listen(stack, path or cluster.socket_dir / SOCKET_NAME, socket_mode, host, port)
        _run(settings, pool, listener, names, attach)


_QUIET = {
    "HF_HUB_OFFLINE": "1",  # models come from the folder and nowhere else
    "ORT_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def _listen(
    stack: contextlib.ExitStack, path: Path, mode: int, host: str, port: int | None
) -> Listener:
    from ragsql.embedder.listening import listen_loopback, listen_unix

    if port is not None:
        return stack.enter_context(listen_loopback(host, port))
    return stack.enter_context(listen_unix(path, mode))


def _run(
    settings: Settings, pool: Pool, listener: Listener, names: tuple[str, ...], attach: bool
) -> None:
    from ragsql.embedder import attaching
    from ragsql.embedder.errors import ApiError
    from ragsql.embedder.serving import say, serve
    from ragsql_engine.errors import RagError

    try:
        for name in names:
            pool.preload(name)
    except (ApiError, RagError) as error:
        raise click.ClickException(error.message) from error
    found = ", ".join(model.name for model in pool.stored()) or "no model yet"
    with contextlib.ExitStack() as stack, contextlib.ExitStack() as detached:
        if attach:
            database = attaching.attach(settings, listener.url)
            detached.callback(_detach, settings, listener.url)
            say(f'Attached to database "{database}".')
        stack.callback(say, "Stopped.")
        say(f"Serving {found} on {listener.url}; stop with Ctrl-C.")
        serve(pool, listener, detached.close)


def _detach(settings: Settings, url: str) -> None:
    from ragsql.embedder.attaching import detach
    from ragsql.embedder.serving import say

    try:
        detach(settings, url)
    except click.ClickException as error:
        say(
            f"The setting cannot be removed: {error.message}\nUntil it is, sessions look for an "
            "embedder here: start one again, or, as a superuser: delete from rag_internal.setting "
            "where name = 'embedder'"
        )
