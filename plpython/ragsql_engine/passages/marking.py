"""What of a text matches a question: by lexemes of the analyzer, not by the spelling of words."""

import html
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ragsql_engine.lexical.question import Question, parse
from ragsql_engine.lexical.statements import Rows
from ragsql_engine.passages.words import Word, Words, parts, unspaced_characters

MOST_CHARACTERS = 50_000
MOST_MATCHES = 1_000
_MOST_WORDS = 4_000  # a tsvector counts to 16,383
_MOST_COMPOUNDS = 1_000
_MOST_PARTS = 300
_MOST_STEPS = 500_000
_QUESTIONS_KEPT = 8

_ASKED = """
select rag_internal.question_lexemes($1, $2) as lexemes,
       array(select l.lexeme
             from unnest($3) p,
                  unnest((rag_internal.compound_forms(rag_internal.fold_text(p)))[2]::tsvector) l
             where l.lexeme = rag_internal.fold_text(p)) as wholes,
       array(select distinct rag_internal.prefix_form(w) from unnest($4) w) as prefixes
"""
_PHRASES = """
select p.number, l.lexeme, l.positions
from unnest($1) with ordinality p (phrase, number),
     unnest(rag_internal.parse_text($2, rag_internal.fold_text(p.phrase))) l
"""
_FOLD = "select rag_internal.fold_text($1) as folded"
# the last row: how many places there are
_PLACES = """
with found as materialized (select l.* from unnest(rag_internal.parse_text($1, $2)) l)
select f.lexeme, f.positions from found f where f.lexeme = any ($3)
union all
select null, array[max(p)] from found f, unnest(f.positions) p
"""
_EACH = """
select array(select l from unnest(tsvector_to_array(
                 rag_internal.analyze_folded($1, rag_internal.fold_text(w.word), false))) l
             where l = any ($3)) as lexemes,
       $4 <> '{}'
       and exists (select from unnest(tsvector_to_array(rag_internal.surface_forms(w.word))) f,
                               unnest($4) p
                   where starts_with(f, p)) as begins
from unnest($2) with ordinality w (word, number)
order by w.number
"""
# a word that no configuration leaves out
_LAST = "ragsqlend"


@dataclass(frozen=True)
class Asked:
    """A question under one configuration.

    lexemes: any of them is a match. prefixes: of words as they are written. phrases: for each, the
    lexemes that may stand at each place from 0 on.
    """

    lexemes: frozenset[str]
    prefixes: tuple[str, ...] = ()
    phrases: tuple[Mapping[int, set[str]], ...] = ()
    wanted: list[str] = field(default_factory=list)

    @property
    def is_nothing(self) -> bool:
        """Whether no text can match."""
        return not self.wanted and not self.prefixes


@dataclass(frozen=True)
class Marked:
    """The lexemes of each distinct word that are asked for, and words that begin as asked."""

    lexemes: Mapping[str, Collection[str]]
    beginning: Collection[str]


