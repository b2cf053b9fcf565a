"""Height as the square of a saturating ratio of the diameter.

Naslund, M. (1936), Skogsforsoksanstaltens gallringsforsok i tallskog, Meddelanden fran Statens
skogsforsoksanstalt 29(1), 1-169 (some authors date the volume 1937). Form d^2 / (a + b d)^2 seen
with this citation in Silviculturalist/pyforestry, src/pyforestry/base/helpers/height_models.py, and
in cran/lmfor, man/HDmodels.Rd. Deviation: no breast-height offset (see curtis_1967).
"""

import numpy as np

USED_INPUTS = ["diameter_cm"]
LAW_CONSTANTS = {"a": 0.0957, "b": 0.0369}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}


def predict(X, a, b):
    diameter = np.maximum(np.asarray(X, dtype=np.float64)[:, 0], 0.0)
    return (diameter / (a + b * diameter)) ** 2
