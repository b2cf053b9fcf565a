"""The edge-admission clauses E1 to E8 of paper A.4, one function each.

A clause looks at a proposed step (source, target, cause) and returns None, or the reason why it
refuses. The functions are the specification of `vectorised.py` and the source of every explanation;
they are written to be read, not to be fast.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cached_property

from scilaws_bench.qualitative.episodes.causes import Cause
from scilaws_bench.qualitative.episodes.layout import Layout, Position, changed_columns


@dataclass(frozen=True)
class Refusal:
    """Why a clause refuses a step: the variable or component, what was expected and what was found."""

    clause: str
    subject: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.clause}: {self.subject}: expected {self.expected}; found {self.found}"


@dataclass(frozen=True)
class Step:
    """A proposed edge and what it is judged by.

    Attributes:
        layout: the mechanism.
        source: the source episode.
        target: the target, an episode or not (clause E5 judges that).
        cause: the proposed cause.
        produced: the causes of the source episode.
        episodes: the episodes of the scenario.
    """

    layout: Layout
    source: Position
    target: Position
    cause: Cause
    produced: tuple[Cause, ...]
    episodes: Container[Position]

    @cached_property
    def changed(self) -> tuple[int, ...]:
        """Columns that change."""
        return changed_columns(self.source, self.target)

    @cached_property
    def moved(self) -> dict[int, tuple[int, int]]:
        """For each event of the cause its column, and its source and target cell by position."""
        layout = self.layout
        placed = {}
        for event in self.cause:
            column = layout.column[event.variable]
            placed[column] = (layout.spaces[column].index(event.source), layout.spaces[column].index(event.target))
        return placed

    @cached_property
    def laws(self) -> tuple[tuple[int, ...], ...]:
        """Columns of each law active in the source or in the target state."""
        return self.layout.linked(self.source.states, self.target.states)

    def shift(self, column: int) -> str:
        """The change of a variable as text, e.g. `+ → 0`."""
        layout = self.layout
        before = layout.cell_name(column, self.source.cells[column])
        after = layout.cell_name(column, self.target.cells[column])
        return before if before == after else f"{before} → {after}"


def e1_coordinates(step: Step) -> Refusal | None:
    """Coordinates of the cause reach their targets; others, parameters and inputs without rate stay."""
    layout = step.layout
    for column in layout.held:
        if column in step.moved:
            target = step.moved[column][1]
            if step.target.cells[column] != target:
                wanted = f"the cell {layout.cell_name(column, target)}, where the cause takes it"
                return Refusal("E1", layout.names[column], wanted, step.shift(column))
        elif column in step.changed:
            kind = "its cell kept, as it is not in the cause"
            if column in layout.fixed:
                kind = f"its cell kept, as {_article(layout, column)} never changes"
            return Refusal("E1", layout.names[column], kind, step.shift(column))
    return None


def e2_nearest(step: Step) -> Refusal | None:
    """Each event takes its coordinate from its cell in the source to a neighbouring cell."""
    layout = step.layout
    for event, (column, (before, after)) in zip(step.cause, step.moved.items(), strict=True):
        here = step.source.cells[column]
        if before != here:
            wanted = f"an event that starts in its cell {layout.cell_name(column, here)}"
            return Refusal("E2", event.variable, wanted, f"{event.source} → {event.target}")
        if abs(after - before) != 1:
            wanted = "the nearest cell in its direction"
            return Refusal("E2", event.variable, wanted, f"{event.source} → {event.target}")
    return None


def e3_cause(step: Step) -> Refusal | None:
    """The cause is exactly one of those the source produces (coincident groups, departures first)."""
    if step.cause in step.produced:
        return None
    wanted = "one of the causes of the source: " + "; ".join(cause_text(cause) for cause in step.produced)
    return Refusal("E3", "cause", wanted, cause_text(step.cause))


def e4_predecessor(step: Step) -> Refusal | None:
    """Each changed algebraic variable shares an active law with another changed variable."""
    changed = set(step.changed)
    for column in step.changed:
        if column not in step.layout.algebraic or column in step.moved:
            continue
        if not any(column in law and changed.intersection(law) - {column} for law in step.laws):
            wanted = "an active law that links it with another changed variable"
            return Refusal("E4", step.layout.names[column], wanted, f"{step.shift(column)}, linked with none")
    return None


def e5_solved(step: Step) -> Refusal | None:
    """The target is an episode: a solved interpretation of its composite state."""
    if step.target in step.episodes:
        return None
    state = ", ".join(step.layout.state_names(step.target.states))
    wanted = f"a solved interpretation of the state ({state})"
    return Refusal("E5", "target", wanted, "an assignment that breaks a law or a restriction")


def e6_continuity(step: Step) -> Refusal | None:
    """A continuous variable moves by at most one cell."""
    for column in step.layout.continuous:
        if abs(step.target.cells[column] - step.source.cells[column]) > 1:
            return Refusal(
                "E6", step.layout.names[column], "a move by at most one cell (continuous)", step.shift(column)
            )
    return None


def e7_mean_value(step: Step) -> Refusal | None:
    """A coordinate moves only the way its derivative points in the source."""
    layout = step.layout
    for column, rate in layout.rates.items():
        move = step.target.cells[column] - step.source.cells[column]
        direction = layout.direction(column, step.source.cells)
        if move and (move > 0) - (move < 0) != direction:
            way = {-1: "a fall", 0: "no change", 1: "a rise"}[direction]
            cell = layout.cell_name(rate, step.source.cells[rate])
            wanted = f"{way}, since {layout.names[rate]} is {cell} in the source"
            return Refusal("E7", layout.names[column], wanted, step.shift(column))
    return None


def e8_seeded(step: Step) -> Refusal | None:
    """Every changed algebraic variable is reached from an event through laws over changed variables.

    Without events only variables of role `derivative` may change, by one cell each.
    """
    if not step.cause:
        return _without_events(step)
    reached = set(step.moved)
    frontier = list(reached)
    changed = set(step.changed)
    while frontier:
        column = frontier.pop(0)
        for law in step.laws:
            if column in law:
                new = sorted(changed.intersection(law) - reached)
                reached.update(new)
                frontier.extend(new)
    for column in step.changed:
        if column in step.layout.algebraic and column not in reached:
            wanted = f"a chain of active laws over changed variables from {cause_text(step.cause)}"
            return Refusal("E8", step.layout.names[column], wanted, f"{step.shift(column)}, reached by no chain")
    return None


def cause_text(cause: Cause) -> str:
    """A cause as text, e.g. `{x: + → 0, v: 0 → +}`; the empty one says so."""
    return "{" + ", ".join(str(event) for event in cause) + "}" if cause else "no event"


Clause = Callable[[Step], Refusal | None]

CLAUSES: tuple[tuple[str, Clause], ...] = (
    ("E1", e1_coordinates),
    ("E2", e2_nearest),
    ("E3", e3_cause),
    ("E4", e4_predecessor),
    ("E5", e5_solved),
    ("E6", e6_continuity),
    ("E7", e7_mean_value),
    ("E8", e8_seeded),
)


def _without_events(step: Step) -> Refusal | None:
    for column in step.changed:
        name = step.layout.names[column]
        if column not in step.layout.derivatives:
            return Refusal(
                "E8", name, "an event behind its change (without events only rates change)", step.shift(column)
            )
        if abs(step.target.cells[column] - step.source.cells[column]) > 1:
            return Refusal("E8", name, "a move by one cell, as there is no event", step.shift(column))
    return None


def _article(layout: Layout, column: int) -> str:
    role = layout.mechanism.variables[column].role
    return "an input without a declared derivative" if role == "input" else f"a {role}"
