"""A context for a language model: passages as numbered sources, within a number of tokens."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragsql_engine.errors import InvalidParameter

Count = Callable[[str], int]

TEMPLATE = (
    "Answer the question from the numbered sources below, and from nothing else. Cite the number "
    "of the source after each statement, like [1]. If the sources do not answer the question, say "
    "that you do not know.\n\n{sources}"
)
SOURCE_TEMPLATE = "[Source {number}: {source}]\n{about}\n{content}"
ABSTAIN = "No source answers this question. Say that you do not know."

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_CONTROLS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_HASH = re.compile("[0-9a-f]{64}")
# what a passage could pass off as another source with
_HEADER = re.compile(r"\[(?=\s*source\s+\d+\s*[:\]])", re.IGNORECASE)
_LONGEST_LABEL = 200


@dataclass(frozen=True)
class Block:
    """Passages of one document that overlap, or a single one; places of hits, best first."""

    hits: tuple[int, ...]
    document: str
    text: str
    start: int
    end: int
    lines: tuple[int, int]
    pages: tuple[int, int] | None

    @classmethod
    def of(cls, at: int, hit: Mapping[str, Any]) -> "Block":
        """The block of one hit."""
        pages = None if hit["page"] is None else (hit["page"], hit["page"])
        span = hit["start_offset"], hit["end_offset"]
        lines = hit["start_line"], hit["end_line"]
        return cls((at,), hit["document_id"], hit["content"], *span, lines, pages)

    def joined(self, other: "Block") -> "Block | None":
        """Both as one text, where they overlap and agree on what they share; else None.

        Redacted texts are not as long as their spans say, and stay apart where that matters.
        """
        left, right = sorted((self, other), key=lambda b: (b.start, -b.end))
        shared = min(left.end, right.end) - right.start
        if self.document != other.document or shared <= 0:
            return None
        if right.end <= left.end:
            inner = left.text[right.start - left.start : right.end - left.start]
            text = left.text if inner == right.text else None
        else:
            is_same = left.text[-shared:] == right.text[:shared]
            text = left.text + right.text[shared:] if is_same else None
        if text is None:
            return None
        pages = [page for b in (self, other) if b.pages for page in b.pages]
        return replace(
            self,
            hits=tuple(sorted(self.hits + other.hits)),
            text=text,
            start=left.start,
            end=max(left.end, right.end),
            lines=(min(self.lines[0], other.lines[0]), max(self.lines[1], other.lines[1])),
            pages=(min(pages), max(pages)) if pages else None,
        )


class Prompt:
    """Writes contexts. template: has {sources}, may have {question}; source_template: of each."""

    def __init__(
        self, question: str, template: str, source_template: str, count: Count, max_tokens: int
    ) -> None:
        if "{sources}" not in template:
            raise InvalidParameter(
                "template has no {sources}",
                hint="Say where the sources go: 'Use these sources:\n{sources}\n\n{question}'.",
            )
        if "{content}" not in source_template:
            raise InvalidParameter(
                "source_template has no {content}",
                hint="Say where the passage goes: '[{number}] {source}\n{content}'.",
            )
        self._question = question
        self._template = template
        self._source_template = source_template
        self._count = count
        self._max_tokens = max_tokens
        self._around = self._count(self.text([], []))
        if self._around > max_tokens:
            raise InvalidParameter(
                f"max_tokens is {max_tokens}, but the text around the sources has "
                f"{self._around} tokens",
                hint="Allow more, or give a shorter template.",
            )

    def choose(self, hits: Sequence[Mapping[str, Any]]) -> list[Block]:
        """As many of the hits, best first, as fit; none twice, each as a whole."""
        blocks: list[Block] = []
        counted: dict[str, int] = {"": self._count("\n\n")}

        def tokens(tried: Sequence[Block]) -> int:
            """About: tokens can span sources."""
            texts = self._sources(tried, hits)
            counted.update((t, self._count(t)) for t in texts if t not in counted)
            return self._around + sum(counted[t] + counted[""] for t in texts)

        for at, hit in enumerate(hits):
            tried = _with(blocks, Block.of(at, hit))
            if tried is blocks or tokens(tried) <= self._max_tokens:
                blocks = tried
        while blocks and self._count(self.text(blocks, hits)) > self._max_tokens:
            blocks.pop()
        return blocks

    def text(self, blocks: Sequence[Block], hits: Sequence[Mapping[str, Any]]) -> str:
        """The whole context."""
        sources = "\n\n".join(self._sources(blocks, hits))
        return _filled(self._template, {"sources": sources, "question": self._question})

    def _sources(self, blocks: Sequence[Block], hits: Sequence[Mapping[str, Any]]) -> list[str]:
        return [self._source(n, block, hits[block.hits[0]]) for n, block in enumerate(blocks, 1)]

    def _source(self, number: int, block: Block, hit: Mapping[str, Any]) -> str:
        title, name = _label(hit["title"]), _label(hit["source"])
        if _HASH.fullmatch(name):  # a document that was given no name
            name = title or _label(hit["collection"])
        place = _place(block)
        version = f"version {_label(hit['version'])}" if hit["version"] else ""
        values = {
            "number": str(number),
            "source": name,
            "title": title,
            "place": place,
            "about": ", ".join(filter(None, [title if title != name else "", version, place])),
            "collection": _label(hit["collection"]),
            "version": _label(hit["version"]),
            "heading": " > ".join(map(_label, hit["heading"] or ())),
            "citation": hit["citation"],
            "content": _HEADER.sub("(", block.text.strip("\n")),
        }
        lines = self._source_template.split("\n")
        return "\n".join(_filled(line, values) for line in lines if not _says_nothing(line, values))


def place_of(block: Block) -> dict[str, Any]:
    """Where a source stands in its document."""
    first, last = block.pages or (None, None)
    return {
        "start_offset": block.start,
        "end_offset": block.end,
        "start_line": block.lines[0],
        "end_line": block.lines[1],
        "first_page": first,
        "last_page": last,
    }


def _with(blocks: list[Block], new: Block) -> list[Block]:
    """The blocks and a further one; the very same list where it adds no text."""
    letters = _CONTROLS.sub(" ", new.text).strip()
    for at, block in enumerate(blocks):
        if _CONTROLS.sub(" ", block.text).strip() == letters:
            blocks[at] = replace(block, hits=block.hits + new.hits)
            return blocks
    kept: list[Block] = []
    place = len(blocks)
    for at, block in enumerate(blocks):
        both = block.joined(new)
        if both is None:
            kept.append(block)
        elif both.text == block.text:
            blocks[at] = both
            return blocks
        else:
            new, place = both, min(place, at)
    return [*kept[:place], new, *kept[place:]]


def _label(text: str | None) -> str:
    """One line that neither begins nor ends a header."""
    line = _HEADER.sub("(", _CONTROLS.sub(" ", text or "")).strip()
    return line.replace("]", ")")[:_LONGEST_LABEL]


def _place(block: Block) -> str:
    name, (first, last) = ("page", block.pages) if block.pages else ("line", block.lines)
    return f"{name} {first}" if first == last else f"{name}s {first}-{last}"


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Each placeholder that there is replaced once; what looks like one in a value stays."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), template)


def _says_nothing(line: str, values: Mapping[str, str]) -> bool:
    """Whether a line is made of placeholders alone, and all of them are empty."""
    return bool(line) and line != (left := _filled(line, values)) and not left.strip()
