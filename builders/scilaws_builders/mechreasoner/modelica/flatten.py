"""From a parsed model to a typed instance: types resolved, parameters evaluated, connections kept or refused."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

from scilaws_bench.hashing import bytes_hash
from scilaws_builders.mechreasoner.modelica.errors import ModelicaError, refusal
from scilaws_builders.mechreasoner.modelica.expressions import number_of, value_of
from scilaws_builders.mechreasoner.modelica.instance import Experiment, Instance, Part, SolvedParameter, Start
from scilaws_builders.mechreasoner.modelica.library_types import LibraryType, Value, library_types, resolved
from scilaws_builders.mechreasoner.modelica.syntax import (
    Declaration,
    Expression,
    Model,
    Modification,
    Position,
    parse_model,
)

_SCALARS = ("Real", "Integer", "Boolean")
_UNITS = ("SI", "Modelica.Units.SI", "Units.SI")
_TOLERANCE = 1e-9


def convert_text(text: str, *, file: str, instance_id: str | None = None) -> Instance:
    """Convert Modelica text.

    Args:
        text: one model.
        file: its name, for messages and provenance.
        instance_id: id of the instance; by default the model's name in lower case.

    Raises:
        ModelicaError: text outside the bounded profile; the message starts with FILE:LINE:COLUMN.
    """
    model = parse_model(text, file=file)
    digest = bytes_hash(text.encode("utf-8", "surrogatepass"))
    return _Flattening(model, file).instance(instance_id or model.name.lower(), digest)


def convert_file(path: Path, *, instance_id: str | None = None) -> Instance:
    """Convert a file of UTF-8 text (ModelicaError for other bytes, OSError for a file that can't be read)."""
    content = path.read_bytes()
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise refusal(str(path), (line, column), "bytes that are not UTF-8", remedy="Save it as UTF-8.") from None
    return convert_text(text, file=path.name, instance_id=instance_id)


class _Flattening:
    """One conversion: what is declared, and the values found so far."""

    def __init__(self, model: Model, file: str) -> None:
        self.model, self.file = model, file
        self.declared: dict[str, Declaration] = {}
        self.values: dict[str, Value] = {}
        self.open: list[str] = []
        self.parts: dict[str, Part] = {}

    def instance(self, instance_id: str, digest: str) -> Instance:
        for name, position in self.model.extends:
            if not name.endswith("Icons.Example"):
                what = f"extending {name} is outside the profile"
                raise self._refusal(position, what, remedy="Only Modelica.Icons.Example may be extended.")
        for declaration in self.model.declarations:
            if declaration.name in self.declared:
                raise self._refusal(declaration.position, f"{declaration.name} is declared twice", remedy="Rename it.")
            self.declared[declaration.name] = declaration
        components = [item for item in self.model.declarations if not _is_scalar(item)]
        self.parts = {item.name: self._part(item) for item in components}
        for item in self.model.declarations:
            if _is_scalar(item) and not _is_free(item):
                self._scalar(item)
        connections = [pair for pair in map(self._connection, self.model.connections) if pair is not None]
        solved = self._solved()
        if not components:
            raise self._refusal((1, 1), "a model without components", expected="at least one component")
        full = ".".join(part for part in (self.model.within, self.model.name) if part)
        experiment = _experiment(self.model.annotations)
        parts = tuple(self.parts.values())
        return Instance(instance_id, full, self.file, digest, experiment, parts, tuple(connections), solved)

    def _refusal(self, position: Position, what: str, *, remedy: str = "", expected: str = "") -> ModelicaError:
        return refusal(self.file, position, what, remedy=remedy, expected=expected)

    def _part(self, item: Declaration) -> Part:
        if item.variability:
            what = f"{item.variability} {item.type_name} is outside the profile"
            raise self._refusal(item.type_position, what, remedy="Parameters are Real, Integer, Boolean or SI types.")
        full = resolved(item.type_name, self.model.within)
        if full is None:
            raise self._unknown(item.type_position, f"component type {item.type_name}", library_types(), last=True)
        kind = library_types()[full]
        if item.modification.value is not None:
            raise self._refusal(item.position, f"{item.name} is given a value", remedy="Give parameters in brackets.")
        parameters: dict[str, Value | None] = dict(kind.parameters)
        initial = {name: Start(start, fixed) for name, (start, fixed) in kind.variables.items() if fixed}
        seen: set[str] = set()
        for name, modification, position in item.modification.nested:
            if name in seen:
                raise self._refusal(position, f"{name} is modified twice", remedy="Keep one of them.")
            seen.add(name)
            if name in kind.parameters:
                parameters[name] = self._given(kind, name, modification, position)
            elif name in kind.variables:
                initial[name] = self._start(kind, name, modification, position)
            else:
                raise self._unknown(position, f"{name} of {full}", [*kind.parameters, *kind.variables])
        for name, value in parameters.items():
            if value is None:
                what = f"{item.name} has no value for {name}"
                raise self._refusal(item.position, what, remedy=f"Write {item.name}({name}=…).")
        known = {name: value for name, value in parameters.items() if value is not None}
        return Part(item.name, full, known, dict(sorted(initial.items())))

    def _given(self, kind: LibraryType, name: str, modification: Modification, position: Position) -> Value:
        if modification.value is None:
            raise self._refusal(position, f"{name} has no value", remedy=f"Write {name}=….")
        value = value_of(modification.value, self._lookup, self.file)
        default = kind.parameters[name]
        wanted = type(default) if isinstance(default, bool | str) else float
        if not isinstance(value, wanted) or (wanted is float and isinstance(value, bool)):
            names = {bool: "true or false", str: "an enumeration literal", float: "a number"}
            raise self._refusal(modification.value.position, f"{name} is {value!r}", expected=names[wanted])
        return value

    def _start(self, kind: LibraryType, name: str, modification: Modification, position: Position) -> Start:
        start, fixed = kind.variables[name]
        if modification.value is not None:
            raise self._refusal(position, f"{name} is a variable", remedy=f"Write {name}(start=…, fixed=true).")
        for attribute, value, place in modification.nested:
            if value.value is None or attribute not in ("start", "fixed"):
                raise self._unknown(place, f"attribute {attribute} of {name}", ["start", "fixed"])
            if attribute == "start":
                start = number_of(value.value, self._lookup, self.file)
            else:
                flag = value_of(value.value, self._lookup, self.file)
                if not isinstance(flag, bool):
                    raise self._refusal(place, f"fixed of {name} is {flag!r}", expected="true or false")
                fixed = flag
        return Start(start, fixed)

    def _lookup(self, reference: Expression) -> Value | None:
        """Value of a name: a scalar of the model, or a parameter or start value of a component."""
        owner, _, inner = reference.value.partition(".")
        if inner and owner in self.parts:
            part = self.parts[owner]
            if inner in part.parameters:
                return part.parameters[inner]
            kind = library_types()[part.type]
            if inner in kind.variables:
                return part.initial[inner].start if inner in part.initial else kind.variables[inner][0]
            raise self._unknown(reference.position, f"{inner} of {owner}", [*part.parameters, *kind.variables])
        if inner or owner not in self.declared or not _is_scalar(self.declared[owner]):
            return None
        return self._scalar(self.declared[owner], reference.position)

    def _scalar(self, item: Declaration, asked_at: Position | None = None) -> Value:
        if item.name not in self.values:
            position = asked_at or item.position
            if item.name in self.open:
                circle = " -> ".join([*self.open, item.name])
                raise self._refusal(position, f"parameters in a circle: {circle}", remedy="Give one a number.")
            if not item.variability:
                what = f"variable {item.name} is outside the profile"
                raise self._refusal(item.position, what, remedy="Declare it as a parameter.")
            if item.modification.value is None:
                raise self._refusal(position, f"parameter {item.name} has no value", remedy="Give it one.")
            self.open.append(item.name)
            self.values[item.name] = value_of(item.modification.value, self._lookup, self.file)
            self.open.pop()
        return self.values[item.name]

    def _connection(self, pair: tuple[tuple[str, Position], tuple[str, Position]]) -> tuple[str, str] | None:
        """The pair of connectors, or None if one of them does not exist under its condition."""
        kinds, exists = [], True
        for name, position in pair:
            owner, _, inner = name.partition(".")
            if owner not in self.parts:
                raise self._unknown(position, f"component {owner}", self.parts)
            part = self.parts[owner]
            connectors = library_types()[part.type].connectors
            if inner not in connectors:
                raise self._unknown(position, f"connector {inner} of {owner}", connectors)
            kind, condition = connectors[inner]
            kinds.append("signal" if kind in ("input", "output") else kind)
            exists &= condition is None or bool(part.parameters[condition])
        (first, position), (second, _) = pair
        if kinds[0] != kinds[1]:
            what = f"{first} ({kinds[0]}) is connected to {second} ({kinds[1]})"
            raise self._refusal(position, what, remedy="Connect connectors of one kind.")
        if first == second:
            raise self._refusal(position, f"{first} is connected to itself", remedy="Remove the connection.")
        return (first, second) if exists else None

    def _solved(self) -> tuple[SolvedParameter, ...]:
        """Parameters that are free until an initial equation, linear in one of them, fixes them."""
        free = [item.name for item in self.model.declarations if _is_scalar(item) and _is_free(item)]
        found: dict[str, float] = {}
        for left, right, position in self.model.initial_equations:
            unknown = sorted({name for side in (left, right) for name in _names(side) if name in free} - set(found))
            if len(unknown) != 1:
                what = f"an initial equation with {len(unknown)} free parameters"
                raise self._refusal(position, what, expected="one parameter with fixed=false")
            rests = []
            for trial in (0.0, 1.0, 2.0):
                self.values[unknown[0]] = trial
                sides = [number_of(side, self._lookup, self.file) for side in (left, right)]
                rests.append(sides[0] - sides[1])
            slope = rests[1] - rests[0]
            scale = max(1.0, *map(abs, rests))
            if abs(slope) <= _TOLERANCE * scale or abs(rests[2] - rests[1] - slope) > _TOLERANCE * scale:
                raise self._refusal(position, f"an initial equation that is not linear in {unknown[0]}")
            found[unknown[0]] = self.values[unknown[0]] = -rests[0] / slope
        for name in free:
            if name not in found:
                item = self.declared[name]
                raise self._refusal(item.position, f"no initial equation fixes {name}", remedy="Add one.")
        return tuple(SolvedParameter(name, found[name]) for name in free)

    def _unknown(self, position: Position, what: str, known: Iterable[str], *, last: bool = False) -> ModelicaError:
        asked = what.rpartition(" of ")[0] or what.split(" ")[-1]
        names = {name.rpartition(".")[2] if last else name: name for name in known}
        key = asked.split(" ")[-1].rpartition(".")[2] if last else asked.split(" ")[-1]
        close = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
        listed = ", ".join(list(names)[:8]) or "nothing"
        remedy = f"Did you mean {names[close[0]]}?" if close else f"Known: {listed}."
        return self._refusal(position, f"unknown {what}", remedy=remedy)


def _is_scalar(item: Declaration) -> bool:
    scope, _, _ = item.type_name.rpartition(".")
    return item.type_name in _SCALARS or scope in _UNITS


def _is_free(item: Declaration) -> bool:
    """Whether a parameter is left to an initial equation (fixed=false)."""
    return item.modification.value is None and any(
        name == "fixed" and value.value is not None and value.value.value == "false"
        for name, value, _ in item.modification.nested
    )


def _names(expression: Expression) -> set[str]:
    own = {expression.value} if expression.kind == "reference" else set()
    return own.union(*map(_names, expression.parts)) if expression.parts else own


def _experiment(annotations: Iterable[tuple[str, ...]]) -> Experiment:
    """The experiment annotation's numbers, from its tokens."""
    found: dict[str, float] = {}
    for tokens in annotations:
        for place, token in enumerate(tokens[:-1]):
            if token == "experiment" and tokens[place + 1] == "(":
                inside = tokens[place + 2 :]
                inside = inside[: inside.index(")")]
                for name, equals, value in zip(inside, inside[1:], inside[2:], strict=False):
                    if equals == "=" and name in ("StopTime", "Interval", "Tolerance"):
                        found[name] = float(value)
    return Experiment(found.get("StopTime"), found.get("Interval"), found.get("Tolerance"))
