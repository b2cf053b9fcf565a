"""Ratio of squared runs.

James B. (1980) The Baseball Abstract, self-published. Formula with exponent 2: Baseball Prospectus article 342,
"Revisiting the Pythagorean Theorem"; first mention in the 1980 Abstract: grokipedia.com, "Pythagorean expectation".
The Abstract itself was not seen.
"""

import numpy as np

USED_INPUTS = ["R", "RA"]
LAW_CONSTANTS = {"gamma": 2.0}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}


def predict(X, gamma):
    """Share of decided games won; written in the ratio of runs so that no large power is formed."""
    return 1.0 / (1.0 + np.power(X[:, 1] / X[:, 0], gamma))
