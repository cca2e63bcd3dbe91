"""Passages that answer nothing: licences, changelogs, navigation, contents, bibliographies.

A single word proves nothing, since a passage may discuss licences or cookies: signs must agree.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

LIMITS = {
    "contents": 0.1,
    "navigation": 0.15,
    "copyright": 0.15,
    "licence": 0.15,
    "cookies": 0.2,
    "bibliography": 0.2,
    "changelog": 0.25,
    "appendix": 0.3,
}
"""The highest value of a passage of each sort."""

_LICENCE = (
    "permission is hereby granted",
    "as is” basis",
    'as is" basis',
    "without warrant",
    "without any warrant",
    "warranty of any kind",
    "warranties of any kind",
    "redistribution and",
    "redistributions of",
    "redistributions in",
    "included in all copies",
    "liable for any",
    "licensed under the",
    "licensed under a",
    "general public licen",
    "all rights reserved",
    "in no event shall",
    "spdx-license-identifier",
    "in compliance with the licen",
    "software is provided",
    "merchantab",
    "fitness for a particular",
    "implied warrant",
    "above copyright notice",
    "express or implied",
    "copy of the licen",
)
# Nobody but a licence begins so.
_GRANT = ("permission is hereby granted", "redistribution and use in source", "spdx-license-id")
_COPYRIGHT = re.compile(r"(?:copyright|©|\(c\))[^\n.]{0,40}(?:19|20)\d\d")
_NOTICE = ("licen", "copyright", "©", "all rights reserved")
# A block comment, or lines that are comments; a line of declarations may stand before it.
_FIRST_COMMENT = re.compile(
    r"(?:(?:<\?php|#!)[^\n]*\n)?\s*(?:/\*.*?\*/|(?:[ \t]*(?:#|//|--|;|%)[^\n]*(?:\n|\Z))+)",
    re.DOTALL,
)
_SHORT = 250  # bytes of letters: a notice, no text
# Whoever weighs what a licence means says so.
_DISCUSSING = (" you ", " so ", " if ", " because ", " which ", "?")
_COOKIES = (
    "we use cookies",
    "site uses cookies",
    "website uses cookies",
    "page uses cookies",
    "partners use cookies",
    "use of cookies",
    "by continuing",
    "accept all",
    "accept cookies",
    "reject all",
    "manage cookies",
    "manage preferences",
    "cookie settings",
    "cookie policy",
    "consent to",
    "your experience",
    "browsing experience",
)
_CRUMBS = (" › ", " » ", " > ", " ▸ ")
_NAVIGATION = frozenset(
    """
    about accueil back blog careers contact content cookies docs documentation download downloads
    edit faq follow home impressum imprint inicio kontakt login logout menu navigation newsletter
    next policy prev previous pricing print privacy products register search share sign sitemap
    skip startseite subscribe support terms toggle top tweet us weiter zurück
    """.split()
)
_PUNCTUATION = str.maketrans(dict.fromkeys("|:;,.>»›·•/()[]<-", " "))
_DOTTED_LEADER = re.compile(
    r"(?:\.{4,}|(?:\. ){3,}|…{2,}|·{4,})[\s.]{0,5}[\divxlc]{0,6}$", re.MULTILINE
)
_LINK = re.compile(r"!?\[[^\[\]\n]{0,200}\]\([^()\n]{0,500}\)|https?://\S{1,300}")
_WORD = re.compile(r"\w{2,}")
_OUTLINE_LINE = re.compile(
    r"^\W{0,8}(?:\d{1,2}(?:\.\d{1,3}){0,5}\.?|chapter|section|part|appendix|[ivx]{1,5}\.) .*\D\d{1,4}$",
    re.MULTILINE,
)
_CITATION = (
    "doi",
    "et al",
    " pp. ",
    " p. ",
    "arxiv",
    "isbn",
    " vol. ",
    " eds.",
    "proc. ",
    "journal",
    " press,",
    " in: ",
    "retrieved",
    "transactions",
)
_ISSUE = re.compile(r"\d ?\(\d+\)|\d[-–]\d{2,4}\b")  # 12(3), 45–67
_YEAR = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
_ENTRY = re.compile(r"^\s*(?:[-*•]\s+)?(?:\[\d+\]|\d+\.\s|[^\W\d_]+,\s[^\W\d_]\.)", re.MULTILINE)
_CHANGE = re.compile(
    r"^\s*(?:[-*+•] +)?(?:\*\*)?(?:\w+(?:\([\w-]+\))?: )?(?:fix|add|remov|chang|updat|bump|deprecat"
    r"|improv|refactor|renam|drop|revert|upgrad|merg|introduc|breaking)",
    re.MULTILINE,
)
_CHANGING = ("fix", "add", "remov", "chang", "updat", "bump", "improv", "deprecat")
_PAST = re.compile(
    r"^\s*[-*+•] +(?:\*\*)?(?:fixed|added|removed|changed|updated|deprecated|bumped)\b",
    re.MULTILINE,
)
_RELEASE = re.compile(
    r"^\W{0,6}(?:(?:version |release |v|\[v?)\d+\.\d+|\d+\.\d+\.\d+)[\w.-]{0,12}\]?\W{0,4}"
    r"(?:\d{4}-\d\d.{0,20}|\d{1,2} \w+ \d{4}.{0,10})?$"
    r"|\(#\d+\)|\bunreleased\b|\b[0-9a-f]{7,40}\W{0,2}$|#\d{2,6}\b",
    re.MULTILINE,
)
_HEADING = re.compile(
    r"[\d.\s§()#]{0,20}(?:"
    r"(?P<licence>(?:the )?(?:mit |apache |bsd |software )?licen[sc]es?|licen[sc]ing|lizenz|licencia)"
    r"|(?P<copyright>copyrights?|copyright notice|legal notice|disclaimer|imprint|impressum)"
    r"|(?P<changelog>change ?-?logs?|change history|release notes?|history|what'?s new|changes"
    r"|\[?unreleased\]?|(?:\[v?\d+\.\d+|v\d+\.\d+|\d+\.\d+\.\d+)[\w.-]*\]?(?:\W{1,4}[\d-]{4,10})?)"
    r"|(?P<appendix>(?:appendi(?:x|ces)|annex(?:e|es)?|anhang|apéndice|附录|付録|ملحق)\b.{0,80})"
    r"|(?P<contents>(?:table of )?contents|toc|inhalt(?:sverzeichnis)?|sommaire|índice|目录|目次)"
    r"|(?P<bibliography>references?|bibliograph(?:y|ie)|works cited|literature(?: cited)?"
    r"|literatur(?:verzeichnis)?|参考文献)"
    r")[\s:.]{0,5}",
    re.IGNORECASE,
)
_DEEPEST_HEADING = 6


class Shape(NamedTuple):
    """What is counted in a passage: bytes of letters, sentence ends, lines, words."""

    letters: int
    ends: int
    lines: int
    words: int


_Test = Callable[[str, set[str], Shape], str | None]


def limit(lower: str, heading: Sequence[str], shape: Shape) -> float:
    """The highest value of a passage, given in lower case; 1 where it is no boilerplate."""
    value = 1.0
    headed: set[str] = set()
    if heading:
        found = map(_HEADING.fullmatch, heading[:_DEEPEST_HEADING])
        headed = {match.lastgroup or "" for match in found if match}
        value = _limit_of_heading(headed, shape)
    for words, test in _TESTS:
        for word in words:  # faster than any() with a generator
            if word in lower:
                sort = test(lower, headed, shape)
                value = min(value, LIMITS[sort]) if sort else value
                break
    # Lines too short for running text, or words without a sentence.
    if (shape.words < 8 * shape.lines or not shape.ends) and shape.letters < 4 * _SHORT:
        sort = _navigation(lower, shape) or _outline(lower, shape)
        value = min(value, LIMITS[sort]) if sort else value
    return value


def without_notice(code: str) -> str:
    """Code without the licence above it, where there is code besides."""
    comment = _FIRST_COMMENT.match(code)
    if comment is None or not any(map(comment[0].lower().__contains__, _NOTICE)):
        return code
    return code[comment.end() :].strip() or code


def _limit_of_heading(headed: set[str], shape: Shape) -> float:
    """What a heading alone says, where the passage does not speak against it."""
    told = headed & {"appendix", "copyright"}
    if shape.ends <= 1:
        told |= headed & {"contents", "licence"}
    return min((LIMITS[sort] for sort in told), default=1.0)


def _legal(lower: str, headed: set[str], shape: Shape) -> str | None:
    signs = sum(map(lower.__contains__, _LICENCE))
    if signs >= 2 or (signs and "licence" in headed) or lower.lstrip("#/*; ").startswith(_GRANT):
        return "licence"
    if shape.letters > _SHORT or any(map(lower.__contains__, _DISCUSSING)):
        return None
    if _COPYRIGHT.search(lower):
        return "copyright"
    return "licence" if signs else None


def _cookies(lower: str, headed: set[str], shape: Shape) -> str | None:
    return "cookies" if sum(map(lower.__contains__, _COOKIES)) >= 2 else None


def _leaders(lower: str, headed: set[str], shape: Shape) -> str | None:
    leaders = len(_DOTTED_LEADER.findall(lower))
    return "contents" if leaders and 5 * leaders >= 2 * shape.lines else None


def _links(lower: str, headed: set[str], shape: Shape) -> str | None:
    """Links, and hardly a word besides."""
    rest, links = _LINK.subn("", lower)
    words = sum(map(len, _WORD.findall(rest)))
    return "contents" if links >= 2 and words < 0.25 * shape.letters else None


def _bibliography(lower: str, headed: set[str], shape: Shape) -> str | None:
    signs = sum(map(lower.__contains__, _CITATION))
    if not _YEAR.search(lower) or (signs < 2 and "bibliography" not in headed):
        return None
    signs += _ISSUE.search(lower) is not None
    listed = signs >= 2 and 5 * len(_ENTRY.findall(lower)) >= 3 * shape.lines
    return "bibliography" if listed or signs >= 4 or "bibliography" in headed else None


def _changelog(lower: str, headed: set[str], shape: Shape) -> str | None:
    """Changes line by line, and a heading, a release, a number or the past tense with them."""
    if not any(map(lower.__contains__, _CHANGING)):
        return None
    changes = len(_CHANGE.findall(lower))
    if not changes or 5 * changes < 2 * shape.lines:
        return None
    told = "changelog" in headed or _RELEASE.search(lower) is not None
    return "changelog" if told or len(_PAST.findall(lower)) >= max(2, changes / 2) else None


def _navigation(lower: str, shape: Shape) -> str | None:
    if not shape.ends and sum(map(lower.count, _CRUMBS)) >= 2:
        return "navigation"
    names = [word for word in lower.translate(_PUNCTUATION).split() if word in _NAVIGATION]
    covered = sum(map(len, names))
    least = 0.3 if not shape.ends else 0.4
    return "navigation" if len(names) >= 2 and covered >= least * shape.letters else None


def _outline(lower: str, shape: Shape) -> str | None:
    """Numbered lines that end with the number of a page."""
    lines = len(_OUTLINE_LINE.findall(lower)) if lower[-1:].isdigit() else 0
    return "contents" if lines >= 2 and lines >= 0.6 * shape.lines else None


# Each test runs only where one of its words stands in the passage: looking for a word is cheap.
_TESTS: tuple[tuple[tuple[str, ...], _Test], ...] = (
    (("licen", "copyright", "warrant", "©", "permission is", "redistribution and"), _legal),
    (("cookie",), _cookies),
    (("....", ". . ."), _leaders),
    (("](", "http"), _links),
    (("doi", "et al", " pp. ", "journal", "proc. ", " press,"), _bibliography),
    (("- ", "* ", "+ ", "• ", "unreleased"), _changelog),
)
