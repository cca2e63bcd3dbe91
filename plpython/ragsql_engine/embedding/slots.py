"""How many sessions of a server may hold a model of their own.

Each takes 200 MB or more, so a server with as many connections as it allows would run out of
memory. A slot is a lock on a file, which the operating system takes back from a process that ends,
however it ends.
"""

import fcntl
import os
import re
from pathlib import Path

from ragsql_engine.errors import InvalidParameter, ModelMissing

# Within the data directory, where a server process runs; emptied when the server starts, and left
# out of base backups.
FOLDER = Path("pg_stat_tmp")

_LEAST = 8
_MODEL_BYTES = 300_000_000


class Slot:
    """One of the server's slots, or none yet. A session needs one, whatever it loads."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._file: int | None = None

    @property
    def is_taken(self) -> bool:
        return self._file is not None

    def take(self, number: int) -> None:
        """Hold one of `number` slots; ModelMissing where none is free.

        A process outside of a data directory is no session of a server, and needs none.
        """
        if self.is_taken or not self._folder.is_dir():
            return
        for index in range(number):
            file = os.open(
                self._folder / f"ragsql_model_slot_{index}", os.O_RDWR | os.O_CREAT, 0o600
            )
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
            except BaseException:
                os.close(file)
                raise
            else:
                self._file = file
                return
        raise ModelMissing(
            f"all {number} slots for sessions that load a model themselves are taken",
            hint="Run `ragsql embedder --attach`, which serves all sessions; or raise model_slots "
            "in rag_internal.setting; or select rag.unload_model() in idle sessions.",
        )

    def release(self) -> None:
        """Give the slot back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def slot_count(setting: str | None) -> int:
    """The setting model_slots; by default half of the memory may go to models."""
    if setting is None:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return max(_LEAST, memory // 2 // _MODEL_BYTES)
    if not re.fullmatch(r"[0-9]{1,4}", setting):
        raise InvalidParameter(
            f"model_slots in rag_internal.setting is {setting!r}, but must be 0 to 9999",
            hint="update rag_internal.setting set value = '8' where name = 'model_slots';",
        )
    return int(setting)
