"""Constants of reference laws that are fitted on training rows, and where they are kept.

A fit is a result: it is rounded to 10 significant digits and written once into `fits.lock`. A
build reads the lock; `release check --refit` fits again and compares within 1e-6 (relative).
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scilaws_bench import strict_json
from scilaws_bench.errors import ProblemError
from scilaws_bench.hashing import json_hash
from scilaws_bench.sandbox import InProcess, Limits
from scilaws_builders.scilaws.problem import Problem

FITS_LOCK = Path(__file__).parent / "fits.lock"
REFIT_WITHIN = 1e-6
_LIMITS = Limits(wall_seconds=120.0)


@cache
def read_lock(file: Path = FITS_LOCK) -> dict[str, dict[str, dict[str, float]]]:
    """Committed constants: {problem: {law: {constant: value}}}; empty where there is no lock yet.

    Raises:
        ProblemError: a lock whose hash is not that of its content.
    """
    if not file.is_file():
        return {}
    document = strict_json.read(file)
    lock: dict[str, dict[str, dict[str, float]]] = document.get("fits", {})
    if document.get("hash") != json_hash(lock):
        raise ProblemError(
            str(file), f"content with hash {document.get('hash')}", json_hash(lock),
            "Undo the hand edit, or fit again with `scilaws-bench release fit`.",
        )  # fmt: skip
    return lock


def released_source(problem: Problem, law: str, lock: dict[str, Any]) -> str:
    """Source of a reference law with its fitted constants filled in.

    Raises:
        ProblemError: a fitted constant that the lock does not hold.
    """
    reference = next(entry for entry in problem.spec["references"] if entry["law"] == law)
    if not reference["fitted"]:
        return problem.laws[law]
    values = lock.get(problem.id, {}).get(law, {})
    missing = sorted(set(reference["fitted"]) - set(values))
    if missing:
        raise ProblemError(
            f"fits.lock for {law} of {problem.id}", "constants " + ", ".join(missing), "none",
            "Run `scilaws-bench release fit` and commit fits.lock.",
        )  # fmt: skip
    return with_constants(problem.laws[law], {name: values[name] for name in reference["fitted"]})


def with_constants(source: str, values: dict[str, float]) -> str:
    """The module text with these entries of its LAW_CONSTANTS literal replaced.

    Raises:
        ProblemError: a module without a literal LAW_CONSTANTS on lines of its own, or without one of these entries.
    """
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == "LAW_CONSTANTS" for t in node.targets
        ):
            constants = _literal(node.value)
            if not isinstance(constants, dict) or not set(values) <= set(constants):
                break
            lines = source.split("\n")
            assert node.end_lineno is not None
            written = f"LAW_CONSTANTS = {constants | values!r}"
            return "\n".join([*lines[: node.lineno - 1], written, *lines[node.end_lineno :]])
    raise ProblemError(
        "law module", f"a module-level dictionary LAW_CONSTANTS = {{...}} with {', '.join(sorted(values))}", "none"
    )


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def fit_constants(problem: Problem, law: str, train: pd.DataFrame) -> dict[str, float]:
    """Least-squares values of a single-group law's fitted constants on the training rows.

    Residuals are linear, or differences of decadic logarithms where the reference says `fit_space:
    log10` or the task's metric is log_mae. Starts from the values written in the module.

    Raises:
        ProblemError: a multi-group problem (shared constants there must be published), a law that
            can't be run or lacks a constant to be fitted, or a fit that does not converge.
    """
    from scipy.optimize import least_squares

    if problem.spec["group"]:
        raise ProblemError(f"{law} of {problem.id}", "fitted constants in single-group problems only", "a group")
    source = problem.laws[law]
    reference = next(entry for entry in problem.spec["references"] if entry["law"] == law)
    names = reference["fitted"]
    evaluate = InProcess()
    description = evaluate.describe(source, _LIMITS)
    described: Any = description.values
    if description.status != "ok":
        raise ProblemError(f"{law} of {problem.id}", "a module that can be imported", description.error)
    constants = {name: float(value) for name, value in described["law_constants"].items()}
    absent = sorted(set(names) - set(constants))
    if absent:
        raise ProblemError(f"{law} of {problem.id}", "its fitted constants in LAW_CONSTANTS", f"no {', '.join(absent)}")
    X = train[described["used_inputs"]].to_numpy(dtype=np.float64)
    truth = train[problem.target].to_numpy(dtype=np.float64)
    default = "log10" if problem.spec["metric"] == "log_mae" else "linear"
    logarithmic = reference.get("fit_space", default) == "log10"
    floor = problem.spec.get("epsilon", 1e-300)

    def residuals(theta: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        values = constants | dict(zip(names, theta, strict=True))
        result: Any = evaluate.predict(source, X, list(values), np.array([list(values.values())]), (), _LIMITS)
        if result.status != "ok":
            raise ProblemError(f"{law} of {problem.id}", "predictions on the training rows", result.error)
        predictions = result.values["values"][0]
        if logarithmic:
            return np.asarray(np.log10(np.maximum(predictions, floor)) - np.log10(np.maximum(truth, floor)))
        return np.asarray(predictions - truth)

    start = np.array([constants[name] for name in names])
    scale = np.where(start == 0.0, 1.0, np.abs(start))
    fitted = least_squares(residuals, start, x_scale=scale, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=20_000)
    if not fitted.success:
        raise ProblemError(f"{law} of {problem.id}", "a converged fit", fitted.message, "Give better starting values.")
    return {name: float(f"{value:.10g}") for name, value in zip(names, fitted.x, strict=True)}


def fit_all(problem: Problem, train: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Fitted constants of every reference of a problem that has any."""
    return {
        entry["law"]: fit_constants(problem, entry["law"], train)
        for entry in problem.spec["references"]
        if entry["fitted"]
    }


def write_lock(fits: dict[str, dict[str, dict[str, float]]], file: Path = FITS_LOCK) -> None:
    """Write the lock with a hash of its content, so that a hand edit is noticed."""
    kept = {problem: laws for problem, laws in sorted(fits.items()) if laws}
    strict_json.write(file, {"fits": kept, "hash": json_hash(kept)})
    read_lock.cache_clear()
