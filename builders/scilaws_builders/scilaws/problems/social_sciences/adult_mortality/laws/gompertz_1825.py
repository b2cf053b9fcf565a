"""Death rate that grows by a fixed percentage with each year of age.

Gompertz, B. (1825), On the nature of the function expressive of the law of human mortality, and on a
new mode of determining the value of life contingencies, Philosophical Transactions of the Royal
Society of London 115, 513-583. Form mu = A exp(B x) seen with this citation in cran/MortalityLaws,
R/availableLaws.R. The target is ln mu, so the law is written through its logarithm.
"""

import numpy as np

USED_INPUTS = ["age"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"A": {"init": 5e-5}, "B": {"init": 0.09}}

SMALLEST = 1e-300


def predict(X, A, B):
    age = np.asarray(X, dtype=np.float64)[:, 0]
    return np.log(np.maximum(A, SMALLEST)) + B * age


def fit(X, y):
    """Ordinary least squares of ln m on age."""
    age = np.asarray(X, dtype=np.float64)[:, 0]
    centred = age - age.mean()
    spread = float(centred @ centred)
    slope = float(centred @ (y - np.mean(y))) / spread if spread > 0.0 else 0.0
    return {"A": float(np.exp(np.clip(np.mean(y) - slope * age.mean(), -600.0, 600.0))), "B": slope}
