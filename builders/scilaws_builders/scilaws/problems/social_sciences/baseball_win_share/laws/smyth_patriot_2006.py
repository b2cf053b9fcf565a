"""Ratio of powers of runs whose exponent grows with the scoring level ("PythagenPat").

Smyth D. and the writer known as Patriot, about 2003-2006; x = ((R + RA) / G)^0.287. Formula and name:
tangotiger.net/wiki_archive/PythagenPat.html; attribution to D. Smyth and "Patriot", with the remark that one run a game
in all forces x = 1: en-academic.com, "Pythagorean expectation". 2006 is the year of the earliest dated use seen (a
review of the 2006 Hardball Times Baseball Annual), not of the first posting.
"""

import numpy as np

USED_INPUTS = ["R", "RA", "G"]
LAW_CONSTANTS = {"z": 0.287}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}


def predict(X, z):
    """Share of decided games won; the exponent is a power of the runs a game of both sides together."""
    exponent = np.power((X[:, 0] + X[:, 1]) / X[:, 2], z)
    return 1.0 / (1.0 + np.power(X[:, 1] / X[:, 0], exponent))
