"""Height as a power of stem diameter.

Curtis, R. O. (1967), Height-diameter and height-diameter-age equations for second-growth
Douglas-fir, Forest Science 13(4), 365-375, doi:10.1093/forestscience/13.4.365. Form h = 1.3 + a d^b
seen with this citation in the equation table of an Estonian comparison of height-diameter curves
(reference-global.com, article 10.2478/fsmu-2024-0011, F3). Deviation: no breast-height offset, since
the stems here were measured on trees down to 0.9 m tall; then height vanishes with diameter.
"""

import numpy as np

USED_INPUTS = ["diameter_cm"]
LAW_CONSTANTS = {"a": 127.23, "b": 0.5733}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}


def predict(X, a, b):
    diameter = np.asarray(X, dtype=np.float64)[:, 0]
    return a * np.maximum(diameter, 0.0) ** b
