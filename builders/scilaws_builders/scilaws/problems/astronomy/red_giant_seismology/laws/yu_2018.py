"""Power law in the frequency of maximum power, red giants only.

Yu J., Huber D., Bedding T. R., Stello D., Hon M., Murphy S. J., Khanna S. (2018) Asteroseismology of 16,000 Kepler red
giants: global oscillation parameters, masses, and radii. ApJS 236, 42, doi 10.3847/1538-4365/aaaf74, section 3.6 and
figure 7a: A = 0.267 ± 0.002, β = 0.764 ± 0.002. Section, figure and constants as quoted in the formula module `yu_2018`
of the published benchmark, public code index; 0.267 ν_max^0.764 "for Kepler giants from Yu et al. (2018)" in several
public repositories. The paper fitted giants of the Kepler mission, so many stars of this problem took part.
"""

USED_INPUTS = ["nu_max"]
LAW_CONSTANTS = {"A": 0.267, "beta": 0.764}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}


def predict(X, A, beta):
    """Large separation A ν_max^β in uHz, ν_max in uHz."""
    return A * X[:, 0] ** beta
