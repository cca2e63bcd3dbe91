"""From passages to probabilities, each passage by the best of its parts."""

import math
from collections.abc import Callable, Sequence

from ragsql_engine.embedding.batching import batches
from ragsql_engine.errors import ProviderUnavailable, RagError, TextRefused
from ragsql_engine.rerank.pairs import Pairs
from ragsql_engine.rerank.reranker import LOGIT, Reranker, Scorer
from ragsql_engine.tokens import TokenWindow

_SLIPS = 1e-3  # what rounding may put beside 0 and 1


def relevances(
    query: str | None,
    passages: Sequence[str | None],
    reranker: Reranker,
    window: TokenWindow,
    scorer: Callable[[], Scorer],
    *,
    pause: Callable[[], None],
) -> list[float]:
    """The probability that each passage is relevant to the query, in order of the passages.

    A passage beyond the window is as relevant as the best of its parts (MaxP: Dai and Callan,
    "Deeper Text Understanding for IR with Contextual Neural Language Modeling", SIGIR 2019); a
    blank or missing one is not relevant. Equal passages are scored once. `pause` is called before
    each batch, so that the caller can cancel. Fails with ProviderUnavailable.
    """
    pairs = Pairs(query, window)
    parts: dict[str, list[str]] = {}
    lengths: dict[str, int] = {}
    for number, passage in enumerate(passages, 1):
        if passage is None or passage in parts:
            continue
        pause()
        found = list(pairs.parts(passage, number))
        parts[passage] = [part.text for part in found]
        lengths.update((part.text, part.tokens) for part in found)
    scores = _scored(pairs.query, lengths, reranker, scorer, pause) if lengths else {}
    best = {
        passage: max((scores[text] for text in texts), default=0.0)
        for passage, texts in parts.items()
    }
    return [0.0 if passage is None else best[passage] for passage in passages]


def _scored(
    query: str,
    lengths: dict[str, int],
    reranker: Reranker,
    scorer: Callable[[], Scorer],
    pause: Callable[[], None],
) -> dict[str, float]:
    running = scorer()
    scores: dict[str, float] = {}
    for batch in batches(lengths, running.batch_tokens, running.batch_texts):
        pause()
        raw = _batch(query, batch, running, pause)
        scores.update(
            (text, probability(score, running.scores, reranker))
            for text, score in zip(batch, raw, strict=True)
        )
    return scores


def _batch(
    query: str, batch: Sequence[str], scorer: Scorer, pause: Callable[[], None]
) -> list[float]:
    """The batch at once, or one by one where it fails and that may be for a single passage."""
    try:
        return scorer.score(query, batch)
    except (ProviderUnavailable, TextRefused) as error:
        if len(batch) == 1 or (isinstance(error, ProviderUnavailable) and error.certain):
            raise _unavailable(error) from None
    scores: list[float] = []
    for text in batch:
        pause()
        try:
            scores.extend(scorer.score(query, [text]))
        except TextRefused as error:
            raise _unavailable(error) from None
    return scores


def probability(score: float, scores: str, reranker: Reranker) -> float:
    """A raw score as a probability; ProviderUnavailable for what can be none."""
    if not math.isfinite(score):
        raise ProviderUnavailable(
            f"reranker {reranker.name} gave a score that is no number",
            hint="Where it does so for every passage, its files are damaged.",
        )
    if scores == LOGIT:
        return sigmoid(score)
    if not -_SLIPS <= score <= 1 + _SLIPS:
        raise ProviderUnavailable(
            f"reranker {reranker.name} gave a score beyond 0 and 1, which is no probability",
            hint=f"""Where it gives logits: select rag.add_reranker('{reranker.name}', """
            """options => '{"scores": "logit"}').""",
        )
    return min(max(score, 0.0), 1.0)


def sigmoid(logit: float) -> float:
    """The logistic function, without overflow."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    return math.exp(logit) / (1 + math.exp(logit))


def _unavailable(error: RagError) -> RagError:
    """A reranker that refuses a passage fails: what it was asked is not what the caller wrote."""
    if isinstance(error, ProviderUnavailable):
        return error
    return ProviderUnavailable(
        error.message,
        detail=error.detail,
        hint=error.hint
        or "Where passages are too long for it, give the reranker its max_tokens with "
        "rag.add_reranker: they are then read in parts.",
    )
