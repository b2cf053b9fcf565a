"""Redshift and standardised distance modulus of the supernovae in the Pantheon+SH0ES table."""

from __future__ import annotations

import io

import pandas as pd

_FILE = "Pantheon+SH0ES.dat"


def records(source) -> pd.DataFrame:
    """One row a light curve in file order, exact repeats of the pair dropped as in the published task."""
    table = pd.read_csv(io.BytesIO(source.read(_FILE)), sep=r"\s+", usecols=["zHD", "MU_SH0ES"])
    table = table.drop_duplicates(["zHD", "MU_SH0ES"]).reset_index(drop=True)
    return pd.DataFrame({"z_hd": table["zHD"].astype(float), "mu": table["MU_SH0ES"].astype(float)})
