"""Signs that a text is structured data."""

import json
import re
from collections import Counter
from collections.abc import Sequence

from ragsql_engine.chunking.data.json_scan import Scan
from ragsql_engine.chunking.data.line_nodes import SECTION

_BLANK = r"(?:(?>\s++|//[^\n]*+\n|/\*(?:[^*]|\*(?!/)){0,2000}\*/)){0,99}"
# A bracket, then what only JSON has there: a key, a value, or the other bracket.
_JSON_START = re.compile(
    rf"{_BLANK}(?:(\{{){_BLANK}(?:\"(?:[^\"\\]|\\.){{0,500}}\"\s*+:|\}})"
    r"|(\[)\s*+(?:[\"{\[\]]|-?\d|true\b|false\b|null\b))",
    re.DOTALL,
)
_HTML = re.compile(r"<\?xml\b|<!doctype\b|<html\b", re.IGNORECASE)
_ELEMENT_LINE = re.compile(r"</?[^\W\d][^<>]*+>|</?[^\W\d][\w:.-]*+(?:\s|\Z)|/?>\Z|<!--|-->")
_YAML_KEY = re.compile(
    r"(?:- +){0,9}(\"[^\"]{1,80}\"|'[^']{1,80}'|[^\W\d][\w./$-]*+(?: [\w./-]++){0,3})\s?:(?:\s++(.*)|\Z)"
)
_YAML_ITEM = re.compile(r"-(?:\s|\Z)")
_YAML_BLOCK = re.compile(r"[:-] [|>][-+]?\d?\Z")
_YAML_AROUND = ("#", "{{", "{%", "---", "...", "%")
_SENTENCE = re.compile(r"(?:\S++\s++){5}.*[.!?…]\W?\Z|(?:\S++\s++){11}")
_SETTING = re.compile(r"[\w.\"'-]++(?:\s[\w.-]++)?\s*+=")
_VARIABLE = re.compile(r"(?:export\s+)?[A-Z][A-Z0-9_]*+=")
_MAIL_FIELD = re.compile(r"([A-Z][A-Za-z-]{1,40}):(?:\s|\Z)")
_MOST_VALUES = 20


def is_json(beginning: str, last: str, is_cut: bool) -> bool:
    """Whether a text with this beginning (all of it, unless cut) and last character is JSON."""
    start = _JSON_START.match(beginning)
    if start is None:
        return False
    beginning = beginning[start.start(start.lastindex or 0) :].rstrip()
    scan = Scan(beginning, 0, len(beginning))
    closed = scan.nexts[0] >= 0 and not (scan.truncated and scan.nexts[0] == len(scan.opens))
    if not closed or scan.closes[0] >= len(beginning) - 1:
        ends_right = last == {"{": "}", "[": "]"}[beginning[0]]
        return ends_right and (is_cut or scan.problem is None)
    return _are_values(beginning.splitlines(), is_cut)


def _are_values(lines: Sequence[str], is_cut: bool) -> bool:
    """Whether the first lines, the cut one left out, are JSON values."""
    whole = [line for line in lines[: len(lines) - is_cut] if line.strip()][:_MOST_VALUES]
    return len(whole) > 1 and sum(map(_is_value, whole)) >= 0.9 * len(whole)


def _is_value(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict | list)
    except (ValueError, RecursionError):
        return False


def is_markup(beginning: str, lines: Sequence[str]) -> bool:
    """Whether a text is XML or HTML: by its first words, or because most lines are elements."""
    if _HTML.match(beginning):
        return True
    if not beginning.startswith("<"):
        return False
    visible = [line.strip() for line in lines if line.strip()]
    elements = sum(_ELEMENT_LINE.match(line) is not None for line in visible)
    return elements >= 0.8 * len(visible)


def without_front_matter(lines: Sequence[str]) -> Sequence[str]:
    """`lines` without a first block between `---` lines, where something else follows it."""
    if not lines or lines[0].rstrip() != "---":
        return lines
    for number, line in enumerate(lines[1:200], 1):
        if line.rstrip() in ("---", "..."):
            rest = lines[number + 1 :]
            return rest if any(line.strip() for line in rest) and number > 1 else lines
    return lines


def is_yaml(lines: Sequence[str]) -> bool:
    """Whether nearly all lines are keys and items, the outer keys each once in a document.

    So a dialogue (`Ann: Hello.`), where speakers repeat and answer in sentences, is none, and
    neither are style sheets and literals of programming languages.
    """
    seen: Counter[str] = Counter()
    outer: set[str] = set()
    block: int | None = None  # the indentation over a block scalar
    for line in filter(str.strip, lines):
        stripped = line.strip()
        indent = len(line) - len(line.lstrip())
        if block is not None and indent > block:
            continue
        block = indent if _YAML_BLOCK.search(stripped) else None
        if stripped.startswith(_YAML_AROUND):
            outer = set() if line.startswith("---") else outer
            continue
        seen["lines"] += 1
        seen["literals"] += stripped[-1] in ",;{("
        if key := _YAML_KEY.match(stripped):
            seen["keys"] += 1
            seen["sentences"] += _SENTENCE.match(key[2] or "") is not None
            seen["repeated"] += not line[0].isspace() and stripped[0] != "-" and key[1] in outer
            outer.add(key[1] if not line[0].isspace() else "")
        elif _YAML_ITEM.match(stripped):
            seen["items"] += 1
        else:
            seen["others"] += line[0] not in " \t}])"
    known, most = seen["keys"] + seen["items"], 0.1 * seen["lines"]
    return (
        seen["keys"] >= 2
        and known >= 0.5 * seen["lines"]
        and 3 * seen["keys"] >= seen["items"]
        and max(seen["literals"], seen["repeated"], seen["others"]) <= most
        and seen["sentences"] <= 0.3 * seen["keys"]
    )


def is_mail(lines: Sequence[str]) -> bool:
    """Whether a text begins with the header of a message (RFC 5322)."""
    fields = set()
    for line in lines[:40]:
        if line[:1].isspace():  # folded
            continue
        field = _MAIL_FIELD.match(line)
        if field is None:
            break
        fields.add(field[1].lower())
    return len(fields & {"from", "to", "subject", "date", "received", "message-id"}) >= 2


def is_settings(lines: Sequence[str]) -> bool:
    """Whether a text is an INI or TOML file, or sets environment variables."""
    visible = [line for line in lines if line.strip() and line.lstrip()[0] not in "#;"]
    visible = [line for line in visible if "=" in line or not line[0].isspace()]
    visible = [line.strip() for line in visible]
    sections = sum(SECTION.match(line) is not None for line in visible)
    settings = sum(_SETTING.match(line) is not None for line in visible)
    if sections and settings >= 0.4 * len(visible):
        return sections + settings >= 0.6 * len(visible)
    variables = sum(_VARIABLE.match(line) is not None for line in visible)
    return variables >= 2 and variables >= 0.9 * len(visible)
