"""Check the host's own arguments and make requests of them; both evaluators share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._worker.wire import FloatArray, IndexArray, Request


def describe_request(source: str) -> Request:
    """A request to import `source` and report its declarations."""
    return Request("describe", source)


def fit_request(source: str, X: FloatArray, y: FloatArray, constants: Mapping[str, float], seed: int) -> Request:
    """A request to fit. Raises ValueError unless X is (n, d), y (n,) and seed >= 0."""
    rows, targets = _floats(X, 2, "X"), _floats(y, 1, "y")
    if len(rows) != len(targets):
        raise ValueError(f"X and y must have the same length, found {len(rows)} and {len(targets)}")
    if seed < 0:
        raise ValueError(f"seed must not be negative, found {seed}")
    values = {str(name): float(value) for name, value in constants.items()}
    return Request("fit", source, X=rows, y=targets, constants=values, seed=int(seed))


def predict_request(
    source: str, X: FloatArray, names: Sequence[str], thetas: FloatArray, selections: Sequence[IndexArray]
) -> Request:
    """A request to predict. Raises ValueError for shapes that do not fit together and row numbers outside X."""
    rows, constants = _floats(X, 2, "X"), _floats(thetas, 2, "thetas")
    if constants.shape[1] != len(names):
        raise ValueError(f"thetas must have one column per name: {constants.shape[1]} columns, {len(names)} names")
    if len(set(names)) != len(names):
        raise ValueError(f"names must differ, found {list(names)}")
    chosen = [_indices(selection, len(rows)) for selection in selections]
    if chosen and not len(constants):
        raise ValueError("selections are predicted with thetas[0], but thetas is empty")
    return Request("predict", source, X=rows, names=list(names), thetas=constants, selections=chosen)


def python_request(
    code: str, X: FloatArray, y: FloatArray, columns: Sequence[str], groups: IndexArray | None
) -> Request:
    """A request to run a script. Raises ValueError for lengths or column names that do not fit together."""
    rows, targets = _floats(X, 2, "X"), _floats(y, 1, "y")
    numbers = np.empty(0, dtype=np.int64) if groups is None else np.asarray(groups, dtype=np.int64)
    if len(rows) != len(targets) or (groups is not None and numbers.shape != targets.shape):
        raise ValueError(
            f"X, y and groups must have the same length, found {len(rows)}, {len(targets)}, {numbers.shape}"
        )
    if len(set(columns)) != len(columns) or len(columns) != rows.shape[1] + 1:
        raise ValueError(f"columns must name {rows.shape[1]} columns of X and y, all different; found {list(columns)}")
    return Request("python", code, X=rows, y=targets, names=list(columns), groups=numbers)


def _floats(array: npt.ArrayLike, dimensions: int, name: str) -> FloatArray:
    values = np.asarray(array, dtype=np.float64, order="C")
    if values.ndim != dimensions:
        raise ValueError(f"{name} must have {dimensions} dimensions, found shape {values.shape}")
    return values


def _indices(selection: Any, rows: int) -> IndexArray:
    indices = np.asarray(selection, dtype=np.int64)
    if indices.ndim != 1 or (indices.size and (indices.min() < 0 or indices.max() >= rows)):
        raise ValueError(f"a selection must be a list of row numbers from 0 to {rows - 1}")
    return indices
