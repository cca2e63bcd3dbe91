"""The words that a caller sees, for typo correction, and the fuzzy leg."""

from collections.abc import Sequence
from functools import cached_property

from ragsql_engine import fuzzy
from ragsql_engine.fuzzy.distance import closest_words
from ragsql_engine.lexical.index import among, found, probe_of
from ragsql_engine.lexical.parts import SURFACE, PendingPart
from ragsql_engine.lexical.probing import Found
from ragsql_engine.lexical.question import read
from ragsql_engine.lexical.scope import Scope
from ragsql_engine.lexical.selection import Selection
from ragsql_engine.lexical.statements import Rows
from ragsql_engine.lexical.store import Int64s, Store, View

_NEAR = "select rag_internal.near_words($1, $2, $3, $4) as words"
_FORMS = """
select tsvector_to_array(rag_internal.surface_forms(t)) as forms
from unnest($1) with ordinality w (t, number)
order by number
"""
# a word that any of the configurations keeps is no stop word
_STOPS = """
select not exists (select from unnest($2) k
                   where rag_internal.parse_text(k, w.t) <> '') as is_stop
from unnest($1) with ordinality w (t, number)
order by number
"""
_CONDITIONS = """
select k as config, rag_internal.question_condition($2, $3, k)::text as condition
from unnest($1) k
"""

_NEAR_SIZE = 3000  # bytes of what is kept for a word, about


class VisibleWords:
    """fuzzy.Vocabulary of one view: frequencies are of passages that the caller sees."""

    def __init__(self, rows: Rows, store: Store, view: View) -> None:
        self._rows = rows
        self._store = store
        self._view = view

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """Visible passages that hold each of the words."""
        self._store.read_postings(self._view, SURFACE, words)
        counts = [0] * len(words)
        for part in self._view.all_parts:
            selection = Selection.of(part)
            for at, word in enumerate(words):
                posting = part.posting(SURFACE, word)
                if posting is not None:
                    counts[at] += selection.frequency(posting)
        return counts

    def near(self, word: str, max_distance: int) -> list[str]:
        """Words that may be near, whoever sees them, in the dictionary or on their way there."""
        variants = fuzzy.variants(word)
        # the same rule for both, or a build would change what is found
        fresh = [row["word"] for row in closest_words(word, self._pending, max_distance)]
        fresh = list(filter(fuzzy.may_be_meant, fresh))

        def read() -> list[str]:
            types = ["text", "text[]", "integer", "text[]"]
            row = self._rows(_NEAR, types, word, variants, max_distance, fresh)[0]
            words: list[str] = row["words"]
            return words

        # a word enters the dictionary with a segment
        key = "near", word, max_distance, tuple(fresh), self._view.built
        return self._store.keep(key, read, _NEAR_SIZE)

    @cached_property
    def _pending(self) -> set[str]:
        """Words that the dictionary has not got yet: they come with the segment."""
        pending = [part.words() for part in self._view.all_parts if isinstance(part, PendingPart)]
        return set().union(*pending)

    def are_stop_words(self, words: list[str]) -> list[bool]:
        """Whether every configuration of the view leaves a word out."""
        types = ["text[]", "text[]"]
        return [r["is_stop"] for r in self._rows(_STOPS, types, words, list(self._view.parts))]

    def forms(self, texts: Sequence[str]) -> list[list[str]]:
        """Surface forms of each of the texts."""
        return [row["forms"] for row in self._rows(_FORMS, ["text[]"], list(texts))]


class FuzzyLeg:
    """Finds passages by words that look like those of the query."""

    def __init__(self, rows: Rows, store: Store) -> None:
        self._rows = rows
        self._store = store

    def search(
        self,
        query: str,
        scope: Scope,
        k: int,
        max_distance: int,
    ) -> tuple[list[Found], str | None]:
        """The k best passages, and what was searched for where that is not the query."""
        view = self._store.view(scope.reader, scope.collections, SURFACE, scope.when)
        words = VisibleWords(self._rows, self._store, view)
        meanings, corrected = fuzzy.interpret(
            query, words.forms, words, words.are_stop_words, max_distance
        )
        named = {word for m in meanings for a in m.alternatives for word in a.words}
        self._store.read_postings(view, SURFACE, sorted(named))
        parts = view.all_parts

        def rank(depth: int, only: Int64s | None) -> list[Found]:
            allowed = None if only is None else [among(part, only) for part in parts]
            return found(parts, fuzzy.rank(parts, meanings, depth, allowed))

        conditions = self._conditions(query, view)
        probe = probe_of(self._rows, self._store, view, scope, conditions)
        return probe.first(rank, k), corrected.text if corrected.text != query else None

    def _conditions(self, query: str, view: View) -> dict[str, str]:
        """The tsquery that passages of each configuration have to match, if any."""
        question = read(query)
        excluded = [*question.excluded, *question.excluded_phrases]
        if not question.phrases and not excluded:
            return {}
        types = ["text[]", "text[]", "text[]"]
        rows = self._rows(_CONDITIONS, types, list(view.parts), list(question.phrases), excluded)
        return {r["config"]: r["condition"] for r in rows if r["condition"] is not None}

    def correct(
        self, query: str, scope: Scope, max_distance: int = fuzzy.MAX_DISTANCE
    ) -> fuzzy.Corrected:
        """The query with its typing errors corrected."""
        view = self._store.view(scope.reader, scope.collections, SURFACE, scope.when)
        words = VisibleWords(self._rows, self._store, view)
        return fuzzy.correct_query(query, words.forms, words, words.are_stop_words, max_distance)
