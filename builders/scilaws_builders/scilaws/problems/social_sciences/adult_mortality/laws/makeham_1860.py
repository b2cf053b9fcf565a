"""Death rate made of an age-independent part and a part that grows exponentially with age.

Makeham, W. M. (1860), On the law of mortality and the construction of annuity tables, The Assurance
Magazine and Journal of the Institute of Actuaries 8(6), 301-310, doi:10.1017/S204616580000126X. Form
mu = A exp(B x) + C seen with this citation in cran/MortalityLaws, R/availableLaws.R.
"""

import numpy as np
from scipy.optimize import least_squares

USED_INPUTS = ["age"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"A": {"init": 3e-5}, "B": {"init": 0.09}, "C": {"init": 3e-4}}

PIVOT = 60.0  # age at which the level of the rising part is searched for, in years
LOWER = [-25.0, 1e-3, -25.0]
UPPER = [3.0, 0.5, 0.0]


def predict(X, A, B, C):
    age = np.asarray(X, dtype=np.float64)[:, 0]
    with np.errstate(divide="ignore"):
        return np.logaddexp(np.log(C), np.log(A) + B * age)


def fit(X, y):
    """Least squares on ln m from three sizes of the constant part; the search works on ln C and ln m(60)."""
    age = np.asarray(X, dtype=np.float64)[:, 0]

    def residuals(p):
        return np.logaddexp(p[2], p[0] + p[1] * (age - PIVOT)) - y

    found = [least_squares(residuals, [-4.5, 0.09, start], bounds=(LOWER, UPPER)) for start in (-6.5, -8.0, -9.5)]
    level, slope, constant = min(found, key=lambda result: result.cost).x
    return {"A": float(np.exp(level - slope * PIVOT)), "B": float(slope), "C": float(np.exp(constant))}
