"""A query with its typing errors corrected, and what was done to each word."""

from typing import NamedTuple

from ragsql_engine.fuzzy.asked import MAX_DISTANCE
from ragsql_engine.fuzzy.corrections import place
from ragsql_engine.fuzzy.pieces import Forms, pieces, words_of
from ragsql_engine.fuzzy.vocabulary import IsStop, Meaning, Vocabulary


class Correction(NamedTuple):
    """A word of a query, or two, and what it is taken for.

    original: as written. corrected: the same where it is kept, None where no visible passage has
    anything like it. distance: edits between the two, 0 where kept.
    """

    original: str
    corrected: str | None
    distance: int


class Corrected(NamedTuple):
    """text: the query with the corrections in their places. rows: in order of writing.

    A rare word that is kept has another row for each more frequent word that is shown too.
    """

    text: str
    rows: tuple[Correction, ...]


class Interpretation(NamedTuple):
    """meanings: what to search for, as `corrections` gives it. corrected: what to say of it."""

    meanings: list[Meaning]
    corrected: Corrected


def interpret(
    text: str,
    forms: Forms,
    vocabulary: Vocabulary,
    is_stop: IsStop,
    max_distance: int = MAX_DISTANCE,
) -> Interpretation:
    """Read a query and correct its plain words, with one look at the vocabulary for both.

    Quoted parts, identifiers, exclusions, prefixes, signs and white space are never touched.
    """
    found = pieces(text)
    words = words_of(found, forms)
    placed = place([word for _, word in words], vocabulary, is_stop, max_distance)
    rows: dict[Correction, None] = {}
    written: list[str] = []
    done = 0
    for at, meaning in placed:
        first, last = found[words[at][0]], found[words[at + len(meaning.words) - 1][0]]
        rows |= dict.fromkeys(_rows(text[first.start : last.end], meaning))
        if meaning.corrected is not None:
            written += [text[done : first.start], meaning.corrected]
            done = last.end
    known = {row.original for row in rows if row.corrected is not None}
    kept = tuple(row for row in rows if row.corrected is not None or row.original not in known)
    corrected = Corrected("".join([*written, text[done:]]), kept)
    return Interpretation(list(dict.fromkeys(meaning for _, meaning in placed)), corrected)


def correct_query(
    text: str,
    forms: Forms,
    vocabulary: Vocabulary,
    is_stop: IsStop,
    max_distance: int = MAX_DISTANCE,
) -> Corrected:
    """What `interpret` says of a query."""
    return interpret(text, forms, vocabulary, is_stop, max_distance).corrected


def _rows(original: str, meaning: Meaning) -> list[Correction]:
    if not meaning.alternatives:
        return [Correction(original, None, 0)]
    if meaning.corrected is not None:
        return [Correction(original, meaning.corrected, meaning.alternatives[0].distance)]
    also = [Correction(original, " ".join(a.words), a.distance) for a in meaning.alternatives[1:]]
    return [Correction(original, original, 0), *also]
