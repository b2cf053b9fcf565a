"""Oscillation properties of red giants seen by Kepler and TESS, from the table of earlier fits in the PBjam package."""

from __future__ import annotations

import io

import pandas as pd

_TABLE = "pbjam/data/prior_data.csv"
# Giants only: above this frequency of maximum power stars are subgiants and dwarfs.
_GIANT_LIMIT_UHZ = 300.0


def records(source) -> pd.DataFrame:
    """One row a star in the order of the table; frequencies in uHz and temperature in K, which the table has as log10.

    Rows whose ID starts with "mode" come from stellar models, not from observed spectra, and are left out.
    """
    table = pd.read_csv(io.BytesIO(source.read(_TABLE)), usecols=["ID", "numax", "dnu", "teff", "bp_rp"])
    observed = table[~table["ID"].str.startswith("mode")]
    stars = pd.DataFrame(
        {
            "nu_max": 10.0 ** observed["numax"].to_numpy(),
            "teff": 10.0 ** observed["teff"].to_numpy(),
            "bp_rp": observed["bp_rp"].to_numpy(),
            "delta_nu": 10.0 ** observed["dnu"].to_numpy(),
        }
    )
    return stars[stars["nu_max"] < _GIANT_LIMIT_UHZ].reset_index(drop=True)
