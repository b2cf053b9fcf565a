"""Heat transfer: temperatures relative to a reference, heat flows, heat balances, isolated networks."""

from __future__ import annotations

from dataclasses import dataclass

from scilaws_bench.qualitative import SIGNS, Variable
from scilaws_builders.mechreasoner.profile.draft import Draft, Observable, Product, variable_id
from scilaws_builders.mechreasoner.profile.errors import ProfileError
from scilaws_builders.mechreasoner.profile.plant import Part, Plant, joined


@dataclass(frozen=True)
class HeatNode:
    """What meets in a node of heat ports.

    Attributes:
        holder: the part whose temperature it has: a HeatCapacitor, a resistor that heats a node
            without capacity, or None for a node at the reference temperature.
        heaters: resistors whose loss power flows in.
    """

    holder: Part | None
    heaters: tuple[Part, ...]

    @property
    def is_follower(self) -> bool:
        """Whether it has no heat capacity, so that its temperature follows the loss power at once."""
        return self.holder is not None and self.holder.type.part == "resistor"


@dataclass(frozen=True)
class Network:
    """Nodes joined by conductors: the temperature its variables count from (kelvin), and its capacitors."""

    reference: float
    capacitors: tuple[Part, ...]
    is_isolated: bool


class Thermal:
    """Adds the thermal parts of a plant to a draft, and the laws between them."""

    def __init__(self, plant: Plant) -> None:
        self._plant = plant
        self._ports = [(part, port) for part in plant.parts.values() for port in plant.ports_of(part, "heat")]
        active = {node for part, port in self._ports if uses(part, port) for node in [plant.node(part, port)]}
        self.nodes = {node: self._heat_node(node) for node in sorted(active)}
        self._network_of = self._networks()

    def reference(self, part: Part, port: str) -> float:
        """The temperature (kelvin) that temperatures of a port's network count from."""
        return self._network_of[self._plant.node(part, port)].reference

    def add(self, draft: Draft, part: Part) -> None:
        """Instantiate one thermal part."""
        if part.type.part == "capacitor":
            offset = 0.0 - self.reference(part, "port")
            observables = {
                "temperature": Observable(((1.0, f"{part.id}.T"),), offset),
                "temperature_rate": Observable(((1.0, f"{part.id}.der_T"),)),
            }
            draft.add(part, observables=observables)
        elif part.type.part == "conductor":
            self._add_conductor(draft, part)
        elif part.type.part == "temperature_sensor":
            holder = self._node(part, "port").holder
            if holder is None:
                raise ProfileError(f"{part.id}.port", "a temperature that may change", "a fixed one", "Leave it out.")
            offset = part.type.kelvin_offset - self.reference(part, "port")
            draft.add(
                part,
                context={"heat.temperature": variable_id(holder, "temperature")},
                observables={"temperature": Observable(((1.0, f"{part.id}.T"),), offset)},
            )
        else:
            draft.add(part)

    def add_laws(self, draft: Draft) -> None:
        """Add temperature differences, heat balances and what isolated networks conserve."""
        for part in self._plant.of("conductor"):
            for quantity, suffix in (("difference", ""), ("difference_rate", "_rate")):
                terms: list[Product] = [(1, variable_id(part, quantity))]
                for direction, port in ((-1, "port_a"), (1, "port_b")):
                    holder = self._node(part, port).holder
                    if holder is not None:
                        terms.append((direction, variable_id(holder, f"temperature{suffix}")))
                draft.law(f"{part.id}.{quantity}", terms)
        for number, node in self.nodes.items():
            if node.holder is not None:
                self._add_balance(draft, number, node)
        for number, network in enumerate(self.isolated):
            first = network.capacitors[0].id
            temperatures = [(-1, variable_id(part, "temperature")) for part in network.capacitors]
            draft.law(f"isolated.{first}.heat", [(1, excess_heat_id(number)), *temperatures])
            rates = [(1, variable_id(part, "temperature_rate")) for part in network.capacitors]
            draft.law(f"isolated.{first}.heat_rate", rates)

    @property
    def isolated(self) -> tuple[Network, ...]:
        """The networks that exchange no heat with anything, in a fixed order."""
        networks = dict.fromkeys(self._network_of.values())
        return tuple(network for network in networks if network.is_isolated and network.capacitors)

    def add_excess_heats(self, draft: Draft) -> None:
        """Add each isolated network's excess heat: Σ C theta, which nothing changes (an input that stays).

        It is zero for the instance's own start values, since these define the reference, and has
        another sign for other start values.
        """
        for number, network in enumerate(self.isolated):
            parts = network.capacitors
            terms = tuple((part.number("capacity"), f"{part.id}.T") for part in parts)
            offset = 0.0 - network.reference * sum(part.number("capacity") for part in parts)
            meaning = "heat of the isolated network above the reference"
            variable = Variable(excess_heat_id(number), None, SIGNS.id, "input", unit="J", meaning=meaning)
            draft.add_boundary(variable, SIGNS, Observable(terms, offset))

    def heating(self, resistor: Part) -> HeatNode | None:
        """The node a resistor heats; None if its heat port is off or held at a fixed temperature."""
        if not uses(resistor, "heatPort"):
            return None
        node = self._node(resistor, "heatPort")
        return None if node.holder is None else node

    def _add_conductor(self, draft: Draft, part: Part) -> None:
        ends = [self._node(part, port) for port in ("port_a", "port_b")]
        holders = [node.holder for node in ends]
        if holders[0] is holders[1]:
            remedy = "Remove the conductor: no heat flows."
            raise ProfileError(f"{part.id}", "ports of different temperature", "ports of the same node", remedy)
        observables = {
            "difference": Observable(((1.0, f"{part.id}.dT"),)),
            "flow": Observable(((1.0, f"{part.id}.Q_flow"),)),
        }
        followers = [node for node in ends if node.is_follower]
        if followers:
            heater = followers[0].heaters[0]
            context = {"heater.current": variable_id(heater, "current")}
            draft.add(part, variant="follower", context=context, observables=observables)
            return
        rates = [
            (weight, f"{holder.id}.der_T")
            for weight, holder in zip((1.0, -1.0), holders, strict=True)
            if holder is not None
        ]
        draft.add(part, observables={**observables, "difference_rate": Observable(tuple(rates))})

    def _add_balance(self, draft: Draft, number: int, node: HeatNode) -> None:
        holder = node.holder
        assert holder is not None
        flows: list[Product] = []
        for part in self._plant.of("conductor"):
            for direction, port in ((1, "port_a"), (-1, "port_b")):
                if self._plant.node(part, port) == number:
                    flows.append((direction, variable_id(part, "flow")))
        if not node.is_follower:
            powers = [(-1, variable_id(heater, "power")) for heater in node.heaters]
            rate = (1, variable_id(holder, "temperature_rate"))
            draft.law(f"{holder.id}.balance", [rate, *flows, *powers], holder.id)
            return
        draft.law(f"{holder.id}.balance", [(-1, variable_id(holder, "power")), *flows])
        for quantity, suffix in (("temperature", ""), ("temperature_rate", "_rate")):
            terms = [(1, variable_id(holder, quantity)), (-1, variable_id(holder, f"power{suffix}"))]
            draft.law(f"{holder.id}.quasi_static{suffix}", terms)

    def _node(self, part: Part, port: str) -> HeatNode:
        return self.nodes[self._plant.node(part, port)]

    def _heat_node(self, number: int) -> HeatNode:
        here = [part for part, port in self._ports if uses(part, port) and self._plant.node(part, port) == number]
        kinds = {kind: [part for part in here if part.type.part == kind] for kind in _KINDS}
        capacitors, sources, heaters = kinds["capacitor"], kinds["fixed_temperature"], kinds["resistor"]
        if len(capacitors) + len(sources) > 1:
            found = ", ".join(part.id for part in (*capacitors, *sources))
            raise ProfileError(f"heat node of {here[0].id}", "one temperature", found, "Join them by a conductor.")
        if sources:
            return HeatNode(None, ())
        if capacitors:
            return HeatNode(capacitors[0], tuple(heaters))
        far = [self._ends_fixed(part, number) for part in kinds["conductor"]]
        if len(heaters) != 1 or not far or not all(far):
            remedy = "Give the node a HeatCapacitor."
            found = "a node without heat capacity that is not one resistor cooled by fixed temperatures alone"
            raise ProfileError(f"heat node of {here[0].id}", "a heat capacity", found, remedy)
        return HeatNode(heaters[0], tuple(heaters))

    def _ends_fixed(self, conductor: Part, number: int) -> bool:
        """Whether the other end of a conductor is held at a fixed temperature."""
        ends = [self._plant.node(conductor, port) for port in ("port_a", "port_b")]
        (far,) = [end for end in ends if end != number] or [number]
        sources = self._plant.of("fixed_temperature")
        return any(self._plant.node(part, "port") == far for part in sources)

    def _networks(self) -> dict[int, Network]:
        pairs = [
            (str(self._plant.node(part, "port_a")), str(self._plant.node(part, "port_b")))
            for part in self._plant.of("conductor")
        ]
        classes = joined(map(str, self.nodes), pairs)
        networks = {}
        for number in dict.fromkeys(classes.values()):
            members = [int(name) for name, known in classes.items() if known == number]
            network = self._network(members)
            networks.update(dict.fromkeys(members, network))
        return networks

    def _network(self, members: list[int]) -> Network:
        sources = [part for part in self._plant.of("fixed_temperature") if self._plant.node(part, "port") in members]
        capacitors = tuple(part for part in self._plant.of("capacitor") if self._plant.node(part, "port") in members)
        kelvin = {part.number("temperature") + part.type.kelvin_offset for part in sources}
        if len(kelvin) == 1:
            return Network(kelvin.pop(), capacitors, is_isolated=False)
        heaters = [heater.id for member in members for heater in self.nodes[member].heaters]
        if kelvin or heaters:
            found = ", ".join(part.id for part in sources) or f"none, heated by {heaters[0]}"
            remedy = "Use one reference temperature for each network."
            raise ProfileError(f"thermal network of {capacitors[0].id}", "one fixed temperature", found, remedy)
        return Network(mixing_temperature(capacitors), capacitors, is_isolated=True)


def excess_heat_id(number: int) -> str:
    """Id of the excess heat of an isolated network."""
    return "excess_heat" if number == 0 else f"excess_heat_{number + 1}"


def mixing_temperature(capacitors: tuple[Part, ...]) -> float:
    """Final temperature (kelvin) of heat capacities left to themselves: Σ C T(0) / Σ C."""
    heat = sum(part.number("capacity") * temperature(part) for part in capacitors)
    return heat / sum(part.number("capacity") for part in capacitors)


def temperature(capacitor: Part) -> float:
    """Initial temperature of a capacitor in kelvin; 293.15, the library's default, if none is given."""
    start = capacitor.start("T")
    return 293.15 if start is None else start


def uses(part: Part, port: str) -> bool:
    """Whether a heat port exists: that of a resistor depends on `useHeatPort`."""
    return port != "heatPort" or bool(part.values.get("useHeatPort", False))


_KINDS = ("capacitor", "fixed_temperature", "resistor", "conductor")
