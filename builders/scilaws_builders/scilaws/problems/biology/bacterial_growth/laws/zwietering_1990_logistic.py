"""Modified logistic curve of the log density, in terms of growth rate, lag and total growth.

Zwietering M. H., Jongenburger I., Rombouts F. M., van 't Riet K. (1990) Modeling of the bacterial growth curve. Appl.
Environ. Microbiol. 56(6), 1875-1881, doi 10.1128/aem.56.6.1875-1881.1990. ln(y / y0) = A / (1 + exp(4 mu (lag - t) /
A + 2)). Form and citation confirmed in R/logistic.R of Bioconductor package cellGrowth (rdrr.io), which applies it to
the log of the optical density; DOI on the paper's page at bohrium.dp.tech. Deviation: y is the reading itself, medium
and plate included, not a cell count, and y0 is free.
"""

import numpy as np
from scipy.optimize import least_squares

USED_INPUTS = ["time_h"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"y0": {"init": 0.11}, "A": {"init": 1.8}, "mu": {"init": 0.3}, "lag": {"init": 2.0}}

# Up to five e-folds of growth; the lag can be as long as the whole experiment.
_LOWER = np.array([0.01, 0.05, 0.005, 0.0])
_UPPER = np.array([0.5, 5.0, 3.0, 15.0])
_STARTS = ((0.11, 1.8, 0.3, 2.0), (0.11, 2.0, 0.25, 1.0), (0.11, 1.6, 0.4, 3.0))
_LARGEST_EXPONENT = 700.0


def predict(X, y0, A, mu, lag):
    """Optical density, one value a row."""
    exponent = np.minimum(4.0 * mu / A * (lag - X[:, 0]) + 2.0, _LARGEST_EXPONENT)
    return y0 * np.exp(A / (1.0 + np.exp(exponent)))


def fit(X, y):
    """Bounded least squares from fixed starts; the best start itself if no search ends in finite numbers."""
    names = tuple(LOCAL_FITTABLE)

    def residual(values):
        return predict(X, *values) - y

    best = min((np.array(start) for start in _STARTS), key=lambda start: float(np.sum(residual(start) ** 2)))
    best_cost = 0.5 * float(np.sum(residual(best) ** 2))
    for start in _STARTS:
        found = least_squares(residual, start, bounds=(_LOWER, _UPPER), x_scale=np.abs(start), max_nfev=2000)
        if np.all(np.isfinite(found.x)) and found.cost < best_cost:
            best, best_cost = found.x, float(found.cost)
    return {name: float(value) for name, value in zip(names, best, strict=True)}
