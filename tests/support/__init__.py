"""Helpers of the test suite: databases, pgTAP-like assertions, shared data."""

from support.assertions import as_role, function_privs_are, policies_are, throws_ok
from support.database import Database, RoleFactory
from support.paths import CHECKOUT, SHARED

__all__ = [
    "CHECKOUT",
    "SHARED",
    "Database",
    "RoleFactory",
    "as_role",
    "function_privs_are",
    "policies_are",
    "throws_ok",
]
