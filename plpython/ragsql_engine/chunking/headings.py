"""Headings of plain text, as AsciiDoc, MediaWiki, Markdown and reStructuredText write them."""

import re
from typing import NamedTuple

from ragsql_engine.chunking.strings import one_line, trimmed

_LONGEST = 160  # characters; a longer line is a sentence
_MARKED = re.compile(
    # = Title =, == Title, = = Title = =, # Title; or a line of one sign, below a title
    r"^[ \t]{0,3}(?:(?P<open>(?:=[ \t]?){1,6}|\#{1,6}[ \t])[ \t]*(?P<name>[^\s=\#][^\n]*)"
    r"|(?P<under>([=~^+-])\4{2,})[ \t\r]*"
    # a short line between blank lines
    r"|(?P<bare>[^\s=\#~^+>*|-][^\n]{1,78}+)(?=\n[ \t\r]*\n))$",
    re.MULTILINE,
)
_CLOSE = re.compile(r"(?:[ \t]*=){1,6}\s*$|[ \t]\#+\s*$")
# What a title stands over: a line that is long, or ends like a sentence.
_BELOW = re.compile(r"\s*(?P<line>[^\n]{1,200})")
_RUNNING = re.compile(r"^.{80}|[.!?:;,。！？：；、，؟؛۔।][\"'”’»」』)]?\s*$")
BARE_LEVEL = 9  # below every heading that is marked as one
_UNDERLINES = "=-~^+"  # by level
_SLACK = 2  # an underline is as long as its title, give or take
_SAYS = re.compile(
    r"[.!?:;,。！？：；、，؟؛۔।–—-][\"'”’»」』)]?\s*$"
)  # how a sentence ends, and no title


class Heading(NamedTuple):
    """`text[start:end]`, marks included; levels count from 1."""

    level: int
    name: str
    start: int
    end: int


def find_headings(text: str) -> list[Heading]:
    """In order. A line that is too long, or that ends like a sentence, is no heading."""
    found: list[Heading] = []
    for match in _MARKED.finditer(text):
        if match["bare"]:
            heading = _bare(text, match)
        else:
            heading = _underlined(text, match) if match["under"] else _marked(text, match)
        if heading is not None and (not found or heading.start >= found[-1].end):
            found.append(heading)
    return found


def _marked(text: str, match: re.Match[str]) -> Heading | None:
    name = _CLOSE.sub("", match["name"])
    if not _is_title(name):
        return None
    level = match["open"].count("=") or match["open"].count("#")
    return Heading(level, one_line(name), *trimmed(text, *match.span()))


def _bare(text: str, match: re.Match[str]) -> Heading | None:
    """A short line between blank lines that reads like a title, and stands over running text."""
    name, (start, end) = match["bare"].strip(), match.span()
    if not _stands_alone(text, start) or name[:1].islower() or not _is_title(name):
        return None
    below = _BELOW.match(text, end)
    if below is None or not _RUNNING.search(below["line"]):
        return None
    return Heading(BARE_LEVEL, one_line(name), *trimmed(text, start, end))


def _stands_alone(text: str, start: int) -> bool:
    before = text[max(start - 3, 0) : start]
    return start == 0 or before.replace("\r", "").endswith("\n\n")


def _underlined(text: str, match: re.Match[str]) -> Heading | None:
    """The line above a line of signs, where it stands by itself and is as long."""
    end = match.start() - 1
    start = text.rfind("\n", max(end - _LONGEST - 2, 0), max(end, 0)) + 1
    name = text[start:end].strip() if end > 0 else ""
    is_as_long = abs(len(name) - len(match["under"])) <= _SLACK
    if not (_stands_alone(text, start) and is_as_long and _is_title(name)):
        return None
    level = _UNDERLINES.index(match["under"][0]) + 1
    return Heading(level, one_line(name), *trimmed(text, start, match.end()))


def _is_title(name: str) -> bool:
    name = name.strip()
    has_word = name[:1].isalnum() and any(map(str.isalpha, name))
    return has_word and len(name) <= _LONGEST and not _SAYS.search(name)
