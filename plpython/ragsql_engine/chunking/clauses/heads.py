"""Lines that may begin a clause, with their labels, numbers and titles."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from ragsql_engine.chunking.clauses import labels
from ragsql_engine.chunking.clauses.titles import split_title, title_below
from ragsql_engine.chunking.node_lists import PAUSE_MASK
from ragsql_engine.chunking.strings import one_line, trimmed

HEADING, DECIMAL = "heading", "decimal"

_S = r"[^\S\r\n]"  # white space inside a line
_HAN = rf"[{labels.HAN_NUMERALS}\d]"
_DIVISIONS = "|".join(sorted(labels.LATIN, key=len, reverse=True))
_ARABIC = "|".join(labels.ARABIC)
_ORDINALS = "|".join(word.replace("أ", "[أا]") for word in labels.ARABIC_ORDINALS)

# Searched in a text in which every line begins with "\n": that is found faster than a line start.
_LINE = re.compile(
    rf"\n[^\S\n]{{0,40}}+(?:(#{{1,6}})[^\S\n]++(?:\*\*|__)?|(?:\*\*|__)?"
    rf"(?=[\d§第附제]|[一二三四五六七八九十]{{1,3}}、|(?:ال)?(?:{_ARABIC})|(?i:{_DIVISIONS})\b))"
)
_DECIMAL = re.compile(
    rf"(?P<number>\d{{1,3}}(?:\.\d{{1,3}}){{0,7}})(?:(?P<mark>[.)](?=[\s*_]|\Z)|[、．](?!\d)"
    rf"|{_S}?[-–—](?={_S}))|(?=[\s*_]|\Z))"
)
_DIVISION = (
    re.compile(
        rf"(?P<word>(?i:{_DIVISIONS})\b\.?|§{{1,2}}){_S}{{0,9}}(?:(?i:n[or])\.?{_S}{{1,9}})?[(\[]?"
        rf"(?P<number>\d{{1,4}}(?:\.\d{{1,3}}){{0,5}}|[IVXLCDM]{{1,9}}|[A-Z]"
        rf"|(?i:{'|'.join(labels.ENGLISH_NUMBERS)}))(?P<variant>[A-Za-z]|er|[º°])?(?!\w)[)\]]?"
        rf"(?:{_S}{{1,9}}(?i:abs|absatz|para|nr)\.?{_S}{{1,9}}(?P<second>\d{{1,3}})(?!\d))?"
    ),
    re.compile(
        rf"第{_S}?(?P<number>{_HAN}{{1,8}}){_S}?(?P<word>部分|[编編部章节節条條款項项])"
        rf"(?P<variant>の{_HAN}{{1,3}})?"
    ),
    re.compile(rf"(?P<word>附件){_S}?(?P<number>{_HAN}{{1,3}})(?!\w)"),
    re.compile(r"(?P<number>[一二三四五六七八九十]{1,3})(?P<word>、)"),
    re.compile(
        rf"제{_S}?(?P<number>\d{{1,4}}){_S}?(?P<word>[편장절조항])(?P<variant>의{_S}?\d{{1,3}})?"
    ),
    re.compile(
        rf"(?P<word>(?:ال)?(?:{_ARABIC})){_S}{{0,9}}:?{_S}{{0,9}}(?:رقم{_S}{{1,9}})?[(（]?{_S}?"
        rf"(?P<number>\d{{1,4}}|(?:ال)?(?:{_ORDINALS})(?:{_S}{{1,9}}عشرة?)?)(?!\w){_S}?[)）]?"
    ),
)
_SEPARATOR = re.compile(rf"(?:\*\*|__)?{_S}*+(?P<sign>[.:)–—-](?=[\s*_]|\Z)|[：、])?[\s*_]*+")
# The end of a line in a table of contents.
_LEADERS = re.compile(
    r"(?:\.{3}|…|\. \. \.|_{3}|\t| {3})[\s._…]*+(?:\d{1,4}|[ivxlc]{1,6})[\s*_]*+\Z"
)
_PAGE = re.compile(r"\S\s+(\d{1,4})[\s*_]*+\Z")
_LINK = re.compile(r"\[[^\]]{1,200}\]\(#")
_LONGEST_ENTRY = 300
_UNDERLINE = re.compile(rf"{_S}*+\n{_S}*+[-=_~*]{{3,}}(?={_S}*+(?:\n|\Z))")

_QUOTES = "*_ \t\"'“«(\u3000"
# What follows a number that is one of a sentence or a sum.
_GOING_ON = tuple(",;%€$£¥)]}/")
# After these, a label belongs to the sentence: "as set out in clause" / "4.3 above".
_REFERRING = frozenset(
    "section sections clause clauses article articles paragraph paragraphs schedule annex exhibit "
    "appendix part and or to under in of by per see with the from § §§ art. sec.".split()
)
_LOOK_BACK = 40
# A line of so many characters may have been wrapped at its end.
_WRAPPED = 50


@dataclass(slots=True)
class Head:
    """A line that may begin a clause.

    The line is `start`..`end`; what follows label and title begins at `text_at`. `stop` is where a
    heading ends, `start` where the line holds text of the clause and there is none. `numbers` are
    the parts of a decimal, else what one number may mean. `atx` is the level of a Markdown
    heading, 0 for none, `page` a number at the end of the line. A `variant` may have the number of
    the head before it: 5A, 第五条の二.
    """

    start: int
    end: int
    division: str
    rank: int = 0
    numbers: tuple[int, ...] = ()
    name: str = ""
    stop: int = 0
    text_at: int = 0
    atx: int = 0
    page: int | None = None
    variant: bool = False


def find_heads(text: str, pause: Callable[[], None]) -> list[Head]:
    """All lines that may begin a clause, in order, and Markdown headings without a number."""
    flat = "\n" + text
    if "\r" in text:
        flat = flat.replace("\r\n", " \n").replace("\r", "\n")
    heads: list[Head] = []
    for count, line in enumerate(_LINE.finditer(flat)):
        if not count & PAUSE_MASK:
            pause()
        stop = flat.find("\n", line.end())
        start, end = trimmed(flat, line.start(), len(flat) if stop < 0 else stop)
        if line.end() < end:
            head = _head(flat, start, line.end(), end, len(line[1] or ""))
            if head is not None:
                heads.append(head)
    for head in heads:
        head.start, head.end = head.start - 1, head.end - 1
        head.stop, head.text_at = head.stop - 1, head.text_at - 1
    return heads


def _head(flat: str, start: int, at: int, end: int, atx: int) -> Head | None:
    """The head of a line whose label, if it has one, is at `at`."""
    head = Head(start, end, HEADING, stop=start, atx=atx)
    label = _label(flat, at, end)
    if label is not None and (atx or not _is_referred_to(flat, start)):
        if _is_entry_of_contents(flat, label.end(), end):
            return None
        if _number(head, label) and _entitle(head, flat, label):
            return head
    return as_heading(head, flat) if atx else None


def as_heading(head: Head, text: str) -> Head:
    """The same line as a Markdown heading without a number."""
    title = text[head.start : head.end].strip("#").strip("*_ \t")
    return Head(
        head.start,
        head.end,
        HEADING,
        name=one_line(title),
        stop=head.end,
        text_at=head.end,
        atx=head.atx,
    )


def _label(flat: str, at: int, end: int) -> re.Match[str] | None:
    if flat[at].isdecimal():
        return _DECIMAL.match(flat, at, end)
    found = (pattern.match(flat, at, end) for pattern in _DIVISION)
    return next((label for label in found if label), None)


def _is_referred_to(flat: str, start: int) -> bool:
    """Whether the line before breaks off at a word that wants a number."""
    line = flat.rfind("\n", 0, start)
    before = flat[max(line - _LOOK_BACK, 0) : max(line, 0)].rpartition("\n")[2].rstrip(" \t")
    return before.endswith(",") or before.rpartition(" ")[2].lower() in _REFERRING


def _is_entry_of_contents(flat: str, start: int, end: int) -> bool:
    if end - start > _LONGEST_ENTRY:
        return False
    separator = _SEPARATOR.match(flat, start, end)
    is_link = separator and _LINK.match(flat, separator.end(), end)
    ends_like_one = flat[end - 1].isdecimal() or flat[end - 1] in "ivxlc*_"
    return bool(is_link or (ends_like_one and _LEADERS.search(flat, start, end)))


def _number(head: Head, label: re.Match[str]) -> bool:
    """Give a head its division and numbers; whether these can be read."""
    groups = label.groupdict()
    number, second = label["number"], groups.get("second")
    head.variant = bool(groups.get("variant"))
    if groups.get("word") and "." not in number and not second:
        head.division = labels.division(label["word"])
        head.rank, head.numbers = labels.rank_of(head.division), labels.values(number)
    else:
        parts = [*number.split("."), second] if second else number.split(".")
        head.division, head.numbers = DECIMAL, tuple(int(part) for part in parts)
        head.rank = labels.DECIMAL + len(parts)
    return bool(head.numbers)


def _entitle(head: Head, flat: str, label: re.Match[str]) -> bool:
    """Give a head its name; whether what follows the label can follow that of a clause."""
    separator = _SEPARATOR.match(flat, label.end(), head.end)
    at = separator.end() if separator else label.end()
    mark = label.groupdict().get("mark") or (separator and separator["sign"])
    rest = flat[at : head.end]
    if head.atx:
        rest = rest.rstrip("#")
    first = rest.lstrip(_QUOTES)[:1]
    if not mark and (first.islower() or first.startswith(_GOING_ON)):
        return False
    title, taken = split_title(rest, _continues(flat, head))
    if not rest and head.division != DECIMAL:
        head.stop = head.end
        below, line_at, stop = title_below(flat, head.end)
        if below and not head.atx and not _label(flat, line_at, stop):
            title, head.stop = below, stop
    elif taken == len(rest):
        head.stop = head.end
    if head.stop > head.start and (underline := _UNDERLINE.match(flat, head.stop)):
        head.stop = underline.end()
    head.text_at = at + taken
    is_decimal = label.re is _DECIMAL
    if is_decimal and not mark and (first.isdecimal() or (len(head.numbers) == 1 and not title)):
        return False
    name = label[0]
    if is_decimal:
        name = label["number"] + (mark if title and mark in (".", ")") else "")
    head.name = one_line(f"{name} {title}".replace("、 ", "、"))
    page = _PAGE.search(rest) if len(rest) <= _LONGEST_ENTRY else None
    head.page = int(page[1]) if page else None
    return True


def _continues(flat: str, head: Head) -> bool:
    """Whether the line after that of a head seems to go on with the same sentence."""
    following = flat[head.end : head.end + _LOOK_BACK].split("\n")[1:2]
    first = following[0].strip()[:1] if following else ""
    return first.islower() or (first.isalpha() and head.end - head.start >= _WRAPPED)
