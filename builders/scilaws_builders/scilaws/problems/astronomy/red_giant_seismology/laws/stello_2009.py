"""Power law in the frequency of maximum power, from main-sequence stars to red giants.

Stello D., Chaplin W. J., Basu S., Elsworth Y., Bedding T. R. (2009) The relation between Δν and ν_max for solar-like
oscillations. MNRAS 400, L80-L84. Authors, title and exponent 0.77 in the abstract at arxiv-vanity.com/papers/0909.5193;
0.263 ν_max^0.772 with the citation in several public repositories (for instance comments "stello+09 relation" and
"Expected delta_nu: Stello et al (2009)"). The package lightkurve writes 0.294 for the factor, which overestimates the
Sun by 8 %; 0.263 gives 130 uHz there.
"""

USED_INPUTS = ["nu_max"]
LAW_CONSTANTS = {"A": 0.263, "beta": 0.772}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}


def predict(X, A, beta):
    """Large separation A ν_max^β in uHz, ν_max in uHz."""
    return A * X[:, 0] ** beta
