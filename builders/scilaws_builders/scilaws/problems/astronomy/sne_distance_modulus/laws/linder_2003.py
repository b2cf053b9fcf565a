"""Distance modulus in a flat universe of matter and dark energy with w(a) = w0 + wa (1 - a).

Linder E. V. (2003) Exploring the expansion history of the universe. Phys. Rev. Lett. 90, 091301, doi
10.1103/PhysRevLett.90.091301. Equation of state, density scaling and citation confirmed in repository
astropy/astropy, astropy/cosmology/flrw/w0wacdm.py. Constants: H0 = 73.04 km/s/Mpc from the abstract of Riess et al.
2022 (ApJL 934, L7; vivo.library.tamu.edu), Om = 0.334 from the abstract of Brout et al. 2022 (ApJ 938, 110;
vivo.library.tamu.edu), both with a cosmological constant (w0 = -1, wa = 0). Both were derived from these same
supernovae, test rows included. Radiation is left out.
"""

import numpy as np

USED_INPUTS = ["z_hd"]
LAW_CONSTANTS = {"H0": 73.04, "Om": 0.334, "w0": -1.0, "wa": 0.0}
OTHER_CONSTANTS = {"c_km_s": 299792.458}
LOCAL_FITTABLE = {}

c_km_s = 299792.458
# 200 nodes leave the quadrature error below 1e-12 in mu for every z <= 2.3, far below the data's noise.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


def predict(X, H0, Om, w0, wa):
    """mu in mag, one value a row."""
    z = X[:, 0]
    grid = 0.5 * z[:, None] * (_NODES + 1.0)
    dark = (1.0 + grid) ** (3.0 * (1.0 + w0 + wa)) * np.exp(-3.0 * wa * grid / (1.0 + grid))
    expansion = np.sqrt(Om * (1.0 + grid) ** 3 + (1.0 - Om) * dark)
    # A plain sum over the last axis keeps each row's result independent of the other rows, bit for bit.
    comoving = 0.5 * z * np.sum(_WEIGHTS / expansion, axis=1)
    return 5.0 * np.log10((1.0 + z) * c_km_s / H0 * comoving) + 25.0
