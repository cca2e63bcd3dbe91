"""Memory settings: from the machine, or from the tightest control group."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragsql.memory import GB, MB, available_memory, settings_for, shared_memory_size


def make_machine(root: Path, kilobytes: int, cgroup: str, files: dict[str, str]) -> Path:
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/meminfo").write_text(f"MemTotal:       {kilobytes} kB\nMemFree: 1 kB\n")
    (root / "proc/self/cgroup").write_text(cgroup)
    for name, content in files.items():
        file = root / "sys/fs/cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return root


@pytest.mark.parametrize(
    ("cgroup", "files", "expected"),
    [
        ("0::/\n", {}, 16 * GB),
        ("0::/a/b\n", {"a/b/memory.max": "max\n"}, 16 * GB),
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": f"{4 * GB}\n"}, 4 * GB),
        ("0::/a/b\n", {"a/b/memory.max": f"{2 * GB}", "a/memory.max": f"{4 * GB}"}, 2 * GB),
        ("0::/../x\n", {"memory.max": f"{3 * GB}"}, 3 * GB),
        (
            "4:memory:/d\n3:cpu:/d\n",
            {"memory/d/memory.limit_in_bytes": f"{GB}", "cpu/d/memory.limit_in_bytes": "1"},
            GB,
        ),
        ("4:memory:/d\n", {"memory/d/memory.limit_in_bytes": "9223372036854771712"}, 16 * GB),
    ],
)
def test_the_tightest_limit_counts(
    tmp_path: Path, cgroup: str, files: dict[str, str], expected: int
) -> None:
    root = make_machine(tmp_path, 16 * 1024 * 1024, cgroup, files)
    assert available_memory(root) == expected


def test_no_control_groups(tmp_path: Path) -> None:
    root = make_machine(tmp_path, 1024 * 1024, "0::/\n", {})
    (root / "proc/self/cgroup").unlink()
    assert available_memory(root) == GB


@pytest.mark.parametrize(
    ("total", "buffers", "maintenance"),
    [
        (200 * MB, "64MB", "64MB"),
        (2 * GB, "512MB", "256MB"),
        (16 * GB, "4096MB", "2048MB"),
        (256 * GB, "8192MB", "2048MB"),
    ],
)
def test_shares_of_memory(total: int, buffers: str, maintenance: str) -> None:
    chosen = settings_for(total)
    assert chosen["shared_buffers"] == buffers
    assert chosen["maintenance_work_mem"] == maintenance


def test_small_shared_memory_is_gone_around() -> None:
    assert settings_for(16 * GB, 64 * MB)["dynamic_shared_memory_type"] == "mmap"
    assert "dynamic_shared_memory_type" not in settings_for(16 * GB, 8 * GB)


def test_no_shared_memory(tmp_path: Path) -> None:
    assert shared_memory_size(tmp_path / "absent") is None
