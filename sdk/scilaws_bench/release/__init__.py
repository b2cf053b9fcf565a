"""Open a release: its manifest, public tables and (grader side only) its sealed gold.

Solver-side code uses `open_release`; gold is opened by `scilaws_bench.release.gold`, which nothing
on the solver side imports.
"""

from scilaws_bench.release.configs import SUITES, records_config
from scilaws_bench.release.content import Release, diff_manifests, open_release

__all__ = ["SUITES", "Release", "diff_manifests", "open_release", "records_config"]
