"""A typed instance made ready for topology: parts with their types, nodes of joined connectors, signals."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from scilaws_builders.mechreasoner.profile.component_types import ComponentType, type_table
from scilaws_builders.mechreasoner.profile.errors import ProfileError


@dataclass(frozen=True, eq=False)
class Part:
    """A component of the instance with its type, parameters (SI) and start values."""

    id: str
    type: ComponentType
    values: Mapping[str, Any]
    initial: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def number(self, name: str) -> float:
        """A parameter by its neutral name; 0 where the type has none of that name (a length, an offset)."""
        known = self.type.parameters.get(name)
        return 0.0 if known is None else float(self.values[known])

    def start(self, variable: str) -> float | None:
        """Start value of a variable, None if there is none."""
        value = self.initial.get(variable, {}).get("start")
        return None if value is None else float(value)

    def is_fixed(self, variable: str) -> bool:
        """Whether a variable has a start value that binds."""
        return bool(self.initial.get(variable, {}).get("fixed", False))


@dataclass(frozen=True)
class Plant:
    """The parts of an instance and the nodes their connectors form.

    Attributes:
        id: id of the instance.
        parts: id → part, in instance order.
        node_of: "part.port" → number of its node; nodes count from 0 in order of appearance.
        signal_of: "part.port" of an input → part that gives the signal.
    """

    id: str
    parts: Mapping[str, Part]
    node_of: Mapping[str, int]
    signal_of: Mapping[str, Part]

    def of(self, *kinds: str) -> tuple[Part, ...]:
        """The parts with one of these roles in the topology, in instance order."""
        return tuple(part for part in self.parts.values() if part.type.part in kinds)

    def node(self, part: Part, port: str) -> int:
        """Node of a connector."""
        return self.node_of[f"{part.id}.{port}"]

    def ports_of(self, part: Part, kind: str) -> tuple[str, ...]:
        """Ports of a kind in the type's order."""
        return tuple(port for port, known in part.type.ports.items() if known == kind)

    @cached_property
    def connected(self) -> frozenset[int]:
        """Nodes with at least two connectors."""
        counts: dict[int, int] = {}
        for node in self.node_of.values():
            counts[node] = counts.get(node, 0) + 1
        return frozenset(node for node, count in counts.items() if count > 1)

    def signal(self, part: Part) -> Part:
        """The block that drives a part's input.

        Raises:
            ProfileError: the input is not connected.
        """
        (port,) = self.ports_of(part, "input")
        if f"{part.id}.{port}" not in self.signal_of:
            raise ProfileError(f"{part.id}.{port}", "a connected signal", "none", "Connect a block to it.")
        return self.signal_of[f"{part.id}.{port}"]


def plant_of(instance: Mapping[str, Any]) -> Plant:
    """Read an instance document.

    Raises:
        ProfileError: a component type without a profile, a parameter outside what the profile
            speaks about, or a connection it can't read.
    """
    parts = {item["id"]: _part(item) for item in instance["components"]}
    ports = [f"{part.id}.{port}" for part in parts.values() for port in part.type.ports]
    pairs = [(str(a), str(b)) for a, b in instance["connections"]]
    for pair in pairs:
        for port in pair:
            if port not in ports:
                raise ProfileError(f"connection {pair[0]} – {pair[1]}", "connectors of the profile", port)
    kinds = {f"{part.id}.{port}": kind for part in parts.values() for port, kind in part.type.ports.items()}
    signal_of = {}
    for first, second in pairs:
        if {kinds[first], kinds[second]} == {"input", "output"}:
            target, source = (first, second) if kinds[first] == "input" else (second, first)
            signal_of[target] = parts[source.rpartition(".")[0]]
    return Plant(instance["id"], parts, joined(ports, pairs), signal_of)


def joined(names: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Classes of names joined by pairs, numbered in order of appearance (name → number)."""
    leader = {name: name for name in names}

    def lead(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for first, second in pairs:
        leader[lead(second)] = lead(first)
    numbers: dict[str, int] = {}
    return {name: numbers.setdefault(lead(name), len(numbers)) for name in leader}


def _part(item: Mapping[str, Any]) -> Part:
    types = type_table().types
    if item["type"] not in types:
        close = difflib.get_close_matches(item["type"], types, n=1)
        remedy = f"Did you mean {close[0]}?" if close else "Add it to component_types.yaml."
        raise ProfileError(f"component {item['id']}", "a component type with a profile", item["type"], remedy)
    part = Part(item["id"], types[item["type"]], item["parameters"], item.get("initial", {}))
    for name, wanted in part.type.require.items():
        if not _meets(part.values[name], wanted):
            remedy = "The qualitative profile of this type speaks about no other value."
            raise ProfileError(f"{part.id}.{name}", str(wanted).replace("_", " "), repr(part.values[name]), remedy)
    return part


def _meets(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, bool):
        return bool(value) is wanted
    checks = {
        "positive": lambda number: number > 0,
        "negative": lambda number: number < 0,
        "zero": lambda number: number == 0,
        "nonzero": lambda number: number != 0,
        "not_negative": lambda number: number >= 0,
    }
    if wanted in checks:
        return bool(checks[wanted](float(value)))
    return str(value).rpartition(".")[2] == str(wanted)
