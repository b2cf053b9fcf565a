"""Qualitative variables and the roles they play in a mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["parameter", "input", "quantity", "derivative"]


@dataclass(frozen=True)
class Variable:
    """One variable of a component or of the boundary.

    Attributes:
        id: unique name, by convention `component.quantity`.
        component: the component it is attached to, or None for a boundary input.
        space: id of its quantity space.
        role: `parameter` (one fixed cell), `input` (set from outside; without a declared derivative
            it never changes), `derivative` (a rate of change without a declared derivative of its
            own), or `quantity` (everything else).
        derivative: id of the variable that is its time derivative. A variable with a declared
            derivative is a *coordinate*: it moves only through events (clauses E1, E2, E7).
        continuous: False only for quantities that jump; they are exempt from clause E6.
        unit: SI unit of the underlying number, empty if it has none.
        meaning: what it is, in one line.
    """

    id: str
    component: str | None
    space: str
    role: Role = "quantity"
    derivative: str | None = None
    continuous: bool = True
    unit: str = ""
    meaning: str = ""

    @property
    def is_coordinate(self) -> bool:
        """Whether it has a declared derivative."""
        return self.derivative is not None
