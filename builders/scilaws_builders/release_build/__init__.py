"""Build, check and describe whole releases."""

from scilaws_builders.release_build.build import BuildOptions, build_release
from scilaws_builders.release_build.check import check_release

__all__ = ["BuildOptions", "build_release", "check_release"]
