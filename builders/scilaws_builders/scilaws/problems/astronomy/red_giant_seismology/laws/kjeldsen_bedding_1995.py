"""Solar scaling of mean density and surface gravity, with the radius eliminated and one mass for all giants.

Kjeldsen H., Bedding T. R. (1995) Amplitudes of stellar oscillations: the implications for asteroseismology. A&A 293,
87-106. Δν ∝ M^½ R^-3/2 and ν_max ∝ M R^-2 T_eff^-½: GitHub RuthAngus/Subgiants, scaling_relations.py, and, as functions
of luminosity and with this citation, the front page of the documentation of GitHub bmorris3/shocksgo.
Solar references: 135.1 uHz and 3090 uHz of Huber et al. (2011), ApJ 743, 143, as in the package lightkurve
(seismology/stellar_estimators.py); 5777 K as in RuthAngus/Subgiants.
Together they give Δν = Δν_sun (ν_max/ν_max,sun)^¾ (T_eff/T_sun)^⅜ M^-¼. Masses are not among the inputs: one mass in
solar units stands for all stars and is fitted on the training rows.
"""

USED_INPUTS = ["nu_max", "teff"]
LAW_CONSTANTS = {"mass": 1.2}
OTHER_CONSTANTS = {"delta_nu_sun": 135.1, "nu_max_sun": 3090.0, "teff_sun": 5777.0}  # uHz, uHz, K
LOCAL_FITTABLE = {}


def predict(X, mass):
    """Large separation in uHz from ν_max in uHz and the effective temperature in K."""
    frequency = X[:, 0] / OTHER_CONSTANTS["nu_max_sun"]
    temperature = X[:, 1] / OTHER_CONSTANTS["teff_sun"]
    return OTHER_CONSTANTS["delta_nu_sun"] * frequency**0.75 * temperature**0.375 * mass**-0.25
