"""Electrical circuits: branches, Kirchhoff's laws on nodes and loops, and the same laws differentiated."""

from __future__ import annotations

from math import pi

from scilaws_builders.mechreasoner.profile.draft import Draft, Observable, Product, variable_id
from scilaws_builders.mechreasoner.profile.errors import ProfileError
from scilaws_builders.mechreasoner.profile.loops import simple_cycles
from scilaws_builders.mechreasoner.profile.plant import Part, Plant, joined
from scilaws_builders.mechreasoner.profile.thermal import Thermal

MOST_LOOPS = 64


class Electrical:
    """Adds the electrical parts of a plant to a draft, and the laws between them."""

    def __init__(self, plant: Plant, thermal: Thermal) -> None:
        self._plant = plant
        self._thermal = thermal
        self._branches = plant.of("resistor", "voltage_source")
        self._check_grounds()

    def add(self, draft: Draft, part: Part) -> None:
        """Instantiate one electrical part."""
        if part.type.part == "voltage_source":
            omega = 2 * pi * float(part.values["f"])
            observables = {
                "voltage": Observable(((1.0, f"{part.id}.v"),)),
                "voltage_curvature": Observable(((-(omega**2), f"{part.id}.v"),)),
                "current": Observable(((1.0, f"{part.id}.i"),)),
            }
            draft.add(part, observables=observables)
        elif part.type.part == "resistor":
            self._add_resistor(draft, part)
        else:
            draft.add(part)

    def add_laws(self, draft: Draft) -> None:
        """Add current laws of the nodes and voltage laws of all simple loops, with their derivatives."""
        ends = [(self._plant.node(part, "p"), self._plant.node(part, "n")) for part in self._branches]
        pairs = list(zip(self._branches, ends, strict=True))
        for number, node in enumerate(sorted({node for pair in ends for node in pair})):
            for quantity in ("current", "current_rate"):
                terms: list[Product] = []
                for part, (first, second) in pairs:
                    if first != second and node in (first, second):
                        terms.append((1 if node == first else -1, variable_id(part, quantity)))
                draft.law(f"node{number + 1}.{quantity}", terms)
        for number, walk in enumerate(simple_cycles(ends)):
            if number == MOST_LOOPS:
                found = f"more than {MOST_LOOPS}"
                raise ProfileError("circuit", f"at most {MOST_LOOPS} simple loops", found, "Use a smaller circuit.")
            for quantity in ("voltage", "voltage_rate"):
                terms = [(direction, variable_id(self._branches[edge], quantity)) for edge, direction in walk]
                draft.law(f"loop{number + 1}.{quantity}", terms)

    def _add_resistor(self, draft: Draft, part: Part) -> None:
        node = self._thermal.heating(part)
        observables = {name: Observable(((1.0, f"{part.id}.{name[0]}"),)) for name in ("voltage", "current")}
        observables["current"] = Observable(((1.0, f"{part.id}.i"),))
        if node is None or node.holder is None:
            draft.add(part, observables=observables)
            return
        observables["power"] = Observable(((1.0, f"{part.id}.LossPower"),))
        rises = part.number("slope") > 0
        if node.is_follower:
            reference = self._thermal.reference(part, "heatPort")
            observables["temperature"] = Observable(((1.0, f"{part.id}.T_heatPort"),), 0.0 - reference)
            draft.add(part, variant="follower" if rises else "constant_follower", observables=observables)
        else:
            context = {"heat.temperature_rate": variable_id(node.holder, "temperature_rate")}
            draft.add(part, variant="thermal" if rises else "heating", context=context, observables=observables)

    def _check_grounds(self) -> None:
        """Each connected circuit has one ground, so that no current flows in it."""
        pins = {f"{part.id}.{port}": self._plant.node(part, port) for part in self._branches for port in ("p", "n")}
        grounds = self._plant.of("ground")
        pairs = [(str(pins[f"{part.id}.p"]), str(pins[f"{part.id}.n"])) for part in self._branches]
        names = dict.fromkeys([*map(str, pins.values()), *(str(self._plant.node(part, "p")) for part in grounds)])
        islands = joined(names, pairs)
        places = [islands[str(self._plant.node(part, "p"))] for part in grounds]
        if sorted(places) != sorted(set(islands.values())):
            found = f"{len(grounds)} grounds for {len(set(islands.values()))} circuits"
            raise ProfileError("circuit", "one ground for each connected circuit", found, "Add or remove a Ground.")
