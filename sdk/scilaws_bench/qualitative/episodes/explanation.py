"""Why a step between two episodes is or isn't an edge: every cause, every clause, in words."""

from __future__ import annotations

from dataclasses import dataclass

from scilaws_bench.qualitative.episodes.causes import Cause
from scilaws_bench.qualitative.episodes.clauses import CLAUSES, Refusal, Step, cause_text
from scilaws_bench.qualitative.episodes.declarations import CLAUSE, undeclared


@dataclass(frozen=True)
class ClauseVerdict:
    """One clause's answer: its name (E1 … E8, `declaration`, `distinct`) and why it refuses, () for a pass."""

    clause: str
    refusals: tuple[Refusal, ...]

    @property
    def passed(self) -> bool:
        """Whether the clause lets the step pass."""
        return not self.refusals


@dataclass(frozen=True)
class CauseExplanation:
    """What every clause says to a step under one cause."""

    cause: Cause
    verdicts: tuple[ClauseVerdict, ...]

    @property
    def is_edge(self) -> bool:
        """Whether (source, target, cause) is an edge."""
        return all(verdict.passed for verdict in self.verdicts)


@dataclass(frozen=True)
class Explanation:
    """A step under each cause of its source, by row number."""

    source: int
    target: int
    causes: tuple[CauseExplanation, ...]

    @property
    def is_edge(self) -> bool:
        """Whether some cause makes an edge of it."""
        return any(one.is_edge for one in self.causes)

    def text(self) -> str:
        """The explanation as lines of text: for each cause a line a clause."""
        lines = [f"#{self.source} → #{self.target}: {'an edge' if self.is_edge else 'no edge'}"]
        for one in self.causes:
            lines.append(f"  cause {cause_text(one.cause)}: {'passes' if one.is_edge else 'refused'}")
            for verdict in one.verdicts:
                if verdict.passed:
                    lines.append(f"    {verdict.clause}: pass")
                lines += [f"    {refusal}" for refusal in verdict.refusals]
        return "\n".join(lines)


def explain_step(step: Step) -> CauseExplanation:
    """All clauses on one proposed step: E1 … E8, the declarations, and that the ends differ."""
    verdicts = []
    for name, clause in CLAUSES:
        refusal = clause(step)
        verdicts.append(ClauseVerdict(name, () if refusal is None else (refusal,)))
    verdicts.append(ClauseVerdict(CLAUSE, undeclared(step)))
    same = step.source == step.target
    stays = (Refusal("distinct", "target", "another episode than the source", "the source itself"),)
    verdicts.append(ClauseVerdict("distinct", stays if same else ()))
    return CauseExplanation(step.cause, tuple(verdicts))
