"""Optical density of the inoculated wells of one 96-well plate, read every 14 minutes for 12 hours."""

from __future__ import annotations

import io

import pandas as pd

_MEMBER = "data/Tecan_210115.csv"
# The package's command line takes strain "0" as its blank: wells G12 and H12, whose density stays at 0.10-0.115.
_BLANK_STRAIN = "0"


def records(source) -> pd.DataFrame:
    """One row a reading, wells in file order (A1, A2, … H11), by time; densities as read, medium included."""
    table = pd.read_csv(io.BytesIO(source.read(_MEMBER)), encoding="utf-8", dtype={"Strain": str, "Well": str})
    table = table[table["Strain"] != _BLANK_STRAIN]
    return pd.DataFrame(
        {
            "well": table["Well"],
            "time_h": table["Time"].astype(float),
            "od": table["OD"].astype(float),
        }
    ).reset_index(drop=True)
