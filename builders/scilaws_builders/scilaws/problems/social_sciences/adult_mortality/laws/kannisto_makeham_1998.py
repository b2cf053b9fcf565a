"""Death rate made of an age-independent part and a logistic part that levels off at one a year.

Thatcher, A. R., Kannisto, V. and Vaupel, J. W. (1998), The force of mortality at ages 80 to 120,
Odense Monographs on Population Aging 5, Odense University Press. Form
mu = A exp(B x) / (1 + A exp(B x)) + C seen, dated 1998, in cran/MortalityLaws, R/availableLaws.R.
"""

import numpy as np
from scipy.optimize import least_squares

USED_INPUTS = ["age"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"A": {"init": 3e-5}, "B": {"init": 0.09}, "C": {"init": 3e-4}}

PIVOT = 60.0  # age at which the level of the logistic part is searched for, in years
LOWER = [-25.0, 1e-3, -25.0]
UPPER = [3.0, 0.5, 0.0]


def predict(X, A, B, C):
    age = np.asarray(X, dtype=np.float64)[:, 0]
    with np.errstate(divide="ignore"):
        return np.logaddexp(np.log(C), -np.logaddexp(0.0, -(np.log(A) + B * age)))


def fit(X, y):
    """Least squares on ln m from three sizes of the constant part; the search works on ln C and logit m(60)."""
    age = np.asarray(X, dtype=np.float64)[:, 0]

    def residuals(p):
        return np.logaddexp(p[2], -np.logaddexp(0.0, -(p[0] + p[1] * (age - PIVOT)))) - y

    found = [least_squares(residuals, [-4.5, 0.09, start], bounds=(LOWER, UPPER)) for start in (-6.5, -8.0, -9.5)]
    level, slope, constant = min(found, key=lambda result: result.cost).x
    return {"A": float(np.exp(level - slope * PIVOT)), "B": float(slope), "C": float(np.exp(constant))}
