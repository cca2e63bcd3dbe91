"""Structured data as nodes: JSON, JSON lines, YAML, settings files, XML and other indented lines.

Objects, lists and sections stay whole where they fit a chunk, else they are taken apart by key
path, which is the heading.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from ragsql_engine.chunking.data import json_nodes, line_nodes, yaml_nodes
from ragsql_engine.chunking.node_lists import line_number
from ragsql_engine.chunking.nodes import Hints, Node

_FORMATS = {
    "json": "json json5 jsonc geojson ipynb webmanifest har topojson jsonld ld+json",
    "jsonl": "jsonl ndjson jsonlines json-lines jsonlines x-ndjson x-jsonlines json-seq",
    "yaml": "yaml yml x-yaml",
    "settings": "toml ini cfg conf properties env editorconfig desktop service gitconfig",
    "indented": "xml xsd xsl xslt svg rss atom wsdl plist pom csproj html",
}
FORMATS = {name: format_ for format_, names in _FORMATS.items() for name in names.split()}
"""The format by language, by file ending and by the last part of a media type."""

_SAMPLE = 65_536  # characters
_LINE = re.compile(r"\S[^\r\n]*+")
_MOST_LINES = 400
_COMMENTS = ("#", ";", "//", "/*", "*", "{{", "{%")


def parse(text: str, hints: Hints) -> Sequence[Node]:
    """The nodes of structured data, all of kind data; () for white space.

    The format is what `hints` say, else what the text looks like. Text that is not in its format
    is taken line by line; `hints.warn` is told, with the line of the problem.
    """
    if not text or text.isspace():
        return ()
    format_ = declared_format(hints) or apparent_format(text)
    return _parse_as(format_, text, hints)


def _parse_as(format_: str, text: str, hints: Hints) -> Sequence[Node]:
    if format_ == "json":
        return _parse_json(text, hints)
    if format_ == "jsonl":
        return json_nodes.parse_lines(text, hints) or _parse_json(text, hints)
    if format_ == "yaml":
        return yaml_nodes.parse(text, hints)
    if format_ == "settings":
        return line_nodes.parse_settings(text, hints)
    return line_nodes.parse_indented(text, hints)


def declared_format(hints: Hints) -> str | None:
    """The format that language, file ending or media type name, in this order."""
    if format_ := FORMATS.get((hints.language or "").lower()):
        return format_
    ending = PurePosixPath((hints.source or "").lower()).name.rpartition(".")[2]
    if format_ := FORMATS.get(ending):
        return format_
    subtype = (hints.mime or "").lower().partition(";")[0].strip().rpartition("/")[2]
    return FORMATS.get(subtype) or FORMATS.get(subtype.rpartition("+")[2])


def apparent_format(text: str) -> str:
    """The format that the first lines look like: a key of `_FORMATS`."""
    lines = _telling_lines(text) or ["-"]
    first = lines[0]
    sections = sum(line_nodes.SECTION.match(line) is not None for line in lines)
    settings = sum("=" in line and line_nodes.SETTING.match(line) is not None for line in lines)
    if first.startswith(("{", "[")):
        if settings and 3 * (settings + sections) >= len(lines) and line_nodes.SECTION.match(first):
            return "settings"
        values = sum(line[0] + line[-1] in ("{}", "[]") for line in lines)
        return "jsonl" if values >= 2 and 10 * values >= 9 * len(lines) else "json"
    if first.startswith("<"):
        return "indented"
    keys = sum(line.startswith("- ") or yaml_nodes.KEY.match(line) is not None for line in lines)
    if first == "---" or (keys > settings + sections and 3 * keys >= len(lines)):
        return "yaml"
    return "settings" if 3 * settings >= len(lines) else "indented"


def _telling_lines(text: str) -> list[str]:
    """Some lines from the beginning that are no comments, without margins."""
    found = _LINE.finditer(text, text.startswith("\ufeff"), _SAMPLE)
    lines = [match[0].rstrip() for match, _ in zip(found, range(_MOST_LINES), strict=False)]
    return [line for line in lines if not line.startswith(_COMMENTS)]


def _parse_json(text: str, hints: Hints) -> Sequence[Node]:
    nodes, problem = json_nodes.parse(text, hints)
    if problem is None:
        return nodes
    where = f"line {line_number(text, problem)}"
    if nodes:
        hints.warn(f"the JSON is cut off: what opens in {where} is never closed")
        return nodes
    format_ = apparent_format(text)
    if format_ == "json":
        hints.warn(f"the JSON cannot be read in {where}: it is chunked by its lines instead")
        return line_nodes.parse_indented(text, hints)
    hints.warn(f"what stands in {where} is no JSON: the text is chunked as {format_} instead")
    return _parse_as(format_, text, hints)
