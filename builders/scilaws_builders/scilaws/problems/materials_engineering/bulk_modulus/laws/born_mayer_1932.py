"""Ionic lattice with exponential repulsion.

Born M., Mayer J. E. (1932) Zur Gittertheorie der Ionenkristalle. Z. Phys. 75, 1-18. For rock salt with nearest distance
r and repulsion exp(-r / rho): K = alpha z^2 e^2 / (18 * 4 pi eps0 r^4) * (r / rho - 2). Formula: public course text on
solid-state physics (text index file 70619107367, same result in 50995728149); citation: reference lists of two public
texts (files 52485496857 and 62340454244); rho near 0.30 angstrom for all alkali halides: owiki.org, "Born-Mayer
equation". In rock salt the volume per atom is exactly r^3. The mean square charge z^2 is fitted on training rows; the
crystals are of all structures, so it also absorbs coordination and covalency.
"""

import numpy as np

USED_INPUTS = ["V_atomic_A3"]
LAW_CONSTANTS = {"z_squared": 3.871224, "rho": 0.30}
OTHER_CONSTANTS = {
    "madelung": 1.7476,
    "coulomb_eV_A": 14.399645,  # e^2 / (4 pi eps0)
    "GPa_per_eV_A3": 160.21766,
}
LOCAL_FITTABLE = {}


def predict(X, z_squared, rho):
    """Bulk modulus in GPa for a volume per atom in cubic angstrom."""
    r = np.cbrt(X[:, 0])
    scale = OTHER_CONSTANTS["madelung"] * OTHER_CONSTANTS["coulomb_eV_A"] * OTHER_CONSTANTS["GPa_per_eV_A3"] / 18.0
    return z_squared * scale / r**4 * (r / rho - 2.0)
