"""Folders that tests read."""

from __future__ import annotations

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
"""The folder of pyproject.toml."""

SHARED = CHECKOUT.parent / "shared"
"""Data sets and cases that lie beside the checkout where somebody put them."""
