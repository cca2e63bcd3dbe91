"""Memory settings of the private cluster, from the machine and its control group."""

from __future__ import annotations

import os
from pathlib import Path

MB = 1024 * 1024
GB = 1024 * MB


def settings_for(total: int, shared_memory: int | None = None) -> dict[str, str]:
    """PostgreSQL settings for `total` bytes of memory, rounded down to whole megabytes.

    shared_buffers is a quarter (at most 8 GB: more only costs the kernel's own cache), and
    maintenance_work_mem is an eighth (at most 2 GB), because an HNSW index builds several
    times faster while its graph fits. `shared_memory` is the size of /dev/shm in bytes, where
    known: where parallel index builds do not fit there, the server uses files instead.
    """
    maintenance = _clamp(total // 8, 64 * MB, 2 * GB)
    chosen = {
        "shared_buffers": _megabytes(_clamp(total // 4, 64 * MB, 8 * GB)),
        "effective_cache_size": _megabytes(max(total * 5 // 8, 128 * MB)),
        "maintenance_work_mem": _megabytes(maintenance),
        "work_mem": _megabytes(_clamp(total // 400, 4 * MB, 64 * MB)),
    }
    if shared_memory is not None and shared_memory < maintenance:
        chosen["dynamic_shared_memory_type"] = "mmap"
    return chosen


def available_memory(root: Path = Path("/")) -> int:
    """Bytes of memory that this process may use: the machine's, or a control group's limit.

    `root` is the folder in which /proc and /sys are looked for.
    """
    limits = [_machine_memory(root), *_group_limits(root)]
    return min(limits)


def shared_memory_size(folder: Path = Path("/dev/shm")) -> int | None:
    """Size in bytes of the file system of POSIX shared memory, None where there is none."""
    try:
        status = os.statvfs(folder)
    except OSError:
        return None
    return status.f_blocks * status.f_frsize


def _machine_memory(root: Path) -> int:
    for line in (root / "proc/meminfo").read_text().splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    return GB


def _group_limits(root: Path) -> list[int]:
    """The limits of this process's group and of the groups above it, cgroup v2 and v1."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    found: list[int] = []
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers == "":
            base, name = root / "sys/fs/cgroup", "memory.max"
        elif "memory" in controllers.split(","):
            base, name = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        folder = base / group.lstrip("/")
        for candidate in (folder, *folder.parents):
            if candidate == base.parent:
                break
            limit = _read_limit(candidate / name)
            if limit is not None:
                found.append(limit)
    return found


def _read_limit(file: Path) -> int | None:
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _clamp(value: int, low: int, high: int) -> int:
    return max(low, min(value, high))


def _megabytes(size: int) -> str:
    return f"{size // MB}MB"
