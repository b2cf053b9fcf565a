"""Death rate along a logistic curve of age that levels off at one a year.

Thatcher, A. R., Kannisto, V. and Vaupel, J. W. (1998), The force of mortality at ages 80 to 120,
Odense Monographs on Population Aging 5, Odense University Press. Form
mu = A exp(B x) / (1 + A exp(B x)) seen with this citation in cran/MortalityLaws, R/availableLaws.R.
"""

import numpy as np
from scipy.optimize import least_squares

USED_INPUTS = ["age"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"A": {"init": 3e-5}, "B": {"init": 0.09}}

PIVOT = 60.0  # age at which the level is searched for, in years
LOWER = [-25.0, 1e-3]
UPPER = [3.0, 0.5]


def predict(X, A, B):
    age = np.asarray(X, dtype=np.float64)[:, 0]
    logit = np.log(A) + B * age
    return -np.logaddexp(0.0, -logit)


def fit(X, y):
    """Least squares on ln m; the search works on the logit at age 60."""
    age = np.asarray(X, dtype=np.float64)[:, 0]

    def residuals(p):
        return -np.logaddexp(0.0, -(p[0] + p[1] * (age - PIVOT))) - y

    level, slope = least_squares(residuals, [-4.5, 0.09], bounds=(LOWER, UPPER)).x
    return {"A": float(np.exp(level - slope * PIVOT)), "B": float(slope)}
