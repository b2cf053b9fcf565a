"""Growth rate as the fourth power of the range of the stress-intensity factor.

Paris P. C., Erdogan F. (1963) A critical analysis of crack propagation laws. J. Basic Eng. 85(4), 528-533, doi
10.1115/1.3656900: da/dN = C (Delta K)^m with m = 4. Law and the exponent of 4: documentation of py_fatigue (repository
OWI-Lab/py_fatigue, example "Crack growth curve"); the paper's opening pages at scribd.com, document 522471682; DOI in
public reference lists. With a constant load range and Delta K proportional to sqrt(a) (no correction for the finite
width) da/dN = C a^(m/2), which integrates to a = (1 - (m/2 - 1) C N)^(-1/(m/2 - 1)) from a = 1 at N = 0.
"""

import numpy as np
from scipy.optimize import least_squares

USED_INPUTS = ["cycles_M"]
LAW_CONSTANTS = {"m": 4.0}
OTHER_CONSTANTS = {"smallest_remainder": 0.02}  # keeps the prediction finite once the law's life is used up
LOCAL_FITTABLE = {"C": {"init": 4.0}}


def predict(X, m, C):
    """Crack length relative to its start."""
    h = m / 2.0 - 1.0
    remainder = np.maximum(1.0 - h * C * X[:, 0], OTHER_CONSTANTS["smallest_remainder"])
    return remainder ** (-1.0 / h)


def fit(X, y, m):
    """Least-squares rate C of one specimen; the starting value where the search fails."""
    start = LOCAL_FITTABLE["C"]["init"]
    result = least_squares(lambda p: predict(X, m, p[0]) - y, [start], bounds=([0.0], [50.0]))
    return {"C": float(result.x[0]) if result.success else start}
