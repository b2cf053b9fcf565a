"""Rigid groups: flanges that move together because masses, rods, gears and grounds tie them.

Every flange node has a place `ratio · X + offset`, X being the position (angle) of its group's
reference body, the first in instance order; the ground has ratio 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scilaws_builders.mechreasoner.profile.errors import ProfileError
from scilaws_builders.mechreasoner.profile.plant import Part, Plant


@dataclass(frozen=True)
class Place:
    """Where a node or body is: `ratio · X + offset` with the group's X; `group` None means ground."""

    group: str | None
    ratio: float
    offset: float


@dataclass(frozen=True)
class RigidGroup:
    """Bodies that move together. `ratios` maps body id → its speed over the reference body's."""

    reference: str
    ratios: dict[str, float]


@dataclass(frozen=True)
class RigidGroups:
    """All rigid groups of a plant: reference body id → group, and the places of nodes and bodies."""

    groups: dict[str, RigidGroup]
    nodes: dict[int, Place]
    bodies: dict[str, Place]

    def place(self, plant: Plant, part: Part, port: str) -> Place:
        """Place of a flange.

        Raises:
            ProfileError: the flange belongs to no body and no ground.
        """
        node = plant.node(part, port)
        if node not in self.nodes:
            remedy = "Attach a Mass, an Inertia or a Fixed; a massless point has no law of motion."
            raise ProfileError(f"{part.id}.{port}", "a flange tied to a body or to the ground", "neither", remedy)
        return self.nodes[node]

    def body_at(self, place: Place) -> str:
        """The body whose motion a place shares most directly: the same ratio, else the reference body."""
        assert place.group is not None
        ratios = self.groups[place.group].ratios
        return next((body for body, ratio in ratios.items() if ratio == place.ratio), place.group)


def rigid_groups(plant: Plant) -> RigidGroups:
    """Find the rigid groups.

    Raises:
        ProfileError: a gear or a source on a moving support, a body tied to the ground, or ties that
            contradict each other.
    """
    ties = list(_ties(plant))
    nodes: dict[int, Place] = {}
    for part in plant.of("fixed"):
        _spread(nodes, ties, plant.node(part, "flange"), Place(None, 0.0, part.number("position")))
    bodies: dict[str, Place] = {}
    groups: dict[str, RigidGroup] = {}
    for part in plant.of("body"):
        first = plant.node(part, "flange_a")
        half = part.number("length") / 2
        if first not in nodes:
            _spread(nodes, ties, first, Place(part.id, 1.0, -half))
            groups[part.id] = RigidGroup(part.id, {})
        place = nodes[first]
        if place.group is None:
            raise ProfileError(f"body {part.id}", "a body free to move", "one tied to the ground", "Use a Rod.")
        bodies[part.id] = Place(place.group, place.ratio, place.offset + half)
        groups[place.group].ratios[part.id] = place.ratio
    found = RigidGroups(groups, nodes, bodies)
    _check_supports(plant, found)
    return found


Tie = tuple[int, int, float, float]
"""Nodes m and n with x_n = ratio · x_m + shift."""


def _ties(plant: Plant) -> Iterator[Tie]:
    for part in plant.of("body", "rod"):
        yield plant.node(part, "flange_a"), plant.node(part, "flange_b"), 1.0, part.number("length")
    for part in plant.of("gear"):
        yield plant.node(part, "flange_a"), plant.node(part, "flange_b"), 1.0 / part.number("ratio"), 0.0


def _spread(nodes: dict[int, Place], ties: list[Tie], start: int, place: Place) -> None:
    """Give a place to every node tied to `start`."""
    waiting = [(start, place)]
    while waiting:
        node, here = waiting.pop(0)
        if node in nodes:
            known = nodes[node]
            if known.group != here.group or not _close(known, here):
                found = "two different ones"
                raise ProfileError(f"flange node {node}", "one position", found, "Remove one of the rigid ties.")
            continue
        nodes[node] = here
        for first, second, ratio, shift in ties:
            if node == first:
                waiting.append((second, Place(here.group, ratio * here.ratio, ratio * here.offset + shift)))
            elif node == second:
                waiting.append((first, Place(here.group, here.ratio / ratio, (here.offset - shift) / ratio)))


def _close(first: Place, second: Place) -> bool:
    return abs(first.ratio - second.ratio) + abs(first.offset - second.offset) < 1e-9


def _check_supports(plant: Plant, rigid: RigidGroups) -> None:
    for part in plant.parts.values():
        for port in plant.ports_of(part, "support"):
            node = plant.node(part, port)
            if node in plant.connected and (node not in rigid.nodes or rigid.nodes[node].group is not None):
                remedy = "Connect it to a Fixed or leave it out (useSupport=false)."
                raise ProfileError(f"{part.id}.{port}", "a support on the ground", "a moving one", remedy)
