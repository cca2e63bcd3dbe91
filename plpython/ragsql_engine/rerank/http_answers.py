"""What an answer of a rerank endpoint says: a score for each passage."""

import json
from typing import Any

from ragsql_engine.embedding.http_answers import Malformed

# Cohere and Jina have results with relevance_score, Voyage data; TEI has a bare list with score.
_LISTS = ("results", "data")
_SCORES = ("relevance_score", "score")


def scores(body: bytes, expected: int) -> list[float]:
    """The scores of `expected` passages, in the order of the passages. Raises Malformed."""
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, dict):
        parsed = next((parsed[name] for name in _LISTS if name in parsed), None)
    if not isinstance(parsed, list) or not all(isinstance(item, dict) for item in parsed):
        raise Malformed("an answer that is not the JSON of a rerank API")
    if len(parsed) != expected:
        raise Malformed(f"{len(parsed)} scores for {expected} passages")
    found = {_index(item): _score(item) for item in parsed}
    if found.keys() != set(range(expected)):
        raise Malformed("scores whose indexes are not those of the passages")
    return [found[index] for index in range(expected)]


def _index(item: dict[str, Any]) -> int:
    index = item.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else -1


def _score(item: dict[str, Any]) -> float:
    for name in _SCORES:
        score = item.get(name)
        if isinstance(score, int | float) and not isinstance(score, bool):
            try:
                return float(score)
            except OverflowError:
                break
    raise Malformed("a score that is no number")
