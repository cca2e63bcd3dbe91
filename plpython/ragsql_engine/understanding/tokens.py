"""The words of a question, with where they stand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragsql_engine.understanding.vocabulary import NO_CONTENT

QUOTES = '"“”„‟＂〝〞〟«»‹›'

# What is quoted is one word, as the query syntax has it: lexical/question.py. Code is, too.
_QUOTED = (
    r"(?<!\d)[\"“”„‟＂〝〞〟][^\"“”„‟＂〝〞〟]*[\"“”„‟＂〝〞〟]|«[^«»]*»|»[^«»]*«|‹[^‹›]*›|›[^‹›]*‹"
)
_TOKEN = re.compile(rf"(?:{_QUOTED}|`[^`]*`|\S)+")
_HAS_QUOTED = re.compile(rf"{_QUOTED}|`[^`]+`")
_OPENING = "([{¿¡"
_CLOSING = ")]}.,;:!?…"
_EXCLUSION = re.compile(r"-(?:\w|[\"“”„«‹])")


@dataclass(frozen=True)
class Token:
    """A word between white space.

    start, end: where it stands in the question, with its signs. text: without the brackets and
    the punctuation around it; word: the same in lower case. after: the punctuation behind it.
    depth: in how many brackets its end stands. is_literal: quoted. is_operator: an exclusion.
    """

    start: int
    end: int
    text: str
    word: str
    after: str
    depth: int
    is_literal: bool
    is_operator: bool

    @property
    def is_content(self) -> bool:
        """Whether it says what a question is about, other than "how", "the" or "of"."""
        if self.is_operator or not any(map(str.isalnum, self.text)):
            return False
        is_name = len(self.text) == 1 and self.text.isupper() and self.text != "I"  # vitamin A
        return self.is_literal or self.word not in NO_CONTENT or (is_name and self.start > 0)

    @property
    def ends_clause(self) -> bool:
        """Whether punctuation sets it off from what follows."""
        return any(sign in self.after for sign in ",;:!?.…")


def tokens(question: str) -> list[Token]:
    """The words of a question in order of writing."""
    found: list[Token] = []
    depth = 0
    for match in _TOKEN.finditer(question):
        written = match[0]
        is_literal = _HAS_QUOTED.search(written) is not None
        if not is_literal:
            depth += sum((c in "([{") - (c in ")]}") for c in written)
        text = written.lstrip(_OPENING)
        core = text.rstrip(_CLOSING)
        after = text[len(core) :]
        if after.startswith(")") and core.count("(") > core.count(")"):
            core, after = core + ")", after[1:]  # name()
        found.append(
            Token(
                match.start(),
                match.end(),
                core,
                core.lower().replace("’", "'"),
                after,
                depth,
                is_literal,
                _EXCLUSION.match(written) is not None,
            )
        )
    return found


def has_open_quote(text: str) -> bool:
    """Whether a quote stands in it that others, put behind it, could close."""
    return any(quote in _HAS_QUOTED.sub("", text) for quote in QUOTES)


def are_balanced(sequence: Sequence[Token]) -> bool:
    """Whether brackets open and close in turn, so that they can tell what belongs together."""
    return not sequence or (sequence[-1].depth == 0 and min(t.depth for t in sequence) >= 0)


def contents(sequence: Sequence[Token]) -> int:
    """How many of the words say what a question is about."""
    return sum(token.is_content for token in sequence)
