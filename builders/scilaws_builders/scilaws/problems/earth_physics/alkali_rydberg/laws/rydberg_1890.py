"""Inverse-square series with a constant shift of the quantum number.

Rydberg J. R. (1890) Recherches sur la constitution des spectres d'émission des éléments chimiques. Kongliga Svenska
Vetenskaps-Akademiens Handlingar 23(11), 1-155, equation 9: n = n0 - N0/(m + μ)². The term n0 - n is the binding energy.
Formula, its universal constant and its place in Rydberg's work of 1890: tickerdossier.com, "Rydberg equation"; equation
number and N0 = 109721.6 cm^-1 (p. 42): formula module `rydberg_1890` of the published benchmark, public code index.
μ is minus the quantum defect.
"""

import numpy as np
from scipy.optimize import least_squares

USED_INPUTS = ["n_qm"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {"N0": 109721.6}  # cm^-1, Rydberg's own value
LOCAL_FITTABLE = {"mu": {"init": 0.0}}

_BOUND = 5.0  # the largest shift of the alkalis is about 4 (caesium s series)
_SMALLEST = 1e-3  # of n + mu; only reached for parameters no series has


def predict(X, mu):
    """Binding energy N0/(n + μ)² in cm^-1."""
    return OTHER_CONSTANTS["N0"] / np.maximum(X[:, 0] + mu, _SMALLEST) ** 2


def fit(X, y):
    """Bounded least squares in the energy, from the median shift of the single levels."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shifts = np.sqrt(OTHER_CONSTANTS["N0"] / y) - X[:, 0]
    usable = shifts[np.isfinite(shifts)]
    start = float(np.clip(np.median(usable), -_BOUND, _BOUND)) if len(usable) else 0.0
    try:
        (mu,) = least_squares(lambda p: predict(X, p[0]) - y, [start], bounds=(-_BOUND, _BOUND), max_nfev=2000).x
    except ValueError:  # numbers that no solver step can use
        mu = start
    return {"mu": float(mu)}
