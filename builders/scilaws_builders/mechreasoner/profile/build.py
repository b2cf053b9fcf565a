"""From a typed Modelica instance to a qualitative mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import Any

from scilaws_bench.qualitative import (
    Mechanism,
    Restrictions,
    Scenario,
    document_of_mechanism,
    mechanism_from_document,
)
from scilaws_builders.mechreasoner.profile.draft import Draft, Observable, one_cell, variable_id
from scilaws_builders.mechreasoner.profile.electrical import Electrical
from scilaws_builders.mechreasoner.profile.initial import initial_motion, initial_values
from scilaws_builders.mechreasoner.profile.mechanics import Mechanics
from scilaws_builders.mechreasoner.profile.plant import Part, Plant, plant_of
from scilaws_builders.mechreasoner.profile.rigid import rigid_groups
from scilaws_builders.mechreasoner.profile.thermal import Thermal, excess_heat_id


@dataclass(frozen=True)
class Profiled:
    """A mechanism, and for its variables what number of a Modelica result each stands for.

    Attributes:
        mechanism: the mechanism.
        observables: variable id → number; variables without a counterpart are missing.
        initial: coordinate → the model's initial number (SI; deviations as the variables are).
    """

    mechanism: Mechanism
    observables: Mapping[str, Observable]
    initial: Mapping[str, float]

    def observables_document(self) -> dict[str, Any]:
        """JSON form of the observables (`observables.schema.json`)."""
        return {name: item.to_document() for name, item in self.observables.items()}


def mechanism_of(
    instance: Mapping[str, Any] | Any,
    *,
    title: str = "",
    context: Restrictions | None = None,
    scenarios: Sequence[Scenario] = (),
) -> Profiled:
    """Translate an instance.

    Args:
        instance: the instance document, or an object with `to_document()`.
        title: the mechanism's title; by default the model's name.
        context: what never changes in the model's own run: context of the scenario `nominal`, whose
            initial cells are those of the model's start values.
        scenarios: further scenarios.

    Raises:
        ProfileError: physics outside the profile.
    """
    document = instance if isinstance(instance, Mapping) else instance.to_document()
    plant = plant_of(document)
    rigid = rigid_groups(plant)
    motion = initial_motion(plant, rigid)
    thermal = Thermal(plant)
    mechanics = Mechanics(plant, rigid, motion.position)
    electrical = Electrical(plant, thermal)
    draft = Draft()
    adders = {"translational": mechanics.add, "rotational": mechanics.add, "thermal": thermal.add}
    for part in plant.parts.values():
        if part.type.domain == "signal":
            _add_signal(draft, part)
        else:
            adders.get(part.type.domain, electrical.add)(draft, part)
    thermal.add_excess_heats(draft)
    draft.finish()
    mechanics.add_laws(draft)
    electrical.add_laws(draft)
    thermal.add_laws(draft)
    _tie_equal_sines(draft, plant)
    mechanism = Mechanism(
        id=document["id"],
        title=title or document["model"],
        components=tuple(draft.components),
        spaces=tuple(draft.spaces.values()),
        variables=tuple(draft.variables),
        confluences=tuple(draft.confluences),
        restrictions=tuple(draft.restrictions),
        declarations=tuple(draft.declarations),
        scenarios=(),
    )
    numbers = initial_values(plant, rigid, motion, thermal)
    initial = {v.id: numbers[v.id] for v in mechanism.variables if v.is_coordinate and v.id in numbers}
    cells = {name: (mechanism.space(name).names[mechanism.space(name).locate(x)],) for name, x in initial.items()}
    conserved = {excess_heat_id(number): ("0",) for number, _ in enumerate(thermal.isolated)}
    nominal = Scenario("nominal", {**conserved, **(context or {})}, cells, "The model's own start values.")
    mechanism = replace(mechanism, scenarios=(nominal, *scenarios))
    checked = mechanism_from_document(document_of_mechanism(mechanism), where=f"mechanism of {document['id']}")
    return Profiled(checked, draft.observables, initial)


def _add_signal(draft: Draft, part: Part) -> None:
    output = f"{part.id}.y"
    if part.type.template == "constant":
        space = one_cell(part.number("value"))
        draft.add(part, spaces={"signal": space}, observables={"signal": Observable(((1.0, output),))})
        return
    omega = 2 * pi * float(part.values["f"])
    observables = {
        "signal": Observable(((1.0, output),)),
        "signal_curvature": Observable(((-(omega**2), output),)),
    }
    draft.add(part, observables=observables)


def _tie_equal_sines(draft: Draft, plant: Plant) -> None:
    """Sources with the same frequency and phase cross zero together: a fact that no other law says."""
    groups: dict[tuple[float, float], list[Part]] = {}
    for part in plant.of("signal", "voltage_source"):
        if part.type.template in ("sine", "sine_voltage"):
            groups.setdefault((float(part.values["f"]), part.number("phase")), []).append(part)
    for first, *others in groups.values():
        for other in others:
            turn = -1 if first.number("amplitude") * other.number("amplitude") > 0 else 1
            for suffix in ("", "_rate", "_curvature"):
                pair = [
                    variable_id(part, ("signal" if part.type.part == "signal" else "voltage") + suffix)
                    for part in (other, first)
                ]
                draft.law(f"in_phase.{first.id}.{other.id}{suffix}", [(1, pair[0]), (turn, pair[1])])
