"""Sigmoid height: the logarithm of height falls in proportion to the inverse of the diameter plus one.

Wykoff, W. R., Crookston, N. L. and Stage, A. R. (1982), User's guide to the Stand Prognosis Model,
USDA Forest Service General Technical Report INT-133, doi:10.2737/INT-GTR-133. Form
exp(a + b / (d + 1)) seen in cran/lmfor, man/HDmodels.Rd ("Wykoff"), and with this citation in
reference-global.com, article 10.2478/fsmu-2024-0011 (F6). The 1 stands for one unit of diameter,
here one centimetre (an inch in the report). Deviation: no breast-height offset (see curtis_1967).
"""

import numpy as np

USED_INPUTS = ["diameter_cm"]
LAW_CONSTANTS = {"a": 6.583, "b": -4.92}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}


def predict(X, a, b):
    diameter = np.maximum(np.asarray(X, dtype=np.float64)[:, 0], 0.0)
    return np.exp(a + b / (diameter + 1.0))
