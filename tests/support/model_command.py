"""Helpers for the tests of `ragsql model`."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result
from psycopg.conninfo import make_conninfo

from ragsql.main import main
from support.database import Database


def model_command(database: Database, *arguments: object, role: str | None = None) -> Result:
    """Run `ragsql model` on a database, as a login role where one is given."""
    dsn = make_conninfo(database.dsn, user=role) if role else database.dsn
    return CliRunner().invoke(main, ["model", *map(str, arguments), "--dsn", dsn])


def row(database: Database, name: str) -> dict[str, Any]:
    """A model as `ragsql model list --format json` shows it."""
    listed = json.loads(model_command(database, "list", "--format", "json").stdout)
    found: dict[str, Any] = next(one for one in listed if one["name"] == name)
    return found
