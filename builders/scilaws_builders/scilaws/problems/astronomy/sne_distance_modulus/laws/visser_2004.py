"""Kinematic expansion of the luminosity distance to third order in redshift.

Visser M. (2004) Jerk, snap, and the cosmological equation of state. Class. Quantum Grav. 21, 2603-2615 (arXiv
gr-qc/0309109). d_L = (c z / H0) [1 + (1 - q0) z / 2 - (1 - q0 - 3 q0**2 + j0) z**2 / 6] for a flat universe. Citation
confirmed at semanticscholar.org and arxiv.org/abs/gr-qc/0309109 (abstract); formula found by exact-string search in
several public repositories, among them an audit of cosmology code that states it as an equation with a link to this
paper. q0 = -0.55: README of repository valerio-marra/CalPriorSNIa and abstract of arXiv 1906.11814, both of which say
it is the value fixed in the SH0ES analysis (arXiv 2112.04510); with j0 = 1: the frozen configuration of
distance-network code StefCas789/H0DN as quoted in a public audit of it. H0 = 73.04 km/s/Mpc: abstract of Riess et al.
2022 (ApJL 934, L7; vivo.library.tamu.edu). SH0ES uses the expansion below z = 0.15 only; here it is carried to z =
2.3, where its cubic is still positive and rising (d_L turns over at z = 2.4).
"""

import numpy as np

USED_INPUTS = ["z_hd"]
LAW_CONSTANTS = {"H0": 73.04, "q0": -0.55, "j0": 1.0}
OTHER_CONSTANTS = {"c_km_s": 299792.458}
LOCAL_FITTABLE = {}

c_km_s = 299792.458


def predict(X, H0, q0, j0):
    """mu in mag, one value a row."""
    z = X[:, 0]
    series = 1.0 + 0.5 * (1.0 - q0) * z - (1.0 - q0 - 3.0 * q0**2 + j0) * z**2 / 6.0
    return 5.0 * np.log10(c_km_s * z / H0 * series) + 25.0
