"""Whether lines are Markdown, source code or plain prose.

Each line is given points for what it looks like; shares of all lines decide.
"""

import re
from collections import Counter
from collections.abc import Sequence

_FENCE = re.compile(r" {0,3}(?:`{3,}[^`]*|~{3,}[^~]*)\Z")
_HEADING = re.compile(r" {0,3}#{1,6} {1,3}[^\s#][^{};]*+\Z")
_UNDERLINE = re.compile(r"(?:={3,}|-{3,})\s*\Z")
_TABLE_RULE = re.compile(
    r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?\s*\Z|\|\s*:?-{3,}:?\s*\|\s*\Z"
)
_ITEM = re.compile(r"\s{0,12}[-*+] {1,4}\S|\s{0,12}[-*+] \[[ xX]\] ")
_QUOTE = re.compile(r" {0,3}> ?\S")
_LINK = re.compile(r"!?\[[^\[\]]{0,200}\]\((?:https?:|mailto:|[#./\w])[^()\s]{0,500}[^()]{0,80}\)")
_REFERENCE = re.compile(r" {0,3}\[[^\[\]]{1,100}\]:\s+\S")
_BOLD = re.compile(r"(?<![*\w])\*\*[^\s*][^*]{0,200}(?<!\s)\*\*(?![*\w])")
_CODE_SPAN = re.compile(r"(?<!`)`[^`\s][^`]{0,100}`(?!`)")
# How much one line of each sort says for Markdown.
_POINTS = {
    "heading": 3.0,
    "fence": 3.0,
    "table": 4.0,
    "link": 2.0,
    "underline": 1.5,
    "bold": 1.0,
    "span": 1.0,
    "item": 1.0,
    "quote": 0.5,
}
_LEAST_POINTS = 2.5
_LEAST_POINTS_A_LINE = 0.08

# Source code by how lines end, or begin; prose ends so now and then, but does not go on so.
_CODE_END = re.compile(r"(?:[;{}]|[)\]}]\s?[:,;]|=>|->|[(\[\\])\s*(?://.*|#.*|/\*.*\*/\s*)?\Z")
_KEYWORDS = """
    @[\\w.]+ abstract async await begin break case catch class const continue def default do done
    echo elif else end enum esac except export extern fi final finally fn for foreach from func
    function goto if impl import include inline interface internal let local loop macro match mod
    module namespace new override package pass print private proc protected pub public raise
    require return static struct sub switch template then throw trait try type typedef unless
    until use using val var virtual void volatile where while with yield
    insert\\sinto create\\s(?:or\\s|table|view|function|index|type) alter\\stable drop\\stable select
    \\#\\s*(?:include|define|ifn?def|if|endif|pragma|else|undef)
"""
_CODE_START = re.compile(rf"\s*(?:{'|'.join(_KEYWORDS.split())})(?![\w'’])", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"\s*[\w.$\[\]\"'*&>:-]{1,60}(?: [\w*&\[\]]{1,40})?\s?[-+*/|:?]?=(?!=)")
_CALL = re.compile(r"\s*[\w.$:>&*-]{1,80}!?\(.*[),({\[:]\Z|\s*\(\w[\w*!?-]*(?:\s|\Z)")
_OPERATOR = re.compile(r"\$[({A-Za-z_]|&&|\|\||\w->\w|\w::\w|[=!+]=")
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*/|\*(?:\s|\Z)|--(?:\s|\Z)|;;|%%|\"\"\"|''')")
_PROSE = re.compile(r"(?:[^\W\d_][\w'’-]*+[,;:)\"”]?\s++){4}[^\W\d_]")
# What stands at the margin of source code alone, however much of it is documentation.
_DEFINITE = re.compile(
    r"(?:import|from) [\w.]+(?: (?:import|as) [\w., (*]+)?;?\Z|(?:async )?def \w+\(|class \w+[(:{ ]"
    r"|#\s?(?:include\s?[<\"]|define \w|ifn?def \w)|(?:use|using|package) [\w:.]+;?\Z"
    r"|(?:pub|public|private|static|export|typedef|extern|func|fn|function) .*[{;(,]\Z"
    r"|(?i:create (?:or replace )?(?:table|view|function|index|type|procedure)|alter \w+|insert into"
    r"|drop \w+|grant|revoke) \w.*|\(def\w+ \S"
)
_SYMBOL = re.compile(r"[{};=()<>\[\]&|\"]")
_LONG_LINE = 400  # characters on average: minified
_LEAST_CODE, _LEAST_CODE_OF_DEFINITE = 0.45, 0.15  # shares of lines
_LEAST_DEFINITE = 3  # lines
_DENSE = 0.06  # share of symbols


