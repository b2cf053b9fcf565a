"""Located refusals of Modelica text."""

from __future__ import annotations

from scilaws_bench.errors import ScilawsError


class ModelicaError(ScilawsError, ValueError):
    """Modelica text that is broken or outside the bounded profile; starts with FILE:LINE:COLUMN."""

    def __init__(self, thing: str, expected: str = "", found: str = "", remedy: str = "") -> None:
        super().__init__(thing, expected, found, remedy)


def refusal(file: str, position: tuple[int, int], what: str, *, expected: str = "", remedy: str = "") -> ModelicaError:
    """`FILE:LINE:COLUMN: what; expected …. remedy`; positions count from 1."""
    line, column = position
    return ModelicaError(f"{file}:{line}:{column}: {what}", expected, "", remedy)
