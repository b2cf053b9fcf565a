"""From typed Modelica instances to qualitative mechanisms."""

from scilaws_builders.mechreasoner.profile.build import Profiled, mechanism_of
from scilaws_builders.mechreasoner.profile.draft import Observable
from scilaws_builders.mechreasoner.profile.errors import ProfileError

__all__ = ["Observable", "ProfileError", "Profiled", "mechanism_of"]
