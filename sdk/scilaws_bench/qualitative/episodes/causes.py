"""Causes: which coordinates may leave their cells next, and together (clauses E2 and E3).

A coordinate is a variable with a declared derivative, whose sign in the source episode gives its
direction. A coordinate that stands on a point leaves it at once (*departure*); one that lies in an
interval arrives at its end after a while (*termination*). Hence departures, if there are any,
happen all together and before everything else; terminations happen alone unless the laws force
several at the same instant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scilaws_bench.qualitative.episodes.layout import Layout


@dataclass(frozen=True, slots=True)
class Event:
    """A coordinate that moves from one cell to its neighbour; all by name."""

    variable: str
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.variable}: {self.source} → {self.target}"


Cause = tuple[Event, ...]
"""The events of a cause in the mechanism's order of variables; the empty cause is ()."""

INTRASTATE: Cause = ()


@dataclass(frozen=True)
class Moves:
    """The events that a source episode offers, by position: column of a coordinate → its target cell.

    At most one of the two is used: `terminations` is empty as soon as there is a departure.
    """

    departures: dict[int, int]
    terminations: dict[int, int]


def moves(layout: Layout, cells: Sequence[int]) -> Moves:
    """Events of an episode's coordinates, columns in rising order.

    A coordinate of derivative zero, or at the end of its space, offers none.
    """
    departures: dict[int, int] = {}
    terminations: dict[int, int] = {}
    for column in layout.rates:
        direction = layout.direction(column, cells)
        space = layout.spaces[column]
        target = space.step(cells[column], direction) if direction else None
        if target is not None:
            leaves = space.cells[cells[column]].kind == "point"
            (departures if leaves else terminations)[column] = target
    return Moves(departures, {} if departures else terminations)


def minimal_sets(realised: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The inclusion-minimal non-empty rows of a table of sets (rows: sets, columns: members)."""
    rest = np.unique(realised[realised.any(axis=1)], axis=0)
    rest = rest[np.argsort(rest.sum(axis=1), kind="stable")]
    kept = []
    while len(rest):
        smallest = rest[0]
        kept.append(smallest)
        rest = rest[~rest[:, smallest].all(axis=1)]
    return np.array(kept, dtype=bool).reshape(len(kept), realised.shape[1])


def cause_of(layout: Layout, cells: Sequence[int], targets: Iterable[tuple[int, int]]) -> Cause:
    """The cause that moves coordinates (column, target cell) away from an episode's cells."""
    return tuple(
        Event(layout.names[column], layout.cell_name(column, cells[column]), layout.cell_name(column, target))
        for column, target in sorted(targets)
    )
