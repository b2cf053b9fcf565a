"""`inspect eval eval_tasks/scilaws_real.py`: Inspect runs a file only if the file itself defines the task."""

from collections.abc import Sequence
from typing import Literal

from inspect_ai import Task, task

import scilaws_evals.real


@task
def scilaws_real(
    release: str | None = None,
    protocol: Literal["xml", "native"] = "xml",
    problems: str | Sequence[str] | None = None,
    max_turns: int = 30,
    isolation: str = "auto",
    reasoning: Literal["auto", "yes", "no"] | bool = "auto",
) -> Task:
    """SciLaws-Real: see `scilaws_evals.real.scilaws_real`."""
    return scilaws_evals.real.scilaws_real(release, protocol, problems, max_turns, isolation, reasoning)
