"""Quantity spaces: the finite ordered cells a qualitative variable can be in (paper A.4, Definition 3).

A space alternates open intervals and points (landmarks). Each cell has one sign, so zero, where a
variable can reach it, is a point of its own. Neighbouring cells are adjacent: a continuous
quantity moves by one cell at a time.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from scilaws_bench.errors import MechanismError

CellKind = Literal["point", "interval"]


@dataclass(frozen=True)
class Cell:
    """One cell: its name, whether it is a point or an open interval, and the sign of all its values.

    `value` is the landmark's place on the number line for points (SI units), None for intervals
    and for landmarks that are known by order alone.
    """

    id: str
    kind: CellKind
    sign: Literal[-1, 0, 1]
    value: float | None = None


@dataclass(frozen=True)
class QuantitySpace:
    """Cells in increasing order; `index`, `step` and `adjacent` speak of positions in that order.

    Raises:
        MechanismError: no cells, a name used twice, two points or two intervals in a row, signs that
            fall, an interval of sign zero, zero skipped between signs, or landmark values out of order.
    """

    id: str
    cells: tuple[Cell, ...]

    def __post_init__(self) -> None:
        fault = _fault(self.cells)
        if fault is not None:
            expected, found, remedy = fault
            raise MechanismError(f"quantity space {self.id}", expected, found, remedy)

    @property
    def names(self) -> tuple[str, ...]:
        """Cell names in increasing order."""
        return tuple(cell.id for cell in self.cells)

    @property
    def signs(self) -> tuple[int, ...]:
        """Cell signs (-1, 0, 1) in increasing order."""
        return tuple(cell.sign for cell in self.cells)

    def index(self, cell: str) -> int:
        """Position of a cell by name (KeyError if the space has none of that name)."""
        for position, candidate in enumerate(self.cells):
            if candidate.id == cell:
                return position
        raise KeyError(cell)

    def step(self, index: int, direction: int) -> int | None:
        """Position of the neighbour one cell up (+1) or down (-1), or None at the end of the space."""
        neighbour = index + direction
        return neighbour if 0 <= neighbour < len(self.cells) else None

    def locate(self, value: float) -> int:
        """Position of the cell that holds a number, by the landmarks' values; points match exactly.

        Raises:
            MechanismError: a landmark has no value, the number is not finite, or it lies below or
                above a space that ends in a point.
        """
        points = [(position, cell.value) for position, cell in enumerate(self.cells) if cell.kind == "point"]
        values = [known for _, known in points if known is not None]
        if len(values) < len(points) or not math.isfinite(value):
            raise MechanismError(
                f"quantity space {self.id}", "a finite number and a value at each landmark", repr(value)
            )
        if not points:
            return 0
        place = bisect_left(values, value)
        if place < len(values) and values[place] == value:
            return points[place][0]
        index = points[place][0] - 1 if place < len(points) else points[-1][0] + 1
        if not 0 <= index < len(self.cells):
            raise MechanismError(
                f"quantity space {self.id}", f"a number from {values[0]:g} to {values[-1]:g}", repr(value)
            )
        return index


def space_of_landmarks(
    name: str, landmarks: Sequence[tuple[str, float]], *, below: bool = True, above: bool = True
) -> QuantitySpace:
    """The space cut by named landmarks, e.g. [("-v0", -1.0), ("0", 0.0), ("v0", 1.0)] gives seven cells.

    Intervals are named by their ends ("(-v0,0)"); a space whose only landmark is zero has the plain
    names "-", "0", "+". `below` and `above` say whether the space goes on past the outer landmarks.
    A landmark named "0" must have the value 0.
    """
    plain = [label for label, _ in landmarks] == ["0"]
    ends = [*(["-inf"] if below else []), *(label for label, _ in landmarks), *(["inf"] if above else [])]
    values = [*([-math.inf] if below else []), *(value for _, value in landmarks), *([math.inf] if above else [])]
    cells: list[Cell] = []
    for place, (label, value) in enumerate(zip(ends, values, strict=True)):
        if math.isfinite(value):
            cells.append(Cell(label, "point", _sign(value), float(value)))
        if place + 1 < len(ends):
            sign = _sign(value) or _sign(values[place + 1])
            interval = {-1: "-", 0: "0", 1: "+"}[sign] if plain else f"({label},{ends[place + 1]})"
            cells.append(Cell(interval, "interval", sign))
    return QuantitySpace(name, tuple(cells))


def _sign(value: float) -> Literal[-1, 0, 1]:
    return 0 if value == 0 else 1 if value > 0 else -1


def _fault(cells: tuple[Cell, ...]) -> tuple[str, str, str] | None:
    """Expectation, finding and remedy of the first fault of a list of cells."""
    if not cells:
        return "at least one cell", "no cells", "Give the space its cells."
    names = [cell.id for cell in cells]
    if len(set(names)) < len(names):
        return "cell names used once", ", ".join(names), "Rename one of them."
    values = [cell.value for cell in cells if cell.value is not None]
    if any(later <= earlier for earlier, later in pairwise(values)):
        return "landmarks in increasing order", ", ".join(f"{value:g}" for value in values), "Sort them."
    for cell in cells:
        if cell.kind == "interval" and (cell.sign == 0 or cell.value is not None):
            return "intervals with a sign and no value", f"{cell.id}", "Zero is a point; values belong to points."
        if cell.kind == "point" and cell.value is not None and _sign(cell.value) != cell.sign:
            return f"a value of sign {cell.sign} at {cell.id}", f"{cell.value:g}", "Correct one of them."
    for lower, upper in pairwise(cells):
        if lower.kind == upper.kind:
            return "points and intervals in turn", f"{lower.id} beside {upper.id}", "Add the cell between them."
        if upper.sign < lower.sign or (lower.sign == -1 and upper.sign == 1):
            return "signs that rise through zero", f"{lower.id} before {upper.id}", "Sort the cells, with zero a point."
    return None


SIGNS = space_of_landmarks("signs", [("0", 0.0)])
POSITIVE = QuantitySpace("positive", (Cell("+", "interval", 1),))
NON_NEGATIVE = space_of_landmarks("non_negative", [("0", 0.0)], below=False)
