"""The title of a document: what it calls itself, else the name of its file."""

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

_HEAD = 32_768  # characters looked at; a title further down is none
_LIMIT = 200
_LINES = 100

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
_FRONT_TITLE = re.compile(r"^title[ \t]*:[ \t]*(.+?)[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)
_HTML_HEADING = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_ASCIIDOC_HEADING = re.compile(r"={1,6}[ \t]+(\S.*?)(?:[ \t]+=+)?[ \t]*")
_ATX_HEADING = re.compile(r"#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r"(=|-|~|\^|\+|\*|#)\1{2,}[ \t]*")
_ASCIIDOC_PREAMBLE = re.compile(r"//.*|:[\w!-]+:.*")
_NEWLINE = re.compile(r"\r\n|\r|\n")


def find_title(text: str, name: str) -> str:
    """Return the title of a text: its own heading by the rules of its format, else the stem.

    Markdown: ``title:`` of the front matter, else the first heading (ATX or setext of any
    level, or an HTML one) that is not inside a code block, list or quotation. Other text: a
    first line marked ``=`` or ``#``, or a title underlined as AsciiDoc and reStructuredText do.
    """
    head = text[:_HEAD]
    markdown = name.lower().endswith((".md", ".markdown"))
    title = _markdown_title(head) if markdown else _plain_title(head)
    stem = name.rpartition(".")[0] or name
    return _tidy(title) or stem


def _tidy(title: str | None) -> str:
    words = " ".join((title or "").split())
    return words if len(words) <= _LIMIT else words[: _LIMIT - 1].rstrip() + "…"


def _markdown_title(text: str) -> str | None:
    front = _FRONT_MATTER.match(text)
    if front:
        named = _FRONT_TITLE.search(front[1])
        if named and named[1][0] not in "|>&*[{#":
            return _unquote(named[1])
        text = text[front.end() :]
    tokens = MarkdownIt("commonmark").parse(text)
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.level:
            continue
        if token.type == "heading_open" and following is not None:
            title = _plain_inline(following)
        elif token.type == "html_block" and (found := _HTML_HEADING.search(token.content)):
            title = _TAG.sub("", found[2])
        else:
            continue
        if title.strip():
            return title
    return None


def _unquote(value: str) -> str:
    for quote in "\"'":
        if len(value) > 1 and value[0] == quote and (end := value.find(quote, 1)) > 0:
            return value[1:end]
    return value.partition(" #")[0]


def _plain_inline(token: Token) -> str:
    """Return the text of inline Markdown without its marks; pictures give their description."""
    parts: list[str] = []
    for child in token.children or []:
        if child.type in ("text", "code_inline", "image"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return "".join(parts)


def _plain_title(text: str) -> str | None:
    lines = _NEWLINE.split(text)[:_LINES]
    at_start = True
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if not line.strip() or _ASCIIDOC_PREAMBLE.fullmatch(line) or _UNDERLINE.fullmatch(line):
            continue
        found = _ASCIIDOC_HEADING.fullmatch(line) or (at_start and _ATX_HEADING.fullmatch(line))
        if found:
            return found[1]
        underline = _UNDERLINE.fullmatch(below)
        # Further down only '=' is taken: rows of other signs also frame tables and code.
        if underline and (at_start or underline[1] == "=") and _fits(line, below):
            return line
        at_start = False
    return None


def _fits(line: str, underline: str) -> bool:
    """Apply AsciiDoc's rule: an underline is as long as its title, give or take two."""
    title = line.rstrip()
    has_word = any(char.isalnum() for char in title)
    is_block_mark = title.startswith(("[", ".")) and not title.endswith(".")
    return has_word and not is_block_mark and abs(len(title) - len(underline.rstrip())) <= 2
