"""NAME=VALUE on the command line."""

from collections.abc import Iterable

import click


def named_values(values: Iterable[str], example: str) -> dict[str, str]:
    """What each NAME=VALUE says; a later one wins. BadParameter for anything else."""
    named: dict[str, str] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name.isidentifier():
            raise click.BadParameter(f"{value!r} is not NAME=VALUE, such as {example}.")
        named[name] = text
    return named
