"""Logistic growth slowed by the cells' adjustment to their new surroundings.

Baranyi J., Roberts T. A. (1994) A dynamic approach to predicting bacterial growth in food. Int. J. Food Microbiol.
23, 277-294, doi 10.1016/0168-1605(94)90157-0. Form used: y = K / (1 + (K / y0 - 1) exp(-mu A)) with A(t) = t +
ln(exp(-mu t) + exp(-h0) - exp(-mu t - h0)) / mu, the adjustment proceeding at the growth rate itself. Form and
citation confirmed on the manual page grow_baranyi of R package growthrates (search.r-project.org) and in
curveball/baranyi_roberts_model.py of PyPI package curveball 0.3.0; DOI in the description of R package
MicrobialGrowth (rdrr.io). Deviation: y is the reading itself, medium and plate included, not a cell count.
"""

import numpy as np
from scipy.optimize import least_squares

USED_INPUTS = ["time_h"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"y0": {"init": 0.11}, "K": {"init": 0.6}, "mu": {"init": 0.5}, "h0": {"init": 1.0}}

# Densities a plate reader can show and rates between none and one doubling in a quarter of an hour; K stays above y0.
_LOWER = np.array([0.01, 0.2, 0.01, 0.0])
_UPPER = np.array([0.199, 3.0, 3.0, 20.0])
_STARTS = ((0.11, 0.6, 0.6, 2.0), (0.11, 0.6, 0.4, 1.0), (0.11, 0.8, 0.4, 0.5), (0.11, 0.5, 0.9, 4.0))


def predict(X, y0, K, mu, h0):
    """Optical density, one value a row."""
    decay = np.exp(-mu * X[:, 0])
    # exp(-mu A), written so that it neither overflows for late times nor divides by zero.
    remaining = decay / (decay + np.exp(-h0) * (1.0 - decay))
    return K / (1.0 + (K / y0 - 1.0) * remaining)


def fit(X, y):
    """Bounded least squares from fixed starts; the best start itself if no search ends in finite numbers."""
    names = tuple(LOCAL_FITTABLE)

    def residual(values):
        return predict(X, *values) - y

    best = min((np.array(start) for start in _STARTS), key=lambda start: float(np.sum(residual(start) ** 2)))
    best_cost = 0.5 * float(np.sum(residual(best) ** 2))
    for start in _STARTS:
        found = least_squares(residual, start, bounds=(_LOWER, _UPPER), x_scale=np.abs(start), max_nfev=2000)
        if np.all(np.isfinite(found.x)) and found.cost < best_cost:
            best, best_cost = found.x, float(found.cost)
    return {name: float(value) for name, value in zip(names, best, strict=True)}
