"""Adult body mass and basal metabolic rate of mammals from an AnAge table (build 14)."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd

_FILE = "anage_data.txt"
# The published task leaves these two insectivore orders out; the same rows are needed to reproduce its value.
_ORDERS_LEFT_OUT = ("Soricomorpha", "Afrosoricida")


def records(source) -> pd.DataFrame:
    """One row a mammal species with both quantities, in file order: mass in g, log10 of the rate in W."""
    table = pd.read_csv(io.BytesIO(source.read(_FILE)), sep="\t", encoding="utf-8", dtype=str)
    mass = pd.to_numeric(table["Body mass (g)"])
    rate = pd.to_numeric(table["Metabolic rate (W)"])
    keep = (table["Class"] == "Mammalia") & ~table["Order"].isin(_ORDERS_LEFT_OUT) & (mass > 0) & (rate > 0)
    return pd.DataFrame(
        {
            "body_mass_g": mass[keep].to_numpy(dtype=float),
            "log_bmr_W": np.log10(rate[keep].to_numpy(dtype=float)),
        }
    )
