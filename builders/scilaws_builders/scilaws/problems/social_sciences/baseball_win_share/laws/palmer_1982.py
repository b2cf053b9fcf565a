"""Run difference divided by the runs that buy one win at the given scoring level.

Palmer P. (1982) Runs and Wins. The National Pastime 1 (Society for American Baseball Research). Article and journal:
sabr.org/latest/palmer-runs-and-wins. Formula, runs per win = 10 sqrt(runs an inning of both sides together) =
10 sqrt(((R + RA) / G) / 9): the weblog "Walk Like a Sabermetrician", posts "Runs Per Win" and "Runs Per Win from
Pythagenpat", read in the text collection Nemotron-CC-Math. The article itself was seen only in its opening lines.
"""

import numpy as np

USED_INPUTS = ["R", "RA", "G"]
LAW_CONSTANTS = {"runs_per_win": 10.0}
OTHER_CONSTANTS = {"innings_per_game": 9.0}
LOCAL_FITTABLE = {}


def predict(X, runs_per_win):
    """Share of decided games won; not confined to 0..1 for extreme clubs."""
    runs, conceded, games = X[:, 0], X[:, 1], X[:, 2]
    per_inning = (runs + conceded) / games / OTHER_CONSTANTS["innings_per_game"]
    return 0.5 + (runs - conceded) / games / (runs_per_win * np.sqrt(per_inning))
