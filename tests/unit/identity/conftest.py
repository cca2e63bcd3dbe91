"""A table of keys, and a clock that stands."""

import pytest

from ragsql_engine.identity import calls
from unit.identity.issuer import NOW, KeyTable


class StandingClock:
    """Stands for the module `time`."""

    now: float = NOW

    def time(self) -> float:
        return self.now


@pytest.fixture
def table() -> KeyTable:
    return KeyTable()


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> StandingClock:
    clock = StandingClock()
    monkeypatch.setattr(calls, "time", clock)
    return clock
