"""The documents agree with the code."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragsql.main import COMMANDS
from support import CHECKOUT

DOCS = CHECKOUT / "docs"
SETTINGS = {f"rag.{name}" for name in ("token", "user", "groups", "tenant", "clearance")}
DOCUMENTS = sorted([CHECKOUT / "README.md", CHECKOUT / "CHANGELOG.md", *DOCS.glob("*.md")], key=str)
REWRITE = bool(os.environ.get("RAGSQL_REWRITE_EXPECTED"))
CODE = re.compile(r"['\"]([0-9A-Z]{5})['\"]")
SQL_ERROR = re.compile(r"\berrcode\s*=\s*(.*?)(?:,\s*\n|;)", re.DOTALL)
PYTHON_ERROR = re.compile(r"\bsqlstate\s*=(?!=)\s*(.*)")
OWN_CODES = "## Raised by ragsql"


def relative(path: Path) -> str:
    return path.relative_to(CHECKOUT).as_posix()


def raised() -> dict[str, set[str]]:
    """SQLSTATEs that the code raises, each with the files that do."""
    found: dict[str, set[str]] = {}
    for folder in ("sql", "migrations", "plpython", "cli"):
        for path in sorted((CHECKOUT / folder).rglob("*")):
            if path.suffix not in (".sql", ".py"):
                continue
            text = path.read_text(encoding="utf-8")
            errors = SQL_ERROR.findall(text)
            if path.suffix == ".py":
                errors += PYTHON_ERROR.findall(text)
            for code in (code for error in errors for code in CODE.findall(error)):
                found.setdefault(code, set()).add(relative(path))
    return found


def registered() -> set[str]:
    text = (DOCS / "errors.md").read_text(encoding="utf-8")
    own = text.split(OWN_CODES, 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"^\| ([0-9A-Z]{5}) \|", own, re.MULTILINE))


def test_each_sqlstate_is_in_the_register_and_no_other() -> None:
    found = raised()
    assert {"22023", "P0002", "42710", "54000"} <= found.keys()  # SQL and Python are both read
    missing = {code: files for code, files in found.items() if code not in registered()}
    assert missing == {}
    assert registered() - found.keys() == set()


def test_each_exception_in_sql_has_a_sqlstate() -> None:
    bare = [
        relative(path)
        for path in (CHECKOUT / "sql").rglob("*.sql")
        if re.search(r"raise exception(?!\s+using\s+errcode)", path.read_text(encoding="utf-8"))
    ]
    assert bare == []


def test_command_line_is_documented() -> None:
    specification = importlib.util.spec_from_file_location("generate_cli", DOCS / "generate_cli.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    if REWRITE:
        module.TARGET.write_text(module.render(), encoding="utf-8")
    assert module.TARGET.read_text(encoding="utf-8") == module.render()


@pytest.mark.parametrize("document", DOCUMENTS, ids=relative)
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text(encoding="utf-8"))
    here = [target for target in targets if "://" not in target]
    assert [target for target in here if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=relative)
def test_commands_and_functions_exist(document: Path, conn: psycopg.Connection[Any]) -> None:
    text = document.read_text(encoding="utf-8")
    verbs = set(re.findall(r"(?:`|^ {4}|bin/)ragsql ([a-z]+)", text, re.MULTILINE))
    assert verbs <= COMMANDS.keys()
    targets = set(re.findall(r"(?:`|^)make ([a-z]+)", text, re.MULTILINE))
    known = set(re.findall(r"^([a-z]+):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE))
    assert targets <= known
    names = set(re.findall(r"\b(rag(?:_internal)?\.[a-z_0-9]+)\b", text)) - SETTINGS
    rows = conn.execute(
        "select n from unnest(%s::text[]) n where to_regclass(n) is null and to_regtype(n) is null "
        "and not exists (select from pg_proc p join pg_namespace s on s.oid = p.pronamespace "
        "where format('%%s.%%s', s.nspname, p.proname) = substring(n from '^[^.]+[.][^.]+'))",
        [sorted(names)],
    )
    assert [name for (name,) in rows if name != "rag.model.revision"] == []


@pytest.mark.parametrize("document", ["access.md", "search.md"])
def test_examples_run(document: str, conn: psycopg.Connection[Any]) -> None:
    text = (DOCS / document).read_text(encoding="utf-8")
    examples = re.findall(r"^```sql\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert examples
    conn.execute(
        "select from rag.ingest('handbook', 'Backups are kept for 30 days.', tags => '{finance}')"
    )
    for example in examples:
        cursor = conn.execute(example)
        for number, statement in enumerate(example.split(";\n")[:-1]):
            assert number == 0 or cursor.nextset()
            assert "rag.search(" not in statement or cursor.fetchall() != []
