"""The task `scilaws_real`: SciLaws-Real through Inspect (paper, sections 2.3 and 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from inspect_ai import Task, task
from inspect_ai.agent import Agent
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import model_roles
from inspect_ai.solver import Generate, Solver, TaskState, solver

from scilaws_bench.errors import ScilawsError
from scilaws_bench.release import Release
from scilaws_evals import prompts
from scilaws_evals.decoding import REASONING, Reasoning, call_defaults
from scilaws_evals.desk import LEVELS, open_desk
from scilaws_evals.errors import EvalSetupError
from scilaws_evals.finding import find_release
from scilaws_evals.grading import SCORER_VERSIONS, SUITE
from scilaws_evals.native_agent import native_agent
from scilaws_evals.scorer import numeric_score
from scilaws_evals.session import LawSession
from scilaws_evals.xml_agent import xml_agent

VERSION = "1-A"
KNOWN_ROLES = ("judge",)
_MAX_TURNS = 1_000


@task
def scilaws_real(
    release: str | None = None,
    protocol: prompts.Protocol = "xml",
    problems: str | Sequence[str] | None = None,
    max_turns: int = 30,
    isolation: str = "auto",
    reasoning: Reasoning | bool = "auto",
) -> Task:
    """Find laws in fixed records: SciLaws-Real.

    Args:
        release: release folder or name; by default $SCILAWS_RELEASE, build/release/public or build/release/demo.
        protocol: xml (the paper's) or native (the provider's tool calls); stamped into the log.
        problems: problem ids, separated by commas; by default all.
        max_turns: turns of an attempt, the forced last one included.
        isolation: auto, full, kernel or none, for the agent's Python and for scoring.
        reasoning: whether the model is a reasoning model: auto, yes or no (decoding defaults).
    """
    if isinstance(reasoning, bool):  # Inspect reads `-T reasoning=yes` as YAML, where yes and no are truth values
        reasoning = "yes" if reasoning else "no"
    _require("protocol", protocol, get_args(prompts.Protocol))
    _require("isolation", isolation, LEVELS)
    _require("reasoning", reasoning, REASONING)
    if not 1 <= max_turns <= _MAX_TURNS:
        raise EvalSetupError(f"max_turns: expected 1 to {_MAX_TURNS:,}; found {max_turns}")
    _refuse_unknown_roles(list(model_roles()))
    opened = find_release(release)
    chosen = _chosen(opened, problems)
    try:
        desk = open_desk(opened, isolation)  # type: ignore[arg-type]
    except ScilawsError as error:
        raise EvalSetupError.from_sdk(error) from None
    agent: Agent = (xml_agent if protocol == "xml" else native_agent)(max_turns, reasoning)
    return Task(
        dataset=MemoryDataset([_sample(item) for item in chosen], name=SUITE),
        setup=open_session(opened.reference["manifest_hash"], desk.level, protocol),
        solver=agent,
        scorer=numeric_score(isolation=isolation),  # type: ignore[arg-type]
        config=call_defaults(),
        fail_on_error=False,
        score_on_error=True,
        version=VERSION,
        metadata={
            "release": opened.reference,
            "protocol": protocol,
            "isolation": desk.level,
            "scorers": SCORER_VERSIONS,
            "tasks": {item["task_id"]: _facts(item) for item in chosen},
        },
    )


@solver
def open_session(manifest_hash: str, isolation: str, protocol: str) -> Solver:
    """Write into the sample's store which task of which release this is; runs before any agent."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _refuse_unknown_roles(list(model_roles()))
        session = state.store_as(LawSession)
        session.task_id = str(state.sample_id)
        session.manifest_hash = manifest_hash
        session.isolation = isolation
        session.protocol = protocol
        return state

    return solve


def _sample(item: dict[str, Any]) -> Sample:
    return Sample(
        id=item["task_id"],
        input=prompts.question(item),
        target="",
        metadata={"problem_id": item["problem_id"], **_facts(item)},
    )


def _facts(item: dict[str, Any]) -> dict[str, str]:
    return {field: item[field] for field in ("suite", "discipline", "structure")}


def _chosen(release: Release, problems: str | Sequence[str] | None) -> list[dict[str, Any]]:
    tasks = {item["problem_id"]: item for item in release.tasks.values() if item["suite"] == SUITE}
    if problems is None:
        return list(tasks.values())
    named = problems.split(",") if isinstance(problems, str) else [str(name) for name in problems]
    wanted = [name.strip().removeprefix(f"{SUITE}/") for name in named if name.strip()]
    unknown = sorted(set(wanted) - set(tasks))
    if unknown or not wanted:
        raise EvalSetupError(
            f"problems: expected problems of {release.manifest['name']} {release.manifest['version']} "
            f"({', '.join(tasks)}); found {', '.join(unknown) or 'none'}"
        )
    return [tasks[name] for name in dict.fromkeys(wanted)]


def _require(argument: str, value: object, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise EvalSetupError(f"{argument}: expected one of {', '.join(allowed)}; found {value!r}")


def _refuse_unknown_roles(roles: list[str]) -> None:
    unknown = sorted(set(roles) - set(KNOWN_ROLES))
    if unknown:
        raise EvalSetupError(
            f"model role {', '.join(map(repr, unknown))}: expected {', '.join(map(repr, KNOWN_ROLES))} or none; "
            "no scorer of this task asks for such a role"
        )
