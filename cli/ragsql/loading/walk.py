"""Finding the files of a folder: sorted, each once, links under control."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from ragsql.loading.names import source_name

EXTENSIONS = (".md", ".markdown", ".txt")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to load; ``linked`` says that its path leads through a symbolic link."""

    path: str
    source: str
    size: int
    linked: bool = False


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A name that is not loaded, with the outcome for the log and the reason."""

    source: str
    outcome: str
    reason: str


@dataclass(slots=True)
class _Walk:
    root: str
    follow_links: bool
    extensions: tuple[str, ...]
    found: list[FoundFile] = field(default_factory=list)
    passed: list[PassedOver] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def source(self, path: str) -> str:
        return source_name(path, self.root)

    def is_loadable(self, name: str) -> bool:
        """Say whether a name ends like a document; capital letters count too."""
        return name.lower().endswith(self.extensions)

    def skip(self, path: str, reason: str, outcome: str = "skipped") -> None:
        self.passed.append(PassedOver(self.source(path), outcome, reason))

    def add_file(self, path: str, size: int, *, linked: bool) -> None:
        if self.follow_links:
            real = os.path.realpath(path)
            if linked and real in self.seen:
                return
            self.seen.add(real)
        self.found.append(FoundFile(path, self.source(path), size, linked))

    def add_folder(self, top: str, *, linked: bool) -> None:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            real = os.path.realpath(folder)
            if real in self.seen:
                continue
            self.seen.add(real)
            try:
                with os.scandir(folder) as entries:
                    children = sorted(entries, key=lambda entry: os.fsencode(entry.name))
            except OSError as error:
                self.skip(folder, error.strerror or "cannot be read", "failed")
                continue
            for entry in children:
                self.add_entry(entry, waiting, linked=linked)

    def add_entry(self, entry: os.DirEntry[str], waiting: list[str], *, linked: bool) -> None:
        if entry.name.startswith("."):
            return
        try:
            if entry.is_symlink():
                self.links.append(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif self.is_loadable(entry.name) and entry.is_file(follow_symlinks=False):
                self.add_file(entry.path, entry.stat(follow_symlinks=False).st_size, linked=linked)
        except OSError as error:
            self.skip(entry.path, error.strerror or "cannot be read", "failed")

    def add_link(self, path: str) -> None:
        """Judge a link. Links come after real names, so a file is kept under its own name."""
        try:
            target = os.stat(path)
        except OSError:
            self.skip(path, "a link that leads nowhere")
            return
        folder = stat.S_ISDIR(target.st_mode)
        if not folder and not (stat.S_ISREG(target.st_mode) and self.is_loadable(path)):
            return
        if not self.follow_links:
            self.skip(path, "a symbolic link (--follow-links reads what it leads to)")
        elif folder:
            self.add_folder(path, linked=True)
        else:
            self.add_file(path, target.st_size, linked=True)


def walk(
    top: str, *, follow_links: bool = False, extensions: tuple[str, ...] = EXTENSIONS
) -> tuple[list[FoundFile], list[PassedOver]]:
    """List the files to load below a folder (or the one file), sorted by source.

    Hidden names (a leading dot) and other extensions are left out without a word. Symbolic
    links below ``top`` are not followed unless asked for; then each real file and folder is
    taken once, so loops end. What cannot be read is returned beside the files, with the reason.
    """
    if not os.path.isdir(top):
        path = os.path.join(os.path.realpath(os.path.dirname(top) or "."), os.path.basename(top))
        state = _Walk(os.path.dirname(path), follow_links, extensions)
        if state.is_loadable(path):
            state.add_file(path, os.stat(path).st_size, linked=os.path.islink(path))
        return state.found, state.passed
    state = _Walk(top, follow_links, extensions)
    state.add_folder(top, linked=False)
    for link in _drain(state.links):
        state.add_link(link)
    return (
        sorted(state.found, key=lambda file: file.source),
        sorted(state.passed, key=lambda item: item.source),
    )


def _drain(links: list[str]) -> Iterator[str]:
    """Yield links, also those that following earlier ones adds to the list."""
    while links:
        links.sort(key=os.fsencode, reverse=True)
        yield links.pop()
