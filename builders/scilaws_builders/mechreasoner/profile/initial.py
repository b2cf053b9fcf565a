"""Initial values: start values that may be relative, solved for the positions and speeds of rigid groups."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np

from scilaws_builders.mechreasoner.profile.draft import variable_id
from scilaws_builders.mechreasoner.profile.errors import ProfileError
from scilaws_builders.mechreasoner.profile.plant import Part, Plant
from scilaws_builders.mechreasoner.profile.rigid import Place, RigidGroups
from scilaws_builders.mechreasoner.profile.thermal import Thermal, temperature

SNAP = 1e-9
"""Initial values below this are zero: what is left of the solve's rounding."""


@dataclass(frozen=True)
class Motion:
    """Initial position and speed of each rigid group's reference body."""

    position: dict[str, float]
    speed: dict[str, float]


def initial_motion(plant: Plant, rigid: RigidGroups) -> Motion:
    """Solve the binding start values; what they leave open is taken as near to the other starts as possible.

    Raises:
        ProfileError: binding start values that contradict each other.
    """
    found = []
    for kind in ("displacement", "speed"):
        hints = [rigid_start(plant, group, kind) for group in rigid.groups]
        found.append(_solved(plant, rigid, kind, np.array(hints, dtype=float)))
    return Motion(*found)


def rigid_start(plant: Plant, body: str, kind: str) -> float:
    """Start value of a body's position or speed, 0 if none is given."""
    part = plant.parts[body]
    return part.start(variable_id(part, kind).rpartition(".")[2]) or 0.0


def _solved(plant: Plant, rigid: RigidGroups, kind: str, hints: np.ndarray) -> dict[str, float]:
    groups = list(rigid.groups)
    rows, values, sources = [], [], []
    for part, name, places in _starts(plant, rigid, kind):
        if not part.is_fixed(name):
            continue
        row, value = np.zeros(len(groups)), part.start(name) or 0.0
        for weight, place in places:
            if kind == "displacement":
                value -= weight * place.offset
            if place.group is not None:
                row[groups.index(place.group)] += weight * place.ratio
        rows.append(row)
        values.append(value)
        sources.append(f"{part.id}.{name}")
    matrix, right = np.array(rows).reshape(len(rows), len(groups)), np.array(values)
    solution = hints + np.linalg.lstsq(matrix, right - matrix @ hints, rcond=None)[0] if groups and rows else hints
    rest = np.abs(matrix @ solution - right)
    if rest.size and rest.max() > SNAP * max(1.0, np.abs(right).max()):
        source = sources[int(rest.argmax())]
        raise ProfileError(f"start of {source}", "start values that agree", "a contradiction", "Free one of them.")
    return {group: float(value) for group, value in zip(groups, solution, strict=True)}


def _starts(plant: Plant, rigid: RigidGroups, kind: str) -> list[tuple[Part, str, tuple[tuple[float, Place], ...]]]:
    """What may have a start value: (part, its variable, weighted places whose sum it is)."""
    relative = {"displacement": {"translational": "s_rel", "rotational": "phi_rel"}}
    relative["speed"] = {"translational": "v_rel", "rotational": "w_rel"}
    found: list[tuple[Part, str, tuple[tuple[float, Place], ...]]] = []
    for part in plant.of("body"):
        found.append((part, variable_id(part, kind).rpartition(".")[2], ((1.0, rigid.bodies[part.id]),)))
    for part in plant.of("element"):
        ends = tuple(
            (weight, rigid.place(plant, part, port)) for weight, port in ((1.0, "flange_b"), (-1.0, "flange_a"))
        )
        found.append((part, relative[kind][part.type.domain], ends))
    for part in plant.of("prescribed"):
        name = variable_id(part, kind).rpartition(".")[2]
        found.append((part, name, ((1.0, rigid.place(plant, part, "flange")),)))
    return found


def initial_values(plant: Plant, rigid: RigidGroups, motion: Motion, thermal: Thermal) -> dict[str, float]:
    """Initial numbers of the coordinates that the instance's start values and sources fix (variable → value)."""
    values: dict[str, float] = {}
    for part in plant.of("body"):
        place = rigid.bodies[part.id]
        values[variable_id(part, "displacement")] = 0.0
        values[variable_id(part, "speed")] = _at(place, motion.speed)
    for part in plant.of("element"):
        ends = [rigid.place(plant, part, port) for port in ("flange_a", "flange_b")]
        speeds = [_at(place, motion.speed) for place in ends]
        positions = [_at(place, motion.position) + place.offset for place in ends]
        values[variable_id(part, "relative_speed")] = speeds[1] - speeds[0]
        values[variable_id(part, "deformation")] = positions[1] - positions[0] - part.number("unstretched")
    for part in plant.of("signal", "voltage_source"):
        if part.type.template in ("sine", "sine_voltage"):
            name = "signal" if part.type.part == "signal" else "voltage"
            phase, amplitude = part.number("phase"), part.number("amplitude")
            values[variable_id(part, name)] = amplitude * sin(phase)
            values[variable_id(part, f"{name}_rate")] = amplitude * cos(phase) * 2 * pi * float(part.values["f"])
    for part in plant.of("capacitor"):
        values[variable_id(part, "temperature")] = temperature(part) - thermal.reference(part, "port")
    for part in plant.of("conductor"):
        held = []
        for port in ("port_a", "port_b"):
            holder = thermal.nodes[plant.node(part, port)].holder
            if holder is not None and holder.type.part == "resistor":
                break
            held.append(0.0 if holder is None else values[variable_id(holder, "temperature")])
        else:
            values[variable_id(part, "difference")] = held[0] - held[1]
    return {name: 0.0 if abs(value) < SNAP else value for name, value in values.items()}


def _at(place: Place, values: dict[str, float]) -> float:
    return 0.0 if place.group is None else place.ratio * values[place.group]
