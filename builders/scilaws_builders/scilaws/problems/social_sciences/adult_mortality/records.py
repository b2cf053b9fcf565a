"""Death rates of adults in the United States by single year of age, from the Human Mortality Database."""

import numpy as np
import pandas as pd

_SEXES = {"female": "fltper_1x1.txt", "male": "mltper_1x1.txt"}
_YEARS = range(1990, 2023, 2)
_AGES = range(30, 95)


def records(source):
    """One row per sex, even calendar year 1990-2022 and age 30-94, in that order.

    From age 95 on the database replaces observed rates by a fitted curve; these ages are left out.
    """
    parts = []
    for sex, name in _SEXES.items():
        lines = source.read(f"lifetables/data/hmd/{name}").decode("ascii").splitlines()
        # Two lines of title, one of column names; the last age is written "110+".
        cells = [line.split()[:3] for line in lines[3:] if line.strip()]
        table = pd.DataFrame(cells, columns=["year", "age", "m"])
        table["age"] = table["age"].str.rstrip("+")
        table = table.astype({"year": "int64", "age": "int64", "m": "float64"})
        table = table[table["year"].isin(_YEARS) & table["age"].isin(_AGES)].sort_values(["year", "age"])
        parts.append(
            pd.DataFrame(
                {
                    "population": sex + "_" + table["year"].astype(str),
                    "age": table["age"].astype("float64"),
                    "log_m_adult": np.log(table["m"]),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)
