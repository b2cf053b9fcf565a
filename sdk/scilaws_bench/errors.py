"""Every error this package raises on purpose, in one small tree.

Each class is also a built-in (ValueError, OSError), so callers who never heard of this package
can still catch them. A message always says the thing, what was expected, what was found and how
to mend it. Faults *inside a submission* are never raised: they are collected as issues or
returned as verdicts with a failure class.
"""

from __future__ import annotations


class ScilawsError(Exception):
    """Base class. `thing`, `expected`, `found` and `remedy` are kept as attributes for tools."""

    def __init__(self, thing: str, expected: str = "", found: str = "", remedy: str = "") -> None:
        self.thing = thing
        self.expected = expected
        self.found = found
        self.remedy = remedy
        super().__init__(thing, expected, found, remedy)

    def __str__(self) -> str:
        parts = [self.thing]
        if self.expected:
            parts.append(f"expected {self.expected}")
        if self.found:
            parts.append(f"found {self.found}")
        text = "; ".join(parts)
        return f"{text}. {self.remedy}" if self.remedy else text


class SchemaError(ScilawsError, ValueError):
    """A JSON document that is not strict JSON or does not follow its schema."""


class SourceUnavailableError(ScilawsError, OSError):
    """Real records that cannot be reached from here: no network, no mirror, no pip."""


class SourceIntegrityError(ScilawsError, ValueError):
    """Real records that were reached but are not the pinned bytes."""


class ProblemError(ScilawsError, ValueError):
    """A problem folder that contradicts itself or the rules of a release."""


class ReleaseError(ScilawsError, ValueError):
    """A release folder that is missing, incomplete, altered or of another schema version."""


class HubUnavailableError(ScilawsError, OSError):
    """A hub of datasets that can't be reached or fails, for a release that is not in the cache."""


class SealError(ScilawsError, ValueError):
    """Sealed gold that cannot be opened: altered bytes, wrong phrase, truncated file."""


class SandboxUnavailableError(ScilawsError, OSError):
    """This machine cannot enforce the isolation level that was asked for."""


class SubmissionError(ScilawsError, ValueError):
    """A submission that cannot be opened at all (single faults inside one are collected instead)."""


class MissingLibraryError(ScilawsError, ImportError):
    """An optional library that is not installed; the remedy names the extra that brings it."""


class MechanismError(ScilawsError, ValueError):
    """A qualitative mechanism, scenario or composite state that contradicts itself or names what is not there."""


class WorkLimitError(ScilawsError, RuntimeError):
    """A qualitative question whose answer would cost more work than allowed: inconclusive, not wrong."""


class PromptError(ScilawsError, ValueError):
    """Prompt text that the symbolic baseline can't read: a line out of form or a missing section."""
