"""What a session keeps of immutable things: least recently used goes first, bounded by bytes."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Value = TypeVar("Value")


class Cache:
    """Values by key, at most `limit` bytes of them. A key must name its value for ever."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def get(self, key: Hashable, default: Value) -> Any | Value:
        """The value of `key`, which is now the one used last."""
        kept = self._values.get(key)
        if kept is None:
            return default
        self._values.move_to_end(key)
        return kept[0]

    def put(self, key: Hashable, value: Value, size: int) -> Value:
        """Keep a value of `size` bytes; the same value is returned."""
        old = self._values.pop(key, None)
        self._size += size - (old[1] if old else 0)
        self._values[key] = value, size
        while self._size > self._limit and len(self._values) > 1:
            self._size -= self._values.popitem(last=False)[1][1]
        return value

    def make(self, key: Hashable, make: Callable[[], Value], size: Callable[[Value], int]) -> Value:
        """The value of `key`, made where it is missing."""
        kept: Value | None = self.get(key, None)
        if kept is not None:
            return kept
        value = make()
        return self.put(key, value, size(value))
