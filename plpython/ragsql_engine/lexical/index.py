"""The lexical legs of a search: BM25 over lexemes, with phrases, exclusions and prefixes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.errors import NotFound
from ragsql_engine.lexical import bm25
from ragsql_engine.lexical.codec import Posting
from ragsql_engine.lexical.freshness import Versions
from ragsql_engine.lexical.parts import LEXEME, SURFACE, Part
from ragsql_engine.lexical.probing import Found, Probe
from ragsql_engine.lexical.question import Question, read
from ragsql_engine.lexical.ranking import Ranking, unranked
from ragsql_engine.lexical.scope import Scope
from ragsql_engine.lexical.statements import Rows
from ragsql_engine.lexical.store import Store, View

Bools = NDArray[np.bool_]
Int64s = NDArray[np.int64]

_SYNTAX = """
select rag_internal.question_lexemes($1, $2) as lexemes,
       array(select l from unnest($3) p, unnest(rag_internal.phrase_lexemes(p, $2)) l) as required,
       array(select (rag_internal.phrase_lexemes(e, $2))[1] from unnest($4) e
             where numnode(rag_internal.phrase_query(e, $2)) = 1) as excluded,
       array(select distinct rag_internal.prefix_form(w) from unnest($5) w) as prefixes,
       rag_internal.question_condition($3, $4, $2)::text as condition
