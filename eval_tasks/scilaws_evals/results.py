"""Read an Inspect log of `scilaws_real`: submitted laws, strict means, a scorecard, records for a bundle.

Everything is computed from the log and a release; no model, no network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessageTool

from scilaws_bench import strict_json
from scilaws_bench.errors import ReleaseError, SubmissionError
from scilaws_bench.hashing import file_hash
from scilaws_bench.release import Release
from scilaws_bench.sandbox import Evaluator
from scilaws_bench.scoring import NUMERIC, Verdict, aggregate
from scilaws_bench.submissions import Answers
from scilaws_bench.submissions.scoring import scorecard_of
from scilaws_evals.grading import SUITE, Grader
from scilaws_evals.scorer import why_no_law
from scilaws_evals.session import LawSession


def open_log(path: Path) -> EvalLog:
    """A log of this task.

    Raises:
        SubmissionError: no Inspect log, or one of another task.
    """
    try:
        log = read_eval_log(str(path))
    except Exception as error:  # noqa: BLE001 - Inspect raises what its zip, zstd and JSON readers raise
        raise SubmissionError(f"log {path}", "an Inspect log", f"{type(error).__name__}: {error}"[:300]) from None
    if "release" not in (log.eval.metadata or {}) or log.eval.task.split("/")[-1] != SUITE:
        raise SubmissionError(f"log {path}", f"a log of {SUITE}", f"a log of {log.eval.task}", "Give another log.")
    return log


def laws_of_log(log: EvalLog, epoch: int = 1) -> dict[str, str]:
    """Sources of the submitted laws by task id; a task without one is left out. Laws that scored 0 are laws too."""
    return {task_id: session.law for task_id, session in _sessions(log, epoch).items() if session.law}


def strict_scores(log: EvalLog) -> dict[str, Any]:
    """Aggregates over all samples the log set out to run, grouped by structure and discipline.

    The function is `scilaws_bench.scoring.aggregate`: a sample that erred, was cancelled or never
    ran counts 0 in `strict_mean`. With several epochs a task's score is its mean over all of them.
    """
    tasks = (log.eval.metadata or {})["tasks"]
    ran = [str(task_id) for task_id in log.eval.dataset.sample_ids or tasks]
    epochs = log.eval.config.epochs or 1
    found: dict[str, list[float]] = {}
    for sample in log.samples or []:
        verdict = _verdict(sample)
        if verdict is not None and verdict["score"] is not None:
            found.setdefault(str(sample.id), []).append(verdict["score"])
    verdicts = [
        {
            "suite": SUITE,
            "scorer": NUMERIC,
            "task_id": task_id,
            "score": sum(found[task_id]) / epochs if task_id in found else None,
        }
        for task_id in ran
    ]
    return aggregate(verdicts, {task_id: tasks[task_id] for task_id in ran})


def rescore_log(
    log: EvalLog,
    release: Release,
    evaluate: Evaluator,
    *,
    epoch: int = 1,
    progress: Callable[[Verdict, int, int], None] | None = None,
) -> dict[str, Any]:
    """Scorecard (schema `scorecard`) of a log's laws, each scored again by the function that scores bundles.

    Every task of the release gets a verdict.

    Raises:
        ReleaseError: another release than the log's.
    """
    require_release(log, release)
    grader, sessions, verdicts = Grader(release, evaluate), _sessions(log, epoch), []
    task_ids = [task_id for task_id, task in release.tasks.items() if task["suite"] == SUITE]
    for count, task_id in enumerate(task_ids, start=1):
        session = sessions.get(task_id)
        if session is None:
            verdict = grader.without_law(task_id, "no answer in the log", "protocol")
        elif session.law:
            verdict = grader.numeric(task_id, session.law)
        else:
            verdict = grader.without_law(task_id, *why_no_law(session.outcome, session.reason))
        verdicts.append(verdict)
        if progress:
            progress(verdict, count, len(task_ids))
    name = f"{log.eval.model} ({(log.eval.metadata or {})['protocol']} protocol)"
    return scorecard_of(name, release, [verdict.to_json() for verdict in verdicts], evaluate.level)


def logged_scores(log: EvalLog, epoch: int = 1) -> dict[str, float | None]:
    """The scores in the log by task id: None where the verdict has none or no score was written."""
    return {
        str(sample.id): verdict["score"] if (verdict := _verdict(sample)) else None
        for sample in log.samples or []
        if sample.epoch == epoch
    }


def bundle_of_log(path: Path, release: Release, epoch: int = 1) -> Answers:
    """Laws, system and records of a bundle made from a log.

    Records: `run.json` (model, protocol, evaluation id, release, decoding, what Inspect was told)
    and one transcript a task. Raises SubmissionError, ReleaseError.
    """
    log = open_log(path)
    require_release(log, release)
    records = {"run.json": (_json(_run(log, path, epoch)), "model, protocol, release and decoding of the evaluation")}
    for sample in log.samples or []:
        if sample.epoch == epoch:
            name = f"transcripts/{sample.metadata.get('problem_id', 'unknown')}.json"
            records[name] = (_json(_transcript(sample)), f"what was said in the attempt at {sample.id}")
    details = f"Inspect AI evaluation {log.eval.eval_id}, {(log.eval.metadata or {})['protocol']} protocol"
    return Answers(laws_of_log(log, epoch), {"name": log.eval.model, "kind": "model", "details": details}, records)


def require_release(log: EvalLog, release: Release) -> None:
    """Raise ReleaseError unless a release is the one a log was made from."""
    wanted, found = (log.eval.metadata or {})["release"]["manifest_hash"], release.reference["manifest_hash"]
    if wanted != found:
        raise ReleaseError(
            f"release {release.path}", f"the release of the log, manifest hash {wanted}", found,
            "Name that release with --release.",
        )  # fmt: skip


def _sessions(log: EvalLog, epoch: int) -> dict[str, LawSession]:
    return {str(sample.id): sample.store_as(LawSession) for sample in log.samples or [] if sample.epoch == epoch}


def _verdict(sample: EvalSample) -> Mapping[str, Any] | None:
    score = (sample.scores or {}).get(NUMERIC)
    return None if score is None else (score.metadata or {}).get("verdict")


def _run(log: EvalLog, path: Path, epoch: int) -> dict[str, Any]:
    facts, sessions = log.eval.metadata or {}, _sessions(log, epoch)
    return {
        "model": log.eval.model,
        "protocol": facts["protocol"],
        "eval_id": log.eval.eval_id,
        "created": str(log.eval.created),
        "status": log.status,
        "epoch": epoch,
        "release": facts["release"],
        "isolation": facts["isolation"],
        "packages": log.eval.packages,
        "task_args": log.eval.task_args,
        "config": log.plan.config.model_dump(exclude_none=True),
        "decoding": next((session.decoding for session in sessions.values() if session.decoding), {}),
        "log": {"name": path.name, "sha256": file_hash(path)},
    }


def _transcript(sample: EvalSample) -> dict[str, Any]:
    messages = []
    for message in sample.messages:
        entry: dict[str, Any] = {"role": message.role, "text": message.text}
        calls = getattr(message, "tool_calls", None)
        if calls:
            entry["tool_calls"] = [{"function": call.function, "arguments": call.arguments} for call in calls]
        if isinstance(message, ChatMessageTool) and message.error:
            entry["error"] = message.error.message
        messages.append(entry)
    return {
        "task_id": sample.id,
        "epoch": sample.epoch,
        "error": sample.error.message if sample.error else None,
        "messages": messages,
    }


def _json(document: Any) -> bytes:
    return (strict_json.dumps(document, indent=1) + "\n").encode("utf-8", "backslashreplace")
