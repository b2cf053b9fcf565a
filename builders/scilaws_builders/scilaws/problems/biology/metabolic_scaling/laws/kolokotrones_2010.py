"""Curved metabolic scaling: a quadratic in log mass on log axes.

Kolokotrones T., Savage V., Deeds E. J., Fontana W. (2010) Curvature in metabolic scaling. Nature 464, 753-756, doi
10.1038/nature08920, Table 1 (fit without body temperature; rate in W, mass in g, logarithms to base 10). Coefficients
seen in the public gist FlukeAndFeather/468f20ed27de03a71d0a76245cb2d4cb, which cites the paper and its Table 1;
cross-checked against Table 1 of Ballesteros et al. 2018 (nature.com, s41598-018-19853-6): its quadratic for all
mammals, natural logarithms and kJ/h, -2.19 + 0.54 ln M + 0.014 (ln M)**2, becomes -1.507, 0.54, 0.032 in our units.
Fitted by its authors on McNab's 637 mammals, many of which are also rows here, train and test alike.
"""

import numpy as np

USED_INPUTS = ["body_mass_g"]
LAW_CONSTANTS = {"BETA0": -1.5078, "BETA1": 0.5400, "BETA2": 0.0322}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}


def predict(X, BETA0, BETA1, BETA2):
    """log10 of the rate in W, one value a row."""
    log_mass = np.log10(X[:, 0])
    return BETA0 + BETA1 * log_mass + BETA2 * log_mass**2
