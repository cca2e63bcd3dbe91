"""No pattern steps into a defect of Python's `re`.

Up to 3.11.4 a possessive repeat of a group, `(?:ab?c)*+`, forgets where it was when its last round
fails halfway. Of single characters it is right, and of atomic groups, `(?:(?>ab?c))*+`.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import ragsql
import ragsql_engine

SAFE = {"IN", "LITERAL", "NOT_LITERAL", "ANY", "CATEGORY", "ATOMIC_GROUP"}


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if "_migrations" not in info.name:
            yield importlib.import_module(info.name)


def _unsafe(tree: Any) -> Iterator[str]:
    for operator, argument in tree:
        if str(operator) == "POSSESSIVE_REPEAT":
            body = list(argument[2])
            if len(body) != 1 or str(body[0][0]) not in SAFE:
                yield str(body)
        for inner in argument if isinstance(argument, (list, tuple)) else [argument]:
            if hasattr(inner, "data"):
                yield from _unsafe(inner)
            elif isinstance(inner, list):
                for branch in inner:
                    if hasattr(branch, "data"):
                        yield from _unsafe(branch)


def _is_unsafe(pattern: str, flags: int = 0) -> bool:
    # re has no public parser
    return any(_unsafe(re._parser.parse(pattern, flags)))  # type: ignore[attr-defined]  # not in the stubs


@pytest.mark.parametrize(
    "pattern", [r"(?:ab?c)*+", r"x(?:(?:ab)++|c)", r"(?=(?:ab){2,}+)", r"(a|b)?+c*"]
)
def test_the_defect_is_found(pattern: str) -> None:
    assert _is_unsafe(pattern)


@pytest.mark.parametrize("pattern", [r"[ab]*+", r"(?:(?>ab?c))*+", r"\s++a", r"(?>(?:ab)*)"])
def test_what_is_right_is_not(pattern: str) -> None:
    assert not _is_unsafe(pattern)


def test_no_pattern_repeats_a_group_possessively() -> None:
    patterns = {
        f"{module.__name__}.{name}": value
        for package in (ragsql, ragsql_engine)
        for module in _modules(package)
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern) and isinstance(value.pattern, str)
    }
    assert len(patterns) > 100
    assert [
        name
        for name, pattern in patterns.items()
        if _is_unsafe(pattern.pattern, pattern.flags & ~re.UNICODE)
    ] == []
