"""Scenarios: the operating context in which a mechanism is studied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Restrictions = Mapping[str, tuple[str, ...]]
"""Variable id → names of the cells it may be in."""


@dataclass(frozen=True)
class Scenario:
    """An admissible scenario.

    Attributes:
        id: unique name within the mechanism.
        context: restrictions that hold in every episode (operating context).
        initial: further restrictions on the initial episode's coordinates; they choose where
            histories begin and do not bind later episodes.
        title: what the scenario is, in one line.
    """

    id: str
    context: Restrictions = field(default_factory=dict)
    initial: Restrictions = field(default_factory=dict)
    title: str = ""


def combined(*restrictions: Restrictions) -> dict[str, tuple[str, ...]]:
    """Intersection of restrictions, variable by variable; a contradiction leaves an empty tuple."""
    result: dict[str, tuple[str, ...]] = {}
    for layer in restrictions:
        for variable, cells in layer.items():
            known = result.get(variable)
            result[variable] = tuple(cells) if known is None else tuple(cell for cell in known if cell in cells)
    return result
