"""The layout of the SQL files."""

from __future__ import annotations

import re

from support import CHECKOUT

LONGEST = 100
"""Columns of a line: what ruff allows in the Python files, too."""

VERSIONS = CHECKOUT / "migrations" / "versions"


def newest_revision() -> str:
    """The revision that no other one builds on."""
    below = {
        path.stem: re.findall(r'^down_revision = "(.+)"$', path.read_text("utf-8"), re.MULTILINE)
        for path in VERSIONS.glob("*.py")
    }
    (newest,) = below.keys() - {revision for revisions in below.values() for revision in revisions}
    return newest


def test_lines_fit() -> None:
    scripts = [VERSIONS / newest_revision() / name for name in ("up.sql", "down.sql")]
    too_long = [
        f"{path.relative_to(CHECKOUT)}:{number}"
        for path in [*sorted((CHECKOUT / "sql").rglob("*.sql")), *scripts]
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > LONGEST
    ]
    assert too_long == []
