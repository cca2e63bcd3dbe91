"""Chunking of source code: along the syntax tree where the language has a grammar here, else at
blocks of lines.
"""

import re
from collections.abc import Sequence

from ragsql_engine.chunking.code import imports
from ragsql_engine.chunking.code.blocks import block_nodes
from ragsql_engine.chunking.code.languages import Language, find_language
from ragsql_engine.chunking.code.offsets import offsets
from ragsql_engine.chunking.code.parsing import NotParsedError, damage, parse_tree
from ragsql_engine.chunking.code.source import Source
from ragsql_engine.chunking.code.splitting import Splitter
from ragsql_engine.chunking.code.statements import statement_nodes
from ragsql_engine.chunking.nodes import Hints, Node, Parts

_LONE_CR = re.compile(r"\r(?!\n)")
_MOST_DAMAGE = 0.5
_FALLBACK = "cut at brace and indent blocks"


def parse(text: str, hints: Hints) -> Sequence[Node]:
    """The nodes of a source text: one around all of them, whose context are the imports.

    Definitions have the path of their names and their signature as context. Warns where the text
    is cut at blocks of lines, since the language is not known or has no grammar, or the text is
    too large or does not parse. Raises nothing of its own.
    """
    # Line ends within the text are all the same from here on: each holds one LF.
    text = _LONE_CR.sub("\n", text)
    end = len(text.rstrip())
    start = len(text) - len(text.lstrip()) if end else end
    if start == end:
        return ()
    language = find_language(hints, text)
    if isinstance(language, Language):
        return _in_language(text, start, end, language, hints)
    if language is None:
        reason, advice = (
            "the language is not known",
            "; give language or a source with a file ending",
        )
    else:
        reason, advice = f"no grammar for {language}", ""
    hints.warn(f"{reason}: {_FALLBACK}{advice}")
    return _in_blocks(text, start, end, hints)


def _in_language(
    text: str, start: int, end: int, language: Language, hints: Hints
) -> Sequence[Node]:
    is_sql = language.name == "sql"
    data = text.encode(errors="replace")
    try:
        root = parse_tree(language, text, data, hints.pause).root_node
        if is_sql and root.has_error:
            return _around(statement_nodes(text, start, end, hints.pause), start, end)
        if damage(root) > _MOST_DAMAGE:
            raise NotParsedError(f"most of the text does not parse as {language.name}")
    except NotParsedError as reason:
        hints.warn(f"{reason}: {'cut at statements' if is_sql else _FALLBACK}")
        if is_sql:
            return _around(statement_nodes(text, start, end, hints.pause), start, end)
        return _in_blocks(text, start, end, hints)
    source = Source(text, data, offsets(text, data), language.grammar, hints.pause)
    nodes = Splitter(source).nodes(start, end, root)
    return _around(nodes, start, end, imports.of_tree(source, root))


def _in_blocks(text: str, start: int, end: int, hints: Hints) -> Sequence[Node]:
    nodes = block_nodes(text, start, end, pause=hints.pause)
    return _around(nodes, start, end, imports.of_lines(text))


def _around(nodes: Parts, start: int, end: int, context: str = "") -> Sequence[Node]:
    """One node around `nodes`, unless there is only one."""
    if len(nodes) > 1:
        return [Node(start, end, "code", lambda: nodes, context=context)]
    if not nodes:
        return [Node(start, end, "code", context=context)]
    nodes[0].context = nodes[0].context or context
    return nodes
