"""Growth rate as a power of the range of the stress-intensity factor, with a rate and an exponent for each specimen.

Paris P. C., Erdogan F. (1963) A critical analysis of crack propagation laws. J. Basic Eng. 85(4), 528-533, doi
10.1115/1.3656900, in the general form da/dN = C (Delta K)^m: documentation of py_fatigue (repository
OWI-Lab/py_fatigue, example "Crack growth curve") and handwiki.org, "Crack growth equation"; DOI in public reference
lists. Integrated at constant load range with Delta K proportional to sqrt(a) from a = 1 at N = 0:
a = (1 - (m/2 - 1) C N)^(-1/(m/2 - 1)). The exponent is kept between 2.1 and 6, about the values known for metals.
"""

import numpy as np
from scipy.optimize import least_squares

USED_INPUTS = ["cycles_M"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {"smallest_remainder": 0.02}  # keeps the prediction finite once the law's life is used up
LOCAL_FITTABLE = {"C": {"init": 4.0}, "m": {"init": 4.0}}

_LOWER, _UPPER = [0.0, 2.1], [50.0, 6.0]
_STARTS = ([3.0, 3.0], [3.0, 4.0], [3.0, 5.5])


def predict(X, C, m):
    """Crack length relative to its start."""
    h = m / 2.0 - 1.0
    remainder = np.maximum(1.0 - h * C * X[:, 0], OTHER_CONSTANTS["smallest_remainder"])
    return remainder ** (-1.0 / h)


def fit(X, y):
    """Best of three bounded least-squares searches; the starting values where none succeeds."""
    tried = [least_squares(lambda p: predict(X, *p) - y, start, bounds=(_LOWER, _UPPER)) for start in _STARTS]
    found = [result for result in tried if result.success]
    start = [LOCAL_FITTABLE[name]["init"] for name in ("C", "m")]
    best = min(found, key=lambda result: result.cost).x if found else start
    return {"C": float(best[0]), "m": float(best[1])}
