"""Text of the law module for a fitted form."""

from __future__ import annotations

import keyword
import re
from dataclasses import replace

from scilaws_bench.baselines._expressions import (
    Constant,
    constants_of,
    inputs_of,
    source_of,
    with_constants,
)
from scilaws_bench.baselines._fitting import FLAT, Fit
from scilaws_bench.baselines._records import Records

DIGITS = 12
LARGEST_POWER = 300.0

_RESERVED = frozenset({"X", "y", "np", "offset", "scale", "form", "known", "centred", "spread", "fit", "predict"})

_HEAD = '''"""Found by symbolic regression (pyoperon) on the public training records."""
import numpy as np

USED_INPUTS = {inputs!r}
LAW_CONSTANTS = {constants!r}
OTHER_CONSTANTS = {other!r}
LOCAL_FITTABLE = {local!r}

'''

_PREDICT = """
def predict({arguments}):
{columns}    return {value}
"""

_FORM = """
def _form({arguments}):
{columns}    return {value}
"""

_LOCAL_PREDICT = """

def predict({arguments}):
    return {value}
"""

_FIT = '''

def fit({arguments}):
    """Least squares on the fit window in closed form; typical values where it can't tell."""
    form = _form({form_arguments})
{target}    known = np.isfinite(form) & np.isfinite(y)
    form, y = form[known], y[known]
{solution}'''

_FIT_OFFSET = """    if len(y) == 0:
        return {{"offset": LOCAL_FITTABLE["offset"]["init"]}}
    return {{"offset": float(y.mean() - {scale} * form.mean())}}
"""

_FIT_BOTH = """    if len(y) == 0:
        return {{name: entry["init"] for name, entry in LOCAL_FITTABLE.items()}}
    centred = form - form.mean()
    spread = float(centred @ centred)
    scale = LOCAL_FITTABLE["scale"]["init"]
    if spread > {flat!r} * float(form @ form):
        scale = float(centred @ (y - y.mean())) / spread
    return {{"offset": float(y.mean() - scale * form.mean()), "scale": scale}}
"""


def rounded(fit: Fit) -> Fit:
    """The fit with every number rounded to 12 significant digits, as the law states them."""
    form = fit.form
    if form is not None:
        form = with_constants(form, [_round(value) for value in constants_of(form)])
    return replace(fit, form=form, offset=_round(fit.offset), scale=_round(fit.scale))


def law_source(fit: Fit, records: Records, fallback_input: str) -> str:
    """Law module of a rounded fit. `fallback_input` is named as used by a law that uses no input."""
    local = fit.mode.offset == "local"
    expression = (fit.form or Constant(0.0)) if local else fit.expression()
    used = inputs_of(expression)
    values = [] if local and fit.form is None else constants_of(expression)
    constants = {f"k{number}": value for number, value in enumerate(values, start=1)}
    if local and fit.form is not None and fit.mode.scale == "shared":
        constants["scale"] = fit.scale
    columns = {index: _variable(records.names[index]) for index in used}
    named = [name for name in constants if name != "scale"]
    value = source_of(expression, columns, named) if values or used else "0.0"
    if not used:
        value = f"np.full(len(X), {value})"
    assignments = "".join(f"    {columns[index]} = X[:, {position}]\n" for position, index in enumerate(used))
    head = _HEAD.format(
        inputs=[records.names[index] for index in used] or [fallback_input],
        constants=constants,
        other={"epsilon": records.epsilon} if records.logarithmic and local else {},
        local=_local_parameters(fit),
    )
    if not local:
        value = f"10.0 ** ({value})" if records.logarithmic else value
        return head + _PREDICT.format(arguments=_joined("X", *constants), columns=assignments, value=value)
    form = _FORM.format(arguments=_joined("X", *named), columns=assignments, value=value)
    return head + form + _local_functions(fit, records, list(constants), _joined("X", *named))


def _local_functions(fit: Fit, records: Records, constants: list[str], form_arguments: str) -> str:
    scaled = fit.form is not None
    value = f"offset + {'scale * ' if scaled else ''}_form({form_arguments})"
    if records.logarithmic:
        value = f"10.0 ** np.clip({value}, {-LARGEST_POWER}, {LARGEST_POWER})"
    parameters = list(_local_parameters(fit))
    predict = _LOCAL_PREDICT.format(arguments=_joined("X", *constants, *parameters), value=value)
    solution = _FIT_BOTH.format(flat=FLAT**2) if "scale" in parameters else _FIT_OFFSET.format(
        scale="scale" if scaled else "0.0"
    )  # fmt: skip
    target = '    y = np.log10(np.maximum(y, OTHER_CONSTANTS["epsilon"]))\n' if records.logarithmic else ""
    fit_arguments = _joined("X", "y", *constants)
    return predict + _FIT.format(
        arguments=fit_arguments, form_arguments=form_arguments, target=target, solution=solution
    )


def _local_parameters(fit: Fit) -> dict[str, dict[str, float]]:
    if fit.mode.offset != "local":
        return {}
    parameters = {"offset": {"init": fit.offset}}
    if fit.mode.scale == "local" and fit.form is not None:
        parameters["scale"] = {"init": fit.scale}
    return parameters


def _joined(*names: str) -> str:
    return ", ".join(names)


def _variable(name: str) -> str:
    taken = keyword.iskeyword(name) or name in _RESERVED or re.fullmatch(r"k\d+|_form", name)
    return f"{name}_" if taken else name


def _round(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
