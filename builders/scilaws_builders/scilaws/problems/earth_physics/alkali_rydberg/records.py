"""One-electron levels of sodium, potassium, rubidium and caesium from the NIST level lists in the ARC package."""

from __future__ import annotations

import re
from typing import NamedTuple

import pandas as pd


class _Atom(NamedTuple):
    symbol: str
    core: str  # configuration of the closed shells below the valence electron
    limit: float  # ionisation limit above the ground level, cm^-1, NIST Atomic Spectra Database
    columns: tuple[int, int, int]  # positions of configuration, J and level among the cells of a line


_ATOMS = {
    "na": _Atom("Na", "2p6", 41449.451, (0, 2, 3)),
    "k": _Atom("K", "3p6", 35009.814, (0, 2, 3)),
    "rb": _Atom("Rb", "4p6", 33690.81, (0, 1, 2)),
    "cs": _Atom("Cs", "5p6", 31406.46766, (0, 1, 2)),
}
_CM1_PER_EV = 8065.54394
_ORBITALS = "spdfgh"  # l = 0, 1, 2 …
_SMALLEST_SERIES = 6  # rows; drops the two levels each of the K and Rb g series


def records(source) -> pd.DataFrame:
    """One row a listed level (each J its own row), atoms Na, K, Rb, Cs, in the order of the files.

    Levels in square brackets (interpolated, extrapolated or semi-empirical in the NIST lists) are kept.
    """
    rows = []
    for key, atom in _ATOMS.items():
        (name,) = [name for name in source.names() if name.endswith(f"/{key}_NIST_level_data.ascii")]
        rows += _levels(source.read(name).decode("ascii"), atom)
    table = pd.DataFrame(rows, columns=["series", "n_qm", "l_qm", "binding_energy_cm1"])
    sizes = table.groupby("series")["series"].transform("size")
    return table[sizes >= _SMALLEST_SERIES].reset_index(drop=True)


def _levels(text: str, atom: _Atom) -> list[tuple[str, float, float, float]]:
    """Rows of one file. A configuration is written on the first line of its term only; blank lines part the terms."""
    rows, configuration = [], ""
    at_configuration, at_j, at_level = atom.columns
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        configuration = cells[at_configuration] or configuration
        if not cells[at_j]:
            continue
        state = re.fullmatch(rf"{atom.core}\.(\d+)([{_ORBITALS}])", configuration)
        if state is None:
            raise ValueError(f"{atom.symbol}: expected {atom.core}.<n><orbital>, found {configuration!r}")
        number, orbital = state.groups()
        energy = atom.limit - float(cells[at_level].strip("[]")) * _CM1_PER_EV
        rows.append((f"{atom.symbol}_{orbital}", float(number), float(_ORBITALS.index(orbital)), energy))
    return rows
