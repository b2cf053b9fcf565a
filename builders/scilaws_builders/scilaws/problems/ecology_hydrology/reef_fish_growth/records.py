"""Lengths at age of coral reef fishes, back-calculated from the growth rings of their otoliths."""

import io

import pandas as pd


def records(source):
    """One row per fish and ring, in the order of the file; rows without a back-calculated length are left out."""
    data = source.read("02_back-calculated-size-at-age_morat-et-al.csv")
    table = pd.read_csv(io.BytesIO(data), encoding="latin-1")
    table = table[table["Li_sp_m"].notna()]
    # The split orders rows of one age by fish; a fish is numbered by the rank of its identifier.
    fish = {identifier: number for number, identifier in enumerate(sorted(table["ID"].unique()))}
    return pd.DataFrame(
        {
            "species": table["Species"].astype(str),
            "fish": table["ID"].map(fish).astype("float64"),
            "Agei": table["Agei"].astype("float64"),
            "Li_sp_m": table["Li_sp_m"].astype("float64"),
        }
    ).reset_index(drop=True)
