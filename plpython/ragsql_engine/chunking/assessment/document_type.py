"""What sort of document a text is: its name says so, else its media type, else its lines.

Only samples are looked at, so that the answer takes constant time.
"""

from pathlib import PurePosixPath

from ragsql_engine.chunking.assessment import data_signs, markup_signs
from ragsql_engine.chunking.data import FORMATS

_SAMPLE = 65_536  # characters from the beginning, and half as many from the middle

_CODE_ENDINGS = frozenset(
    """
    adb ads asm awk bas bash bat c cc cjs clj cljs cmake cmd coffee cpp cr cs css cu cxx d dart
    do el elm erl ex exs f f03 f90 f95 fish for fs fsx gd glsl go gradle graphql groovy h hcl hh
    hpp hrl hs hxx inc ino jav java jl js jsx kt kts less lisp ll lua m mjs mk ml mli mm nim nix
    pas php phtml pl plsql pm pp pro proto ps1 psm1 py pyi pyw pyx r rake rb rkt rs s sass sc
    scala scm scss sh sol sql sv svelte svh swift tcl tf thrift ts tsx v vb vhd vhdl vim vue wat
    zig zsh
    """.split()
)
_CODE_NAMES = frozenset(
    """
    brewfile build.bazel cmakelists.txt dockerfile gemfile gnumakefile jenkinsfile justfile
    makefile meson.build pkgbuild procfile rakefile sconstruct vagrantfile
    """.split()
)
_MARKDOWN_ENDINGS = frozenset("md markdown mdown mdwn mdx mkd mkdn qmd rmd livemd".split())
_PROSE_ENDINGS = frozenset("adoc asciidoc bib eml log org po rst rtf srt tex texi vtt".split())
_TABLE_ENDINGS = frozenset("csv tsv tab".split())
_CODE_SUBTYPES = frozenset(
    """
    css ecmascript go java java-source javascript jsx lua perl php python python-script ruby rust
    script.python sh shellscript sql typescript c c++ c++src c++hdr chdr csrc csharp kotlin scala
    swift httpd-php makefile tex-source
    """.split()
)
# Such a file is often stored as the Markdown made of it, so its name and type tell nothing.
_MADE_INTO_TEXT = frozenset("htm html xhtml".split())


def detect_document_type(text: str, source: str | None = None, mime: str | None = None) -> str:
    """'code', 'prose', 'markdown' or 'structured'.

    `source` is a file name, path or address, `mime` a media type. What they do not tell (a text
    file, no name) is read off the text: 64 KB of its beginning and 32 KB of its middle.
    """
    return _by_name(source or "") or _by_media_type(mime or "") or _by_content(text)


def _by_name(source: str) -> str | None:
    if "://" in source:  # the ending of a host is no file ending
        source = source.split("://", 1)[1].partition("/")[2]
        source = source.partition("?")[0].partition("#")[0]
    name = PurePosixPath(source.replace("\\", "/").lower()).name
    stem, _, ending = name.rpartition(".")
    if name in _CODE_NAMES or stem in ("dockerfile", "makefile"):
        return "code"
    return _by_ending(ending) if stem or ending in ("env", "editorconfig", "gitconfig") else None


def _by_ending(ending: str) -> str | None:
    if ending in _CODE_ENDINGS:
        return "code"
    if ending in _MARKDOWN_ENDINGS:
        return "markdown"
    if ending in _PROSE_ENDINGS:
        return "prose"
    told = ending in FORMATS or ending in _TABLE_ENDINGS
    return "structured" if told and ending not in _MADE_INTO_TEXT else None


def _by_media_type(mime: str) -> str | None:
    subtype = mime.lower().partition(";")[0].strip().rpartition("/")[2]
    bare = subtype.removeprefix("x-").removeprefix("vnd.")
    suffix = subtype.rpartition("+")[2]
    if bare in _MADE_INTO_TEXT or suffix in ("xhtml", "html") or subtype == "xhtml+xml":
        return None
    if bare == "markdown":
        return "markdown"
    if bare in _CODE_SUBTYPES:
        return "code"
    told = (subtype, bare, suffix)
    is_data = any(name in FORMATS for name in told) or bare in ("csv", "tab-separated-values")
    return "structured" if is_data and bare != "plain" else None


def _by_content(text: str) -> str:
    beginning = text[:_SAMPLE].removeprefix("\ufeff").lstrip()
    if beginning.startswith(("#!/", "#! /", "<?php")):
        return "code"
    middle = len(text) // 2
    more = text[middle : middle + _SAMPLE // 2] if len(text) > 2 * _SAMPLE else ""
    lines = markup_signs.lines_of(beginning) + markup_signs.lines_of(more)[1:-1]
    is_cut = len(text) > _SAMPLE
    last = text[-1024:].rstrip()[-1:]
    if data_signs.is_json(beginning, last, is_cut) or data_signs.is_markup(beginning, lines):
        return "structured"
    if data_signs.is_mail(lines):
        return "prose"
    body = data_signs.without_front_matter(lines)
    if data_signs.is_yaml(body) or data_signs.is_settings(body):
        return "structured"
    return markup_signs.kind_of(body, has_front_matter=len(body) < len(lines))
