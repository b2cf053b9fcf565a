"""Saturating height: half of the limit is reached at one typical diameter (Michaelis-Menten form).

Huang, S., Titus, S. J. and Wiens, D. P. (1992), Comparison of nonlinear height-diameter functions
for major Alberta tree species, Canadian Journal of Forest Research 22, 1297-1304,
doi:10.1139/x92-172. Form a d / (b + d) seen in cran/lmfor, man/HDmodels.Rd, whose models are named
after this paper, and in the page HDmethods of the R package BIOMASS. Deviation: no breast-height
offset (see curtis_1967).
"""

import numpy as np

USED_INPUTS = ["diameter_cm"]
LAW_CONSTANTS = {"a": 878.5, "b": 8.78}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}


def predict(X, a, b):
    diameter = np.maximum(np.asarray(X, dtype=np.float64)[:, 0], 0.0)
    return a * diameter / (b + diameter)
