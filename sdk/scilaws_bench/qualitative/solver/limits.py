"""Work limits: a question that would cost too much ends as inconclusive, never as a hang or a wrong answer."""

from __future__ import annotations

from dataclasses import dataclass

from scilaws_bench.errors import WorkLimitError


@dataclass(frozen=True)
class WorkLimits:
    """How much work one question may cost.

    Attributes:
        rows: most rows written out at once (interpretations, or distinct rows of a projection).
        steps: most partial assignments tried, over the whole question.
    """

    rows: int = 2_000_000
    steps: int = 5_000_000


class Budget:
    """Counts the work of one question against its limits.

    Args:
        limits: the limits.
        subject: the mechanism and the composite state, for the message.
    """

    def __init__(self, limits: WorkLimits, subject: str) -> None:
        self.limits = limits
        self.subject = subject
        self._steps = 0

    def renewed(self, *, rows: int | None = None) -> Budget:
        """A fresh count on the same subject, with another rows limit if one is given."""
        return Budget(WorkLimits(self.limits.rows if rows is None else rows, self.limits.steps), self.subject)

    def spend(self, steps: int) -> None:
        """Count steps *before* they are made.

        Raises:
            WorkLimitError: more than `limits.steps` in all.
        """
        self._steps += steps
        if self._steps > self.limits.steps:
            raise self.too_many_steps()

    def too_many_steps(self) -> WorkLimitError:
        """The refusal for work that is known to go past the steps limit."""
        return self._over("steps", self.limits.steps, max(self._steps, self.limits.steps + 1))

    def check_rows(self, rows: int, limit: int | None = None) -> None:
        """Refuse to write out more than `limit` rows (`limits.rows` if it is None).

        Raises:
            WorkLimitError: more rows than that.
        """
        most = self.limits.rows if limit is None else limit
        if rows > most:
            raise self._over("rows", most, rows)

    def _over(self, kind: str, limit: int, found: int) -> WorkLimitError:
        return WorkLimitError(
            f"inconclusive: limit {kind}={limit} reached on {self.subject}",
            f"at most {limit} {kind}",
            f"at least {found} {kind}",
            f"Restrict the question, or raise it with WorkLimits({kind}=…).",
        )
