"""The curves of a sweep as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from ragsql.evaluation.measuring import MEASURES, Row

ENDINGS = (".png", ".svg")


def plot(rows: Sequence[Row], name: str, title: str, file: Path) -> None:
    """Draw a panel for each measure, and in it a line for each strategy over the values.

    Raises click.ClickException where matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise click.ClickException(
            "A picture needs matplotlib: pip install 'ragsql[plot]'"
        ) from error
    figure = Figure(figsize=(3.2 * len(MEASURES), 3.4), layout="constrained")
    figure.suptitle(title)
    panels = figure.subplots(1, len(MEASURES), squeeze=False)[0]
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    for panel, (measure, label) in zip(panels, MEASURES.items(), strict=True):
        for strategy in strategies:
            points = [row for row in rows if row["strategy"] == strategy]
            panel.plot(
                [_place(row["value"]) for row in points],
                [row[measure] for row in points],
                marker="o",
                label=strategy,
            )
        panel.set_title(label)
        panel.set_xlabel(name)
        panel.grid(alpha=0.3)
    panels[0].legend()
    figure.savefig(file)


def _place(value: object) -> float | str:
    """Where a value stands on the axis: numbers to scale, others side by side."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(str(value)) if is_number else str(value)
