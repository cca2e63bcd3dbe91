"""The corpus of the lexical benchmark: passages of Debian's documentation packages.

Built once and kept as JSON lines in a cache folder. The packages exist in Debian 12 and 13; the
passages are the same wherever the packages have the same versions. Packages come from wherever
apt is configured to get them.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench import documentation

PACKAGES = """
    ant-doc apache2-doc bash-doc bind9-doc buildbot-doc cargo-doc cinder-doc cmake-doc
    cppreference-doc-en-html crystal-doc db5.3-doc debian-policy debian-reference-en derby-doc
    erlang-doc exim4-doc-html ffmpeg-doc fp-docs-3.2.2 freebsd-manpages fwupd-doc gap-doc
    ghc-doc git-doc glance-doc groonga-doc haproxy-doc heat-doc ironic-doc keystone-doc
    libcommons-math3-java-doc libeigen3-doc libglib2.0-doc libgtk-3-doc libgtk-4-doc
    libgtk2.0-doc libreoffice-help-en-us libssl-doc libvirt-doc llvm-19-doc manpages
    manpages-dev mercurial-common nodejs-doc nova-doc ntpsec-doc numba-doc octavia-doc perl-doc
    postfix-doc postgis-doc python-django-doc python-openstackclient-doc python-sqlalchemy-doc
    python-werkzeug-doc qtbase5-doc-html r-doc-html rust-doc sbcl-doc scala-doc sphinx-doc
    sqlite3-doc swi-prolog-doc tcl8.6-doc twisted-doc vim-doc weechat-doc wx3.2-doc zsh-doc
""".split()
SIZE, LEAST = 1150, 500
"""Characters of a passage: at most, at least."""
SHARE = 16_000
"""Most passages of one package, so that no voice drowns the others."""
LONGEST = 32
"""Most passages of a document; a longer file is several documents."""
SEED = 20


@dataclass(frozen=True, slots=True)
class Document:
    """A file, or a part of a long one, as its passages."""

    source: str
    title: str
    passages: tuple[str, ...]


def load(cache: Path, count: int) -> list[Document]:
    """The first `count` passages of the corpus in documents; builds the corpus where missing.

    The order is a seeded shuffle, so that fewer passages are a sample of all.
    """
    file = cache / "passages.jsonl"
    if not file.is_file():
        build(cache)
    found: list[Document] = []
    missing = count
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if missing <= 0:
                return found
            row = json.loads(line)
            kept = tuple(row["passages"][:missing])
            found.append(Document(row["source"], row["title"], kept))
            missing -= len(kept)
    if missing > 0:
        raise SystemExit(f"The corpus in {cache} has {count - missing:,} passages, not {count:,}.")
    return found


def split(documents: Sequence[Document], count: int) -> tuple[list[Document], list[Document]]:
    """Documents of the first `count` passages, and those of the others; one may lie in both."""
    first: list[Document] = []
    rest: list[Document] = []
    for document in documents:
        if count > 0:
            first.append(replace(document, passages=document.passages[:count]))
        if kept := document.passages[max(count, 0) :]:
            source = f"{document.source}+" if count > 0 else document.source
            rest.append(replace(document, source=source, passages=kept))
        count -= len(document.passages)
    return first, rest


def build(cache: Path) -> None:
    """Downloads the packages, reads and cuts their files, and writes passages.jsonl."""
    cache.mkdir(parents=True, exist_ok=True)
    seen: set[bytes] = set()
    documents: list[Document] = []
    for number, package in enumerate(PACKAGES, 1):
        fresh = _read_package(cache, package, seen)
        documents += fresh
        count = sum(len(document.passages) for document in fresh)
        state = f"[{number}/{len(PACKAGES)}] {package}: {count:,} passages"
        print(state, file=sys.stderr, flush=True)
    random.Random(SEED).shuffle(documents)
    unfinished = cache / "passages.jsonl.new"
    with unfinished.open("w", encoding="utf-8") as lines:
        for document in documents:
            lines.write(json.dumps(asdict(document), ensure_ascii=False) + "\n")
    unfinished.rename(cache / "passages.jsonl")


def _read_package(cache: Path, package: str, seen: set[bytes]) -> list[Document]:
    """Documents of one package with passages that no earlier one had; `seen` grows."""
    folder = cache / "unpacked"
    shutil.rmtree(folder, ignore_errors=True)
    _run(["dpkg-deb", "-x", _download(cache / "packages", package), folder])
    found: list[Document] = []
    boilerplate = documentation.Boilerplate()
    left = SHARE
    for path in _spread(documentation.files(folder)):
        title, text = documentation.read(path)
        pieces = documentation.passages(boilerplate.without(text), SIZE, LEAST)
        fresh = [piece for piece in pieces if _is_new(piece, seen)][:left]
        source = f"{package}/{path.relative_to(folder)}"
        found += cut(Document(source, title, tuple(fresh)))
        left -= len(fresh)
        if left <= 0:
            break
    shutil.rmtree(folder)
    return found


def cut(document: Document) -> Iterator[Document]:
    """The document in parts of at most LONGEST passages; nothing where it has none."""
    starts: Sequence[int] = range(0, len(document.passages), LONGEST)
    for part, start in enumerate(starts, 1):
        source = document.source if part == 1 else f"{document.source}#{part}"
        passages = document.passages[start : start + LONGEST]
        yield replace(document, source=source, passages=passages)


def _spread(files: Iterator[Path]) -> list[Path]:
    """The files in an order that has nothing to do with their names, and is always the same."""
    return sorted(files, key=lambda f: hashlib.blake2b(f.name.encode(), digest_size=8).digest())


def _is_new(passage: str, seen: set[bytes]) -> bool:
    words = " ".join(passage.casefold().split())
    digest = hashlib.blake2b(words.encode(), digest_size=16).digest()
    known = digest in seen
    seen.add(digest)
    return not known


def _download(folder: Path, package: str) -> Path:
    folder.mkdir(exist_ok=True)
    if not list(folder.glob(f"{package}_*.deb")):
        _run(["apt-get", "download", "-qq", package], folder)
    return max(folder.glob(f"{package}_*.deb"))


def _run(command: Sequence[str | Path], folder: Path | None = None) -> None:
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode:
        name = " ".join(itertools.islice(map(str, command), 2))
        raise SystemExit(
            f"{name} failed: {result.stderr.strip()}\n"
            "Hint: the corpus is made of Debian packages; run `apt-get update` first."
        )
