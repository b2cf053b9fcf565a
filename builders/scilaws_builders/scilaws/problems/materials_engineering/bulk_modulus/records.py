"""Computed bulk moduli of inorganic crystals (de Jong et al. 2015), from a table in the source archive of matminer."""

from __future__ import annotations

import io
import re

import numpy as np
import pandas as pd

_TABLE = "matminer-0.3.2/matminer/datasets/elastic_tensor.csv"

# Abridged standard atomic weights of 2021 (Prohaska et al. 2022, Pure Appl. Chem. 94, doi 10.1515/pac-2019-0603) for
# the elements of the table; technetium has none and gets the mass number of a long-lived isotope.
_ATOMIC_WEIGHT = {
    "H": 1.0080, "Li": 6.94, "Be": 9.0121831, "B": 10.81, "C": 12.011, "N": 14.007, "O": 15.999, "F": 18.998403162,
    "Na": 22.98976928, "Mg": 24.305, "Al": 26.9815384, "Si": 28.085, "P": 30.973761998, "S": 32.06, "Cl": 35.45,
    "K": 39.0983, "Ca": 40.078, "Sc": 44.955907, "Ti": 47.867, "V": 50.9415, "Cr": 51.9961, "Mn": 54.938043,
    "Fe": 55.845, "Co": 58.933194, "Ni": 58.6934, "Cu": 63.546, "Zn": 65.38, "Ga": 69.723, "Ge": 72.630,
    "As": 74.921595, "Se": 78.971, "Br": 79.904, "Rb": 85.4678, "Sr": 87.62, "Y": 88.905838, "Zr": 91.224,
    "Nb": 92.90637, "Mo": 95.95, "Tc": 98.0, "Ru": 101.07, "Rh": 102.90549, "Pd": 106.42, "Ag": 107.8682,
    "Cd": 112.414, "In": 114.818, "Sn": 118.710, "Sb": 121.760, "Te": 127.60, "I": 126.90447, "Cs": 132.90545196,
    "Ba": 137.327, "Hf": 178.486, "Ta": 180.94788, "W": 183.84, "Re": 186.207, "Os": 190.23, "Ir": 192.217,
    "Pt": 195.084, "Au": 196.966570, "Hg": 200.592, "Tl": 204.38, "Pb": 207.2, "Bi": 208.98040,
}  # fmt: skip

# Highest space-group number of each crystal system, triclinic (1) to cubic (7).
_LAST_SPACE_GROUP = np.array([2, 15, 74, 142, 167, 194, 230])

_PART = re.compile(r"\(([^()]*)\)(\d*)|([A-Z][a-z]?)(\d*)")


def records(source) -> pd.DataFrame:
    """One row a compound, in the row order of the file (the split lists row numbers)."""
    table = pd.read_csv(
        io.BytesIO(source.read(_TABLE)),
        skiprows=1,  # a line with the reference stands above the header
        usecols=["K_VRH", "formula", "nsites", "space_group", "volume"],
    )
    return pd.DataFrame(
        {
            "V_atomic_A3": table["volume"].to_numpy(dtype="float64") / table["nsites"].to_numpy(dtype="float64"),
            "M_avg_amu": [_mean_atomic_mass(formula) for formula in table["formula"]],
            "crystal_system_id": 1.0 + np.searchsorted(_LAST_SPACE_GROUP, table["space_group"].to_numpy()),
            "K_VRH_GPa": table["K_VRH"].to_numpy(dtype="float64"),
        }
    )


def _mean_atomic_mass(formula: str) -> float:
    atoms, mass = _count_and_mass(formula)
    return mass / atoms


def _count_and_mass(formula: str) -> tuple[int, float]:
    """Number of atoms and mass in u of one formula unit, such as Ca(Al2Cu)4."""
    if _PART.sub("", formula):
        raise ValueError(f"a formula of element symbols, numbers and simple brackets expected, found {formula!r}")
    atoms, mass = 0, 0.0
    for bracket, bracket_times, element, times in _PART.findall(formula):
        if element:
            count, weight = 1, _ATOMIC_WEIGHT[element]
        else:
            count, weight = _count_and_mass(bracket)
        factor = int(times or bracket_times or 1)
        atoms, mass = atoms + factor * count, mass + factor * weight
    return atoms, mass
