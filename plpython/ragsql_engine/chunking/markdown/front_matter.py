"""Front matter: what a Markdown document says about itself in its first lines.

Only the syntax of YAML is left to the library. Values are read by the core schema of YAML 1.2, so
that `lang: no` stays a text and `12:30` no number of minutes, and no document can construct
anything but JSON values.
"""

import math
import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

import yaml  # type: ignore[import-untyped]  # PyYAML has no types

LONGEST = 65_536  # characters; what is longer is text
DEEPEST = 20  # levels

_OPENING = re.compile(r"\ufeff?(?P<mark>---|\+\+\+)[ \t]*+(?:\r\n?|\n)")
_CLOSING = {
    "---": re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*+(?=[\r\n]|\Z)"),
    "+++": re.compile(r"(?<=[\r\n])\+\+\+[ \t]*+(?=[\r\n]|\Z)"),
}
_LINE = re.compile(r"[^\r\n]++")
_YAML_KEY = re.compile(r"""(?:[\w$@.]|["']\w)[^:\r\n]*+:(?:\s|\Z)""")
_YAML_REST = re.compile(r"\s|#|- |-\Z|[\]}]")
_TOML_KEY = re.compile(r"""\s*+(?:\[|["']?[\w-][^=\r\n]*+=)""")
_TOML_REST = re.compile(r"\s|#|[\]}\"']")

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_TAGS = frozenset(_TAG + name for name in "str int float bool null timestamp seq map".split())

_UNFIT = re.compile(r"[\x00\ud800-\udfff]")  # what PostgreSQL cannot store
_CONSTANTS = {
    written: value
    for word, value in (("null", None), ("true", True), ("false", False))
    for written in (word, word.capitalize(), word.upper())
} | {"": None, "~": None}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|(?:0|[1-9][0-9]*)(?=[eE]))(?:[eE][-+]?[0-9]+)?"
)
_DATE = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?P<time>(?:[Tt]|[ \t]+)[0-9].*)?")


class _Refused(ValueError):
    """Valid YAML that is no plain data: aliases, tags of its own, too deep."""


def metadata(text: str) -> dict[str, Any]:
    """The YAML front matter of `text` as JSON values; {} where there is none that can be read.

    Dates become ISO 8601, keys the text they are written with; numbers beyond 18 digits, NaN and
    infinity stay as written. Aliases, anchors and tags other than those of the core schema are
    refused, as is anything deeper than `DEEPEST`. TOML is not read. Never raises.
    """
    found = _find(text)
    if found is None or found[0] != "---":
        return {}
    return _mapping(text[found[1] : found[2]]) or {}


def front_matter_end(text: str) -> int:
    """The offset where the front matter of `text` ends, its closing line included; 0 without one.

    YAML is front matter where it is a mapping, or fails to be one only by its values: many a
    title has a colon in it. TOML is, where its lines look like it.
    """
    found = _find(text)
    if found is None:
        return 0
    mark, start, stop, end = found
    body = text[start:stop]
    if mark == "+++":
        return end if _looks_like(body, _TOML_KEY, _TOML_REST) else 0
    is_one = _looks_like(body, _YAML_KEY, _YAML_REST) or _mapping(body) is not None
    return end if is_one else 0


def _find(text: str) -> tuple[str, int, int, int] | None:
    """The mark of what may be front matter, where its body starts and stops, where all ends."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    closing = _CLOSING[opening["mark"]].search(text, opening.end(), opening.end() + LONGEST)
    if closing is None:
        return None
    return opening["mark"], opening.end(), closing.start(), closing.end()


def _looks_like(body: str, key: re.Pattern[str], rest: re.Pattern[str]) -> bool:
    """Whether the first line is a key, comments aside, and no line is anything else than YAML."""
    if not body or body[0] in "\r\n":
        return False
    lines = [line[0] for line in _LINE.finditer(body)]
    first = next((line for line in lines if not line.startswith("#")), "")
    return key.match(first) is not None and all(key.match(l) or rest.match(l) for l in lines)


def _mapping(source: str) -> dict[str, Any] | None:
    try:
        events = yaml.parse(source, Loader=_LOADER)
        next(events), next(events)  # the stream and the document begin
        value = _value(next(events), events, DEEPEST)
        next(events)  # the document ends
        alone = isinstance(next(events), yaml.StreamEndEvent)
    except (yaml.YAMLError, ValueError, StopIteration):
        return None
    return value if alone and isinstance(value, dict) else None


def _value(event: Any, events: Iterator[Any], levels: int) -> Any:
    """The value that begins with `event`, read to its end."""
    if event.anchor is not None or levels == 0:
        raise _Refused
    if event.tag is not None and event.tag not in _TAGS:
        raise _Refused
    if isinstance(event, yaml.ScalarEvent):
        is_plain = event.implicit[0] and event.tag is None
        return _scalar(event.value) if is_plain else _UNFIT.sub("", event.value)
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(_value(event, events, levels - 1))
        return items
    members = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        if not isinstance(event, yaml.ScalarEvent) or event.anchor is not None:
            raise _Refused
        members[_UNFIT.sub("", event.value)] = _value(next(events), events, levels - 1)
    return members


def _scalar(written: str) -> Any:
    """What a plain scalar means; the text as written where that fits no type of JSON."""
    if written in _CONSTANTS:
        return _CONSTANTS[written]
    if _INTEGER.fullmatch(written):
        return int(written)
    if _FLOAT.fullmatch(written) and math.isfinite(number := float(written)):
        return number
    if found := _DATE.fullmatch(written):
        return _iso_date(found) or written
    return _UNFIT.sub("", written)


def _iso_date(found: re.Match[str]) -> str | None:
    try:
        if found["time"] is None:
            return date(int(found[1]), int(found[2]), int(found[3])).isoformat()
        return datetime.fromisoformat(found[0].strip()).isoformat()
    except ValueError:
        return None
