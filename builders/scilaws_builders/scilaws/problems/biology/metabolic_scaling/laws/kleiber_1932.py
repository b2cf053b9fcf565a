"""Three-quarter power law of basal metabolic rate.

Kleiber M. (1932) Body size and metabolism. Hilgardia 6(11), 315-353, doi 10.3733/hilg.v06n11p315. Exponent 3/4 on
body weight: confirmed in the paper's summary at study.space ("Body size and metabolism") and in the scanned text on
slideshare; formula with its level (3.4 W, i.e. 70 kcal a day, at 1 kg) at wikihq.org, "Kleiber's law"; DOI in the
reference list of review.clateway.com, "Kleiber's law". The level here is the one of the published benchmark task:
10**(-1.713 + 0.75*3) = 3.44 W (71 kcal a day) at 1 kg; Kleiber's later rounding, 70 kcal a day, would be -1.720.
Written for log10 of the rate in W and mass in g.
"""

import numpy as np

USED_INPUTS = ["body_mass_g"]
LAW_CONSTANTS = {"B_EXPONENT": 0.75, "LOG_B0": -1.713}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}


def predict(X, B_EXPONENT, LOG_B0):
    """log10 of the rate in W, one value a row."""
    return LOG_B0 + B_EXPONENT * np.log10(X[:, 0])
