"""What a document is: by its name, by its media type, by its lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.chunking.assessment.document_type import detect_document_type
from support.paths import SHARED

TYPES = {"code", "prose", "markdown", "structured"}

BY_NAME = [
    ("src/pump.py", "code"),
    ("C:\\work\\Pump.CS", "code"),
    ("Dockerfile", "code"),
    ("ops/Makefile", "code"),
    ("https://code.quarry.example/a/pump.rs?raw=1#L3", "code"),
    ("README.md", "markdown"),
    ("notes/Plan.MARKDOWN", "markdown"),
    ("values.yaml", "structured"),
    ("a/b.tar.json", "structured"),
    ("pyproject.toml", "structured"),
    (".env", "structured"),
    ("parts.csv", "structured"),
    ("manual.rst", "prose"),
    ("server.log", "prose"),
]


@pytest.mark.parametrize(("source", "expected"), BY_NAME)
def test_a_name_tells(source: str, expected: str) -> None:
    assert detect_document_type("plain words", source) == expected
    assert detect_document_type("plain words", source, "text/plain") == expected


@pytest.mark.parametrize(
    "source",
    ["notes.txt", "README", "scan.pdf", "page.html", "py", "https://pump.rs", "https://a.sh/", ""],
)
def test_a_name_that_tells_nothing(source: str) -> None:
    assert detect_document_type("plain words", source) == "prose"
    assert detect_document_type("# Title\n\nwords\n", source) == "markdown"


BY_MEDIA_TYPE = [
    ("text/markdown; charset=utf-8", "markdown"),
    ("application/json", "structured"),
    ("application/vnd.quarry+json", "structured"),
    ("text/x-yaml", "structured"),
    ("application/x-ndjson", "structured"),
    ("text/csv", "structured"),
    ("text/x-python", "code"),
    ("application/javascript", "code"),
    ("text/plain", "prose"),
    ("text/html", "prose"),
    ("application/octet-stream", "prose"),
    ("application/pdf", "prose"),
    ("nonsense", "prose"),
]


@pytest.mark.parametrize(("mime", "expected"), BY_MEDIA_TYPE)
def test_a_media_type_tells(mime: str, expected: str) -> None:
    assert detect_document_type("plain words", None, mime) == expected
    assert detect_document_type("plain words", "a.py", mime) == "code"


DOCUMENTED = '''
import re
import os


def start(pump):
    """Start the pump.

    The pump must be filled before, else it runs
    dry and its seals are gone within a minute.

    - never start it twice
    """
    return pump.on()


def stop(pump):
    """Stop the pump, and wait until it is still."""
    pump.off()
'''

BY_CONTENT = {
    "paragraphs": ("The pump is old.\n\nIt leaks, and nobody knows why.\n", "prose"),
    "numbered": (
        "1. Scope\n1.1 This contract covers the pumps.\n2. Price\n2.1 See below.",
        "prose",
    ),
    "log": (
        "2024-05-01 12:00:01 INFO pump: started\n2024-05-01 12:00:02 WARN low [main]\n",
        "prose",
    ),
    "levels": ("INFO: started\nINFO: pump on\nERROR: pump off\nINFO: stopped\n", "prose"),
    "mail": (
        "From: Ann <ann@quarry.example>\nTo: Bo\nSubject: Pumps\n\nHi,\n\n> Did it?\n\n- yes\n- no\n",
        "prose",
    ),
    "dialogue": (
        "Ann: Did it run?\nBo: It did.\nAnn: Twice?\nBo: Yes, twice, I saw it.\n",
        "prose",
    ),
    "hashtags": ("#pumps are great\nwe love them #2\n", "prose"),
    "bracket": ("[Music] The pump starts. {It} hums.\nThen it stops [again].", "prose"),
    "rows": ("net income | 2017 | 2016\nother | 12 | 14\ntotal | 84 | 84\n", "prose"),
    "Arabic": ("قبل تشغيل المضخة يجب فتح الصمام.\nثم انتظر.\n", "prose"),
    "empty": ("", "prose"),
    "heading": ("# Pumps\n\nThey move water.\n", "markdown"),
    "headings only": ("## C#\none\n\n## Rates ##\ntwo\n\n   ### Deep\nthree\n", "markdown"),
    "items": ("What we need:\n\n- a pump\n- a valve\n- two men\n", "markdown"),
    "fence": ("Run this:\n\n```sh\nmake\nmake test\n```\n", "markdown"),
    "table": ("Parts:\n\n| Part | Bar |\n|---|---|\n| P1 | 12 |\n", "markdown"),
    "links": (
        "See [the manual](manual.md) and [the plan](https://a.example/p).\nRead **both**.",
        "markdown",
    ),
    "underlined": (
        "Pumps\n=====\n\nThey move water.\n\nValves\n------\n\nThey stop it.\n",
        "markdown",
    ),
    "front matter": ("---\ntitle: Pump notes\nowner: ops\n---\n\n# Start\nbody\n", "markdown"),
    "front matter, words": ("---\ntitle: a\ntags: b\n---\nThe pump is old.\n", "markdown"),
    "much code in fences": ("# Use\n\n```py\n" + "x = f(1)\n" * 50 + "```\n", "markdown"),
    "Python": ("# pumps\nimport os\n\n# start\ndef start(a):\n    return a\n", "code"),
    "documented Python": (
        DOCUMENTED,
        "code",
    ),
    "C": ('#include <stdio.h>\n\n// A comment here\nint main(void) {\n  puts("a");\n}\n', "code"),
    "broken": ("def a(:\n  pass\n\ndef b():\n  return 1\n", "code"),
    "shell": ("#!/bin/sh\n# a comment\n\n# another one\necho done\n", "code"),
    "shell without a first line": ('set -e\ncd "$1"\nfor f in *; do\n  rm "$f"\ndone\n', "code"),
    "SQL": ("create table pump (\n    id int,\n    name text\n);\nselect * from pump;\n", "code"),
    "CSS": (".pump {\n  color: red;\n}\n.valve {\n  color: blue;\n}\n", "code"),
    "JavaScript": ("const a = require('a');\n\nmodule.exports = () => {\n  a.b();\n};\n", "code"),
    "minified": ("!function(){" + 'var a=b("c");if(a){d(e)}else{f=[g]};' * 100 + "}();", "code"),
    "JSON": ('{"pump": {"bar": 12}}', "structured"),
    "JSON with comments": ('// pumps\n{\n  // first\n  "a": 1,\n}\n', "structured"),
    "array": ("\ufeff [1, 2, 3]\n", "structured"),
    "JSON lines": ('{"a": 1}\n{"a": 2}\n{"a": 3}\n', "structured"),
    "long JSON": ('{"a": [' + '"pump and valve", ' * 20_000 + "1]}", "structured"),
    "YAML": ("pump:\n  bar: 12\n  tags:\n  - a\n  - b\n# note\nvalve: 3\n", "structured"),
    "YAML with text": (
        "name: a\nrun: |\n  The pump is old.\n  It leaks.\non: push\n",
        "structured",
    ),
    "manifests": (
        "apiVersion: v1\nkind: A\n---\n# Source: b\napiVersion: v1\nkind: B\n",
        "structured",
    ),
    "chart": ("a: {{ .Values.a }}\n{{- if .b }}\nb:\n  c: 1\n{{- end }}\nd: 2\n", "structured"),
    "TOML": ("[pump]\nbar = 12\ntags = [\n  'a',\n]\n\n[valve]\nopen = true\n", "structured"),
    "variables": ("PUMP_BAR=12\nPUMP_NAME=north\n", "structured"),
    "XML": ('<?xml version="1.0"?>\n<pump bar="12"/>\n', "structured"),
    "elements": ("<pumps>\n  <pump>a</pump>\n  <pump>b</pump>\n</pumps>\n", "structured"),
    "page": ("<!DOCTYPE html>\n<html><body>The pump is old.</body></html>\n", "structured"),
}


@pytest.mark.parametrize("name", BY_CONTENT)
def test_lines_tell(name: str) -> None:
    text, expected = BY_CONTENT[name]
    assert detect_document_type(text) == expected
    assert detect_document_type(text.replace("\n", "\r\n"), "notes.txt", "text/plain") == expected


def test_a_read_me_that_begins_with_an_element_is_markdown() -> None:
    text = (
        '<p align="center">\n<img src="a.png">\n</p>\n\n# Pumps\n\nThey move water.\n\n- a\n- b\n'
    )
    assert detect_document_type(text) == "markdown"


def test_the_middle_counts_too() -> None:
    notice = "The software is given to you as it is, and nobody answers for it.\n" * 1_500
    code = "int pump(int a) {\n  return valve(a);\n}\n" * 20_000
    assert detect_document_type(notice) == "prose"
    assert detect_document_type(f"/*\n{notice}*/\n{code}") != "structured"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the data sets are not there")
def test_known_corpora() -> None:
    corpora = sorted((SHARED / "data/chunking/corpora").iterdir())
    assert len(corpora) == 5
    for path in corpora:
        text = path.read_text(encoding="utf-8")
        assert detect_document_type(text) == "prose", path.name
        assert detect_document_type(text, path.name) == "markdown"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the data sets are not there")
def test_known_source_files() -> None:
    lines = (SHARED / "data/codebases/documents.jsonl").read_text(encoding="utf-8").splitlines()
    types = [detect_document_type(json.loads(line)["text"]) for line in lines]
    assert types == ["code"] * 90


@given(st.text(), st.none() | st.text(), st.none() | st.text())
def test_anything_has_a_type(text: str, source: str | None, mime: str | None) -> None:
    assert detect_document_type(text, source, mime) in TYPES


PIECES = st.sampled_from(
    ["# ", "- ", "---\n", "```\n", "{", "}", '"', "[", "]", ":", " ", "\n", "a", "=", "|", "<", ">"]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_signs_have_a_type(text: str) -> None:
    assert detect_document_type(text) in TYPES
