"""The fuzzy leg: passages by how like their words are to those of the query."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.fuzzy.vocabulary import Alternative, Meaning
from ragsql_engine.lexical.codec import Posting
from ragsql_engine.lexical.documents import Bools
from ragsql_engine.lexical.parts import SURFACE, Part
from ragsql_engine.lexical.ranking import Floats, Ranking, joined, ranked
from ragsql_engine.lexical.selection import Selection, places, selections

# Where passages hold one of these alternatives, by rising similarity.
Hits = list[tuple[float, NDArray[np.uint16]]]

# With fewer visible passages than a part has, by this factor, postings are cut to them beforehand.
_FEW = 16


def rank(
    parts: Sequence[Part],
    meanings: Sequence[Meaning],
    k: int,
    allowed: Sequence[Bools | None] | None = None,
) -> Ranking:
    """The k best passages by (score desc, document_id, chunk_index); all, if fewer match.

    score: the mean, over the meanings that have an alternative, of the best similarity of an
    alternative that the passage holds (0 where it holds none), in (0, 1]. It is added up in the
    order of `meanings`, so its bits do not depend on the parts.
    allowed: for each part bool[n], or None where nothing is left out; it changes no score.
    """
    telling = [meaning.alternatives for meaning in meanings if meaning.alternatives]
    found: list[Ranking] = []
    threshold = 0.0
    if k < 1 or not telling:
        return joined(found)
    for number, (part, selection) in enumerate(zip(parts, selections(parts, allowed), strict=True)):
        if not selection.count:
            continue
        hits = [_hits(part, selection, alternatives) for alternatives in telling]
        ordinals, scores = _scores(hits, selection, len(part.lengths))
        at = np.flatnonzero(scores >= threshold)
        if len(at) > k:
            at, threshold = _best(part, ordinals, scores, at, k)
        found.append(Ranking(np.full(len(at), number), ordinals.take(at), scores.take(at)))
    return ranked(parts, joined(found), k)


def _hits(part: Part, selection: Selection, alternatives: Sequence[Alternative]) -> Hits:
    few = selection.mask is not None and selection.count * _FEW < len(part.lengths)
    hits: Hits = []
    for alternative in sorted(alternatives, key=lambda a: a.similarity):
        posting = _holding(part, alternative.words)
        if posting is not None and few:
            posting = selection.of_posting(posting)
        if posting is not None and len(posting.ordinals):
            hits.append((alternative.similarity, posting.ordinals))
    return hits


def _holding(part: Part, words: Sequence[str]) -> Posting | None:
    """The passages of a part that hold all of these words, one or more."""
    found: Posting | None = None
    for word in words:
        posting = part.posting(SURFACE, word)
        if posting is None:
            return None
        if found is not None:
            posting = Posting(found.ordinals.take(places(posting, found.ordinals)[0]), None)
            if not len(posting.ordinals):
                return None
        found = posting
    return found


def _scores(hits: Sequence[Hits], selection: Selection, n: int) -> tuple[NDArray[np.intp], Floats]:
    """(ordinals, scores) of the selected passages of a part that match."""
    scores = np.zeros(n)
    for own in hits:
        if len(own) == 1:
            ((similarity, ordinals),) = own
            scores[ordinals] += similarity  # no ordinal repeats
        elif own:
            best = np.zeros(n)
            for similarity, ordinals in own:
                best[ordinals] = similarity  # a higher one comes later
            scores += best
    at = np.flatnonzero(scores)
    if selection.mask is not None:
        at = at.compress(selection.mask.take(at))
    return at, scores.take(at) / len(hits)


def _best(
    part: Part, ordinals: NDArray[np.intp], scores: Floats, at: NDArray[np.intp], k: int
) -> tuple[NDArray[np.intp], float]:
    """Which of the candidates `at`, more than k, can be among the k best; the k-th score.

    A frequent word makes tens of thousands of ties. Of these only documents with the first ids
    are kept, told by the upper halves, which are cheaper to get than whole keys.
    """
    lowest = -scores.take(at)  # partitions much faster than many equal values at the upper end
    kth = np.partition(lowest, k - 1)[k - 1]
    above, ties = at.compress(lowest < kth), at.compress(lowest == kth)
    wanted = k - len(above)
    if len(ties) > 2 * wanted:
        documents = part.documents
        high = documents.spread(documents.document_ids[:, 0]).take(ordinals.take(ties))
        ties = ties.compress(high <= np.partition(high, wanted - 1)[wanted - 1])
    return np.concatenate([above, ties]), -float(kth)
