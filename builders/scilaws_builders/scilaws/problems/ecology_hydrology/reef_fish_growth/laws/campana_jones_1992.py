"""Symmetric sigmoid growth: the relative rate falls in proportion to the length reached (logistic curve).

Campana, S. E. and Jones, C. M. (1992), Analysis of otolith microstructure data, in: Stevenson, D. K.
and Campana, S. E. (eds.), Otolith microstructure examination and analysis, Canadian Special
Publication of Fisheries and Aquatic Sciences 117, 73-100. Form seen in cran/FSA,
R/growthModels.R ("CampanaJones1") and its references.
"""

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit

USED_INPUTS = ["Agei"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"L_inf": {"init": 200.0}, "g": {"init": 0.8}, "t_i": {"init": 1.5}}

LOWER = [1e-3, 1e-4, -20.0]
UPPER = [1e5, 10.0, 30.0]


def predict(X, L_inf, g, t_i):
    age = np.asarray(X, dtype=np.float64)[:, 0]
    return L_inf * expit(g * (age - t_i))


def fit(X, y):
    """Least squares from three starting rates; the first start itself if no search succeeds."""
    top = float(np.clip(1.1 * np.max(y), LOWER[0], UPPER[0]))
    starts = [[top, g, t_i] for g, t_i in ((0.8, 1.5), (2.0, 1.0), (0.25, 4.0))]
    found = [
        least_squares(
            lambda p: predict(X, *p) - y, start, bounds=(LOWER, UPPER), x_scale=[top, 1.0, 1.0], max_nfev=3000
        )
        for start in starts
    ]
    best = min(found, key=lambda result: result.cost).x
    values = best if np.all(np.isfinite(best)) else starts[0]
    return {name: float(value) for name, value in zip(("L_inf", "g", "t_i"), values, strict=True)}
