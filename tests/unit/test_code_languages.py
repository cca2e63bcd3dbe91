"""Which programming language a text is in."""

import pytest

from ragsql_engine.chunking.code.languages import Language, find_language
from ragsql_engine.chunking.nodes import Hints


def language_of(
    text: str = "",
    language: str | None = None,
    source: str | None = None,
    mime: str | None = None,
) -> str | None:
    found = find_language(Hints(source, language, mime), text)
    return found.name if isinstance(found, Language) else found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("py", "python"), ("Python", "python"), ("js", "javascript"), ("jsx", "javascript")),
        *(("ts", "typescript"), ("tsx", "tsx"), ("golang", "go"), ("go", "go"), ("c", "c")),
        *(("C++", "c++"), ("cpp", "c++"), ("C#", "c#"), ("csharp", "c#"), ("cs", "c#")),
        *(("sh", "bash"), ("Shell", "bash"), ("PostgreSQL", "sql"), ("rb", "ruby")),
        *(("lua", "lua"), ("Kotlin", "kotlin"), ("en", None), ("ar", None), ("german", None)),
    ],
)
def test_by_name(name: str, expected: str | None) -> None:
    assert language_of(language=name) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        *(("a/b/pump.py", "python"), ("pump.PYI", "python"), ("C:\\a\\pump.cs", "c#")),
        *(("https://example.org/a/pump.go?raw=1#L10", "go"), ("pump.mjs", "javascript")),
        *(("pump.cts", "typescript"), ("pump.tsx", "tsx"), ("pump.hpp", "c++"), ("pump.h", "c")),
        *(("Rakefile", "ruby"), ("a/Gemfile", "ruby"), ("Makefile", "make"), (".bashrc", "bash")),
        *(("Dockerfile.dev", "dockerfile"), ("pump.lua", "lua"), ("pump.kts", "kotlin")),
        *(
            ("pump.md", None),
            ("c", None),
            ("go", None),
            ("c.txt", None),
            ("notes", None),
            ("", None),
        ),
    ],
)
def test_by_source(source: str, expected: str | None) -> None:
    assert language_of(source=source) == expected


def test_a_name_goes_before_the_source_but_not_a_natural_language() -> None:
    assert language_of(language="rust", source="pump.py") == "rust"
    for natural in ("en", "cs", "pl"):
        assert language_of(language=natural, source="pump.py") == "python"


def test_a_header_of_cpp() -> None:
    assert language_of("#pragma once\nnamespace quarry {\n", source="pump.h") == "c++"
    assert language_of("struct pump { int class_id; };\n", source="pump.h") == "c"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        *(
            ("#!/bin/sh", "bash"),
            ("#!/usr/bin/env python3", "python"),
            ("#! /usr/bin/perl", "perl"),
        ),
        *(("#!/usr/bin/env -S A=1 node --x", "javascript"), ("#!/usr/bin/python3.11", "python")),
        *(("#!/usr/bin/unknown", None), ("#! ", None), ("# python", None)),
    ],
)
def test_by_first_line(line: str, expected: str | None) -> None:
    assert language_of(f"{line}\nx\n") == expected


@pytest.mark.parametrize(
    ("mime", "expected"),
    [
        *(("text/x-python", "python"), ("application/javascript", "javascript")),
        *(("text/x-c++src", "c++"), ("text/x-java-source;charset=utf-8", "java")),
        *(("application/sql", "sql"), ("text/plain", None), ("text/html", None)),
    ],
)
def test_by_mime_type(mime: str, expected: str | None) -> None:
    assert language_of(mime=mime) == expected
