"""BM25: every ranking against the formula, in whatever parts the data lie."""

import functools
import math
import operator
import random
from collections.abc import Sequence
from typing import Any

import bm25s  # type: ignore[import-untyped]  # bm25s has no types
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsql_engine.lexical import bm25
from ragsql_engine.lexical.bm25 import Term, explain, statistics, top_k, unranked
from ragsql_engine.lexical.codec import Posting
from ragsql_engine.lexical.maxscore import MaxScore
from unit.bm25_corpus import Passage, Scored, by_rank, expected, lay_out

NAMES = "abcde"

SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def small_corpora(draw: st.DrawFn) -> list[Passage]:
    """Up to 24 passages of few different contents, so that ties are common."""
    contents = draw(
        st.lists(
            st.tuples(
                st.dictionaries(st.sampled_from(NAMES), st.sampled_from([1, 2, 255]), max_size=4),
                st.integers(0, 3),
            ),
            min_size=1,
            max_size=5,
        )
    )
    corpus = []
    for document in draw(st.permutations(range(draw(st.integers(0, 8))))):
        for chunk_index in range(draw(st.integers(1, 3))):
            terms, others = draw(st.sampled_from(contents))
            seen, passes = draw(st.booleans()), draw(st.booleans())
            length = sum(terms.values()) + others
            corpus.append(Passage((document, chunk_index), terms, length, seen, passes))
    return corpus


