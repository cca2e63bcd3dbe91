"""What every structure-aware strategy hands to the packer: the parts of a document, as a tree.

A strategy reads a text once and says what belongs together; the packer alone knows about sizes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Parts = Sequence["Node"]


def no_parts() -> Parts:
    """The parts of a leaf."""
    return ()


@dataclass(slots=True)
class Node:
    """A part of a document, `text[start:end]`, without white space at its two ends.

    `parts` gives what it consists of, in order, apart from white space between them; it is called
    only where the node does not fit a chunk. The first part begins where the node begins, the last
    ends where it ends. A leaf has none: it is cut between sentences, words, then characters, or
    between lines where its kind is in `packing.LINE_KINDS`.
    """

    start: int
    end: int
    kind: str = "prose"
    parts: Callable[[], Parts] = no_parts
    path: tuple[str, ...] | None = None
    """The whole heading path, of a node that opens one (a section, a function, a key)."""
    context: str = ""
    """What a chunk from inside the node lacks when it does not hold its beginning: a signature,
    the header of a table, the parent of a list item. Goes to embed_text."""
    alone: bool = False
    """Shares no chunk with its siblings, unless it is below the minimum (a section, a clause)."""
    whole: bool = True
    """May be one chunk where it fits; False: always taken apart (a section with subsections)."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known of a text besides itself.

    `warn` tells the caller of something done differently than asked; `pause` is called now and
    then in long work, so that it can be cancelled.
    """

    source: str | None = None
    language: str | None = None
    mime: str | None = None
    warn: Callable[[str], None] = lambda message: None
    pause: Callable[[], None] = lambda: None
