"""Settings files as nodes by section, and any other lines by indentation."""

import re
from collections.abc import Sequence

from ragsql_engine.chunking.data.outline import Outline
from ragsql_engine.chunking.data.text_lines import content_lines
from ragsql_engine.chunking.node_lists import label
from ragsql_engine.chunking.nodes import Hints, Node

SECTION = re.compile(
    r"\[{1,2}\s{0,9}([^\[\]\r\n]{1,200}?)\s{0,9}\]{1,2}\s{0,99}(?:[#;][^\r\n]*+)?(?=[\r\n]|\Z)"
)
SETTING = re.compile(
    r"(?:export\s{1,9})?(?:\"([^\"\r\n]{1,200})\"|'([^'\r\n]{1,200})'|([^\s=:\[\]{}\"',#;][^=:\r\n]{0,200}+))"
    r"\s{0,40}[=:]"
)
_COMMENTS = ("#", ";", "//", "!")
_CLOSING = re.compile(r"[}\])]|</|end\b")
_ELEMENT = re.compile(r"<([^\W\d][\w:.-]{0,99})([^<>\r\n]{0,300})")
_ATTRIBUTE = re.compile(r"\s(?:name|id|key|title)\s?=\s?[\"']([^\"'<>\r\n]{1,60})[\"']")


def parse_settings(text: str, hints: Hints) -> Sequence[Node]:
    """INI, TOML and their kin: sections and settings; whatever else belongs to the one before."""
    outline = Outline(text)
    for start, end, _ in content_lines(text, hints.pause):
        if text.startswith(_COMMENTS, start):
            outline.postpone(start, end)
        elif SECTION.match(text, start, end):
            outline.add(0, start, end)
        elif SETTING.match(text, start, end):
            outline.add(1, start, end)
        else:
            outline.extend(start, end)
    outline.close()

    def name(entry: int, place: int) -> str | None:
        pattern = SETTING if outline.levels[entry] else SECTION
        found = pattern.match(text, outline.owns[entry])
        return label(found[found.lastindex or 0]) or None if found else None

    outline.name = name
    return outline.roots()


def parse_indented(text: str, hints: Hints) -> Sequence[Node]:
    """Any lines: deeper ones belong to the one above, closing brackets and tags to what they close."""
    outline = Outline(text)
    for start, end, indent in content_lines(text, hints.pause):
        if _CLOSING.match(text, start):
            outline.extend(start, end)
        else:
            outline.add(indent, start, end)
    outline.close()

    def name(entry: int, place: int) -> str | None:
        own = outline.owns[entry]
        element = _ELEMENT.match(text, own) if text[own] == "<" else None
        if element is None:
            return None
        attribute = _ATTRIBUTE.search(element[2])
        return label(f"{element[1]} {attribute[1]}" if attribute else element[1])

    outline.name = name
    return outline.roots()
