"""The baselines by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from scilaws_bench.baselines._engine import DEFAULT_SECONDS
from scilaws_bench.baselines.simple import best_published_law, naive_law
from scilaws_bench.errors import SubmissionError
from scilaws_bench.release import Release
from scilaws_bench.sandbox import Evaluator, Sandbox
from scilaws_bench.scoring import Anchors

Baseline = Literal["naive", "best-published-law", "symbolic-regression"]
Progress = Callable[[str, int, int], None]

SUITE = "scilaws_real"


@dataclass(frozen=True)
class Request:
    """What a baseline is asked for; `tasks` are SciLaws-Real tasks of the release by task id."""

    release: Release
    tasks: Mapping[str, dict[str, Any]]
    evaluate: Evaluator | None
    anchors: dict[str, Anchors]
    seed: int
    seconds: float
    progress: Progress


def baseline_laws(
    name: str,
    release: Release,
    evaluate: Evaluator | None = None,
    *,
    seed: int = 0,
    seconds: float = DEFAULT_SECONDS,
    tasks: Collection[str] | None = None,
    anchors: dict[str, Anchors] | None = None,
    progress: Progress | None = None,
) -> dict[str, str]:
    """Law sources by task id for one of BASELINES, for all SciLaws-Real tasks or the named ones.

    The naive baseline and symbolic regression read public records only. The best published law comes
    from gold and runs in `evaluate` (a sandbox of its own if None), so it is a grader-side tool;
    `anchors` by gold hash are used and added to, as in `score_submission`. `seed` and `seconds`
    (nominal, for each task) matter to symbolic regression alone. `progress` is called as
    (task id, done, total).

    Raises:
        SubmissionError: no baseline of that name.
        ReleaseError: a task the release does not have.
        MissingLibraryError: symbolic regression without pyoperon.
    """
    if name not in BASELINES:
        raise SubmissionError(f"baseline {name!r}", f"one of {', '.join(BASELINES)}", "none of that name")
    wanted = release.tasks if tasks is None else {task_id: release.task(task_id) for task_id in sorted(tasks)}
    request = Request(
        release,
        {task_id: task for task_id, task in wanted.items() if task["suite"] == SUITE},
        evaluate,
        {} if anchors is None else anchors,
        seed,
        seconds,
        progress or (lambda task_id, done, total: None),
    )
    return BASELINES[name](request)


def _each(request: Request, law: Callable[[dict[str, Any]], str]) -> dict[str, str]:
    laws = {}
    for done, (task_id, task) in enumerate(request.tasks.items(), start=1):
        laws[task_id] = law(task)
        request.progress(task_id, done, len(request.tasks))
    return laws


def _naive(request: Request) -> dict[str, str]:
    return _each(request, lambda task: naive_law(request.release, task))


def _best_published(request: Request) -> dict[str, str]:
    if request.evaluate is None:
        with Sandbox() as sandbox:
            return _best_published(replace(request, evaluate=sandbox))
    evaluate = request.evaluate
    return _each(request, lambda task: best_published_law(request.release, task, evaluate, request.anchors))


def _symbolic_regression(request: Request) -> dict[str, str]:
    from scilaws_bench.baselines.symbolic_regression import find_law

    return _each(
        request,
        lambda task: find_law(
            request.release.records(task["problem_id"]), task, seed=request.seed, seconds=request.seconds
        ),
    )


BASELINES: Mapping[str, Callable[[Request], dict[str, str]]] = MappingProxyType(
    {"naive": _naive, "best-published-law": _best_published, "symbolic-regression": _symbolic_regression}
)
