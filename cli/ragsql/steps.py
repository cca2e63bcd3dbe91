"""A verb that has commands of its own."""

from __future__ import annotations

import click


class Steps(click.Group):
    """Gives each of its commands the option --dsn that `ragsql` gives to every verb."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        command = super().get_command(ctx, cmd_name)
        inherited = next((item for item in self.params if item.name == "dsn"), None)
        if command is not None and inherited is not None and inherited not in command.params:
            command.params.append(inherited)
        return command
