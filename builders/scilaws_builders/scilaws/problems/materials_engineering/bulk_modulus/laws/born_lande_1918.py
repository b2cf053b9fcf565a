"""Inverse fourth power of the interatomic distance, with one prefactor a crystal system.

Born M., Lande A. (1918) Ueber die Berechnung der Kompressibilitaet regulaerer Kristalle aus der Gittertheorie. Verh.
Dtsch. Phys. Ges. 20, 210-216. For rock salt with repulsion 1/r^m: K = (m - 1) alpha z^2 e^2 / (18 * 4 pi eps0 r^4),
alpha the Madelung constant of the structure. Citation: docs of the public package chemistrykit (history of crystal
physics, text index file 69447749129); formula: public lecture notes on chemical bonding (text index file 25149213465).
With r^3 proportional to the volume per atom, K = 10^a V^(-4/3), where a holds charge, repulsion and structure.
The six a are not in the paper: they are fitted on training rows in log K, as in the published benchmark task, whose
six decimals our fit repeats. That task names this formula after Anderson and Nafe (1965), whose paper we could not see
stating it.
"""

import numpy as np

USED_INPUTS = ["V_atomic_A3", "crystal_system_id"]
LAW_CONSTANTS = {
    "a_monoclinic": 3.671468,
    "a_orthorhombic": 3.674551,
    "a_tetragonal": 3.705846,
    "a_trigonal": 3.609841,
    "a_hexagonal": 3.675350,
    "a_cubic": 3.675828,
}
OTHER_CONSTANTS = {"a_other": 3.677239}  # mean over all training rows; no row is triclinic
LOCAL_FITTABLE = {}


def predict(X, a_monoclinic, a_orthorhombic, a_tetragonal, a_trigonal, a_hexagonal, a_cubic):
    """Bulk modulus in GPa for a volume per atom in cubic angstrom."""
    known = np.array([a_monoclinic, a_orthorhombic, a_tetragonal, a_trigonal, a_hexagonal, a_cubic])
    system = np.rint(X[:, 1]).astype(int) - 2
    inside = (system >= 0) & (system < 6)
    level = np.where(inside, known[np.clip(system, 0, 5)], OTHER_CONSTANTS["a_other"])
    return 10.0 ** (level - 4.0 / 3.0 * np.log10(X[:, 0]))
