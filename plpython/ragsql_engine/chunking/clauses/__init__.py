"""Contracts and statutes: one node for each numbered clause, with its heading path."""

from collections.abc import Sequence
from functools import partial

from ragsql_engine.chunking.clauses.heads import HEADING, Head, find_heads
from ragsql_engine.chunking.clauses.items import body, introduction, paragraphs
from ragsql_engine.chunking.clauses.sequence import clauses_among
from ragsql_engine.chunking.nodes import Hints, Node
from ragsql_engine.chunking.sections import Entry, nodes_of
from ragsql_engine.chunking.strings import trimmed
from ragsql_engine.visibility import is_visible


def parse(text: str, hints: Hints) -> Sequence[Node]:
    """Clauses by number, those inside a clause as its parts; what stands before them is prose.

    Articles, sections, annexes and decimals are clauses, items by letter are parts of theirs.
    Which numbers count is said in `clause_sequence`. Markdown headings without a number are
    sections beside the clauses.
    """
    heads = clauses_among(find_heads(text, hints.pause), text)
    first = next((i for i, head in enumerate(heads) if head.division != HEADING), len(heads))
    heads = heads[first:]
    if not heads:
        hints.warn("no numbered clause was found: the text is divided into paragraphs")
        return paragraphs(text, 0, len(text), "prose")
    ends = [*(head.start for head in heads[1:]), len(text)]
    levels = _levels(text, heads, ends)
    has_clauses = [after > level for level, after in zip(levels, [*levels[1:], 0], strict=True)]
    entries = [_entry(text, *each) for each in zip(heads, ends, levels, has_clauses, strict=True)]
    return paragraphs(text, 0, heads[0].start, "prose") + nodes_of(entries)


def _levels(text: str, heads: Sequence[Head], ends: Sequence[int]) -> list[int]:
    """How many of the heads before each enclose it.

    A Markdown heading without a number encloses clauses only where it has no text of its own.
    """
    levels: list[int] = []
    enclosing: list[tuple[Head, bool]] = []
    for head, end in zip(heads, ends, strict=True):
        closed = (i for i, (other, says) in enumerate(enclosing) if _closes(head, other, says))
        del enclosing[next(closed, len(enclosing)) :]
        levels.append(len(enclosing))
        enclosing.append((head, is_visible(text, head.stop, end)))
    return levels


def _closes(head: Head, other: Head, says: bool) -> bool:
    """Whether what `other` stands over, which has text or not, ends where `head` stands."""
    if head.division == HEADING:
        return other.atx == 0 or other.atx >= head.atx
    if other.division == HEADING:
        return says or other.atx >= head.atx > 0
    return other.rank >= head.rank


def _entry(text: str, head: Head, end: int, level: int, has_clauses: bool) -> Entry:
    start, end = trimmed(text, head.start, end)
    is_clause = head.division != HEADING
    says = is_visible(text, head.stop, end) or (is_clause and not has_clauses)
    text_at = max(head.stop, head.text_at)
    context = introduction(text, head.stop, text_at, end) if is_clause else ""
    parts = partial(_parts, text, head, end)
    kind = "clause" if is_clause else "prose"
    return Entry(level, head.name, start, end, says, kind, parts, context)


def _parts(text: str, head: Head, end: int) -> list[Node]:
    nodes = [Node(head.start, head.stop, "heading")] if head.stop > head.start else []
    if head.division == HEADING:
        return nodes + paragraphs(text, head.stop, end, "prose")
    return nodes + body(text, head.stop, max(head.stop, head.text_at), end)
