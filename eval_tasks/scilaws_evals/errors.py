"""The one error of this package that reaches people: a run that can't start as asked for."""

from __future__ import annotations

import click

from scilaws_bench.errors import ScilawsError


class EvalSetupError(click.ClickException, ValueError):
    """A wrong task argument, release, model or role. Inspect's command line prints it as one line."""

    @classmethod
    def from_sdk(cls, error: ScilawsError) -> EvalSetupError:
        """The same message for Inspect's command line."""
        return cls(str(error))
