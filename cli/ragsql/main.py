"""The command `ragsql`: global options, and one module per verb, imported when used."""

from __future__ import annotations

from importlib import import_module, metadata

import click

from ragsql.settings import Settings

COMMANDS = {
    "up": "ragsql.commands.up",
    "down": "ragsql.commands.down",
    "dsn": "ragsql.commands.dsn",
    "psql": "ragsql.commands.psql",
    "migrate": "ragsql.commands.migrate",
    "load": "ragsql.commands.load",
    "search": "ragsql.commands.search",
    "eval": "ragsql.commands.eval",
    "model": "ragsql.commands.model",
    "reranker": "ragsql.commands.reranker",
    "worker": "ragsql.commands.worker",
    "embedder": "ragsql.commands.embedder",
    "doctor": "ragsql.commands.doctor",
}
"""Verb to module; the module's attribute of the same name is the command."""


def _use_dsn(context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None:
        context.ensure_object(Settings).dsn = value
    return value


def _dsn_option() -> click.Option:
    return click.Option(
        ["--dsn"],
        metavar="DSN",
        help="Server to use: libpq URI or key=value string.  [env var: RAGSQL_DSN]",
        expose_value=False,
        callback=_use_dsn,
    )


class Verbs(click.Group):
    """Imports a verb's module when the verb is used, and gives every verb the option --dsn."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the verb; a file that cannot be used is an expected failure, not a traceback."""
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.filename is None:
                raise
            raise click.ClickException(f"{error.strerror}: {error.filename}") from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, None for a word that is no verb."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
        if not any(parameter.name == "dsn" for parameter in command.params):
            command.params.append(_dsn_option())
        return command


def _version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(f"ragsql {metadata.version('ragsql')}")
        context.exit()


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    help="Show the version and exit.",
    is_eager=True,
    expose_value=False,
    callback=_version,
)
@click.pass_context
def main(context: click.Context, /) -> None:
    """Retrieval for company knowledge inside PostgreSQL."""
    context.ensure_object(Settings)


main.params.insert(0, _dsn_option())
