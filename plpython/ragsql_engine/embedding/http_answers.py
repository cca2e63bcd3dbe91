"""What an answer of an embeddings endpoint says: vectors, or why there are none."""

import base64
import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Seconds.
_LONGEST_WAIT = 3600.0
_USUAL_WAIT = (5.0, 30.0)  # where an endpoint asks to wait without saying how long

_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", re.ASCII)
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{1,63}", re.ASCII)
_NUMBERS = frozenset({int, float, type(None)})


class Malformed(Exception):
    """An answer that is not what the API promises. The message says how, and quotes nothing."""


def vectors(body: bytes, expected: int) -> list[NDArray[Any]]:
    """The vectors of `expected` texts, in the order of the texts. Raises Malformed.

    A null among the numbers is a NaN that JSON cannot write; values are for the caller to check.
    """
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        parsed = None
    data = parsed.get("data") if isinstance(parsed, dict) else None
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise Malformed("an answer that is not the JSON of the embeddings API")
    if len(data) != expected:
        raise Malformed(f"{len(data)} vectors for {expected} texts")
    return [_numbers(item.get("embedding")) for item in _in_order(data)]


def error_code(body: bytes, private: Iterable[str]) -> str:
    """`error.code` or what stands for it, in brackets after a blank, or nothing.

    Only a plain identifier is told, and none that occurs in a text of `private` or holds one:
    what an endpoint says of a request may quote it.
    """
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(parsed, dict):
        return ""
    error = parsed["error"] if isinstance(parsed.get("error"), dict) else parsed
    for code in (error.get("code"), error.get("type"), error.get("error_type")):
        if isinstance(code, str) and _CODE.fullmatch(code):
            quotes = any(code in text or text in code for text in private if text)
            return "" if quotes else f" [{code}]"
    return ""


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that Retry-After asks for (RFC 9110, 10.2.3), at most an hour; None without one."""
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return min(float(value), _LONGEST_WAIT)
    try:
        moment = parsedate_to_datetime(value)
        seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return None
    return min(max(seconds, 0.0), _LONGEST_WAIT)


def usual_wait() -> float:
    """Seconds to wait where nothing is said, different for each caller."""
    return random.uniform(*_USUAL_WAIT)


def _in_order(data: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The items by their index; as they come where none has one."""
    indexes = [item.get("index") for item in data]
    if all(index is None for index in indexes):
        return list(data)
    by_index = {index: item for index, item in zip(indexes, data, strict=True) if _is_int(index)}
    if by_index.keys() != set(range(len(data))):
        raise Malformed("vectors whose indexes are not those of the texts")
    return [by_index[index] for index in range(len(data))]


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _numbers(embedding: Any) -> NDArray[Any]:
    try:
        if isinstance(embedding, str):  # OpenAI's encoding_format base64
            raw = base64.b64decode(embedding, validate=True)
            return np.frombuffer(raw, dtype="<f4")
        if isinstance(embedding, list) and _NUMBERS.issuperset(map(type, embedding)):
            return np.array(embedding, dtype=np.float64)
    except (ValueError, OverflowError):
        pass
    raise Malformed("a vector that is no list of numbers")