def lines_of(text: str) -> list[str]:
    """The lines without white space at their ends; a blank one is ''."""
    return [line.rstrip() for line in text.splitlines()]


def kind_of(lines: Sequence[str], has_front_matter: bool = False) -> str:
    """'markdown', 'code' or 'prose'."""
    outside, fences = _outside_fences(lines)
    visible = [line for line in outside if line]
    if not fences:
        code = _code_share(visible)
        definite = sum(_DEFINITE.match(line) is not None for line in visible)
        is_documented_code = definite >= _LEAST_DEFINITE and code >= _LEAST_CODE_OF_DEFINITE
        if code >= _LEAST_CODE or is_documented_code:
            return "code"
    points = _markdown_points(outside) + _POINTS["fence"] * fences
    least = max(_LEAST_POINTS, _LEAST_POINTS_A_LINE * len(visible))
    return "markdown" if has_front_matter or points >= least else "prose"


def _outside_fences(lines: Sequence[str]) -> tuple[list[str], int]:
    """The lines outside fenced code, and how many fences there are."""
    outside: list[str] = []
    fence, fences = "", 0
    for number, line in enumerate(lines):
        mark = line.lstrip()[:3]
        if fence:
            fence = "" if mark == fence else fence
        # A row of tildes under a line is an underline.
        elif (mark == "```" or (mark == "~~~" and not (number and lines[number - 1]))) and (
            _FENCE.match(line)
        ):
            fence, fences = mark, fences + 1
        else:
            outside.append(line)
    return outside, fences


def _code_share(lines: Sequence[str]) -> float:
    """The share of lines that look like code, comments left out; of minified text, 1 or 0."""
    if sum(map(len, lines)) > _LONG_LINE * len(lines):
        text = "".join(line[: 10 * _LONG_LINE] for line in lines)
        return float(len(_SYMBOL.findall(text)) >= _DENSE * len(text))
    told = [line for line in lines if not _COMMENT.match(line) or line.lstrip().startswith("#i")]
    return sum(map(_is_code, told)) / max(len(told), 1)


def _is_code(line: str) -> bool:
    if _CODE_END.search(line):
        return True
    if _PROSE.search(line):
        return line[-1] == ":" and _CODE_START.match(line) is not None
    if line[-1] in ".!?":
        return False
    starts = any(pattern.match(line) for pattern in (_CODE_START, _ASSIGNMENT, _CALL))
    return starts or _OPERATOR.search(line) is not None


def _markdown_points(lines: Sequence[str]) -> float:
    signs: Counter[str] = Counter()
    for number, line in enumerate(lines):
        if not line:
            continue
        before = lines[number - 1] if number else ""
        after = lines[number + 1] if number + 1 < len(lines) else ""
        signs[_block_sign(line, before, after)] += 1
        signs["link"] += _LINK.search(line) is not None or _REFERENCE.match(line) is not None
        signs["bold"] += _BOLD.search(line) is not None
        signs["span"] += _CODE_SPAN.search(line) is not None
    return sum(points * signs[sign] for sign, points in _POINTS.items())


def _block_sign(line: str, before: str, after: str) -> str:
    """What a line begins with, as a key of `_POINTS`, or ''."""
    if _HEADING.match(line):
        # A comment of a script has other comments next to it.
        lonely = not before.lstrip().startswith("#") and not after.lstrip().startswith("#")
        return "heading" if lonely and not before else ""
    if _UNDERLINE.match(line):
        return (
            "underline" if before and len(before) <= len(line) + 3 and before[0].isalnum() else ""
        )
    if _TABLE_RULE.match(line):
        return "table" if "|" in before else ""
    if _ITEM.match(line):
        return "item"
    return "quote" if _QUOTE.match(line) else ""
