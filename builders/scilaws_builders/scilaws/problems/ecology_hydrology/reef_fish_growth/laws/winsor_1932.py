"""Sigmoid growth whose relative rate falls exponentially with age (Gompertz's curve for growth).

Winsor, C. P. (1932), The Gompertz curve as a growth curve, Proceedings of the National Academy of
Sciences 18, 1-8. Form (asymptote, rate and age at the inflection) seen in cran/FSA,
R/growthModels.R ("Ricker1"), which cites this paper and Ricker (1975, p. 232) for the curve.
"""

import numpy as np
from scipy.optimize import least_squares

USED_INPUTS = ["Agei"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"L_inf": {"init": 200.0}, "g": {"init": 0.5}, "t_i": {"init": 1.0}}

LOWER = [1e-3, 1e-4, -20.0]
UPPER = [1e5, 10.0, 30.0]


def predict(X, L_inf, g, t_i):
    age = np.asarray(X, dtype=np.float64)[:, 0]
    return L_inf * np.exp(-np.exp(np.minimum(-g * (age - t_i), 700.0)))


def fit(X, y):
    """Least squares from three starting rates; the first start itself if no search succeeds."""
    top = float(np.clip(1.1 * np.max(y), LOWER[0], UPPER[0]))
    starts = [[top, g, t_i] for g, t_i in ((0.5, 1.0), (1.5, 0.5), (0.15, 3.0))]
    found = [
        least_squares(
            lambda p: predict(X, *p) - y, start, bounds=(LOWER, UPPER), x_scale=[top, 1.0, 1.0], max_nfev=3000
        )
        for start in starts
    ]
    best = min(found, key=lambda result: result.cost).x
    values = best if np.all(np.isfinite(best)) else starts[0]
    return {name: float(value) for name, value in zip(("L_inf", "g", "t_i"), values, strict=True)}
