"""Bond-length scaling of covalent tetrahedral crystals.

Cohen M. L. (1985) Calculation of bulk moduli of diamond and zinc-blende solids. Phys. Rev. B 32, 7988-7991, doi
10.1103/PhysRevB.32.7988: K = (1971 - 220 lambda) d^(-3.5), d the bond length in angstrom, lambda = 0 for group IV.
Formula with this DOI: public mechanics module by S. Bajaj (text index file 1134770882, there with the later factor
N_c / 4) and a public review of elasticity papers (file 54142562480); journal reference also on a Hindawi page
(amse/2007/057143). The published benchmark task has 1972 instead of 1971.
The bond length of the diamond and zinc-blende structure is (sqrt(3) / 2) V^(1/3), V the volume per atom. The published
task used V^(1/3), which halves the result; with 1972 and V^(1/3) our test rows give its 84.6968 GPa.
"""

import numpy as np

USED_INPUTS = ["V_atomic_A3"]
LAW_CONSTANTS = {"prefactor": 1971.0, "exponent": -3.5}
OTHER_CONSTANTS = {"bond_per_cube_root": 0.8660254037844386}
LOCAL_FITTABLE = {}


def predict(X, prefactor, exponent):
    """Bulk modulus in GPa for a volume per atom in cubic angstrom."""
    bond = OTHER_CONSTANTS["bond_per_cube_root"] * np.cbrt(X[:, 0])
    return prefactor * np.power(bond, exponent)
