"""What a benchmark found, beside what it should reach."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number with its target: at most or at least `target`, where there is one."""

    name: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def reached(self) -> str:
        """yes, no, or nothing where there is no target."""
        if self.at_most is not None:
            return "yes" if self.value <= self.at_most else "**no**"
        if self.at_least is not None:
            return "yes" if self.value >= self.at_least else "**no**"
        return ""

    @property
    def target(self) -> str:
        """The target as it is read."""
        if self.at_most is not None:
            return f"≤ {shown(self.at_most)}{self.unit}"
        return "" if self.at_least is None else f"≥ {shown(self.at_least)}{self.unit}"


@dataclass
class Report:
    """Figures in the order in which they were found, and notes about what was left out."""

    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(
        self,
        name: str,
        value: float,
        unit: str = "",
        *,
        at_most: float | None = None,
        at_least: float | None = None,
    ) -> None:
        """Takes a figure down, and shows it on stderr: a long run may be cut short."""
        self.figures.append(Figure(name, value, unit, at_most, at_least))
        print(f"{name}: {shown(value)}{unit}", file=sys.stderr, flush=True)

    def __str__(self) -> str:
        rows = [[f.name, f.target, f"{shown(f.value)}{f.unit}", f.reached] for f in self.figures]
        head = ["figure", "target", "measured", "reached"]
        return "\n".join([table(head, rows), *(f"\n{note}" for note in self.notes)])


def shown(value: float) -> str:
    """Three significant digits, or all of a large number."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [f"| {' | '.join(cells)} |" for cells in [head, *rows]]
    lines.insert(1, f"|---|{'---:|' * (len(head) - 1)}")
    return "\n".join(lines)
