"""Typo correction: which known words are close to a misspelt one."""

from collections.abc import Sequence
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from ragsql_engine.errors import InvalidParameter


def closest_words(word: str, candidates: Sequence[str], max_distance: int) -> list[dict[str, Any]]:
    """Candidates within `max_distance` edits of `word`, sorted by (distance, word).

    The distance is the optimal string alignment distance: insertions, deletions, substitutions
    and transpositions of neighbours cost 1, and no substring is edited twice (Boytsov 2011,
    "Indexing methods for approximate dictionary searching", section 2).
    """
    if max_distance < 0:
        raise InvalidParameter(f"max_distance is {max_distance}, below 0")
    matches = process.extract(
        word,
        list(dict.fromkeys(candidates)),
        scorer=OSA.distance,
        score_cutoff=max_distance,
        limit=None,
    )
    found = [{"word": match, "distance": int(distance)} for match, distance, _ in matches]
    return sorted(found, key=lambda row: (row["distance"], row["word"]))
