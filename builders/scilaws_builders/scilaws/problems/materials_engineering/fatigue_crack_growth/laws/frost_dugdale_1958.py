"""Growth rate proportional to the crack length.

Frost N. E., Dugdale D. S. (1958), on fatigue cracks in sheet specimens: da/dN = k a, so ln(a / a0) = k N at a constant
load range. Law and year: documentation of py_fatigue (repository OWI-Lab/py_fatigue, example "Crack growth curve");
named among the crack-propagation laws in the opening of Paris and Erdogan 1963 (scribd.com, document 522471682). The
paper itself was not seen; there k goes with the cube of the stress range, which is the same for all specimens here.
"""

import numpy as np
from scipy.optimize import least_squares

USED_INPUTS = ["cycles_M"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"k": {"init": 4.0}}


def predict(X, k):
    """Crack length relative to its start."""
    return np.exp(k * X[:, 0])


def fit(X, y):
    """Least-squares rate k of one specimen; the starting value where the search fails."""
    start = LOCAL_FITTABLE["k"]["init"]
    result = least_squares(lambda p: predict(X, p[0]) - y, [start], bounds=([0.0], [50.0]))
    return {"k": float(result.x[0]) if result.success else start}
