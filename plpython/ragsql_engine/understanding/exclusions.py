"""What a question does not want: not, without, except, excluding."""

from collections.abc import Sequence
from typing import NamedTuple

from ragsql_engine.understanding.tokens import QUOTES, Token, contents
from ragsql_engine.understanding.vocabulary import (
    AUXILIARIES,
    DETERMINERS,
    PREPOSITIONS,
)

MOST_EXCLUSIONS = 20
_LONGEST = 3  # words of a thing
_TRIGGERS = frozenset("not without except excluding".split())
_USING = frozenset("using including needing requiring having".split())
# How something is done: the answer says "without downtime", too.
_MANNERS = frozenset(
    """downtime loss losing error errors failure failures interruption interruptions disruption
    problem problems issue issues warning warnings delay delays restart reboot permission
    permissions password notice doubt success luck effort risk breaking""".split()
)
# What something fails to be: file not found, value not null.
_FAILINGS = frozenset(
    """found null none true false empty set in on at of to for from by with only just yet all always
    every any enough really very even sure work works exist exists available valid invalid equal
    like between ready responsive necessary required possible safe unique present secure correct
    visible reachable be the a an""".split()
)
_CODE_AFTER_EXCEPT = frozenset("clause clauses block blocks statement statements handler".split())


class Exclusions(NamedTuple):
    """What is not wanted, a word or a phrase each, and the question without the words for it."""

    excluded: list[str]
    phrases: list[str]
    rest: list[Token]


class _Unwanted(NamedTuple):
    start: int
    end: int
    things: list[str]


def read_exclusions(question: Sequence[Token]) -> Exclusions:
    """The exclusions of a question; where nothing else is asked for, there are none."""
    found: list[_Unwanted] = []
    at = 0
    while at < len(question):
        unwanted = _unwanted(question, at)
        if unwanted is not None and sum(len(u.things) for u in found) < MOST_EXCLUSIONS:
            found.append(unwanted)
        at = unwanted.end if unwanted is not None else at + 1
    rest: list[Token] = []
    end = 0
    for unwanted in found:
        rest.extend(question[end : unwanted.start])
        end = unwanted.end
    rest.extend(question[end:])
    wanted = {token.word for token in rest}
    things = list(dict.fromkeys(thing for unwanted in found for thing in unwanted.things))
    if not found or contents(rest) == 0 or any(thing.lower() in wanted for thing in things):
        return Exclusions([], [], list(question))
    said = [" ".join(t.text for t in question[u.start : u.end]) for u in found]
    return Exclusions(things[:MOST_EXCLUSIONS], said, rest)


def _unwanted(question: Sequence[Token], at: int) -> _Unwanted | None:
    """The negation that begins here, with what it is about."""
    word = question[at].word
    text = question[at].text
    is_written = text.islower() or text.isupper() or at == 0  # in other languages, Not is a noun
    if question[at].is_literal or word not in _TRIGGERS or not is_written:
        return None
    if not _excludes(question, at):
        return None
    start = at
    if at and word in ("not", "except") and question[at - 1].word in ("but", "and"):
        start -= 1
    things: list[str] = []
    end = at + 1
    while True:
        thing, behind = _thing(question, end)
        if thing is None:
            break
        things.append(thing)
        end = behind
        following = _next_thing(question, end, is_list=word in ("except", "excluding"))
        if following is None:
            break
        end = following
    return _Unwanted(start, end, things) if things else None


def _excludes(question: Sequence[Token], at: int) -> bool:
    """Whether the word takes things out here, and is no part of what is asked for."""
    word = question[at].word
    before = question[at - 1] if at else None
    after = question[at + 1] if at + 1 < len(question) else None
    if before is None or after is None:
        return word in ("excluding", "without", "except") and after is not None
    if word == "without":
        behind = question[at + 1 : at + 4]
        is_doing = after.word.endswith("ing") and after.word not in _USING and len(after.word) > 5
        return not is_doing and not any(token.word in _MANNERS for token in behind)
    if word == "except":  # code catches, and SQL subtracts
        is_code = question[at].text.isupper() or before.word == "try"
        return not is_code and after.word not in _CODE_AFTER_EXCEPT
    if word == "excluding":
        return True
    # "not" says what is, or takes out what stands against something: python, not java
    if before.ends_clause or before.word in ("but", "and"):
        return not _is_failing(after) or after.word in PREPOSITIONS | DETERMINERS
    is_against = before.is_content and before.word not in AUXILIARIES
    return is_against and not _is_failing(after)


def _is_failing(token: Token) -> bool:
    if token.is_literal:
        return False
    return token.word in _FAILINGS or token.word.endswith(("ed", "ing", "able", "ible"))


def _thing(question: Sequence[Token], at: int) -> tuple[str | None, int]:
    """Up to 3 words that name one thing, and the place behind them."""
    while (
        at < len(question)
        and not question[at].is_literal
        and (question[at].word in DETERMINERS | PREPOSITIONS | _USING)
    ):
        at += 1
    words: list[str] = []
    while at < len(question) and len(words) < _LONGEST:
        token = question[at]
        if not token.is_content or (token.is_literal and words):
            break
        words.append(_unquoted(token.text) if token.is_literal else token.text)
        at += 1
        if token.is_literal or token.ends_clause or token.after:
            break
    thing = " ".join(" ".join(words).split())
    return (thing if any(map(str.isalnum, thing)) and as_operator(thing) else None), at


def _next_thing(question: Sequence[Token], at: int, is_list: bool) -> int | None:
    """Where the next thing of a list begins: "a or b", "a, b and c"."""
    if at >= len(question) or any(sign in question[at - 1].after for sign in ";:!?."):
        return None
    word = question[at].word
    if word in ("or", "nor"):
        return at + 1
    has_comma = "," in question[at - 1].after
    if word != "and" and not has_comma:
        return None
    start = at + 1 if word == "and" else at
    if start < len(question) and question[start].word in _TRIGGERS:
        return None
    thing, behind = _thing(question, start)
    if thing is None or len(thing.split()) > 2:
        return None
    if behind == len(question):  # "without docker, ..." may go on with what is asked for
        return start if word == "and" or is_list else None
    goes_on = question[behind].word in ("and", "or") or "," in question[behind - 1].after
    return start if word != "and" and goes_on else None


def _unquoted(text: str) -> str:
    return text.strip(f"{QUOTES}`")


def as_operator(thing: str) -> str | None:
    """An exclusion in the syntax of queries; None for what cannot be written so."""
    if any(quote in thing for quote in QUOTES):
        return None
    is_word = " " not in thing and (thing[0].isalnum() or thing[0] == "_")
    return f"-{thing}" if is_word else f'-"{thing}"'
