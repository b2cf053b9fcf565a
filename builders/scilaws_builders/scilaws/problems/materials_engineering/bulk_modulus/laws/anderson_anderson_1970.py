"""Bulk modulus times volume is constant.

Anderson D. L., Anderson O. L. (1970) The bulk modulus-volume relationship for oxides. J. Geophys. Res. 75, 3494-3500.
Abstract (K V0 constant for oxides as for alkali halides, the product depending on structure and valence): Caltech
repository page CaltechAUTHORS:20181130-131437325 (reprint of 1988); journal reference: docstring in the public package
pyrolite, mineral lattice module. Here one product for all compounds, fitted on training rows, and volume per atom.
"""

import numpy as np

USED_INPUTS = ["V_atomic_A3"]
LAW_CONSTANTS = {"modulus_times_volume": 2167.415}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}


def predict(X, modulus_times_volume):
    """Bulk modulus in GPa for a volume per atom in cubic angstrom."""
    return modulus_times_volume / np.asarray(X[:, 0], dtype=np.float64)
