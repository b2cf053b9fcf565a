"""Surface law: basal metabolic rate in proportion to the two-thirds power of mass.

Rubner M. (1883) Ueber den Einfluss der Koerpergroesse auf Stoff- und Kraftwechsel. Zeitschrift fuer Biologie 19,
535-562. The law with this citation (rate in proportion to body surface, hence mass to the power 2/3) is stated in the
abstract of J. Exp. Biol. 208, 1611 (2005), "Allometric scaling of mammalian metabolism", journals.biologists.com, and
in the opening pages of Kleiber 1932 (slideshare scan); the full reference in a reference list of repository
gyrogovernance/science. Rubner measured dogs and gave no level for mammals at large, so LOG_B0 is fitted by us on the
train rows: the mean of log10(rate) - (2/3) log10(mass). (The published task sets -1.497, which makes the line cross
Kleiber's at 391 g.)
"""

import numpy as np

USED_INPUTS = ["body_mass_g"]
LAW_CONSTANTS = {"B_EXPONENT": 0.6666666666666666, "LOG_B0": -1.6077454619170681}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}


def predict(X, B_EXPONENT, LOG_B0):
    """log10 of the rate in W, one value a row."""
    return LOG_B0 + B_EXPONENT * np.log10(X[:, 0])
