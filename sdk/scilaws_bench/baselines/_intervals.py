"""Proof that an expression is finite on a whole box, by interval arithmetic and bisection.

Sampling misses poles; an interval that excludes zero does not. Bounds are not rounded outwards,
so a quantity must stay clear of the edge of a domain by more than rounding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from scilaws_bench.baselines._expressions import Call, Constant, Expression, Floats, Input, inputs_of

LARGEST = 1e100
"""No intermediate value may exceed this size, so that nothing a law does with it overflows."""

MAX_BOXES = 4096
MAX_ROUNDS = 14
CLEARANCE = 1e-12

Interval = tuple[Floats, Floats]
Flags = npt.NDArray[np.bool_]


def is_finite_on(expression: Expression, low: Floats, high: Floats) -> bool:
    """Whether every intermediate value is finite for all inputs with low <= x <= high, shapes (d,).

    False means "not proved" with 4,096 boxes, which includes "not true".
    """
    used = inputs_of(expression)
    lows, highs = low[None, :].astype(np.float64), high[None, :].astype(np.float64)
    for _ in range(MAX_ROUNDS):
        with np.errstate(all="ignore"):
            proved = np.ones(len(lows), dtype=np.bool_)
            _bounds(expression, lows, highs, proved)
        lows, highs = lows[~proved], highs[~proved]
        if len(lows) == 0:
            return True
        if 2 * len(lows) > MAX_BOXES or not used:
            return False
        widths = (highs - lows)[:, used] / np.maximum(high - low, 1e-300)[used]
        axis = np.array(used)[np.argmax(widths, axis=1)]
        rows = np.arange(len(lows))
        middle = (lows[rows, axis] + highs[rows, axis]) / 2
        left, right = highs.copy(), lows.copy()
        left[rows, axis] = middle
        right[rows, axis] = middle
        lows, highs = np.concatenate([lows, right]), np.concatenate([left, highs])
    return False


def _bounds(expression: Expression, lows: Floats, highs: Floats, proved: Flags) -> Interval:
    """Bounds per box; clears `proved` where a part may leave its domain or grow beyond LARGEST."""
    match expression:
        case Constant(value):
            result = (np.full(len(lows), value), np.full(len(lows), value))
        case Input(index):
            result = (lows[:, index], highs[:, index])
        case Call(name, arguments):
            parts = [_bounds(argument, lows, highs, proved) for argument in arguments]
            rule = _RULES.get(name)
            if rule is None:
                proved[:] = False
                return np.zeros(len(lows)), np.zeros(len(lows))
            result = rule(*parts)
    good = (np.abs(result[0]) <= LARGEST) & (np.abs(result[1]) <= LARGEST)
    proved &= good
    return np.where(good, result[0], 0.0), np.where(good, result[1], 0.0)


def _where(inside: Flags, result: Interval) -> Interval:
    return np.where(inside, result[0], -np.inf), np.where(inside, result[1], np.inf)


def _hull(*candidates: Floats) -> Interval:
    return np.minimum.reduce(candidates), np.maximum.reduce(candidates)


def _mul(a: Interval, b: Interval) -> Interval:
    return _hull(a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])


def _inverse(a: Interval) -> Interval:
    clear = CLEARANCE * np.maximum(np.abs(a[0]), np.abs(a[1]))
    return _where((a[0] > clear) | (a[1] < -clear), (1 / a[1], 1 / a[0]))


def _square(a: Interval) -> Interval:
    low, high = _hull(a[0] ** 2, a[1] ** 2)
    return np.where((a[0] <= 0) & (a[1] >= 0), 0.0, low), high


def _abs(a: Interval) -> Interval:
    low, high = _hull(np.abs(a[0]), np.abs(a[1]))
    return np.where((a[0] <= 0) & (a[1] >= 0), 0.0, low), high


def _log(a: Interval) -> Interval:
    return _where(a[0] > CLEARANCE * a[1], (np.log(a[0]), np.log(a[1])))


def _sqrt(a: Interval) -> Interval:
    return _where(a[0] >= 0, (np.sqrt(a[0]), np.sqrt(a[1])))


def _pow(a: Interval, b: Interval) -> Interval:
    exponent = _mul(_log(a), b)
    general = np.exp(exponent[0]), np.exp(exponent[1])
    from_zero = (a[0] >= 0) & (b[0] > 0) & (b[0] == b[1])  # x^p with p > 0 is finite at 0
    powers = a[0] ** b[0], a[1] ** b[0]
    return np.where(from_zero, powers[0], general[0]), np.where(from_zero, powers[1], general[1])


def _increasing(function: Callable[[Floats], Floats]) -> Callable[[Interval], Interval]:
    return lambda a: (function(a[0]), function(a[1]))


_RULES: dict[str, Callable[..., Interval]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": _mul,
    "div": lambda a, b: _mul(a, _inverse(b)),
    "pow": _pow,
    "aq": lambda a, b: _mul(a, _inverse(_sqrt((1 + _square(b)[0], 1 + _square(b)[1])))),
    "fmin": lambda a, b: (np.minimum(a[0], b[0]), np.minimum(a[1], b[1])),
    "fmax": lambda a, b: (np.maximum(a[0], b[0]), np.maximum(a[1], b[1])),
    "neg": lambda a: (-a[1], -a[0]),
    "inverse": _inverse,
    "square": _square,
    "abs": _abs,
    "log": _log,
    "sqrt": _sqrt,
    "exp": _increasing(np.exp),
    "tanh": _increasing(np.tanh),
    "atan": _increasing(np.arctan),
    "cbrt": _increasing(np.cbrt),
    "sinh": _increasing(np.sinh),
    "sin": lambda a: (np.full_like(a[0], -1.0), np.full_like(a[0], 1.0)),
    "cos": lambda a: (np.full_like(a[0], -1.0), np.full_like(a[0], 1.0)),
}
