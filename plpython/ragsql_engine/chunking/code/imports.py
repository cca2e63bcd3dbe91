"""What a file imports: the context of every piece but the first."""

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node as Syntax

from ragsql_engine.chunking.code.source import Source
from ragsql_engine.chunking.strings import one_line

_LONGEST, _LONGEST_IMPORT = 300, 80
_MOST_NODES = 2000  # at the top of a file, where imports stand
_MOST_BYTES = 400
_VERB = re.compile(
    r"^\s*+(?:import|use|using|require_relative|require_once|require|include_once|source|load|"
    r"#\s*+include|\.)(?![\w.])\s*+"
)
_FROM = re.compile(r"from (?P<module>\S+) import (?P<names>.+)|(?P<items>.+) from (?P<source>\S+)")
# Imports that grammars take for calls or assignments.
_CALL_NODES = frozenset(
    "call command expression_statement lexical_declaration variable_declaration".split()
)
_CALL = re.compile(
    r"(?:(?:const|let|var)\s[^=(]{1,200}+=\s*+)?"
    r"(?:require|require_relative|require_once|include|include_once|load|source|\.)"
    r"[\s(]++[\"'<]?(?P<name>[^\"'\s);]++)"
)
_LINE = re.compile(
    r"^(?:(?:pub[ \t]++)?(?:import|use|using|require|include|open|library|source)\b"
    r"|from[ \t]++\S++[ \t]++import\b|#[ \t]*+(?:include|import)\b"
    r"|local[ \t]++\w++[ \t]*+=[ \t]*+require\b)[^\r\n]*+",
    re.MULTILINE,
)


def of_tree(source: Source, root: Syntax) -> str:
    """The imports at the top level of a tree, at most 300 characters."""
    return _listed(_of_nodes(source, root))


def of_lines(text: str) -> str:
    """The imports of a text in a language without a grammar, at most 300 characters."""
    return _listed(_VERB.sub("", match[0], count=1) for match in _LINE.finditer(text))


def _of_nodes(source: Source, root: Syntax) -> Iterator[str]:
    for node in root.children[:_MOST_NODES]:
        is_import = node.type in source.grammar.imports
        if not is_import and node.type not in _CALL_NODES:
            continue
        end = min(node.end_byte, node.start_byte + _MOST_BYTES)
        text = source.data[node.start_byte : end].decode(errors="ignore")
        call = None if is_import else _CALL.match(text)
        if call:
            yield call["name"]
        elif is_import:
            text = _VERB.sub("", text, count=1)
            yield from text.splitlines() if text.startswith("(") else [text]


def _listed(imports: Iterable[str]) -> str:
    """`imports a; b: c, d`, without repetitions, cut after the last that fits."""
    names: dict[str, None] = {}
    length = len("imports …")
    for text in imports:
        name = one_line(re.sub(r"[\"'<>();]", " ", text), _MOST_BYTES)
        if found := _FROM.fullmatch(name):
            what = one_line(found["names"] or re.sub("[{}]", "", found["items"]), _MOST_BYTES)
            name = f"{found['module'] or found['source']}: {what}"
        name = one_line(name, _LONGEST_IMPORT)
        if not name or name in names:
            continue
        length += len(name) + 2
        if length > _LONGEST:
            names["…"] = None
            break
        names[name] = None
    return f"imports {'; '.join(names)}" if names else ""
