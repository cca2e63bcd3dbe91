"""Source code is taken apart along its syntax, or at blocks of lines."""

import gc
import importlib
import json
import tracemalloc
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.chunking.code import parse, parsing
from ragsql_engine.chunking.code.offsets import offsets
from ragsql_engine.chunking.nodes import Hints, Node
from support.paths import SHARED
from unit.code_samples_compiled import SAMPLES
from unit.node_checks import assert_tree

PUMPS = (
    "# pump control — révision 2 😀\ndef open_valve(a):\n    return a\n\n"
    "def close_valve(b):\n    return b\n\ndef bleed(c):\n    return c\n"
)
PIECES = st.sampled_from(
    [
        *("(", ")", "{", "}", "[", "]", '"', "'", "`", "\\", ";", ":", ",", "<", "#", "//", "--"),
        *("/*", "*/", '"""', "<<EOF\n", "EOF\n", "$$", "=begin\n", "#if X\n", "#endif\n", "?>"),
        *("\n", "\r\n", "\r", "\n\n", " ", "\t", "\x0c", "\x1c", "\u2028", "\u3000", "\ufeff"),
        *("é", "—", "😀", "x", "1", "end\n", "def a", "class A", "fn a", "function a", "begin "),
    ]
)
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), PIECES | st.text(max_size=4)))
LANGUAGES = st.sampled_from([*SAMPLES, "lua"])


def parsed(
    text: str, language: str | None = None, source: str | None = None
) -> tuple[Sequence[Node], list[str]]:
    """The nodes of a text, checked, and the warnings."""
    warnings: list[str] = []
    nodes = parse(text, Hints(source=source, language=language, warn=warnings.append))
    assert_tree(text, nodes)
    return nodes, warnings


def every(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from every(node.parts())


def texts(text: str, nodes: Sequence[Node]) -> dict[str, str]:
    """The text of each node that has a path."""
    return {"/".join(n.path): text[n.start : n.end] for n in every(nodes) if n.path}


@pytest.mark.parametrize("language", SAMPLES)
def test_definitions_of_each_language(language: str) -> None:
    text, imports, paths, tied = SAMPLES[language]
    nodes, warnings = parsed(text, language)
    found = texts(text, nodes)
    assert (list(found), nodes[0].context, warnings) == (paths, imports, [])
    for path, beginning in tied.items():
        assert found[path].startswith(beginning)


def test_parts_of_a_class_and_of_a_function() -> None:
    text = SAMPLES["python"].text
    nodes, _ = parsed(text, "python")
    pump = next(node for node in every(nodes) if node.path == ("Pump",))
    header, method = pump.parts()
    assert text[header.start : header.end].endswith("size: int = 3")
    assert (pump.context, method.context) == ("class Pump(Base)", "def open_valve(self)")
    assert [text[part.start : part.end] for part in method.parts()] == [
        '# Opens it.\n    @property\n    def open_valve(self):\n        """Open."""',
        "if self.size:\n            return 1\n        return 2",
    ]
    bleed = next(node for node in every(nodes) if node.path == ("bleed",))
    assert bleed.context == "async def bleed(valve: int) -> int"


def test_branches_are_parts_of_a_statement() -> None:
    text = "if (a) {\n  b();\n  c();\n} else {\n  d();\n  e();\n}\n"
    nodes, _ = parsed(text, "javascript")
    assert ["else" in text[n.start : n.end] for n in nodes[0].parts()] == [False, True]


def test_a07_offsets_are_characters() -> None:
    nodes, _ = parsed(PUMPS, source="pumps.py")
    found = texts(PUMPS, nodes)
    assert list(found) == ["open_valve", "close_valve", "bleed"]
    assert found["open_valve"].startswith("# pump control — révision 2 😀\ndef open_valve(a):")
    assert found["bleed"] == "def bleed(c):\n    return c"


@given(st.text())
def test_offsets_of_any_text(text: str) -> None:
    at, byte = offsets(text, text.encode()).at, 0
    for index, char in enumerate(text):
        assert at(byte) == index
        byte += len(char.encode())
    assert at(byte) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "def a(:\n  pass\n\ndef b():\n  return 1\n",
        "x = 1\n" * 300_000,
        "(" * 5000 + ")" * 5000,
        "(\n" * 5000 + ")\n" * 5000,
        "".join(" " * depth + "if x:\n" for depth in range(400)),
        "x = [" + "1, " * 50_000 + "]",
    ],
    ids=["broken", "generated", "deep", "deep lines", "deep blocks", "long line"],
)
@pytest.mark.parametrize("language", ["python", "lua"])
def test_a08_whatever_the_text(text: str, language: str) -> None:
    parsed(text, language)


@given(LANGUAGES, st.text(max_size=200) | st.lists(PIECES, max_size=80).map("".join))
def test_any_text(language: str, text: str) -> None:
    parsed(text, language)


