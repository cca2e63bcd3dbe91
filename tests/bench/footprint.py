"""Private memory of a session's backend, as Linux counts it in /proc/PID/smaps_rollup."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.report import Report
from bench.server import Connection

CALL = 50
"""Passages of a call of rag.embed."""
_MOST = 450


def measure(connection: Connection, texts: Sequence[str], report: Report) -> None:
    """Takes down the memory before, with and after the model.

    Raises SystemExit where the server runs elsewhere, or as a user whose processes are closed.
    """
    pid = connection.info.backend_pid
    connection.execute("select count(*) from rag.list_collections()")
    report.add("memory: a session that has not embedded, private", private(pid), " MB")
    for start in range(0, len(texts), CALL):
        connection.execute("select rag.embed(%s)", [list(texts[start : start + CALL])])
    name = f"memory: one that embedded {len(texts)} passages, private"
    report.add(name, private(pid), " MB", at_most=_MOST)
    connection.execute("select rag.unload_model()")
    report.add("memory: after rag.unload_model(), private", private(pid), " MB")


def private(pid: int) -> float:
    """Megabytes that no other process shares: what another such session would cost."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError as error:
        raise SystemExit(f"The memory of backend {pid} cannot be read: {error}") from error
    sizes = {line.split()[0]: int(line.split()[1]) for line in text.splitlines()[1:]}
    return (sizes["Private_Clean:"] + sizes["Private_Dirty:"]) * 1024 / 1e6
