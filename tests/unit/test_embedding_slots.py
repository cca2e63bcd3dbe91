"""Slots of sessions that hold a model: a limit that outlives no process."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragsql_engine.embedding.slots import Slot, slot_count
from ragsql_engine.errors import InvalidParameter, ModelMissing

_HOLDER = """
import sys, time
from pathlib import Path
from ragsql_engine.embedding.slots import Slot
slot = Slot(Path(sys.argv[1]))
slot.take(int(sys.argv[2]))
print("held", flush=True)
time.sleep(60)
"""


@contextmanager
def holder(folder: Path, number: int) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds a slot."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(folder), str(number)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_slot_comes_back_from_a_killed_process(tmp_path: Path) -> None:
    mine, last = Slot(tmp_path), Slot(tmp_path)
    mine.take(2)
    with holder(tmp_path, 2) as process:
        with pytest.raises(ModelMissing, match="all 2 slots") as caught:
            last.take(2)
        assert caught.value.sqlstate == "55000" and caught.value.certain
        assert caught.value.hint is not None
        for remedy in ("ragsql embedder --attach", "model_slots", "rag.unload_model()"):
            assert remedy in caught.value.hint
        assert not last.is_taken
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        last.take(2)
    assert last.is_taken


def test_a_released_slot_is_free(tmp_path: Path) -> None:
    mine = Slot(tmp_path)
    mine.take(1)
    mine.take(1)  # one for a session, whatever it loads
    mine.release()
    mine.release()
    with holder(tmp_path, 1), pytest.raises(ModelMissing):
        mine.take(1)


def test_a_child_process_does_not_keep_a_slot(tmp_path: Path) -> None:
    mine, other = Slot(tmp_path), Slot(tmp_path)
    mine.take(1)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        mine.release()
        other.take(1)
    finally:
        child.communicate(b"\n")
    assert other.is_taken


def test_no_slot_is_left_where_there_are_none(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="all 0 slots"):
        Slot(tmp_path).take(0)


def test_outside_of_a_data_directory_nothing_is_taken(tmp_path: Path) -> None:
    slot = Slot(tmp_path / "pg_stat_tmp")
    slot.take(1)
    assert not slot.is_taken and list(tmp_path.iterdir()) == []


def test_slot_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert slot_count("12") == 12
    for wrong in ("", "-1", "1.5", "many", "10000"):
        with pytest.raises(InvalidParameter, match="model_slots"):
            slot_count(wrong)
    gigabytes = 64
    sizes = {"SC_PHYS_PAGES": gigabytes * 10**9 // 4096, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    assert slot_count(None) == 106  # of 300 MB, in half of the memory
    gigabytes = 2
    sizes["SC_PHYS_PAGES"] = gigabytes * 10**9 // 4096
    assert slot_count(None) == 8
