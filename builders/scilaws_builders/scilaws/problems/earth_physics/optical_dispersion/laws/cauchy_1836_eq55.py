"""Three-term series of the squared index in inverse even powers of the wavelength.

Cauchy A.-L. (1836) Mémoire sur la dispersion de la lumière. J. G. Calve, Prague (Nouveaux exercices de mathématiques),
equation 55, p. 215, as quoted in the formula module `cauchy_1836_eq55` of the published benchmark, in the public code
index; that the series is one of n² and was found by Cauchy also in Poincaré, Théorie mathématique de la lumière I
(1889), p. 192 (French Wikisource); memoir and year in French Wikipedia, "Loi de Cauchy (optique)".
Cauchy's variable s is proportional to 1/λ; the wavelength is in um here.
"""

import numpy as np

USED_INPUTS = ["wavelength_um"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
# Units 1, um^2, um^4.
LOCAL_FITTABLE = {"A": {"init": 2.0}, "B": {"init": 0.01}, "C": {"init": 0.0}}

_FLOOR = 1e-6  # of n²; only reached outside the measured wavelengths


def predict(X, A, B, C):
    """Refractive index from n² = A + B/λ² + C/λ⁴."""
    inverse = X[:, 0] ** -2.0
    return np.sqrt(np.maximum(A + B * inverse + C * inverse**2, _FLOOR))


def fit(X, y):
    """Linear least squares in n², in which the law is linear; with too few rows the minimum-norm solution."""
    inverse = X[:, 0] ** -2.0
    terms = np.column_stack([np.ones_like(inverse), inverse, inverse**2])
    solution = np.linalg.lstsq(terms, y**2, rcond=None)[0]
    return dict(zip(LOCAL_FITTABLE, (float(value) for value in solution), strict=True))
