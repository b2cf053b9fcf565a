"""Values of parameter expressions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from scilaws_builders.mechreasoner.modelica.errors import refusal
from scilaws_builders.mechreasoner.modelica.library_types import Value
from scilaws_builders.mechreasoner.modelica.syntax import Expression

_CONSTANTS = {"Modelica.Constants.pi": math.pi, "pi": math.pi}
_CALLS: Mapping[str, Callable[[float], float]] = {
    "abs": abs,
    "sqrt": math.sqrt,
    "Modelica.Units.Conversions.from_degC": lambda celsius: celsius + 273.15,
    "Modelica.Units.Conversions.from_deg": math.radians,
}
_OPERATIONS: Mapping[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "raise": lambda a, b: a**b,
}
Lookup = Callable[[Expression], Value | None]


def value_of(expression: Expression, lookup: Lookup, file: str) -> Value:
    """Value of an expression; `lookup` gives the values of names, None for an unknown one.

    A name that nothing declares is an enumeration literal if it has dots: its last part is the value.

    Raises:
        ModelicaError: an unknown name or function, or arithmetic that has no finite result.
    """
    match expression.kind:
        case "number":
            return float(expression.value)
        case "truth":
            return expression.value == "true"
        case "text":
            return expression.value[1:-1]
        case "reference":
            found = lookup(expression)
            if found is not None:
                return found
            if expression.value in _CONSTANTS:
                return _CONSTANTS[expression.value]
            if "." in expression.value:
                return expression.value.rpartition(".")[2]
            raise refusal(file, expression.position, f"unknown name {expression.value}", remedy="Declare it first.")
    numbers = [number_of(part, lookup, file) for part in expression.parts]
    if expression.kind == "call" and (expression.value not in _CALLS or len(numbers) != 1):
        what = f"function {expression.value} is outside the profile"
        raise refusal(file, expression.position, what, remedy=f"Known, with one argument: {', '.join(_CALLS)}.")
    try:
        result = _applied(expression, numbers)
    except (ArithmeticError, ValueError):
        result = math.nan
    if isinstance(result, complex) or not math.isfinite(result):
        raise refusal(file, expression.position, "an expression without a finite value", remedy="Correct it.")
    return float(result)


def number_of(expression: Expression, lookup: Lookup, file: str) -> float:
    """Value of an expression that must be a number (ModelicaError otherwise)."""
    value = value_of(expression, lookup, file)
    if isinstance(value, bool | str):
        raise refusal(file, expression.position, f"{value!r} is no number", remedy="Give a number.")
    return value


def _applied(expression: Expression, numbers: list[float]) -> float:
    if expression.kind in _OPERATIONS:
        return _OPERATIONS[expression.kind](*numbers)
    if expression.kind in ("negate", "keep"):
        return -numbers[0] if expression.kind == "negate" else numbers[0]
    return _CALLS[expression.value](numbers[0])
