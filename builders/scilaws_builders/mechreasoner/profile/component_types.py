"""The table of component types: variables, component states, laws and restrictions as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from scilaws_bench.qualitative.variables import Role


@dataclass(frozen=True)
class Quantity:
    """How a quantity is called within a component, and its SI unit."""

    id: str
    unit: str


@dataclass(frozen=True)
class VariableRow:
    """A variable of a template.

    Attributes:
        quantity: which quantity of the domain it is.
        meaning: what it is, in one line.
        rate: the quantity that is its declared derivative.
        role: its role; None means `derivative` for a rate without a rate, else `quantity`.
        space: id of its quantity space, unless the topology gives another.
        continuous: False for quantities that jump.
    """

    quantity: str
    meaning: str
    rate: str | None = None
    role: Role | None = None
    space: str = "signs"
    continuous: bool = True


@dataclass(frozen=True)
class LawRow:
    """A law of a template over quantities, and the component states it holds in (empty: all)."""

    id: str
    terms: str
    states: tuple[str, ...] = ()


@dataclass(frozen=True)
class Template:
    """What a kind of component contributes.

    `states` maps each component state to cell symbols of the quantity `states_by`, from low to high.
    `event` is the quantity whose event changes the state, by default `states_by`; its rate is the
    source guard unless `unguarded`.
    """

    variables: tuple[VariableRow, ...]
    states: Mapping[str, tuple[str, ...]]
    states_by: str | None
    event: str | None
    unguarded: bool
    laws: tuple[LawRow, ...]
    restrictions: Mapping[str, Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True)
class ComponentType:
    """A component type of the profile.

    Attributes:
        name: canonical Modelica name.
        domain: which names its quantities have.
        part: its role in the topology (body, element, brake, …).
        template: name of its template; `variants` maps a topological circumstance to another one.
        ports: connector → kind (flange, support, pin, heat, input, output).
        parameters: neutral name → Modelica parameter.
        require: Modelica parameter → what it must be (positive, zero, …, or a value).
        load_sign: sign of the Modelica load variable of a brake against the load on the body.
        kelvin_offset: what to add to its temperatures to have kelvin.
    """

    name: str
    domain: str
    part: str
    template: str
    variants: Mapping[str, str]
    ports: Mapping[str, str]
    parameters: Mapping[str, str]
    require: Mapping[str, Any]
    load_sign: int
    kelvin_offset: float


@dataclass(frozen=True)
class TypeTable:
    """All component types with the templates and the quantities of each domain."""

    quantities: Mapping[str, Mapping[str, Quantity]]
    templates: Mapping[str, Template]
    types: Mapping[str, ComponentType]


@cache
def type_table() -> TypeTable:
    """The table of `component_types.yaml`, read once."""
    import yaml

    text = resources.files(__package__).joinpath("component_types.yaml").read_text(encoding="utf-8")
    data = yaml.safe_load(text)
    return TypeTable(
        quantities={
            domain: {name: Quantity(**row) for name, row in rows.items()} for domain, rows in data["quantities"].items()
        },
        templates={name: _template(row) for name, row in data["templates"].items()},
        types={name: _component_type(name, row) for name, row in data["types"].items()},
    )


def _template(row: Mapping[str, Any]) -> Template:
    laws = (LawRow(law["id"], law["terms"], tuple(law.get("states", ()))) for law in row.get("laws", ()))
    return Template(
        variables=tuple(VariableRow(**variable) for variable in row.get("variables", ())),
        states={state: tuple(cells) for state, cells in row["states"].items()},
        states_by=row.get("states_by"),
        event=row.get("event", row.get("states_by")),
        unguarded=row.get("unguarded", False),
        laws=tuple(laws),
        restrictions={
            state: {quantity: tuple(cells) for quantity, cells in limits.items()}
            for state, limits in row.get("restrictions", {}).items()
        },
    )


def _component_type(name: str, row: Mapping[str, Any]) -> ComponentType:
    return ComponentType(
        name=name,
        domain=row["domain"],
        part=row["part"],
        template=row["template"],
        variants=row.get("variants", {}),
        ports=row["ports"],
        parameters=row.get("parameters", {}),
        require=row.get("require", {}),
        load_sign=row.get("load_sign", 1),
        kelvin_offset=row.get("kelvin_offset", 0.0),
    )
