"""Translational and rotational mechanics: bodies, elements between them, loads, brakes, prescribed motion."""

from __future__ import annotations

from itertools import combinations

from scilaws_bench.qualitative import QuantitySpace, space_of_landmarks
from scilaws_builders.mechreasoner.profile.draft import Draft, Observable, Product, one_cell, variable_id
from scilaws_builders.mechreasoner.profile.errors import ProfileError
from scilaws_builders.mechreasoner.profile.plant import Part, Plant
from scilaws_builders.mechreasoner.profile.rigid import Place, RigidGroups

ELEMENT_FORCES = {
    "spring": ("force",),
    "damper": ("force",),
    "spring_damper": ("spring_force", "damper_force"),
}
"""For each element template the quantities that pull its second flange towards its first."""


class Mechanics:
    """Adds the mechanical parts of a plant to a draft, and the laws between them.

    Args:
        plant: the plant.
        rigid: its rigid groups.
        start: reference body id → its initial position.
    """

    def __init__(self, plant: Plant, rigid: RigidGroups, start: dict[str, float]) -> None:
        self._plant = plant
        self._rigid = rigid
        self._start = start
        self._attached = self._attached_groups()
        self._limits = self._regime_spaces()

    def add(self, draft: Draft, part: Part) -> None:
        """Instantiate one mechanical part."""
        adders = {
            "body": self._add_body,
            "element": self._add_element,
            "force": self._add_force,
            "brake": self._add_brake,
            "prescribed": self._add_prescribed,
            "position_sensor": self._add_position_sensor,
        }
        adder = adders.get(part.type.part)
        if adder is None:
            draft.add(part)
        else:
            adder(draft, part)

    def add_laws(self, draft: Draft) -> None:
        """Add rigid ties, kinematics of the elements, ties of parallel elements and laws of motion."""
        self._add_ties(draft)
        for part in self._plant.of("element"):
            self._add_kinematics(draft, part)
        self._add_parallels(draft)
        prescribed = {self._single(part).group for part in self._plant.of("prescribed")}
        for group in self._rigid.groups:
            if group not in prescribed:
                self._add_motion(draft, group)

    def is_free(self, body: Part) -> bool:
        """Whether nothing elastic and no brake acts on a body's group, so that its displacement is followed."""
        return self._rigid.bodies[body.id].group not in self._attached

    def _add_body(self, draft: Draft, part: Part) -> None:
        place = self._rigid.bodies[part.id]
        names = {quantity: variable_id(part, quantity) for quantity in ("speed", "acceleration")}
        observables = {quantity: Observable(((1.0, name),)) for quantity, name in names.items()}
        if self.is_free(part):
            assert place.group is not None
            start = place.ratio * self._start[place.group] + place.offset
            observables["displacement"] = Observable(((1.0, variable_id(part, "displacement")),), 0.0 - start)
        spaces = {"speed": self._limits[part.id]} if part.id in self._limits else {}
        variant = "free" if self.is_free(part) else None
        draft.add(part, variant=variant, spaces=spaces, observables=observables)

    def _add_element(self, draft: Draft, part: Part) -> None:
        observables = {
            "relative_speed": Observable(self._difference(part, "speed")),
            "relative_acceleration": Observable(self._difference(part, "acceleration")),
        }
        if part.type.template == "spring_damper":
            stretch = variable_id(part, "deformation")
            stiffness = part.number("stiffness")
            observables["spring_force"] = Observable(((stiffness, stretch),), -stiffness * part.number("unstretched"))
            observables["damper_force"] = Observable(
                tuple((part.number("damping") * k, name) for k, name in self._difference(part, "speed"))
            )
        else:
            observables["force"] = Observable(((1.0, variable_id(part, "force")),))
        if part.type.template != "damper":
            stretch = variable_id(part, "deformation")
            observables["deformation"] = Observable(((1.0, stretch),), 0.0 - part.number("unstretched"))
        draft.add(part, observables=observables)

    def _add_force(self, draft: Draft, part: Part) -> None:
        self._single(part)
        block = self._plant.signal(part)
        signal = variable_id(block, "signal")
        observables = {"force": Observable(((1.0, signal),))}
        if block.type.template == "constant":
            spaces = {"force": one_cell(block.number("value"))}
            draft.add(
                part, variant="constant", context={"input.signal": signal}, spaces=spaces, observables=observables
            )
        else:
            draft.add(part, context={"input.signal": signal}, observables=observables)

    def _add_brake(self, draft: Draft, part: Part) -> None:
        load = variable_id(part, "force")
        observables = {"force": Observable(((float(part.type.load_sign), load),))}
        draft.add(part, context=self._body_context(part), observables=observables)

    def _add_prescribed(self, draft: Draft, part: Part) -> None:
        signal = variable_id(self._plant.signal(part), "signal")
        draft.add(part, context={**self._body_context(part), "input.signal": signal})

    def _add_position_sensor(self, draft: Draft, part: Part) -> None:
        place = self._single(part, grounded=True)
        if place.group is not None:
            remedy = "Put the sensor on the ground or leave it out."
            raise ProfileError(f"{part.id}", "a constant reading", f"that of {place.group}, which moves", remedy)
        reading = Observable(((1.0, variable_id(part, "position")),))
        draft.add(part, spaces={"position": one_cell(place.offset)}, observables={"position": reading})

    def _add_ties(self, draft: Draft) -> None:
        parts = self._plant.parts
        for reference, group in self._rigid.groups.items():
            for body, ratio in group.ratios.items():
                if body == reference:
                    continue
                quantities = ["speed", "acceleration"]
                if self.is_free(parts[body]):
                    quantities.insert(0, "displacement")
                for quantity in quantities:
                    own = (1, variable_id(parts[body], quantity))
                    led = (_turn(-ratio), variable_id(parts[reference], quantity))
                    draft.law(f"rigid.{reference}.{body}.{quantity}", [own, led])

    def _add_kinematics(self, draft: Draft, part: Part) -> None:
        for quantity in ("speed", "acceleration"):
            relative = (1, variable_id(part, f"relative_{quantity}"))
            ends = [(_turn(-k), name) for k, name in self._difference(part, quantity)]
            draft.law(f"{part.id}.kinematics.{quantity}", [relative, *ends])

    def _add_parallels(self, draft: Draft) -> None:
        """Elements between the same two moving groups deform together; grounded ones are tied by the body."""
        for first, second in combinations(self._plant.of("element"), 2):
            one, two = self._ratios(first), self._ratios(second)
            if len(one) == 2 and one.keys() == two.keys():
                scales = [two[group] / ratio for group, ratio in one.items()]
                if abs(scales[0] - scales[1]) < 1e-9 * abs(scales[0]):
                    for quantity in ("relative_speed", "relative_acceleration"):
                        terms = [(1, variable_id(second, quantity)), (_turn(-scales[0]), variable_id(first, quantity))]
                        draft.law(f"parallel.{first.id}.{second.id}.{quantity}", terms)

    def _add_motion(self, draft: Draft, group: str) -> None:
        reference = self._plant.parts[group]
        terms: list[Product] = [(1, variable_id(reference, "acceleration"))]
        for part in self._plant.of("element"):
            for port, pull in (("flange_a", 1), ("flange_b", -1)):
                place = self._rigid.place(self._plant, part, port)
                if place.group == group:
                    for force in ELEMENT_FORCES[part.type.template]:
                        terms.append((_turn(-pull * place.ratio), variable_id(part, force)))
        for part in self._plant.of("force", "brake"):
            place = self._single(part, grounded=True)
            if place.group == group:
                terms.append((_turn(-place.ratio), variable_id(part, "force")))
        draft.law(f"{group}.motion", terms, group)

    def _body_context(self, part: Part) -> dict[str, str]:
        body = self._plant.parts[self._rigid.body_at(self._single(part))]
        return {f"body.{quantity}": variable_id(body, quantity) for quantity in ("speed", "acceleration")}

    def _single(self, part: Part, *, grounded: bool = False) -> Place:
        place = self._rigid.place(self._plant, part, "flange")
        if place.group is None and not grounded:
            raise ProfileError(f"{part.id}.flange", "a flange tied to a body", "the ground", "Connect it to a body.")
        return place

    def _ratios(self, part: Part) -> dict[str, float]:
        """Group → how the relative motion of an element depends on its motion; grounded ends drop out."""
        ratios: dict[str, float] = {}
        for port, direction in (("flange_b", 1.0), ("flange_a", -1.0)):
            place = self._rigid.place(self._plant, part, port)
            if place.group is not None:
                ratios[place.group] = ratios.get(place.group, 0.0) + direction * place.ratio
        return ratios

    def _difference(self, part: Part, quantity: str) -> tuple[tuple[float, str], ...]:
        """The motion of flange_b minus that of flange_a in terms of bodies next to them."""
        terms = []
        for port, direction in (("flange_b", 1.0), ("flange_a", -1.0)):
            place = self._rigid.place(self._plant, part, port)
            if place.group is not None:
                body = self._rigid.body_at(place)
                ratio = direction * place.ratio / self._rigid.bodies[body].ratio
                terms.append((ratio, variable_id(self._plant.parts[body], quantity)))
        groups = [self._rigid.place(self._plant, part, port).group for port in ("flange_a", "flange_b")]
        if groups[0] == groups[1]:
            remedy = "Remove the element: it can't deform."
            raise ProfileError(f"{part.id}", "ends that move against each other", "ends of one rigid group", remedy)
        return tuple(terms)

    def _attached_groups(self) -> frozenset[str | None]:
        places = [
            self._rigid.place(self._plant, part, port)
            for part in self._plant.of("element", "brake")
            for port in self._plant.ports_of(part, "flange")
        ]
        return frozenset(place.group for place in places)

    def _regime_spaces(self) -> dict[str, QuantitySpace]:
        """Body → its speed's space, cut at the limits of a brake with regimes."""
        spaces: dict[str, QuantitySpace] = {}
        for part in self._plant.of("brake"):
            if "limit" not in part.type.parameters:
                continue
            place = self._single(part)
            body = self._rigid.body_at(place)
            if len(self._rigid.groups[place.group or ""].ratios) > 1 or body in spaces:
                remedy = "Brake a body that no gear ties to others, with one such brake."
                raise ProfileError(f"brake {part.id}", "a body with one pair of speed limits", body, remedy)
            spaces[body] = regime_space(part.type.parameters["limit"], f"speed_of_{body}", part.number("limit"))
        return spaces


def regime_space(label: str, name: str, limit: float) -> QuantitySpace:
    """Seven cells cut at -limit, 0 and limit."""
    return space_of_landmarks(name, [(f"-{label}", -limit), ("0", 0.0), (label, limit)])


def _turn(value: float) -> int:
    return 1 if value > 0 else -1
