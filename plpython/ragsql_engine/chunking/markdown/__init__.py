"""Markdown: sections by heading, and the blocks in them.

CommonMark with tables and footnotes, as pulldown-cmark reads it. Headings in lists and quotes are
text: only those at the top make sections.
"""

from collections.abc import Sequence
from functools import partial

from ragsql_engine.chunking.markdown.blocks import HTML, RULE, read
from ragsql_engine.chunking.markdown.front_matter import front_matter_end
from ragsql_engine.chunking.markdown.parts import KINDS, Section, row
from ragsql_engine.chunking.nodes import Hints, Node
from ragsql_engine.chunking.sections import Entry, nodes_of
from ragsql_engine.chunking.strings import one_line, trimmed
from ragsql_engine.visibility import is_visible

# Lower than any heading, so that it holds none.
_NO_HEADING = 7


def parse(text: str, hints: Hints) -> Sequence[Node]:
    """Front matter, what stands before the first heading, then sections.

    The kind of a section is that of most of its text, subsections aside. A heading over nothing
    but subsections begins the first of them; one over nothing goes with the section that follows.
    """
    nodes: list[Node] = []
    start = front_matter_end(text)
    if start:
        nodes.append(Node(0, trimmed(text, 0, start)[1], "front_matter", alone=True))
    blocks = read(text, start or int(text.startswith("\ufeff")), hints.pause)
    headings = [*blocks.headings, len(blocks)]
    offsets = [*(blocks.starts[heading] for heading in blocks.headings), len(text)]
    before, stop = Section(blocks, 0, headings[0]), offsets[0]
    entries = []
    if _says(text, before, start, stop):
        nodes += row(text, before, start, stop)
    elif text[start:stop].strip():
        # What says nothing goes with the first section, as a heading over nothing does.
        parts = partial(row, text, before, start, stop)
        entries.append(Entry(_NO_HEADING, "", *trimmed(text, start, stop), False, "prose", parts))
    for place in range(len(blocks.headings)):
        body = Section(blocks, headings[place] + 1, headings[place + 1])
        entries.append(_entry(text, body, offsets[place], offsets[place + 1]))
    return nodes + nodes_of(entries)


def _entry(text: str, body: Section, start: int, end: int) -> Entry:
    heading = body.first - 1
    level, title = body.blocks.headings[heading]
    own = body.blocks.ends[heading]
    parts = partial(_parts, text, body, start, own, end)
    says, kind = _says(text, body, own, end), _main_kind(body)
    return Entry(level, one_line(title), *trimmed(text, start, end), says, kind, parts)


def _parts(text: str, body: Section, start: int, own: int, end: int) -> list[Node]:
    return [Node(*trimmed(text, start, own), "heading"), *row(text, body, own, end)]


def _says(text: str, section: Section, start: int, end: int) -> bool:
    """Whether something can be read in `start`..`end`; not in lines across and in comments."""
    blocks, at = section.blocks, start
    for block in blocks.siblings(section.first, section.stop):
        first, last, tag = blocks.starts[block], blocks.ends[block], blocks.tags[block]
        if is_visible(text, at, first):
            return True
        is_silent = tag == RULE or (tag == HTML and _is_comment(text, first, last))
        if not is_silent and is_visible(text, first, last):
            return True
        at = last
    return is_visible(text, at, end)


def _is_comment(text: str, start: int, end: int) -> bool:
    start, end = trimmed(text, start, end)
    return text.startswith("<!--", start) and text.find("-->", start + 4, end) == end - 3


def _main_kind(section: Section) -> str:
    blocks, sizes = section.blocks, {"prose": 0}
    for block in blocks.siblings(section.first, section.stop):
        kind = KINDS.get(blocks.tags[block], "prose")
        sizes[kind] = sizes.get(kind, 0) + blocks.ends[block] - blocks.starts[block]
    return max(sizes, key=sizes.__getitem__)
