"""From simulated columns to observed composite states and component transitions (paper A.9, `extract`).

Between samples every crossing of a landmark is inserted as a row of its own, crossings of one instant
together, so that each observed change of a component is between neighbouring cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from scilaws_bench.qualitative import Mechanism
from scilaws_builders.mechreasoner.consistency.rumoca_runs import Columns
from scilaws_builders.mechreasoner.consistency.suite import Run

SNAP = 1e-9
"""A value this near to a landmark keeps the landmark's cell and the cell that holds the raw value."""
TOGETHER = 1e-6
"""Crossings closer than this part of a sampling interval are one instant."""

States = tuple[str, ...]


@dataclass(frozen=True)
class ObservedState:
    """A composite state at one instant; `groups` are the raw-side alternatives of each boundary coordinate."""

    states: States
    groups: tuple[tuple[str, tuple[States, ...]], ...]
    run: str
    time: float
    raw: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class ObservedTransition:
    """A component that goes from one of its states to another between two consecutive rows."""

    component: str
    source: str
    target: str
    run: str
    time: float


@dataclass(frozen=True)
class Observations:
    """What one mechanism was seen to do, each composite state and each transition shape once."""

    states: tuple[ObservedState, ...]
    transitions: tuple[ObservedTransition, ...]


def defining_variables(mechanism: Mechanism) -> dict[str, str]:
    """Component → the variable whose cells tell its states apart, for components of several states."""
    found = {}
    for component in mechanism.components:
        if len(component.states) > 1:
            per_state = [
                {
                    item.variable
                    for item in mechanism.restrictions
                    if (item.component, item.state) == (component.id, state)
                }
                for state in component.states
            ]
            common = sorted(set.intersection(*per_state), key=[v.id for v in mechanism.variables].index)
            found[component.id] = common[0]
    return found


def observe(mechanism: Mechanism, observables: Mapping[str, Any], runs: list[tuple[Run, Columns]]) -> Observations:
    """The distinct composite states and transition shapes of some runs, each at its first sighting."""
    defining = defining_variables(mechanism)
    states: dict[States, ObservedState] = {}
    transitions: dict[tuple[str, str, str], ObservedTransition] = {}
    for run, columns in runs:
        before: States | None = None
        for time, values, snapped in _rows(mechanism, observables, defining, columns):
            found = _observed(mechanism, defining, values, snapped, run.name, time)
            states.setdefault(found.states, found)
            for place, component in enumerate(mechanism.components):
                if before is not None and before[place] != found.states[place]:
                    shape = (component.id, before[place], found.states[place])
                    transitions.setdefault(shape, ObservedTransition(*shape, run.name, time))
            before = found.states
    return Observations(
        tuple(states[key] for key in sorted(states)), tuple(transitions[key] for key in sorted(transitions))
    )


def _rows(
    mechanism: Mechanism, observables: Mapping[str, Any], defining: Mapping[str, str], columns: Columns
) -> list[tuple[float, dict[str, float], dict[str, float]]]:
    """Samples and inserted crossings in time order: (time, values, variables exactly at a landmark → the landmark)."""
    time = columns["time"]
    values = {name: _series(observables[name], columns) for name in dict.fromkeys(defining.values())}
    landmarks = {
        name: [cell.value for cell in mechanism.space(name).cells if cell.kind == "point" and cell.value is not None]
        for name in values
    }
    rows: list[tuple[float, dict[str, float], dict[str, float]]] = []
    for place in range(len(time)):
        if place and time[place] > time[place - 1]:
            rows += _crossings(values, landmarks, time, place)
        rows.append((float(time[place]), {name: float(series[place]) for name, series in values.items()}, {}))
    return rows


def _crossings(
    values: Mapping[str, npt.NDArray[np.float64]],
    landmarks: Mapping[str, list[float]],
    time: npt.NDArray[np.float64],
    place: int,
) -> list[tuple[float, dict[str, float], dict[str, float]]]:
    """Rows at the instants between two samples where some value passes a landmark."""
    marks: list[tuple[float, str, float]] = []
    for name, series in values.items():
        start, end = float(series[place - 1]), float(series[place])
        for mark in landmarks[name]:
            low, high = start - mark, end - mark
            if min(abs(low), abs(high)) > SNAP and (low < 0) != (high < 0):
                marks.append((low / (low - high), name, mark))
    marks.sort()
    rows: list[tuple[float, dict[str, float], dict[str, float]]] = []
    while marks:
        part = marks[0][0]
        here = [item for item in marks if item[0] - part <= TOGETHER]
        marks = marks[len(here) :]
        snapped = {name: mark for _, name, mark in here}
        at = {
            name: snapped.get(name, float(series[place - 1] + part * (series[place] - series[place - 1])))
            for name, series in values.items()
        }
        rows.append((float(time[place - 1] + part * (time[place] - time[place - 1])), at, snapped))
    return rows


def _observed(
    mechanism: Mechanism,
    defining: Mapping[str, str],
    values: Mapping[str, float],
    snapped: Mapping[str, float],
    run: str,
    time: float,
) -> ObservedState:
    crisp: dict[str, float] = {}
    raw: dict[str, float] = {}
    for name, value in values.items():
        marks = [cell.value for cell in mechanism.space(name).cells if cell.kind == "point" and cell.value is not None]
        near = [mark for mark in marks if abs(value - mark) <= SNAP]
        crisp[name] = near[0] if near else value
        if near and value != near[0] and name not in snapped:
            raw[name] = value
    states = _composite(mechanism, defining, crisp)
    groups = tuple((name, _alternatives(mechanism, defining, crisp, raw, name)) for name in sorted(raw))
    return ObservedState(states, groups, run, time, tuple(sorted(raw.items())))


def _alternatives(
    mechanism: Mechanism, defining: Mapping[str, str], crisp: Mapping[str, float], raw: Mapping[str, float], name: str
) -> tuple[States, ...]:
    """The composite states with this coordinate at its raw side and each other one at either side."""
    others = sorted(set(raw) - {name})
    found = {
        _composite(mechanism, defining, {**crisp, name: raw[name], **{other: raw[other] for other in chosen}})
        for size in range(len(others) + 1)
        for chosen in combinations(others, size)
    }
    return tuple(sorted(found))


def _composite(mechanism: Mechanism, defining: Mapping[str, str], values: Mapping[str, float]) -> States:
    found = []
    for component in mechanism.components:
        variable = defining.get(component.id)
        if variable is None:
            found.append(component.states[0])
            continue
        space = mechanism.space(variable)
        cell = space.cells[space.locate(values[variable])].id
        found.append(
            next(
                item.state
                for item in mechanism.restrictions
                if item.component == component.id and item.variable == variable and cell in item.cells
            )
        )
    return tuple(found)


def _series(item: Mapping[str, Any], columns: Columns) -> npt.NDArray[np.float64]:
    total = np.full_like(columns["time"], float(item["offset"]))
    for coefficient, name in item["terms"]:
        total = total + coefficient * columns[name]
    return total
