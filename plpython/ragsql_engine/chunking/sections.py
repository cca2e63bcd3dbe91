"""Sections of a document as nodes: headings by level, each with the text it stands over.

A heading without text of its own would be a poor passage. It goes with the section that follows
it, its first subsection or its sibling; at the end of its parent, with the section before.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from ragsql_engine.chunking.nodes import Node, Parts


@dataclass(slots=True)
class Entry:
    """A heading and what follows it up to the next one: `text[start:end]`, white space trimmed.

    It encloses the entries after it that have a higher `level`. `says` tells whether it has text
    besides its heading. `parts` are the nodes of the heading and of that text.
    """

    level: int
    name: str
    start: int
    end: int
    says: bool
    kind: str
    parts: Callable[[], Sequence[Node]]
    context: str = ""


@dataclass(slots=True)
class _Section:
    """An entry among the others; `lead` and `tail` are entries without text that go with it."""

    entry: Entry
    parent: "_Section | None"
    lead: Sequence[Entry] = ()
    tail: Sequence[Entry] = ()
    children: "list[_Section] | None" = None
    stands: bool = False
    """Whether it has text, or a section in it has."""


def nodes_of(entries: Iterable[Entry]) -> list[Node]:
    """The nodes of a document's entries, given in order; bare parts where no entry has text."""
    roots: list[_Section] = []
    open_sections: list[_Section] = []
    silent: list[_Section] = []
    last: _Section | None = None
    for entry in entries:
        while open_sections and open_sections[-1].entry.level >= entry.level:
            open_sections.pop()
        parent = open_sections[-1] if open_sections else None
        section = _Section(entry, parent)
        open_sections.append(section)
        if not entry.says:
            silent.append(section)
            continue
        if silent:
            left = 0
            while left < len(silent) and _left_a_section(silent[left], open_sections):
                left += 1
            section.lead = [heading.entry for heading in silent[left:]]
            if last is not None:
                last.tail = [heading.entry for heading in silent[:left]]
            silent.clear()
        _raise(section, roots)
        last = section
    if last is None:
        return [part for heading in silent for part in heading.entry.parts()]
    last.tail = [heading.entry for heading in silent]
    return [_node(root) for root in roots]


def _left_a_section(heading: _Section, open_sections: list[_Section]) -> bool:
    """Whether a section that stands, and is no longer open, encloses `heading`."""
    parent = heading.parent
    while parent is not None:
        if parent.stands and all(parent is not section for section in open_sections):
            return True
        parent = parent.parent
    return False


def _raise(section: _Section, roots: list[_Section]) -> None:
    """Let a section stand, and those that enclose it."""
    while not section.stands:
        section.stands = True
        if section.parent is None:
            roots.append(section)
            return
        if section.parent.children is None:
            section.parent.children = []
        section.parent.children.append(section)
        section = section.parent


def _node(section: _Section) -> Node:
    """The node of a section; of its only subsection where that is all it has."""
    while not section.entry.says and section.children and len(section.children) == 1:
        section = section.children[0]
    entry = section.entry
    start, end = _start(section), _end(section)
    parts = partial(_parts, section)
    path, whole = _path(section), not section.children
    return Node(start, end, entry.kind, parts, path, entry.context, alone=True, whole=whole)


def _start(section: _Section) -> int:
    while section.children and not section.entry.says:
        section = section.children[0]
    return section.lead[0].start if section.lead else section.entry.start


def _end(section: _Section) -> int:
    while section.children:
        section = section.children[-1]
    return section.tail[-1].end if section.tail else section.entry.end


def _path(section: _Section) -> tuple[str, ...]:
    names = [section.entry.name]
    while section.parent is not None:
        section = section.parent
        names.append(section.entry.name)
    return tuple(reversed(names))


def _parts(section: _Section) -> Parts:
    own: Sequence[Entry] = ()
    if section.entry.says:
        own = (*section.lead, section.entry, *section.tail)
    parts = [part for entry in own for part in entry.parts()]
    parts += [_node(child) for child in section.children or ()]
    return parts if len(parts) > 1 else parts[0].parts()
