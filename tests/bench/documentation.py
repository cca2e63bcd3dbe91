"""Text out of documentation files: HTML, manual pages, Markdown, reStructuredText, plain text.

A simple stripper that is fast and always gives the same text. It makes a corpus for measuring;
it is not how ragsql reads documents.
"""

from __future__ import annotations

import gzip
import html
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

LARGEST = 4_000_000
"""Bytes of a file beyond which it is data, not documentation."""

_SKIPPED = re.compile(
    r"/(_sources|class-use|copyright|changelog[^/]*|genindex[^/]*|searchindex[^/]*|search\.html|"
    r"[^/]*-(index|tree|frame)\.html|index-[^/]*\.html|all(classes|packages)[^/]*)(/|$)"
)
_UNSEEN = re.compile(
    r"<(script|style|head|nav|header|footer|svg)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL
)
_BLOCK = re.compile(
    r"</?(p|div|ul|ol|dl|h[1-6]|pre|table|section|article|blockquote|hr)\b[^>]*>", re.IGNORECASE
)
_LINE = re.compile(r"<(br|li|dt|dd|tr)\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[a-zA-Z/!?][^>]*>")
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.DOTALL | re.IGNORECASE)
_ROFF_ESCAPE = re.compile(r"\\(?:f(?:\[[^\]]*\]|\(..|.)|s[+-]?\d|[&|^%:)/,]|\*\(..|\*.)")
_ROFF_KEPT = re.compile(r"[.']\s*(SH|SS|B|I|BR|RB|BI|IB|IR|RI|Nm|Nd|Sh|Ss|Ar|Cm|Xr|Pa)\b\s*(.*)")
_ROFF_COMMENT = re.compile(r"[.']\s*\\\"")
_SPACE = re.compile(r"[^\S\n]+")
_GAP = re.compile(r"\n\s*\n")
_WORD = re.compile(r"[^\W\d_]+")
_COMMON = frozenset(
    """a also an and are as at be but by can for from has have if in into is it its may more must
    no not of on only or other out set so than that the their then there these they this to up use
    used was we when which will with you your""".split()
)
PROSE = 0.22
"""Share of the commonest English words from which on a passage is taken for English text."""


def files(folder: Path) -> Iterator[Path]:
    """Regular files below `folder` that documentation is read from, in order of their paths."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or _SKIPPED.search(path.as_posix()):
            continue
        if _reader(path) and 0 < path.stat().st_size <= LARGEST:
            yield path


def read(path: Path) -> tuple[str, str]:
    """Title and text of a file of `files`; paragraphs are parted by an empty line."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    source = content[:LARGEST].decode("utf-8", "replace").replace("\r\n", "\n").replace("\0", "")
    reader = _reader(path)
    if reader is None:
        raise ValueError(f"not a documentation file: {path}")
    title, text = reader(source)
    return title or _stem(path), _GAP.sub("\n\n", _SPACE.sub(" ", text)).strip()


class Boilerplate:
    """Knows what the files of one package repeat: navigation, licences, headings."""

    def __init__(self, times: int = 3) -> None:
        self._times = times
        self._seen: Counter[int] = Counter()

    def without(self, text: str) -> str:
        """The text without the paragraphs that have been met `times` times."""
        return "\n\n".join(filter(self._is_new, text.split("\n\n")))

    def _is_new(self, paragraph: str) -> bool:
        digest = zlib.crc32(paragraph.encode())
        self._seen[digest] += 1
        return self._seen[digest] <= self._times


def passages(text: str, size: int, least: int) -> Iterator[str]:
    """Pieces of at most `size` characters, cut between paragraphs, else words.

    Pieces of fewer than `least` characters, and those that are not English text (listings, tables,
    signatures), are left out.
    """
    held: list[str] = []
    length = 0
    for paragraph in _paragraphs(text, size):
        if held and length + len(paragraph) > size:
            yield from _kept("\n\n".join(held), least)
            held, length = [], 0
        held.append(paragraph)
        length += len(paragraph) + 2
    yield from _kept("\n\n".join(held), least)


def _paragraphs(text: str, size: int) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        rest = paragraph.strip()
        while len(rest) > size:
            cut = max(rest.rfind(" ", size // 2, size), rest.rfind("\n", size // 2, size))
            cut = cut if cut > 0 else size
            yield rest[:cut]
            rest = rest[cut:].lstrip()
        if rest:
            yield rest


def _kept(passage: str, least: int) -> Iterator[str]:
    if len(passage) < least:
        return
    words = _WORD.findall(passage.lower())
    if sum(word in _COMMON for word in words) >= PROSE * len(words) > 0:
        yield passage


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").rsplit(".", 1)[0]


def _reader(path: Path) -> Callable[[str], tuple[str, str]] | None:
    name = path.name.removesuffix(".gz").lower()
    if "/man/man" in path.as_posix():
        return _roff
    if name.endswith((".html", ".htm", ".xhtml")):
        return _html
    return _plain if name.endswith((".txt", ".md", ".rst", ".pod", ".asciidoc")) else None


def _html(source: str) -> tuple[str, str]:
    found = _TITLE.search(source)
    title = " ".join(html.unescape(_TAG.sub("", found[1])).split()) if found else ""
    source = _BLOCK.sub("\n\n", _UNSEEN.sub(" ", source))
    text = _TAG.sub("", _LINE.sub("\n", source))
    return title, html.unescape(text).replace("\0", "")


def _roff(source: str) -> tuple[str, str]:
    lines = []
    for line in source.split("\n"):
        if not line.startswith((".", "'")):
            lines.append(line)
        elif kept := _ROFF_KEPT.match(line):
            words = kept[2].replace('"', "")
            lines.append(f"\n{words}\n" if kept[1].lower() in ("sh", "ss") else words)
        elif not _ROFF_COMMENT.match(line):
            lines.append("")
    text = _ROFF_ESCAPE.sub("", "\n".join(lines)).replace("\\-", "-").replace("\\(aq", "'")
    return "", text.replace("\\e", "\\")


def _plain(source: str) -> tuple[str, str]:
    first = source.lstrip("#=-~* \n").split("\n", 1)[0].strip()
    return first if len(first) <= 100 else "", source
