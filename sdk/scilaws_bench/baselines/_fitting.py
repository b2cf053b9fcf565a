"""Least-squares fits of offset + scale · form(x; constants), in double precision.

Offset and scale may be shared, differ between groups, or (the offset) be absent. They are linear, so
they are solved for at every step and only the constants of the form are searched (variable
projection, Golub & Pereyra 1973).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import least_squares

from scilaws_bench.baselines._expressions import (
    Call,
    Constant,
    Expression,
    Floats,
    constants_of,
    evaluate,
    with_constants,
)
from scilaws_bench.baselines._records import Records

FLAT = 1e-12
"""A form whose standard deviation is below this share of its size counts as constant in a window."""

FAR = 1e6
LARGEST = 1e100
MAX_STEPS = 25

ROUGH = 1e-8
EXACT = 1e-13


@dataclass(frozen=True)
class Mode:
    """Where offset and scale live."""

    offset: Literal["none", "shared", "local"]
    scale: Literal["shared", "local"]

    @property
    def shared(self) -> int:
        """Number of shared constants among the two."""
        return (self.offset == "shared") + (self.scale == "shared")


@dataclass(frozen=True)
class Fit:
    """A fitted form. `offset` and `scale` are the shared values, or typical ones where they are local."""

    form: Expression | None
    mode: Mode
    offset: float
    scale: float

    @property
    def constants(self) -> int:
        """Number of shared constants of the law."""
        return (len(constants_of(self.form)) if self.form is not None else 0) + self.mode.shared

    def expression(self) -> Expression:
        """offset + scale · form; where both are local, their typical values stand for them."""
        if self.form is None:
            return Constant(self.offset)
        form = self.form if self.scale == 1 else Call("mul", (Constant(self.scale), self.form))
        return form if self.mode.offset == "none" else Call("add", (form, Constant(self.offset)))

    def values(self, X: Floats) -> Floats:
        """Values of the form (n,); zeros if there is none."""
        return np.zeros(len(X)) if self.form is None else evaluate(self.form, X)

    def predict(self, X: Floats, window: tuple[Floats, Floats] | None = None) -> Floats:
        """Regression values (n,); local parameters are fitted on `window` (X, y) as the law's `fit` does."""
        offset, scale = self.offset, self.scale
        if window is not None:
            offset, scale = local_parameters(self.values(window[0]), window[1], self)
        with np.errstate(all="ignore"):
            return offset + scale * self.values(X)


def local_parameters(form: Floats, y: Floats, fit: Fit) -> tuple[float, float]:
    """Offset and scale of one group, typical values where a window can't tell them."""
    if fit.mode.offset != "local" or len(y) == 0:
        return fit.offset, fit.scale
    scale = fit.scale
    if fit.mode.scale == "local":
        centred = form - form.mean()
        spread = float(centred @ centred)
        if spread > FLAT**2 * float(form @ form):
            scale = float(centred @ (y - y.mean())) / spread
    return float(y.mean() - scale * form.mean()), scale


def fit_form(form: Expression | None, mode: Mode, records: Records, *, tolerance: float = EXACT) -> Fit | None:
    """Least-squares fit on records, groups weighted equally; None where no finite fit was found."""
    weight = 1 / spreads(records)
    if form is None:
        projected = _project(np.zeros(len(records.y)), mode, records, weight)
        return Fit(None, mode, _typical(projected[0]), 0.0)

    template = form

    def residual(theta: Floats) -> Floats:
        values = evaluate(with_constants(template, theta.tolist()), records.X)
        if not _usable(values):
            return np.full(len(records.y), FAR)
        offset, scale = _project(values, mode, records, weight)
        return np.clip((offset + scale * values - records.y) * weight, -FAR, FAR)

    start = np.array(constants_of(form), dtype=np.float64)
    if len(start):
        with np.errstate(all="ignore"):
            if len(start) > len(records.y) or not (np.abs(residual(start)) < FAR).all():
                return None
            found = least_squares(
                residual, start, method="lm", x_scale=np.maximum(np.abs(start), 1e-3), ftol=tolerance,
                xtol=tolerance, gtol=tolerance, max_nfev=MAX_STEPS * (len(start) + 1),
            )  # fmt: skip
        if not np.isfinite(found.x).all():
            return None
        form = with_constants(form, found.x.tolist())
    values = evaluate(form, records.X)
    if not _usable(values):
        return None
    offset, scale = _project(values, mode, records, weight)
    result = Fit(form, mode, _typical(offset), _typical(scale))
    return result if np.isfinite([result.offset, result.scale]).all() else None


