"""What a law may return: checks of predictions, and strict JSON for declarations and fitted constants."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .wire import FloatArray

_MAX_DEPTH = 6
_REAL_KINDS = "fiub"


class ContractError(Exception):
    """The law ran, but what it returned or did breaks the contract."""


def as_prediction(returned: Any, rows: int) -> FloatArray:
    """`returned` as float64 (rows,). Raises ContractError naming what was found where it is not that.

    Lists, tuples and one-dimensional pandas objects count as arrays; integers, booleans and shorter floats are cast.
    NaN and infinity pass: the scorer decides about them.
    """
    expected = f"expected ({rows},)"
    try:
        array = np.asarray(returned)
    except (TypeError, ValueError) as error:
        raise ContractError(f"predict returned {_name(returned)}, {expected}: {error}") from None
    if array.dtype.kind == "O" and array.shape == ():
        raise ContractError(f"predict returned {_name(returned)}, {expected} real numbers")
    if array.shape != (rows,):
        raise ContractError(f"predict returned shape {array.shape}, {expected}")
    if array.dtype.kind not in _REAL_KINDS:
        raise ContractError(f"predict returned dtype {array.dtype}, expected real numbers")
    return array.astype(np.float64)


def as_fitted(returned: Any) -> dict[str, float | str]:
    """What fit returned as {name: number}; anything that is no finite real number appears as its name in <>.

    Raises ContractError if it is not a dict at all.
    """
    if not isinstance(returned, dict):
        raise ContractError(f"fit returned {_name(returned)}, expected a dict of constant name to number")
    return {key if type(key) is str else _name(key): _number(value) for key, value in returned.items()}


def as_json(value: Any, depth: int = 0) -> Any:
    """`value` as strict JSON; parts that JSON cannot hold, and non-finite numbers, appear as their name in <>."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return value if _is_finite(value) else _name(value)
    if depth < _MAX_DEPTH and isinstance(value, (list, tuple)):
        return [as_json(item, depth + 1) for item in value]
    if depth < _MAX_DEPTH and isinstance(value, dict):
        return {key if type(key) is str else _name(key): as_json(item, depth + 1) for key, item in value.items()}
    return _name(value)


def _number(value: Any) -> float | str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not _is_finite(value):
        return _name(value)
    return float(value)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an int beyond the range of a float
        return False


def _name(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f"<{value}>"
    return f"<{type(value).__name__}>"
