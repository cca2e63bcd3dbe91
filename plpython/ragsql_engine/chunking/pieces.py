"""Passages in the making: joined where they are too small, and made to fit a model exactly."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from ragsql_engine.chunking.context import ContextWriter
from ragsql_engine.chunking.strings import after_space
from ragsql_engine.tokens import Floor, TokenWindow
from ragsql_engine.visibility import is_visible

_HEAD = 500  # characters of a piece in which its headings stand
# Their lines mean something by how far they are indented.
INDENTED_KINDS = frozenset({"code", "data", "list"})


@dataclass(slots=True)
class Piece:
    """A passage in the making: `text[start:end]` and where it stands.

    `path` is its heading path, `section` the span of what that path names, `context` what it
    lacks to be understood by itself, outermost first.
    """

    start: int
    end: int
    kind: str = "prose"
    path: tuple[str, ...] = ()
    section: tuple[int, int] | None = None
    context: tuple[str, ...] = ()
    tokens: int | None = None
    header: str | None = None
    """What is embedded before it, once that is known to fit."""


def join_small(
    text: str,
    pieces: Iterable[Piece],
    min_chunk_size: int,
    fits: Callable[[int, int], bool],
) -> list[Piece]:
    """Join pieces below the minimum to a neighbour of their section, else to the one after.

    `fits(start, end)` says whether a joined piece may be. One without a visible character joins
    whatever is there, or goes.
    """
    joined: list[Piece] = []
    lead: int | None = None
    for piece in pieces:
        if not is_visible(text, piece.start, piece.end):
            if joined:
                joined[-1].end = piece.end
            elif lead is None:
                lead = piece.start
            continue
        if lead is not None:
            piece.start, lead = lead, None
        if (
            joined
            and _joins(joined[-1], piece, min_chunk_size)
            and fits(joined[-1].start, piece.end)
        ):
            joined[-1] = _joined(joined[-1], piece)
        else:
            joined.append(piece)
    if len(joined) > 1 and _is_small(joined[-1], min_chunk_size):
        before, last = joined[-2:]
        if fits(before.start, last.end):
            joined[-2:] = [_joined(before, last)]
    return joined


def _joins(before: Piece, piece: Piece, min_chunk_size: int) -> bool:
    return _is_small(before, min_chunk_size) or (
        _is_small(piece, min_chunk_size) and piece.path == before.path
    )


def _is_small(piece: Piece, min_chunk_size: int) -> bool:
    return piece.end - piece.start < min_chunk_size


def _joined(before: Piece, after: Piece) -> Piece:
    """One piece of two; what names it is the larger one."""
    larger = max(before, after, key=lambda piece: piece.end - piece.start)
    section = larger.section
    if section is not None:
        section = min(section[0], before.start), max(section[1], after.end)
    return Piece(before.start, after.end, larger.kind, larger.path, section, before.context)


def indent(text: str, pieces: list[Piece], fits: Callable[[int, int], bool]) -> list[Piece]:
    """Let pieces of lines begin where their first line does: indentation tells what they are."""
    for piece in pieces:
        if piece.kind not in INDENTED_KINDS:
            continue
        start = piece.start
        while start > 0 and text[start - 1] in " \t":
            start -= 1
        if (start == 0 or text[start - 1] in "\r\n") and fits(start, piece.end):
            if piece.section is not None and piece.section[0] == piece.start:
                piece.section = start, piece.section[1]
            piece.start = start
    return pieces


def header(piece: Piece, content: str, writer: ContextWriter) -> str:
    """What is embedded before a piece; nothing that it says itself."""
    path = piece.path
    if piece.section is not None and piece.start <= piece.section[0]:
        path = tuple(name for name in path[:-1] if name not in content[:_HEAD])
    return writer.text(path, tuple(line for line in piece.context if line not in content))


def fit_exactly(
    text: str,
    pieces: Iterable[Piece],
    window: TokenWindow,
    size: int | None,
    floor: Floor,
    writer: ContextWriter,
) -> Iterator[Piece]:
    """Count the tokens of each piece, and cut one that is beyond the window or beyond `size`.

    `window` bounds what the model reads, header included; `size`, where it is in tokens, the
    piece itself.
    """
    begun = covered = -1  # of the piece before: a repeated text must not reach back beyond it
    for piece in pieces:
        if piece.start <= begun:
            piece.start = after_space(text, covered, piece.end)
        content = text[piece.start : piece.end]
        piece.header = header(piece, content, writer)
        before = writer.prefix + piece.header
        piece.tokens = window.count(content)
        read = window.count(before + content) if before else piece.tokens
        if read <= window.capacity and (size is None or piece.tokens <= size):
            fitting: Iterable[Piece] = (piece,)
        else:
            narrow = window if size is None else window.narrowed(size + window.count(before))
            fitting = _cut(text, piece, covered, narrow, floor, writer)
        for part in fitting:
            begun, covered = part.start, part.end
            yield part


def _cut(
    text: str,
    piece: Piece,
    covered: int,
    window: TokenWindow,
    floor: Floor,
    writer: ContextWriter,
) -> Iterator[Piece]:
    """Parts of a piece; the first goes beyond `covered`, where the piece before ends.

    A part lacks what the piece did not, so its header may be longer: it goes where it does not fit.
    """
    start, before = piece.start, writer.prefix + (piece.header or "")
    while start < piece.end:
        end, _ = window.fit(text, start, piece.end, floor, before)
        if end > covered and is_visible(text, start, end):
            content = text[start:end]
            part = replace(piece, start=start, end=end, tokens=window.count(content))
            part.header = header(part, content, writer)
            if window.count(writer.prefix + part.header + content) > window.capacity:
                part.header = ""
            yield part
        start = after_space(text, max(end, covered), piece.end)