class Marker:
    """Finds matches in texts. `rows` runs statements on the server."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._asked: OrderedDict[tuple[str, str], Asked] = OrderedDict()

    def matches(self, text: str, query: str, config: str) -> list[tuple[int, int]]:
        """Disjoint spans of `text` in order, at most MOST_MATCHES in the first MOST_CHARACTERS."""
        asked = self._read(query, config)
        if asked.is_nothing:
            return []
        words = Words(text[:MOST_CHARACTERS])
        in_order = list(words.in_order())
        compounds = list(words.compounds())
        marked = self._look_up(in_order, compounds, asked, config)
        spans = [
            (w.start, w.end)
            for w in in_order
            if w.text in marked.beginning or not asked.lexemes.isdisjoint(_of(marked, w))
        ]
        spans += self._characters(words, asked, config)
        spans += self._wholes(compounds, marked, asked, config)
        spans += _occurrences(asked.phrases, in_order, marked)
        return _disjoint(spans)[:MOST_MATCHES]

    def _read(self, query: str, config: str) -> Asked:
        """The question analysed; the last ones are kept, since a page asks the same of each hit."""
        key = query, config
        if key in self._asked:
            self._asked.move_to_end(key)
            return self._asked[key]
        asked = self._asked[key] = self._analysed(parse(query), config)
        if len(self._asked) > _QUESTIONS_KEPT:
            self._asked.popitem(last=False)
        return asked

    def _analysed(self, question: Question, config: str) -> Asked:
        phrases = list(question.phrases)
        row = self._rows(
            _ASKED, ["text", "text", "text[]", "text[]"],
            question.plain, config, phrases, list(question.prefixes),
        )[0]  # fmt: skip
        lexemes = frozenset(row["lexemes"] or ()) | frozenset(row["wholes"])
        places: dict[int, dict[int, set[str]]] = {}
        for found in self._rows(_PHRASES, ["text[]", "text"], phrases, config) if phrases else ():
            if phrases[found["number"] - 1].casefold() in row["wholes"]:
                continue
            for place in found["positions"] or ():
                at = places.setdefault(found["number"], {})
                at.setdefault(place, set()).add(found["lexeme"])
        moved = tuple({p - min(at): at[p] for p in sorted(at)} for at in places.values())
        named = {lexeme for at in moved for found in at.values() for lexeme in found}
        return Asked(lexemes, tuple(filter(None, row["prefixes"])), moved, sorted(lexemes | named))

    def _look_up(
        self, words: Iterable[Word], compounds: Iterable[Word], asked: Asked, config: str
    ) -> Marked:
        """Looks words up: letters or digits alone all at once, whatever else one by one."""
        known = unspaced_characters("".join(asked.wanted))
        distinct = dict.fromkeys(
            w.text for w in words if not w.is_pair or unspaced_characters(w.text) <= known
        )
        simple = {w: w.lower() for w in distinct if w.isascii() and (w.isalpha() or w.isdigit())}
        simple |= self._folded([w for w in distinct if w not in simple and w.isalpha()])
        simple = dict(islice(simple.items(), _MOST_WORDS))
        lexemes = self._at_once(simple, asked, config)
        beginning = {w for w, form in simple.items() if form.startswith(asked.prefixes)}
        others = [w for w in distinct if w not in lexemes][:_MOST_WORDS]
        others += list(dict.fromkeys(c.text for c in compounds))[:_MOST_COMPOUNDS]
        each = self._one_by_one(others, asked, config)
        return Marked({**lexemes, **each.lexemes}, beginning | set(each.beginning))

    def _folded(self, words: Sequence[str]) -> dict[str, str]:
        """Each word folded, where folding leaves one word of each."""
        words = [w for w in words if not unspaced_characters(w)]
        if not words:
            return {}
        forms = self._rows(_FOLD, ["text"], " ".join(words))[0]["folded"].split(" ")
        if len(forms) != len(words):
            return {}
        return {w: f for w, f in zip(words, forms, strict=True) if f.isalpha()}

    def _at_once(
        self, forms: Mapping[str, str], asked: Asked, config: str
    ) -> dict[str, Collection[str]]:
        """Lexemes by the places of words in one text of all of them; {} if that does not work."""
        words = list(forms)
        lexemes: dict[str, Collection[str]] = dict.fromkeys(words, ())
        if not words or not asked.wanted:
            return lexemes
        text = " ".join([*forms.values(), _LAST])
        rows = self._rows(_PLACES, ["text", "text", "text[]"], config, text, asked.wanted)
        for row in rows:
            if row["lexeme"] is None and row["positions"] != [len(words) + 1]:
                return {}  # a dictionary that knows not all words
            for place in row["positions"] if row["lexeme"] is not None else ():
                word = words[place - 1] if place <= len(words) else _LAST
                lexemes[word] = {*lexemes.get(word, ()), row["lexeme"]}
        return lexemes

    def _one_by_one(self, words: Sequence[str], asked: Asked, config: str) -> Marked:
        if not words:
            return Marked({}, ())
        types = ["text", "text[]", "text[]", "text[]"]
        rows = self._rows(_EACH, types, config, list(words), asked.wanted, list(asked.prefixes))
        found = list(zip(words, rows, strict=True))
        return Marked({w: r["lexemes"] for w, r in found}, {w for w, r in found if r["begins"]})

    def _characters(self, words: Words, asked: Asked, config: str) -> list[tuple[int, int]]:
        """Single characters of unspaced scripts, where the question asks for such."""
        alone = {one for one in asked.lexemes if len(one) == 1 and unspaced_characters(one)}
        if not alone:
            return []
        found = [w for w in words.characters() if unspaced_characters(w.text) <= alone]
        distinct = list(dict.fromkeys(w.text for w in found))[:_MOST_WORDS]
        marked = self._one_by_one(distinct, asked, config)
        return [(w.start, w.end) for w in found if not alone.isdisjoint(_of(marked, w))]

    def _wholes(
        self, compounds: Sequence[Word], marked: Marked, asked: Asked, config: str
    ) -> Iterator[tuple[int, int]]:
        """Identifiers that match as wholes: the shortest part of them that does."""
        whole: dict[str, set[str]] = {}
        for text in dict.fromkeys(c.text for c in compounds):
            whole[text] = _evidence(marked, text, asked)
            for word in Words(text).in_order() if whole[text] else ():
                whole[text] -= _evidence(marked, word.text, asked)
        named = [c for c in compounds if whole.get(c.text)]
        some = dict.fromkeys(part.text for c in named for part in parts(c))
        of_parts = self._one_by_one(list(islice(some, _MOST_PARTS)), asked, config)
        for compound in named:
            missing = set(whole[compound.text])
            for part in parts(compound):
                if not missing.isdisjoint(evidence := _evidence(of_parts, part.text, asked)):
                    missing -= evidence
                    yield part.start, part.end


def as_html(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text as HTML, with each span between <mark> and </mark>."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        marked = html.escape(text[start:end], quote=False)
        pieces += html.escape(text[done:start], quote=False), "<mark>", marked, "</mark>"
        done = end
    return "".join([*pieces, html.escape(text[done:], quote=False)])


def _of(marked: Marked, word: Word) -> Collection[str]:
    return marked.lexemes.get(word.text, ())


def _evidence(marked: Marked, text: str, asked: Asked) -> set[str]:
    """What a word has of the question; "" stands for a prefix."""
    evidence = asked.lexemes.intersection(marked.lexemes.get(text, ()))
    return {*evidence, ""} if text in marked.beginning else set(evidence)


def _occurrences(
    phrases: Iterable[Mapping[int, set[str]]], words: Sequence[Word], marked: Marked
) -> Iterator[tuple[int, int]]:
    """Where words stand as the places of a phrase say; after _MOST_STEPS, no more are sought."""
    lexemes = [_of(marked, word) for word in words]
    steps = 0
    for phrase in phrases:
        last = max(phrase)
        for at in range(len(words) - last):
            for place, any_of in phrase.items():
                steps += 1
                if any_of.isdisjoint(lexemes[at + place]):
                    break
            else:
                yield words[at].start, words[at + last].end
            if steps > _MOST_STEPS:
                return


def _disjoint(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order; those that overlap or touch are one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined
