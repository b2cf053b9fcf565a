"""Run one law over the units of a task: describe once, then fit and predict group by group.

Held-out targets are no argument here and so can't reach the sandbox: it receives the law, the
fit window of the group being fitted, and input rows in a fixed permuted order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scilaws_bench.hashing import counter_permutation
from scilaws_bench.laws.contract import Contract, Declarations, LawFault, declarations_of, fitted_parameters
from scilaws_bench.laws.gate import static_findings, syntax_fault
from scilaws_bench.sandbox import CallResult, Evaluator, Limits

Floats = npt.NDArray[np.float64]

ROW_TOLERANCE = 1e-9
"""Relative difference by which a row's value may move when other rows change (vectorised maths
may round differently by position; a law that looks at its neighbours moves by far more)."""

ROUNDING_FLOOR = 1e-14
"""The same relative to the largest prediction: where terms cancel, rounding is not small beside the result."""


@dataclass(frozen=True)
class Rows:
    """Records of one window: `columns[name]` and `target` are float64 of shape (n,)."""

    columns: dict[str, Floats]
    target: Floats

    def matrix(self, names: tuple[str, ...]) -> Floats:
        """Input matrix of shape (n, len(names)) in the given column order."""
        return np.column_stack([self.columns[name] for name in names])


@dataclass(frozen=True)
class Unit:
    """One independently scored part of a task: the whole of a single-group task, or one group."""

    group: int
    fit: Rows | None
    scored: Rows


@dataclass(frozen=True)
class GroupRun:
    """Predictions for one unit of shape (n,), or why there are none."""

    group: int
    predictions: Floats | None
    parameters: dict[str, float]
    failure: str | None
    reason: str


@dataclass(frozen=True)
class LawRun:
    """One law over all units. `failure` is set when the whole answer is unusable."""

    declarations: Declarations | None
    groups: tuple[GroupRun, ...]
    flags: tuple[str, ...]
    failure: str | None
    reason: str


def run_law(
    source: str, units: tuple[Unit, ...], contract: Contract, evaluate: Evaluator, *, seed: int, limits: Limits
) -> LawRun:
    """Check a law against the contract and compute its predictions for every unit.

    A faulty unit fails alone; a module that can't be imported or breaks the contract fails whole.
    Never raises for anything the law does. `limits` hold for each call (import + fit, import +
    predict), `seed` is set before every fit.
    """
    fault = syntax_fault(source)
    if fault:
        return LawRun(None, (), (), "protocol", fault)
    flags = set(static_findings(source))
    try:
        declarations = declarations_of(_value(evaluate.describe(source, limits), "importing the module"), contract)
    except LawFault as failed:
        return LawRun(None, (), tuple(sorted(flags)), failed.failure, failed.reason)
    flags.update(declarations.flags(contract))
    groups = tuple(_run_unit(source, unit, declarations, evaluate, seed, limits) for unit in units)
    fitted = next((pair for pair in zip(units, groups, strict=True) if pair[1].parameters), None)
    if fitted and _fit_depends_on_seed(source, *fitted, declarations, evaluate, seed, limits):
        flags.add("seed-dependent:fit")
    return LawRun(declarations, groups, tuple(sorted(flags)), None, "")


def _run_unit(
    source: str, unit: Unit, declared: Declarations, evaluate: Evaluator, seed: int, limits: Limits
) -> GroupRun:
    local: dict[str, float] = {}
    try:
        if declared.local_names:
            local = _fit(source, unit, declared, evaluate, seed, limits)
        parameters = declared.law_constants | local
        predictions = _predict(source, unit, declared, parameters, evaluate, limits)
    except LawFault as failed:
        return GroupRun(unit.group, None, local, failed.failure, failed.reason)
    return GroupRun(unit.group, predictions, local, None, "")


def _fit(
    source: str, unit: Unit, declared: Declarations, evaluate: Evaluator, seed: int, limits: Limits
) -> dict[str, float]:
    if unit.fit is None:
        raise LawFault(f"group {unit.group} has no fit window", "infrastructure")
    X = unit.fit.matrix(declared.used_inputs)
    result = evaluate.fit(source, X, unit.fit.target, declared.law_constants, seed, limits)
    return fitted_parameters(_value(result, "fit"), declared.local_names)


def _predict(
    source: str,
    unit: Unit,
    declared: Declarations,
    parameters: dict[str, float],
    evaluate: Evaluator,
    limits: Limits,
) -> Floats:
    X = unit.scored.matrix(declared.used_inputs)
    n = len(X)
    order = counter_permutation(f"rows of unit {unit.group}", n)
    theta = np.array([list(parameters.values())], dtype=np.float64)
    subsets = _subsets(n)
    alone = counter_permutation("half in a process of its own", n)[: max(1, n // 2)]
    result = evaluate.predict(source, X[order], list(parameters), theta, subsets, limits)
    values = _value(result, "predict")
    permuted: Floats = values["values"][0]
    if not np.isfinite(permuted).all():
        bad = int((~np.isfinite(permuted)).sum())
        raise LawFault(f"predict returned {bad} of {n} values that are not finite")
    again = _value(evaluate.predict(source, X[order][alone], list(parameters), theta, (), limits), "predict")
    largest = float(np.max(np.abs(permuted)))
    answers = [*zip(subsets, values["selected"], strict=True), (alone, again["values"][0])]
    if not all(_same(permuted[subset], answered, largest) for subset, answered in answers):
        raise LawFault(
            "predict is not row-wise: a row's value changes when other rows are permuted, dropped or repeated, "
            "or when predict was called before"
        )
    predictions = np.empty(n, dtype=np.float64)
    predictions[order] = permuted
    return predictions


def _subsets(n: int) -> list[npt.NDArray[np.int64]]:
    """Three selections of rows: all in another order, one half, one half twice.

    They are answered after all rows, by the same process; one more half is asked of a fresh one, which
    can't remember what it answered before.
    """
    shuffled = counter_permutation("all rows", n)
    half = counter_permutation("half of the rows", n)[: max(1, n // 2)]
    doubled = np.concatenate([shuffled[: max(1, n // 2)], half])
    return [shuffled, half, doubled]


def _same(first: Floats, second: Floats, largest: float) -> bool:
    allowed = ROW_TOLERANCE * np.maximum(np.abs(first), np.abs(second)) + ROUNDING_FLOOR * largest
    with np.errstate(over="ignore"):
        gap = np.abs(first - second)
    return bool(np.isfinite(second).all() and (gap <= allowed).all())


def _fit_depends_on_seed(
    source: str,
    unit: Unit,
    first: GroupRun,
    declared: Declarations,
    evaluate: Evaluator,
    seed: int,
    limits: Limits,
) -> bool:
    try:
        second = _fit(source, unit, declared, evaluate, seed + 1, limits)
    except LawFault as failed:
        return failed.failure != "infrastructure"
    return second != first.parameters


def _value(result: CallResult, action: str) -> Any:
    if result.status == "ok":
        return result.values
    if result.status == "infrastructure":
        raise LawFault(f"{action}: {result.error}", "infrastructure")
    reasons = {
        "timeout": "killed at the time limit",
        "memory": "stopped at the memory limit",
        "crash": "the process died",
    }
    reason = reasons.get(result.status, result.error)
    detail = f" ({result.error})" if result.error and reason != result.error else ""
    raise LawFault(f"{action}: {reason}{detail}")
