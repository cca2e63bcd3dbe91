"""Helpers of the test suite: databases, pgTAP-like assertions, shared data."""

from support.assertions import as_role, function_privs_are, policies_are, throws_ok
from support.database import Database, RoleFactory
from support.paths import CHECKOUT, SHARED
from support.reading import LOG_ROW, count, sources

__all__ = [
    "CHECKOUT",
    "LOG_ROW",
    "SHARED",
    "Database",
    "RoleFactory",
    "as_role",
    "count",
    "function_privs_are",
    "policies_are",
    "sources",
    "throws_ok",
]
