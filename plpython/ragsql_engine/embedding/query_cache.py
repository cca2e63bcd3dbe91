"""Vectors of the queries that a session asked last."""

from collections import OrderedDict
from collections.abc import Callable

from ragsql_engine.model import Model

_MOST_KEPT = 64


class QueryCache:
    """The last vectors, in pgvector's text form. One who asks never gets another's."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], str] = OrderedDict()

    def get(self, query: str, model: Model, who: str, embed: Callable[[], str]) -> str:
        """The vector of `query`, which `embed` makes where it is not kept."""
        key = (who, query, *_all_that_matters(model))
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        vector = self._kept[key] = embed()
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return vector

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()


def _all_that_matters(model: Model) -> tuple[object, ...]:
    """What of a model the vector of a query depends on."""
    window = model.max_tokens, model.long_input
    return (*model.key, model.dimensions, model.query_prefix, *window)
