"""The error of the profile."""

from __future__ import annotations

from scilaws_bench.errors import ScilawsError


class ProfileError(ScilawsError, ValueError):
    """A typed Modelica instance whose physics is outside the profile."""