def misfit(form: Expression, mode: Mode, records: Records) -> float:
    """Root mean squared weighted residual of a form as it stands; infinite where it has no finite value."""
    weight = 1 / spreads(records)
    values = evaluate(form, records.X)
    if not _usable(values):
        return np.inf
    offset, scale = _project(values, mode, records, weight)
    with np.errstate(all="ignore"):
        result = float(np.sqrt(np.mean(((offset + scale * values - records.y) * weight) ** 2)))
    return result if np.isfinite(result) else np.inf


def normalised(records: Records, form: Expression | None, mode: Mode) -> Floats:
    """The target (n,) without the offset and scale that `mode` lets differ between groups.

    With a form these are what it needs in each group; without one, mean and standard deviation.
    """
    spread = spreads(records)
    if mode.offset != "local":
        return np.asarray((records.y - records.y.mean()) / spread)
    means = _means(records.y, records)
    if form is not None and _usable(values := evaluate(form, records.X)):
        offset, scale = _project(values, mode, records, 1 / spread)
        if (np.abs(scale) > 1e-3 * np.median(np.abs(scale))).all():
            z = (records.y - offset) / scale
            return np.asarray((z - z.mean()) / max(float(z.std()), 1e-300))
    return np.asarray((records.y - means) / (spread if mode.scale == "local" else np.median(spread)))


def spreads(records: Records) -> Floats:
    """Standard deviation of the target in its group, for every row, kept clear of zero."""
    centred = records.y - _means(records.y, records)
    spread = np.sqrt(_means(centred**2, records))
    typical = float(np.median(spread)) or float(np.std(records.y)) or 1.0
    return np.maximum(spread, 1e-3 * typical)


def _project(values: Floats, mode: Mode, records: Records, weight: Floats) -> tuple[Floats, Floats]:
    """Best offset and scale for given values of the form, per row."""
    y = records.y
    square = weight**2
    if mode.offset == "none":
        centre, level = np.zeros(len(y)), np.zeros(len(y))
    elif mode.offset == "shared":
        centre = np.full(len(y), np.average(values, weights=square))
        level = np.full(len(y), np.average(y, weights=square))
    else:
        centre, level = _means(values, records), _means(y, records)
    inner, outer = (values - centre) ** 2 * square, (values - centre) * (y - level) * square
    size = values**2 * square
    if mode.scale == "local":
        inner, outer, size = (_means(part, records) for part in (inner, outer, size))
    else:
        inner, outer, size = (np.full(len(y), part.mean()) for part in (inner, outer, size))
    usable = inner > FLAT**2 * size
    scale = np.where(usable, outer / np.where(usable, inner, 1.0), 0.0)
    return level - scale * centre, scale


def _usable(values: Floats) -> bool:
    """Whether the values and their squares are finite."""
    return bool((np.abs(values) <= LARGEST).all())


def _means(values: Floats, records: Records) -> Floats:
    """Mean of the row's group, for every row."""
    counts = np.bincount(records.group, minlength=records.groups)
    return np.asarray((np.bincount(records.group, values, records.groups) / np.maximum(counts, 1))[records.group])


def _typical(values: Floats) -> float:
    return float(np.median(values))
