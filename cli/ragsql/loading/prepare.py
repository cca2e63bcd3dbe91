"""From a found file to a document ready to be stored, or to the reason why not."""

import os
import re
import stat
from dataclasses import dataclass

from ragsql.loading.decode import BinaryContent, Decoded, Undecodable, decode
from ragsql.loading.title import find_title
from ragsql.loading.walk import EXTENSIONS, FoundFile

DEFAULT_MAX_BYTES = 20_000_000
# The server refuses a text of these alone: white space, controls, characters without a width.
_INVISIBLE = re.compile(
    "[\\s\x01-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u2064\u3000\ufeff]*+"
)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How files are read: a forced encoding, the size limit, whether guesses are refused."""

    encoding: str | None = None
    max_bytes: int = DEFAULT_MAX_BYTES
    refuse_guess: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it goes to ``rag.ingest``, and what the log says about reading it."""

    source: str
    title: str
    content: str
    encoding: str
    size: int
    guessed: bool = False
    nul_replaced: int = 0
    surrogates_replaced: int = 0

    @property
    def mime(self) -> str:
        """The media type that the name says."""
        markdown = self.source.lower().endswith((".md", ".markdown"))
        return "text/markdown" if markdown else "text/plain"

    @property
    def notes(self) -> str:
        """What was done to the text on reading it, in words; empty for a clean file."""
        notes = []
        if self.guessed:
            notes.append(f"encoding guessed: {self.encoding}")
        if self.nul_replaced:
            notes.append(f"{self.nul_replaced} NUL replaced")
        if self.surrogates_replaced:
            notes.append(f"{self.surrogates_replaced} lone surrogates replaced")
        return "; ".join(notes)

    @property
    def metadata(self) -> dict[str, object]:
        """The encoding where it is not UTF-8, and whether it was guessed."""
        if self.guessed:
            return {"encoding": self.encoding, "encoding_guessed": True}
        return {} if self.encoding == "utf-8" else {"encoding": self.encoding}


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that is not stored: outcome empty, binary, too_large or failed, and the reason."""

    source: str
    outcome: str
    reason: str


def prepare(file: FoundFile, options: ReadOptions) -> Document | Refused:
    """Read and decode one file. Never raises for what is wrong with that file alone."""
    try:
        data = _read(file, options.max_bytes)
    except OSError as error:
        return Refused(file.source, "failed", error.strerror or "cannot be read")
    if data is None:
        limit = f"larger than the limit of {options.max_bytes} bytes (--max-bytes)"
        return Refused(file.source, "too_large", limit)
    try:
        decoded = decode(data, options.encoding)
    except BinaryContent as error:
        return Refused(file.source, "binary", f"not text: {error}")
    except Undecodable as error:
        return Refused(file.source, "failed", str(error))
    if _INVISIBLE.fullmatch(decoded.text):
        return Refused(file.source, "empty", "no text in the file")
    if decoded.guessed and options.refuse_guess:
        reason = f"not UTF-8, perhaps {decoded.encoding}; --encoding says which"
        return Refused(file.source, "failed", reason)
    return _document(file, decoded, len(data))


def _document(file: FoundFile, decoded: Decoded, size: int) -> Document:
    return Document(
        source=file.source,
        title=_title(decoded.text, file.source.rpartition("/")[2]),
        content=decoded.text,
        encoding=decoded.encoding,
        size=size,
        guessed=decoded.guessed,
        nul_replaced=decoded.nul_replaced,
        surrogates_replaced=decoded.surrogates_replaced,
    )


def _title(text: str, name: str) -> str:
    """What a document calls itself; of code and data, whose signs mean other things, its name."""
    return find_title(text, name) if name.lower().endswith(EXTENSIONS) else name


def _read(file: FoundFile, limit: int) -> bytes | None:
    """Read a regular file whole, or return None where it is longer than ``limit``.

    The name may have changed since it was found: a link or a pipe put in its place is refused
    rather than followed or waited for.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if not file.linked:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    with open(os.open(file.path, flags), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(0, "not a regular file")
        data = stream.read(limit + 1)
    return data if len(data) <= limit else None