"""


class Asked(NamedTuple):
    """A question under one text configuration.

    lexemes: what is scored. required: lexemes that every passage has (those of phrases). excluded:
    lexemes that none has. prefixes: folded. condition: the tsquery that decides the rest, if any.
    """

    lexemes: Sequence[str]
    required: Sequence[str] = ()
    excluded: Sequence[str] = ()
    prefixes: Sequence[str] = ()
    condition: str | None = None


class LexicalIndex:
    """Answers questions from the lexical index. k: 1 or more; rankings are exact."""

    def __init__(self, rows: Rows, store: Store) -> None:
        self._rows = rows
        self._store = store

    def search(self, query: str, scope: Scope, k: int) -> list[Found]:
        """The k best passages by BM25 in the scope."""
        question = read(query)
        view = self._store.view(
            scope.reader, scope.collections, _kinds(LEXEME, question), scope.when
        )
        asked = {config: self._asked(question, config) for config in view.parts}
        only_exclusions = not (question.text or question.prefixes) and bool(
            question.excluded or question.excluded_phrases
        )
        rankers = [
            self._ranker(view, view.parts[config], asked[config], only_exclusions)
            for config in view.parts
        ]
        probe = probe_of(
            self._rows,
            self._store,
            view,
            scope,
            {name: a.condition for name, a in asked.items() if a.condition is not None},
        )
        return probe.first(lambda depth, only: _merged((r(depth, only) for r in rankers), depth), k)

    def explain(
        self,
        query: str,
        scope: Scope,
        document_id: str,
        chunk_index: int,
    ) -> list[dict[str, Any]]:
        """Rows of rag.bm25_term: what each term adds to the score of a passage."""
        question = read(query)
        view = self._store.view(
            scope.reader, scope.collections, _kinds(LEXEME, question), scope.when
        )
        config, part, ordinal = _place(view, document_id, chunk_index)
        parts = view.parts[config]
        terms = self._terms(view, parts, self._asked(question, config))
        counted = bm25.statistics(parts, terms)
        return [
            {
                "term": term.name,
                "tf": term.tf,
                "df": term.df,
                "n": counted.n,
                "idf": term.idf,
                "length": int(parts[part].lengths[ordinal]),
                "average_length": counted.average_length,
                "length_factor": term.length_factor,
                "contribution": term.contribution,
            }
            for term in bm25.explain(parts, terms, counted, part, ordinal)
        ]

    def _asked(self, question: Question, config: str) -> Asked:
        if question.is_plain:
            return Asked(self._store.lexemes(question.text, config))
        types = ["text", "text", "text[]", "text[]", "text[]"]
        excluded = [*question.excluded, *question.excluded_phrases]
        row = self._rows(
            _SYNTAX, types, question.text, config, list(question.phrases), excluded,
            list(question.prefixes),
        )[0]  # fmt: skip
        return Asked(**row)

    def _ranker(
        self, view: View, parts: Sequence[Part], asked: Asked, only_exclusions: bool
    ) -> Callable[[int, Int64s | None], list[Found]]:
        """Ranks the passages of one configuration."""
        terms = self._terms(view, parts, asked)
        counted = bm25.statistics(parts, terms)
        self._store.read_postings(view, LEXEME, [*asked.required, *asked.excluded])
        fixed = [_allowed(part, asked) for part in parts]

        def rank(depth: int, only: Int64s | None) -> list[Found]:
            allowed = fixed
            if only is not None:
                allowed = [_and(a, among(p, only)) for a, p in zip(fixed, parts, strict=True)]
            if terms:
                return found(parts, bm25.top_k(parts, terms, depth, allowed, counted))
            # of stop words alone nothing is left, and nothing is what they find
            if only_exclusions and asked.condition is not None:
                return found(parts, unranked(parts, depth, allowed))
            return []

        return rank

    def _terms(self, view: View, parts: Sequence[Part], asked: Asked) -> list[bm25.Term]:
        self._store.read_postings(view, LEXEME, asked.lexemes)
        terms = [
            bm25.Term(lexeme, [part.posting(LEXEME, lexeme) for part in parts])
            for lexeme in asked.lexemes
        ]
        for prefix in asked.prefixes:
            self._store.read_prefix(view, SURFACE, prefix)
            postings = [part.starting_with(SURFACE, prefix) for part in parts]
            terms.append(bm25.Term(f"{prefix}*", postings))
        return terms


def probe_of(
    rows: Rows, store: Store, view: View, scope: Scope, conditions: Mapping[str, str]
) -> Probe:
    """Asks what the scope says of documents, and `conditions` of passages."""
    has_versions = view.has_versions and not scope.when.archived
    acls = store.acls(scope.reader) if scope.filters or has_versions else None
    versions = Versions(rows, acls, scope.when) if has_versions else None
    return Probe(rows, scope.filters, conditions, acls, scope.collections, versions)


def found(parts: Sequence[Part], ranking: Ranking) -> list[Found]:
    """The passages of a ranking, in its order."""
    passages: list[Found | None] = [None] * len(ranking.scores)
    for number in np.unique(ranking.parts):
        at = np.flatnonzero(ranking.parts == number)
        keys = parts[number].documents.keys(ranking.ordinals[at])
        rows = zip(at, ranking.scores[at], *keys, strict=True)
        for place, score, high, low, index in rows:
            passages[place] = Found(float(score), (int(high), int(low)), int(index))
    return [passage for passage in passages if passage is not None]


def _merged(rankings: Iterable[list[Found]], depth: int) -> list[Found]:
    """One ranking of those of several configurations."""
    merged = [passage for ranking in rankings for passage in ranking]
    return sorted(merged, key=lambda f: (-f.score, f.document, f.chunk_index))[:depth]


def _kinds(kind: str, question: Question) -> str:
    """Kinds of terms that pending documents are asked for."""
    return kind + SURFACE if question.prefixes and kind != SURFACE else kind


def _place(view: View, document_id: str, chunk_index: int) -> tuple[str, int, int]:
    """Where a passage lies: configuration, number of the part, ordinal."""
    digits = document_id.replace("-", "")
    key = np.array([int(digits[:16], 16), int(digits[16:], 16)], np.uint64)
    for config, parts in view.parts.items():
        for number, part in enumerate(parts):
            documents = part.documents
            for at in np.flatnonzero((documents.document_ids == key).all(axis=1)):
                step = chunk_index - int(documents.first_indexes[at])
                ordinal = int(documents.first_passages[at]) + step
                mask = part.visible.mask
                if 0 <= step < documents.counts[at] and (mask is None or mask[ordinal]):
                    return config, number, ordinal
    raise NotFound(
        f"passage {chunk_index} of document {document_id} does not exist or is not visible to you",
        hint="Give document_id and chunk_index of a hit of rag.bm25_search.",
    )


def _allowed(part: Part, asked: Asked) -> Bools | None:
    """bool[n]: passages that have the required lexemes and none of the excluded ones."""
    mask: Bools | None = None
    for lexeme in asked.required:
        mask = _and(mask, _mask(part, part.posting(LEXEME, lexeme)))
    for lexeme in asked.excluded:
        mask = _and(mask, ~_mask(part, part.posting(LEXEME, lexeme)))
    return mask


def _mask(part: Part, posting: Posting | None) -> Bools:
    mask = np.zeros(len(part.lengths), np.bool_)
    if posting is not None:
        mask[posting.ordinals] = True
    return mask


def among(part: Part, entries: Int64s) -> Bools:
    """bool[n]: passages of the entries, which are sorted and distinct."""
    mask: Bools = part.documents.spread(part.documents.among(entries))
    return mask


def _and(one: Bools | None, other: Bools) -> Bools:
    return other if one is None else one & other
