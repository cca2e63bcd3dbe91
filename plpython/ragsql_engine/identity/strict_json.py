"""JSON objects that cannot be read in two ways."""

import json
from typing import Any, NoReturn


class NotStrict(ValueError):
    """The bytes are no JSON object, or one that two readers could understand differently."""


def read_object(data: bytes) -> dict[str, Any]:
    """A JSON object in UTF-8 without doubled names, NaN, Infinity and nesting without end."""
    try:
        value = _DECODER.decode(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise NotStrict from None
    if not isinstance(value, dict):
        raise NotStrict
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotStrict
    return found


def _no_constant(_: str) -> NoReturn:
    raise NotStrict


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_no_constant)