@given(LANGUAGES, EDITS)
def test_any_edit(language: str, edits: list[tuple[float, int, str]]) -> None:
    text = SAMPLES.get(language, SAMPLES["ruby"]).text
    for share, length, new in edits:
        position = int(share * len(text))
        text = text[:position] + new + text[position + length :]
    parsed(text, language)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends(end: str) -> None:
    sample = SAMPLES["python"]
    nodes, warnings = parsed(sample.text.replace("\n", end), "python")
    assert (list(texts(sample.text, nodes)), warnings) == (sample.paths, [])
    assert nodes[0].context == sample.imports


def test_definitions_around_what_does_not_parse() -> None:
    text = "int f() {\n  return 1;\n}\n}}} int x\n\n// Opens.\nint g() {\n  return 2;\n}\n"
    nodes, warnings = parsed(text, "c")
    found = texts(text, nodes)
    assert (list(found), warnings) == (["f", "g"], [])
    assert found["g"].startswith("// Opens.")


def test_minified_code_is_cut_between_statements() -> None:
    text = "".join(f"function f{number}(a){{return a+{number}}}" for number in range(100))
    nodes, _ = parsed(text, "javascript")
    assert len(texts(text, nodes)) == 100


def test_sql_that_the_grammar_does_not_know() -> None:
    text = (
        "-- Pumps; all.\n\n-- Opens; it.\ncreate or replace function quarry.open(valve int)\n"
        "returns int language plpgsql as $$\nbegin\n    if valve > 0 then\n        return 1;\n"
        "    end if;\n    return 'a;b';\nend\n$$;\ncreate policy p on t using (true);\n"
        "create function f() returns int begin atomic select 1; select 2; end;\n\\echo a;b\nselect 1;"
    )
    nodes, warnings = parsed(text, "sql")
    found = texts(text, nodes)
    assert (list(found), warnings) == (["quarry.open", "p", "f"], [])
    assert found["quarry.open"].startswith("-- Opens") and found["quarry.open"].endswith("$$;")
    assert found["f"].endswith("select 2; end;")
    assert nodes[0].parts()[1].context.startswith("create or replace function quarry.open(valve i")


def test_a_language_without_a_grammar() -> None:
    text = (
        'local json = require "json"\n\n-- Opens it.\nlocal function open(valve)\n  if valve then\n'
        "    turn(valve)\n  end\n  return valve\nend\n\nfunction Pump:close()\n  turn(0)\nend\n"
    )
    nodes, warnings = parsed(text, source="pump.lua")
    assert warnings == ["no grammar for lua: cut at brace and indent blocks"]
    found = texts(text, nodes)
    assert list(found) == ["open", "Pump:close"]
    assert found["open"].startswith("-- Opens it.") and found["open"].endswith("\nend")
    assert nodes[0].parts()[1].context == "local function open(valve)"


def test_blocks_by_braces() -> None:
    text = "sub open {\nturn(1);\nif ($a) {\nturn(2);\n}\n}\nsub close {\nturn(0);\n}\n"
    nodes, _ = parsed(text, "perl")
    assert list(texts(text, nodes)) == ["open", "close"]


def test_what_cannot_be_parsed_is_cut_at_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    text = SAMPLES["python"].text
    cut = "cut at brace and indent blocks"
    _, unknown = parsed(text)
    assert unknown == [
        f"the language is not known: {cut}; give language or a source with a file ending"
    ]
    assert parsed("<" * 60_000, "bash")[1] == [f"parsing as bash takes too much: {cut}"]
    assert parsed("}" * 100, "c")[1] == [f"most of the text does not parse as c: {cut}"]
    monkeypatch.setattr(parsing, "LARGEST", 100)
    assert parsed(text, "python")[1] == [f"the text is larger than 0 MB: {cut}"]
    monkeypatch.undo()
    monkeypatch.setattr(parsing, "MOST_STEPS", 100)
    assert parsed(text * 5, "python")[1] == [f"parsing as python takes too much: {cut}"]

    def absent(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.undo()
    monkeypatch.setattr(importlib, "import_module", absent)
    assert parsed(text, "rust")[1] == [f"the grammar for rust is not installed: {cut}"]


@pytest.mark.parametrize("language", ["python", "lua", "sql"])
def test_work_can_be_cancelled(language: str) -> None:
    def pause() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parse("x = (1\n" * 20_000, Hints(language=language, pause=pause))


def test_parsing_keeps_no_memory() -> None:
    text = SAMPLES["python"].text * 200
    parse(text, Hints(language="python"))
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(5):
        parse(text, Hints(language="python"))
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert kept < len(text)


def test_real_files() -> None:
    path = SHARED / "data" / "codebases" / "documents.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    for line in path.read_text().splitlines():
        text = json.loads(line)["text"]
        for language in ("python", "rust", "java", "c++", "lua"):
            parsed(text, language)
