"""Writes docs/cli.md, the --help of every command: python docs/generate_cli.py"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from ragsql.main import main

TARGET = Path(__file__).with_name("cli.md")
WIDTH = 100

INTRODUCTION = """\
# The command line

Written by `python docs/generate_cli.py`; a test compares it with the commands.

Data goes to standard output, messages to standard error. Exit status: 0 done, 1 failed (the message says the next
step), 2 wrong usage, 3 revisions are pending or the schema is missing. Every command takes `--dsn`; without it the server
is that of `RAGSQL_DSN`, else of libpq's `PGHOST`, `PGHOSTADDR`, `PGSERVICE` or `PGDATABASE`, else the private cluster.
"""


def commands(
    command: click.Command, name: str, parent: click.Context | None = None
) -> Iterator[click.Context]:
    """A context for `command` and for each command below it."""
    context = click.Context(
        command,
        info_name=name,
        parent=parent,
        terminal_width=WIDTH,
        help_option_names=(command.context_settings or {}).get("help_option_names"),
    )
    yield context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None:
                yield from commands(found, below, context)


def render() -> str:
    """The document: a heading and the help of each command."""
    parts = [INTRODUCTION]
    for context in commands(main, "ragsql"):
        shown = "\n".join(line.rstrip() for line in context.get_help().splitlines())
        parts.append(f"## {context.command_path}\n\n```text\n{shown}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
