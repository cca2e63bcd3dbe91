"""fastembed by itself, with the options that the engine gives it: what embedding is compared to."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier

    from fastembed import TextEmbedding

Vectors = NDArray[np.float32]
WORKERS = 2


def model(name: str, directory: Path) -> TextEmbedding:
    """Loaded weights: one thread, no arena, as embedding/fastembed_provider.py has it."""
    from fastembed import TextEmbedding

    return TextEmbedding(
        name,
        specific_model_path=str(directory),
        threads=1,
        enable_cpu_mem_arena=False,
        local_files_only=True,
        providers=["CPUExecutionProvider"],
    )


class Pool:
    """Processes that hold the model, and take batches one by one."""

    def __init__(self, name: str, directory: Path, workers: int = WORKERS) -> None:
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(
            workers,
            mp_context=context,
            initializer=_load,
            initargs=(name, directory, context.Barrier(workers)),
        )
        list(self._pool.map(_passages, [[["warm"]]] * workers))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: object, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def passages(self, groups: Sequence[Sequence[Sequence[str]]]) -> list[Vectors]:
        """Vectors of the passages of each group, batch by batch; a process takes a group at once."""
        return list(self._pool.map(_passages, groups))


_loaded: list[TextEmbedding] = []


def _load(name: str, directory: Path, everybody: Barrier) -> None:
    os.setsid()  # as backends do: Linux shares processors out among sessions, and so no less to us
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # as the engine has it
    _loaded.append(model(name, directory))
    everybody.wait()  # so that no process loads while others are timed


def _passages(group: Sequence[Sequence[str]]) -> Vectors:
    found = [
        vector
        for batch in group
        for vector in _loaded[0].passage_embed(list(batch), batch_size=len(batch))
    ]
    return np.asarray(found, dtype=np.float32)
