"""SciLaws-Bench: open releases, score answers, verify scores.

The package root imports nothing heavy (no numpy, no pandas); import the part you need, e.g.
`scilaws_bench.release` or `scilaws_bench.submissions`.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
