"""Length that approaches an upper limit at a rate proportional to the distance left.

Ricker, W. E. (1975), Computation and interpretation of biological statistics of fish populations,
Bulletin of the Fisheries Research Board of Canada 191 (von Bertalanffy's curve; the published task
gives its equation 9.9). Form seen in cran/FSA, R/growthModels.R ("Typical") and its references.
Start, bounds and method of the fit follow the published task.
"""

import numpy as np
from scipy.optimize import least_squares

USED_INPUTS = ["Agei"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"L_inf": {"init": 200.0}, "K": {"init": 0.3}, "t0": {"init": 0.0}}

LOWER = [1e-3, 1e-4, -20.0]
UPPER = [1e5, 10.0, 10.0]


def predict(X, L_inf, K, t0):
    age = np.asarray(X, dtype=np.float64)[:, 0]
    return L_inf * (1.0 - np.exp(-K * (age - t0)))


def fit(X, y):
    start = [float(np.clip(1.1 * np.max(y), LOWER[0], UPPER[0])), 0.3, 0.0]
    found = least_squares(lambda p: predict(X, *p) - y, start, bounds=(LOWER, UPPER), method="trf", max_nfev=6000)
    return {name: float(value) for name, value in zip(("L_inf", "K", "t0"), found.x, strict=True)}
