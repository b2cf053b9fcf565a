"""Arithmetic expressions: evaluation, source text, and a normal form with few constants.

The functions are those of the engine (heal-research/operon, `NodeType`), with its rules: nothing is
protected. log of a negative number is NaN, 1/0 is infinite, `aq` is a / sqrt(1 + b²).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LARGEST_EXPONENT = 100.0
"""exp(a·x + b) becomes e^b · exp(a·x) only where |b| is at most this."""


class UnusableExpressionError(ValueError):
    """An expression that has no finite value: a constant subtree that divides by zero, say."""


@dataclass(frozen=True)
class Constant:
    """A number; every one becomes a declared constant of the law."""

    value: float


@dataclass(frozen=True)
class Input:
    """Column `index` of X."""

    index: int


@dataclass(frozen=True)
class Call:
    """Operation `name` (a key of OPERATIONS) on its arguments."""

    name: str
    arguments: tuple[Expression, ...]


Expression: TypeAlias = Constant | Input | Call


@dataclass(frozen=True)
class Operation:
    """How an operation is computed (numpy) and written (a Python expression over `a` and `b`)."""

    function: Callable[..., Any]
    text: str


OPERATIONS: dict[str, Operation] = {
    "add": Operation(np.add, "a + b"),
    "sub": Operation(np.subtract, "a - b"),
    "mul": Operation(np.multiply, "a * b"),
    "div": Operation(np.divide, "a / b"),
    "pow": Operation(np.power, "a ** b"),
    "powabs": Operation(lambda a, b: np.abs(a) ** b, "np.abs(a) ** b"),
    "aq": Operation(lambda a, b: a / np.sqrt(1 + b**2), "a / np.sqrt(1 + b ** 2)"),
    "fmin": Operation(np.minimum, "np.minimum(a, b)"),
    "fmax": Operation(np.maximum, "np.maximum(a, b)"),
    "neg": Operation(np.negative, "-a"),
    "inverse": Operation(lambda a: 1 / a, "1 / a"),
    "square": Operation(np.square, "a ** 2"),
    "logabs": Operation(lambda a: np.log(np.abs(a)), "np.log(np.abs(a))"),
    "sqrtabs": Operation(lambda a: np.sqrt(np.abs(a)), "np.sqrt(np.abs(a))"),
    "acos": Operation(np.arccos, "np.arccos(a)"),
    "asin": Operation(np.arcsin, "np.arcsin(a)"),
    "atan": Operation(np.arctan, "np.arctan(a)"),
} | {
    name: Operation(getattr(np, name), f"np.{name}(a)")
    for name in ("abs", "cbrt", "ceil", "cos", "cosh", "exp", "floor", "log", "log1p", "sin", "sinh", "sqrt", "tan",
                 "tanh")
}  # fmt: skip


def evaluate(expression: Expression, X: Floats) -> Floats:
    """Values of shape (n,) on X of shape (n, d); overflow and NaN come out as such, silently."""
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(_value(expression, X), dtype=np.float64), len(X)).copy()


def _value(expression: Expression, X: Floats) -> Any:
    match expression:
        case Constant(value):
            return np.float64(value)
        case Input(index):
            return X[:, index]
        case Call(name, arguments):
            return OPERATIONS[name].function(*(_value(argument, X) for argument in arguments))


def constants_of(expression: Expression) -> list[float]:
    """The constants in reading order."""
    match expression:
        case Constant(value):
            return [value]
        case Input():
            return []
        case Call(_, arguments):
            return [value for argument in arguments for value in constants_of(argument)]


def with_constants(expression: Expression, values: Sequence[float]) -> Expression:
    """The expression with its constants replaced in reading order."""
    remaining = iter(values)

    def replaced(part: Expression) -> Expression:
        match part:
            case Constant():
                return Constant(float(next(remaining)))
            case Call(name, arguments):
                return Call(name, tuple(replaced(argument) for argument in arguments))
            case _:
                return part

    return replaced(expression)


def inputs_of(expression: Expression) -> list[int]:
    """Sorted column numbers that occur."""
    match expression:
        case Constant():
            return []
        case Input(index):
            return [index]
        case Call(_, arguments):
            return sorted({index for argument in arguments for index in inputs_of(argument)})


def size_of(expression: Expression) -> int:
    """Number of nodes."""
    return 1 + sum(map(size_of, expression.arguments)) if isinstance(expression, Call) else 1


def has_variable_exponent(expression: Expression) -> bool:
    """Whether an exponent depends on an input, as in x^x."""
    match expression:
        case Call("pow" | "powabs", (_, exponent)) if inputs_of(exponent):
            return True
        case Call(_, arguments):
            return any(map(has_variable_exponent, arguments))
    return False


def source_of(expression: Expression, columns: dict[int, str], names: Sequence[str]) -> str:
    """Python text; constants are written as `names` in reading order, inputs as `columns[index]`."""
    remaining = iter(names)

    def node(part: Expression) -> ast.expr:
        match part:
            case Constant():
                return ast.Name(next(remaining))
            case Input(index):
                return ast.Name(columns[index])
            case Call(name, arguments):
                template = ast.parse(OPERATIONS[name].text, mode="eval").body
                return _Filled(dict(zip("ab", map(node, arguments), strict=False))).visit(template)  # type: ignore[no-any-return]

    return ast.unparse(node(expression))


class _Filled(ast.NodeTransformer):
    """Puts argument nodes in place of the names of a template."""

    def __init__(self, arguments: dict[str, ast.expr]) -> None:
        self._arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._arguments.get(node.id, node)


@dataclass(frozen=True)
class Combination:
    """Σ coefficient · part + shift, with distinct parts and no zero coefficient: the normal form."""

    terms: tuple[tuple[float, Expression], ...]
    shift: float

    def scaled(self, factor: float) -> Combination:
        """`factor` times this."""
        return _combination([(factor * weight, part) for weight, part in self.terms], factor * self.shift)

    def plus(self, other: Combination) -> Combination:
        """Sum, equal parts merged."""
        return _combination([*self.terms, *other.terms], self.shift + other.shift)

    def factored(self, *, positive: bool = False) -> tuple[float, Expression]:
        """(c, e) with c · e equal to this; the first coefficient in e is 1 (±1 and c > 0 if `positive`)."""
        lead = abs(self.terms[0][0]) if positive else self.terms[0][0]
        return lead, self.scaled(1 / lead).expression()

    def expression(self) -> Expression:
        """As an expression, without multiplications by ±1 or additions of 0."""
        total: Expression | None = None
        for weight, part in self.terms:
            if total is None:
                total = part if weight == 1 else Call("neg", (part,)) if weight == -1 else _product(weight, part)
            elif weight == -1:
                total = Call("sub", (total, part))
            else:
                total = Call("add", (total, part if weight == 1 else _product(weight, part)))
        if total is None:
            return Constant(self.shift)
        return total if self.shift == 0 else Call("add", (total, Constant(self.shift)))


def normal_form(expression: Expression) -> Combination:
    """An equal combination (up to rounding) with constants folded and multipliers pulled outwards.

    Raises:
        UnusableExpressionError: a constant part that is not a finite number.
    """
    with np.errstate(all="ignore"):
        return _normal(expression)


def _normal(expression: Expression) -> Combination:
    match expression:
        case Constant(value):
            return _combination([], value)
        case Input():
            return _single(expression)
        case Call(name, arguments):
            parts = [_normal(argument) for argument in arguments]
            if not any(part.terms for part in parts):
                return _combination([], float(OPERATIONS[name].function(*(np.float64(part.shift) for part in parts))))
            rule = _RULES.get(name)
            return rule(*parts) if rule else _single(Call(name, tuple(part.expression() for part in parts)))


def _combination(terms: list[tuple[float, Expression]], shift: float) -> Combination:
    merged: dict[Expression, float] = {}
    for weight, part in terms:
        merged[part] = merged.get(part, 0.0) + weight
    if not all(map(math.isfinite, [*merged.values(), shift])):
        raise UnusableExpressionError("a constant part that is not finite")
    return Combination(tuple((weight, part) for part, weight in merged.items() if weight != 0), shift + 0.0)


def _single(part: Expression, weight: float = 1.0, shift: float = 0.0) -> Combination:
    return _combination([(weight, part)], shift)


def _product(weight: float, part: Expression) -> Expression:
    return Call("mul", (Constant(weight), part))


def _mul(first: Combination, second: Combination) -> Combination:
    if not first.terms:
        return second.scaled(first.shift)
    if not second.terms:
        return first.scaled(second.shift)
    (one, left), (two, right) = first.factored(), second.factored()
    for part, other in ((right, left), (left, right)):
        if isinstance(part, Call) and part.name == "inverse":
            return _div(_normal(other), _normal(part.arguments[0])).scaled(one * two)
    return _single(Call("square", (left,)) if left == right else Call("mul", (left, right)), one * two)


def _div(first: Combination, second: Combination) -> Combination:
    if not second.terms:
        return first.scaled(float(np.divide(1.0, second.shift)))
    two, right = second.factored()
    if isinstance(right, Call) and right.name == "inverse":
        return _mul(first, _normal(right.arguments[0])).scaled(1 / two)
    if not first.terms:
        return _single(Call("inverse", (right,)), first.shift / two)
    one, left = first.factored()
    return _combination([], one / two) if left == right else _single(Call("div", (left, right)), one / two)


def _exp(argument: Combination) -> Combination:
    shift = argument.shift if abs(argument.shift) <= LARGEST_EXPONENT else 0.0
    inner = Combination(argument.terms, argument.shift - shift)
    factor = float(np.exp(shift))
    part = inner.terms[0][1]
    if len(inner.terms) == 1 and inner.shift == 0 and isinstance(part, Call) and part.name == "log":
        return _power(part.arguments[0], inner.terms[0][0]).scaled(factor)
    return _single(Call("exp", (inner.expression(),)), factor)


def _pow(base: Combination, exponent: Combination) -> Combination:
    if exponent.terms or not base.terms:
        return _single(Call("pow", (base.expression(), exponent.expression())))
    lead, part = base.factored(positive=True)
    return _power(part, exponent.shift).scaled(float(np.power(lead, exponent.shift)))


def _power(base: Expression, exponent: float) -> Combination:
    match exponent:
        case 0.0:
            return _combination([], 1.0)
        case 1.0:
            return _normal(base)
        case 2.0:
            return _single(Call("square", (base,)))
        case 0.5:
            return _single(Call("sqrt", (base,)))
        case -1.0:
            return _single(Call("inverse", (base,)))
    return _single(Call("pow", (base, Constant(exponent))))


def _log(argument: Combination) -> Combination:
    lead, part = argument.factored(positive=True)
    shift = math.log(lead)
    match part:
        case Call("exp", (inner,)):
            return _normal(inner).plus(_combination([], shift))
        case Call("inverse", (inner,)):
            return _single(Call("log", (inner,)), -1.0, shift)
        case Call("sqrt", (inner,)):
            return _single(Call("log", (inner,)), 0.5, shift)
    return _single(Call("log", (part,)), 1.0, shift)


def _odd(name: str) -> Callable[[Combination], Combination]:
    """Rule for f(-x) = -f(x): the argument begins with a positive coefficient."""

    def rule(argument: Combination) -> Combination:
        sign = -1.0 if argument.terms[0][0] < 0 else 1.0
        return _single(Call(name, (argument.scaled(sign).expression(),)), sign)

    return rule


def _even(name: str, degree: float) -> Callable[[Combination], Combination]:
    """Rule for f(c·x) = |c|^degree · f(x)."""

    def rule(argument: Combination) -> Combination:
        lead, part = argument.factored()
        return _single(Call(name, (part,)), abs(lead) ** degree)

    return rule


def _homogeneous(name: str, degree: float) -> Callable[[Combination], Combination]:
    def rule(argument: Combination) -> Combination:
        lead, part = argument.factored(positive=True)
        return _single(Call(name, (part,)), lead**degree)

    return rule


_RULES: dict[str, Callable[..., Combination]] = {
    "add": Combination.plus,
    "sub": lambda first, second: first.plus(second.scaled(-1.0)),
    "neg": lambda argument: argument.scaled(-1.0),
    "inverse": lambda argument: _div(_combination([], 1.0), argument),
    "mul": _mul,
    "div": _div,
    "exp": _exp,
    "log": _log,
    "pow": _pow,
    "square": _even("square", 2.0),
    "abs": _even("abs", 1.0),
    "sqrt": _homogeneous("sqrt", 0.5),
    "cbrt": _homogeneous("cbrt", 1 / 3),
    "tanh": _odd("tanh"),
    "atan": _odd("atan"),
    "sinh": _odd("sinh"),
    "sin": _odd("sin"),
}