def large_corpus(seed: int, size: int = 800) -> list[Passage]:
    """Passages with terms from rare to common, of which most can be given up early."""
    draw = random.Random(seed)
    rarest = draw.choice([0, 3, 4])
    shares = [draw.choice([0.005, 0.02, 0.1, 0.4, 0.95, 1.0][rarest:]) for _ in NAMES]
    hidden, barred = draw.choice([0, 0.5, 0.98]), draw.choice([0, 0, 0.5, 0.98])
    longest = draw.choice([1, 4, 300])
    corpus = []
    for at in range(size):
        terms = {
            name: min(255, 1 + int(draw.expovariate(0.8)))
            for name, share in zip(NAMES, shares, strict=True)
            if draw.random() < share
        }
        length = sum(terms.values()) + draw.randint(1, longest)
        visible, allowed = draw.random() >= hidden, draw.random() >= barred
        corpus.append(Passage((at // 3, at % 3), terms, length, visible, allowed))
    return corpus


def ranking(
    corpus: Sequence[Passage], names: Sequence[str], k: int, parts: int, seed: int
) -> Scored:
    """The best k, found in both ways."""
    layout = lay_out(corpus, parts, random.Random(seed))
    found = []
    for few in (-1, len(names) * len(corpus)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bm25, "_FEW_POSTINGS", few)
            found.append(top_k(layout.parts, layout.terms(names), k, layout.allowed))
    chosen, added_up = map(layout.keys, found)
    assert chosen == added_up
    return chosen


@given(small_corpora(), st.sets(st.sampled_from(NAMES + "x")), st.integers(1, 30), SEEDS)
@settings(max_examples=300)
def test_equals_the_formula_in_every_layout(
    corpus: list[Passage], names: set[str], k: int, seed: int
) -> None:
    order = random.Random(seed).sample(sorted(names), len(names))
    best = expected(corpus, order, k)
    for parts in 1, 2, 7:
        assert ranking(corpus, order, k, parts, seed + parts) == best


@given(SEEDS, st.sampled_from([1, 2, 10, 37, 200, 799, 5000]), st.integers(1, 9))
@settings(max_examples=150)
def test_gives_no_passage_up_too_early(seed: int, k: int, parts: int) -> None:
    corpus = large_corpus(seed)
    assert ranking(corpus, NAMES, k, parts, seed) == expected(corpus, NAMES, k)


def test_the_large_corpora_take_every_short_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this, the property above could hold because nothing is ever given up."""
    seen = {"sampled": 0, "dropped": 0}
    sample, reaching = MaxScore._sample, MaxScore._reaching

    def sampled(search: Any, *arguments: Any) -> None:
        seen["sampled"] += 1
        sample(search, *arguments)

    def dropped(search: Any, index: int, candidates: Any) -> Any:
        kept = reaching(search, index, candidates)
        seen["dropped"] += 0 < len(kept.scores) < len(candidates.scores)
        return kept

    monkeypatch.setattr(MaxScore, "_sample", sampled)
    monkeypatch.setattr(MaxScore, "_reaching", dropped)
    for seed in range(30):
        for k in 1, 10:
            ranking(large_corpus(seed), NAMES, k, 2, seed)
    assert min(seen.values()) > 10, seen


@given(SEEDS, st.integers(1, 9))
@settings(max_examples=30)
def test_a_shorter_ranking_is_the_beginning_of_a_longer_one(seed: int, parts: int) -> None:
    corpus = large_corpus(seed, 200)
    longest = ranking(corpus, NAMES, 1000, parts, seed)
    for k in 1, 3, 20, 100:
        assert ranking(corpus, NAMES, k, parts, seed + k) == longest[:k]


@given(SEEDS)
@settings(max_examples=30)
def test_hidden_passages_change_nothing(seed: int) -> None:
    corpus = large_corpus(seed, 300)
    shown = [passage for passage in corpus if passage.visible]
    assert ranking(corpus, NAMES, 20, 4, seed) == ranking(shown, NAMES, 20, 3, seed)


@pytest.mark.parametrize("k", [1, 7, 500, 2999, 4000])
def test_ties_are_broken_by_passage_and_not_by_part(k: int) -> None:
    corpus = [Passage((at // 2, at % 2), {"a": 1}, 5) for at in range(3000)]
    score = expected(corpus, "a", 1)[0][0]
    first = sorted(((score, passage.key) for passage in corpus), key=by_rank)[:k]
    assert ranking(corpus, "a", k, 5, k) == first


def test_a_term_of_next_to_no_weight_decides_the_order() -> None:
    """A term in all passages adds little to any, yet no partial score may be cut before it."""
    corpus = [Passage((at, 0), {"a": 1, "b": 1 + at % 2}, 50) for at in range(400)]
    corpus += [Passage((400 + at, 0), {"b": 3}, 9) for at in range(1000)]
    for k in 1, 5, 199, 201, 405:
        assert ranking(corpus, "ab", k, 3, k) == expected(corpus, "ab", k)


def test_agrees_with_bm25s() -> None:
    draw = random.Random(5)
    words = [f"w{number}" for number in range(60)]
    weights = [1 / (1 + number) for number in range(60)]
    texts = [draw.choices(words, weights, k=draw.randint(3, 80)) for _ in range(400)]
    reference = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    reference.index(texts, show_progress=False)
    corpus = [
        Passage((at, 0), {word: text.count(word) for word in text}, len(text))
        for at, text in enumerate(texts)
    ]
    for _ in range(30):
        query = draw.sample(words, draw.randint(1, 6))
        scores = reference.get_scores(query) * 2.2  # it leaves out (k1 + 1)
        found = ranking(corpus, query, 400, 4, 1)
        assert len(found) == np.count_nonzero(scores)
        for score, (document, _) in found:
            assert score == pytest.approx(scores[document], rel=1e-4)


@given(small_corpora(), SEEDS)
def test_statistics_count_what_is_visible(corpus: list[Passage], seed: int) -> None:
    layout = lay_out(corpus, 3, random.Random(seed))
    counted = statistics(layout.parts, layout.terms(NAMES))
    seen = [passage for passage in corpus if passage.visible]
    assert counted.n == len(seen)
    assert counted.df == tuple(sum(name in p.terms for p in seen) for name in NAMES)
    length = sum(passage.length for passage in seen)
    assert counted.average_length == (length / len(seen) if length else 1.0)
    for df, idf in zip(counted.df, counted.idf, strict=True):
        assert idf == math.log((len(seen) - df + 0.5) / (df + 0.5) + 1)


@given(SEEDS)
@settings(max_examples=20)
def test_an_explanation_adds_up_to_the_score(seed: int) -> None:
    corpus = large_corpus(seed, 60)
    layout = lay_out(corpus, 3, random.Random(seed))
    terms = layout.terms(NAMES + "x")
    counted = statistics(layout.parts, terms)
    ranked = top_k(layout.parts, terms, 100, layout.allowed, counted)
    passages = {passage.key: passage for passage in corpus}
    for part, ordinal, score in zip(*ranked, strict=True):
        explained = explain(layout.parts, terms, counted, int(part), int(ordinal))
        passage = passages[layout.places[part][ordinal]]
        # one after the other, as they are added: the built-in sum is more exact since Python 3.12
        added = functools.reduce(operator.add, (term.contribution for term in explained), 0.0)
        assert added == score
        assert {t.name: t.tf for t in explained if t.tf} == passage.terms
        assert len(explained) == len(terms)
        for term in explained:
            assert (term.df, term.idf) == next(
                (df, idf)
                for t, df, idf in zip(terms, counted.df, counted.idf, strict=True)
                if t.name == term.name
            )
            norm = 1.2 * (1 - 0.75 + 0.75 * passage.length / counted.average_length)
            factor = term.tf * 2.2 / (term.tf + norm)
            assert term.length_factor == pytest.approx(factor, rel=1e-12)
            assert term.contribution == pytest.approx(term.idf * factor, rel=1e-12)


@given(small_corpora(), st.integers(1, 30), SEEDS)
def test_unranked_passages_come_in_their_own_order(
    corpus: list[Passage], k: int, seed: int
) -> None:
    keys = [(0.0, passage.key) for passage in corpus if passage.visible and passage.allowed]
    first = sorted(keys, key=by_rank)[:k]
    for parts in 1, 4:
        layout = lay_out(corpus, parts, random.Random(seed + parts))
        assert layout.keys(unranked(layout.parts, k, layout.allowed)) == first


def test_unranked_passages_of_many_documents() -> None:
    draw = random.Random(1)
    corpus = [Passage((at, 0), {}, 1, draw.random() < 0.5) for at in range(300)]
    ordered = sorted(((0.0, p.key) for p in corpus if p.visible), key=by_rank)
    for k in 1, 2, 7, 50, len(ordered) - 1, len(ordered), len(ordered) + 1, 400:
        for parts in 1, 5:
            layout = lay_out(corpus, parts, draw)
            assert layout.keys(unranked(layout.parts, k, layout.allowed)) == ordered[:k]


def test_nothing_to_search() -> None:
    layout = lay_out([Passage((0, 0), {"a": 1}, 1, visible=False)], 1, random.Random(0))
    assert not len(top_k([], [], 5).scores)
    assert not len(top_k(layout.parts, layout.terms("a"), 5).scores)
    assert not len(top_k(layout.parts, [], 5).scores)
    assert not len(unranked(layout.parts, 5).scores)
    assert not len(unranked([], 5).scores)


def test_a_posting_without_frequencies_counts_once() -> None:
    corpus = [Passage((at, 0), {"a": 1}, 1 + at) for at in range(20)]
    layout = lay_out(corpus, 2, random.Random(0))
    bare = [
        Term(name, [posting and Posting(posting.ordinals, None) for posting in postings])
        for name, postings in layout.terms("a")
    ]
    assert layout.keys(top_k(layout.parts, bare, 9)) == expected(corpus, "a", 9)
    counted = statistics(layout.parts, bare)
    at = next(number for number, posting in enumerate(bare[0].postings) if posting)
    assert explain(layout.parts, bare, counted, at, 0)[0].tf == 1
