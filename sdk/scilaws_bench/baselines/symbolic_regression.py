"""The classical baseline: symbolic regression with pyoperon, on the solver's side of the release.

Reads the public training records and the public task only. Genetic programming proposes forms,
their constants are fitted again in double precision, and the choice between forms is made on
training rows or groups that took no part in the fit (`_validation`).

In a multi-group task the form is shared; offset and scale are local parameters where the caps allow
two, the offset alone where they allow one, and neither where they allow none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from scilaws_bench.baselines import _engine
from scilaws_bench.baselines._expressions import (
    Call,
    Combination,
    Constant,
    Expression,
    Floats,
    UnusableExpressionError,
    constants_of,
    evaluate,
    has_variable_exponent,
    inputs_of,
    normal_form,
    size_of,
    with_constants,
)
from scilaws_bench.baselines._fitting import ROUGH, Fit, Mode, fit_form, misfit, normalised
from scilaws_bench.baselines._intervals import is_finite_on
from scilaws_bench.baselines._law_source import law_source, rounded
from scilaws_bench.baselines._records import Records, records_of
from scilaws_bench.baselines._validation import (
    CAP_SLACK,
    CLOSE_ENOUGH,
    Split,
    keeps_sign,
    losses,
    negligible_loss,
    ranked,
    split_of,
)
from scilaws_bench.errors import ReleaseError
from scilaws_bench.hashing import counter_draws, counter_permutation
from scilaws_bench.laws import Contract, Rows, Unit, run_law
from scilaws_bench.sandbox import InProcess, Limits

if TYPE_CHECKING:
    import pandas as pd

MAX_SEARCH_ROWS = 2000
MAX_FIT_ROWS = 1500
MAX_RANKING_ROWS = 500
LEAST_ROWS = 40
EVALUATIONS_A_RUN = 120_000
MAX_RUNS = 10
FORMS_A_SIZE = 3

SOURCE_TOLERANCE = 1e-9
"""How far the generated module may be from the expression it was written from."""

SECONDS_AN_EVALUATION = 1.6e-5
SECONDS_AN_EVALUATED_ROW = 6e-9


def find_law(
    frame: pd.DataFrame,
    task: dict[str, Any],
    *,
    seed: int = 0,
    seconds: float = _engine.DEFAULT_SECONDS,
    evaluations: int | None = None,
) -> str:
    """A law module for one SciLaws-Real task.

    `frame` holds the public training records (the task's inputs and target, `group_id` in a
    multi-group task), `task` is the public task. The budget is a number of evaluations: either
    `evaluations`, or about what one core computes in `seconds`. It is never a clock, so the same
    arguments give the same law however busy the machine is.

    The law is finite for all inputs inside the training and scored ranges (proved by interval
    arithmetic). It was run, in this process, on the training records: there it keeps the contract,
    equals the expression it was written from within 1e-9, and the engine's own values within the
    engine's single precision.

    Raises:
        MissingLibraryError: pyoperon is not installed.
        ReleaseError: no training record with finite target and inputs.
    """
    _engine.require_engine()
    records = records_of(frame, task)
    if len(records.y) == 0:
        raise ReleaseError(f"records of {task['task_id']}", "a row with finite inputs and target", "none")
    budget = evaluations if evaluations is not None else evaluations_in(seconds, len(records.y))
    modes = _modes(task)
    split = split_of(records, task)
    learning = records.rows(split.learning)
    cap = task["caps"]["law_constants"]
    forms = _forms(learning, modes, cap, budget, f"symbolic regression {task['task_id']} {seed}")
    for fit in _in_order(forms, modes, learning, records, split, cap):
        source = _checked_law(fit, records, task)
        if source is not None:
            return source
    raise AssertionError("the constant law keeps the contract")


def evaluations_in(seconds: float, rows: int) -> int:
    """Number of evaluations that take about `seconds` on `rows` training rows."""
    return max(1000, int(seconds / (SECONDS_AN_EVALUATION + SECONDS_AN_EVALUATED_ROW * min(rows, MAX_SEARCH_ROWS))))


def _modes(task: dict[str, Any]) -> list[Mode]:
    """Where offset and scale may live, the freest first."""
    local = task["caps"]["local_params"] if task["structure"] == "multi" else 0
    if local == 0:
        return [Mode("shared", "shared"), Mode("none", "shared")]
    return [Mode("local", "local"), Mode("local", "shared")][0 if local > 1 else 1 :]


def _forms(records: Records, modes: list[Mode], cap: int, budget: int, key: str) -> list[Expression]:
    """Forms worth fitting, over several runs of the engine.

    Each run searches for the target without the offset and scale its groups need under the best form
    so far. Kept are the best few of every number of constants, in each mode.
    """
    if not records.names:
        return []
    scales = _engine.unit_scales(records.X)
    runs = min(MAX_RUNS, max(2, budget // EVALUATIONS_A_RUN))
    seeds = counter_draws(key, runs)
    judged = records.rows(_some(f"{key} ranking", len(records.y), MAX_RANKING_ROWS))
    found: dict[Expression, tuple[float, ...]] = {}
    for run in range(runs):
        lead = min(found, key=lambda form: found[form][0]) if found else None
        target = normalised(records, lead, modes[0])
        if not target.any():
            return []
        rows = _some(f"{key} rows {run}", len(target), MAX_SEARCH_ROWS)
        rows = np.resize(rows, max(len(rows), LEAST_ROWS))
        for expression in _engine.find_expressions(
            records.X[rows] / scales, target[rows], symbols=_engine.POWERS if run % 2 else _engine.SYMBOLS,
            evaluations=budget // runs, seed=int(seeds[run]),
        ):  # fmt: skip
            form = _form_of(expression, scales)
            if form is not None and form not in found:
                found[form] = tuple(misfit(form, mode, judged) for mode in modes)
    chosen: dict[Expression, None] = {}
    for number, mode in enumerate(modes):
        errors = {form: error[number] for form, error in found.items()}
        chosen |= dict.fromkeys(_best_of_each_size(errors, cap + CAP_SLACK - mode.shared))
    return list(chosen)


def _form_of(expression: Expression, scales: Floats) -> Expression | None:
    """Normal form over the unscaled inputs, without its own offset and scale; None for a mere constant."""
    try:
        combination = normal_form(_unscaled(expression, scales))
        if not combination.terms:
            return None
        _, form = Combination(combination.terms, 0.0).factored()
    except UnusableExpressionError:
        return None
    return form if inputs_of(form) and not has_variable_exponent(form) else None


def _unscaled(expression: Expression, scales: Floats) -> Expression:
    match expression:
        case Call(name, arguments):
            return Call(name, tuple(_unscaled(argument, scales) for argument in arguments))
        case Constant():
            return expression
        case _:
            return Call("mul", (Constant(1 / float(scales[expression.index])), expression))


def _best_of_each_size(errors: dict[Expression, float], most: int) -> list[Expression]:
    """The few best forms of every number of constants up to `most`; among nearly equal ones the smallest.

    Of forms with one shape, or with the same error to seven digits, one is kept.
    """
    finite = {form: error for form, error in errors.items() if np.isfinite(error)}
    by_size: dict[int, list[Expression]] = {}
    for form in finite:
        by_size.setdefault(len(constants_of(form)), []).append(form)
    chosen = []
    for constants, forms in sorted(by_size.items()):
        if constants > max(most, min(by_size)):
            continue
        least = min(finite[form] for form in forms)
        forms.sort(key=_smallest_first(finite, CLOSE_ENOUGH * least))
        shapes: dict[Expression, Expression] = {}
        values: set[str] = set()
        for form in forms:
            if f"{finite[form]:.7g}" not in values:
                values.add(f"{finite[form]:.7g}")
                shapes.setdefault(with_constants(form, [0.0] * constants), form)
        chosen += list(shapes.values())[:FORMS_A_SIZE]
    return chosen


def _smallest_first(errors: dict[Expression, float], close: float) -> Callable[[Expression], tuple[float, float]]:
    return lambda form: (size_of(form) if errors[form] <= close else np.inf, errors[form])


def _in_order(
    forms: list[Expression], modes: list[Mode], learning: Records, records: Records, split: Split, cap: int
) -> list[Fit]:
    """Candidates in the order in which to try them, the constant law last."""
    some = learning.rows(_some("fit", len(learning.y), MAX_FIT_ROWS))
    fits, loss = [], []
    for mode in modes:
        for form in [None, *forms]:
            fit = fit_form(form, mode, some, tolerance=ROUGH)
            if fit is None or not _is_safe(fit, records):
                continue
            values = losses(fit, records, split.windows)
            if values is not None:
                fits.append(fit)
                loss.append(values)
    doubtful = [not keeps_sign(fit, records) for fit in fits]
    ordered = [fits[index] for index in ranked(fits, loss, cap, doubtful=doubtful, negligible=negligible_loss(records))]
    constant = fit_form(None, modes[0], records)
    return [*ordered, *([constant] if constant else [])]


def _is_safe(fit: Fit, records: Records) -> bool:
    """Whether the law is proved finite inside the training and scored ranges."""
    if fit.form is None:
        return True
    local = fit.mode.offset == "local"
    expression = fit.form if local else fit.expression()
    if records.logarithmic and not local:
        expression = Call("pow", (Constant(10.0), expression))
    return is_finite_on(expression, records.low, records.high)


def _checked_law(fit: Fit, records: Records, task: dict[str, Any]) -> str | None:
    """Source of a candidate fitted on all training records, or None if it fails a check."""
    final = fit_form(fit.form, fit.mode, records)
    if final is None or not np.isfinite([final.offset, final.scale]).all():
        return None
    final = rounded(final)
    if not _is_safe(final, records):
        return None
    if final.form is not None:
        single = records.X.astype(np.float32).astype(np.float64)
        ours, engine = evaluate(final.form, single), _engine.engine_values(final.form, records.X)
        if not _engine.agree(ours, engine, _engine.ENGINE_TOLERANCE):
            return None
    source = law_source(final, records, task["inputs"][0]["name"])
    return source if _runs_as_fitted(source, final, records, task) else None


def _runs_as_fitted(source: str, fit: Fit, records: Records, task: dict[str, Any]) -> bool:
    """Whether the module keeps the contract on the training records and predicts what was fitted."""
    columns = {column["name"]: np.full(len(records.y), np.nan) for column in task["inputs"]}
    columns |= {name: records.X[:, index] for index, name in enumerate(records.names)}
    units, expected = [], []
    for group in range(records.groups):
        chosen = records.group == group
        rows = Rows({name: values[chosen] for name, values in columns.items()}, records.truth[chosen])
        units.append(Unit(group, rows if records.multi else None, rows))
        window = (records.X[chosen], records.y[chosen]) if fit.mode.offset == "local" else None
        expected.append(records.target_of(fit.predict(records.X[chosen], window)))
    contract = Contract(tuple(columns), records.multi)
    run = run_law(source, tuple(units), contract, InProcess(), seed=0, limits=Limits())
    return run.failure is None and all(
        group.predictions is not None and _engine.agree(group.predictions, values, SOURCE_TOLERANCE)
        for group, values in zip(run.groups, expected, strict=True)
    )


def _some(key: str, count: int, most: int) -> Any:
    """At most `most` of `count` row numbers, in order."""
    return np.sort(counter_permutation(key, count)[:most])
