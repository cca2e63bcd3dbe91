"""A call ends at once when its session is told to stop."""

import os
import signal
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from ragsql_engine.embedding import http_client
from support.embedding_server import EmbeddingServer, Reply, slow, too_many
from unit.http.calls import TEXTS, Cancelled, cancel, provider, request_threads


def test_a_cancel_ends_a_slow_call(server: EmbeddingServer) -> None:
    server.always = slow(60)
    calls: list[threading.Event] = []

    def pause() -> None:
        calls.append(threading.Event())
        if len(calls) == 3:
            raise Cancelled

    asked = provider(server, pause=pause)
    with pytest.raises(Cancelled):
        asked.embed(TEXTS, "passage")
    assert not request_threads()
    (request,) = server.requests
    assert not request.answered.is_set()
    assert len(calls) == 3
    server.always = Reply()
    calls.extend(threading.Event() for _ in range(10))
    assert len(asked.embed(TEXTS, "passage")) == 3


def test_a_cancel_ends_a_wait_for_another_try(server: EmbeddingServer) -> None:
    server.always = too_many("1.5")

    with pytest.raises(Cancelled):
        provider(server, pause=cancel).embed(TEXTS, "passage")
    assert len(server.requests) == 1


def test_a_cancel_while_a_connection_is_made_sends_nothing(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name server cannot be interrupted: its late answer must lead nowhere."""
    known = threading.Event()
    resolve = socket.getaddrinfo

    def slowly(*arguments: Any, **more: Any) -> Any:
        known.wait(30)
        return resolve(*arguments, **more)

    monkeypatch.setattr(socket, "getaddrinfo", slowly)
    monkeypatch.setattr(http_client, "_GRACE", 0.01)
    with pytest.raises(Cancelled):
        provider(server, pause=cancel).embed(TEXTS, "passage")
    known.set()
    for thread in request_threads():
        thread.join(30)
    assert not server.requests


def test_signals_go_to_the_sessions_own_thread(server: EmbeddingServer) -> None:
    blocked: dict[str, str] = {}

    def pause() -> None:
        for task in Path("/proc/self/task").iterdir():
            status = (task / "status").read_text()
            blocked[task.name] = status.split("SigBlk:\t")[1].split("\n")[0]
        raise Cancelled

    server.always = slow(30)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    threads = set(os.listdir("/proc/self/task"))
    with pytest.raises(Cancelled):
        provider(server, pause=pause).embed(TEXTS, "passage")
    # the server's handler thread starts after the request's, from a thread with no signal blocked
    masks = {int(blocked[task], 16) for task in set(blocked) - threads}
    everything = [number for number in range(1, 32) if number not in (9, 19)]
    assert any(all(mask >> (n - 1) & 1 for n in everything) for mask in masks)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
