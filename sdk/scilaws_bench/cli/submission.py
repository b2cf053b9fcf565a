"""`scilaws-bench submission new | validate | score | verify`."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scilaws_bench.cli.common import (
    as_json,
    default_release,
    emit,
    failing,
    isolation_option,
    progress_line,
    release_option,
    workers_option,
)

if TYPE_CHECKING:
    from scilaws_bench.sandbox.protocol import LevelChoice

BASELINES = ("naive", "best-published-law", "symbolic-regression")
_bundle = click.argument("path", type=click.Path(path_type=Path))
_fresh_workers = click.option(
    "--fresh-workers",
    is_flag=True,
    help="Run the bundle's laws in sandbox processes that run nothing else, reference laws in others (for boards).",
)


@click.group("submission")
def group() -> None:
    """Make, check, score and verify submission bundles."""


@group.command("new")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--laws",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with <problem>.py for each answered task.",
)
@click.option(
    "--baseline",
    type=click.Choice(BASELINES),
    help="Answer every task with a baseline; symbolic-regression takes half a minute a task.",
)
@click.option(
    "--from-log",
    "log",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Inspect log to take the laws, the model's name and the transcripts from (needs scilaws-bench[eval]).",
)
@click.option("--name", required=True, help="Name of the submission.")
@click.option("--system", help="Name of the system that found the laws; known of a log or a baseline.")
@click.option("--kind", type=click.Choice(["model", "agent", "baseline", "human"]), default="agent", show_default=True)
@click.option("--submitter", required=True, help="Who submits.")
@click.option("--contact", default="", help="How to reach the submitter.")
@click.option("--created", help="Date as YYYY-MM-DD; today by default.")
@release_option
@as_json
@failing
def new(
    folder: Path,
    laws: Path | None,
    baseline: str | None,
    log: Path | None,
    name: str,
    system: str | None,
    kind: str,
    submitter: str,
    contact: str,
    created: str | None,
    release_path: Path | None,
    json_output: bool,
) -> None:
    """Write a bundle for the laws in a folder, of an evaluation's log, or of a baseline."""
    from scilaws_bench.baselines import baseline_laws
    from scilaws_bench.release import open_release
    from scilaws_bench.submissions import answers_of_log, create_submission
    from scilaws_bench.submissions.bundle import laws_of_folder, refuse_occupied

    if sum(source is not None for source in (laws, baseline, log)) != 1:
        raise click.UsageError("Give exactly one of --laws, --baseline and --from-log.")
    if laws is not None and system is None:
        raise click.UsageError("Give --system with --laws.")
    refuse_occupied(folder)
    release = open_release(release_path or default_release())
    described = {"name": system or str(baseline), "kind": "baseline" if baseline else kind, "details": ""}
    records: dict[str, tuple[bytes, str]] = {}
    if baseline is not None:
        with progress_line(baseline, quiet=json_output) as report:
            sources = baseline_laws(baseline, release, progress=report)
    elif laws is not None:
        sources = laws_of_folder(laws, release)
    else:
        assert log is not None
        read = answers_of_log(log, release)
        sources, records = read.laws, read.records
        described = read.system if system is None else {**read.system, "name": system}
    file = create_submission(
        folder,
        release,
        sources,
        name=name,
        system=described,
        submitter={"name": submitter, "contact": contact},
        created=created or datetime.now(UTC).date().isoformat(),
        records=records,
    )
    emit({"path": str(file), "answers": len(sources)}, [f"wrote {file} with {len(sources)} answers"], json_output)


@group.command("validate")
@_bundle
@release_option
@as_json
@failing
def validate(path: Path, release_path: Path | None, json_output: bool) -> None:
    """List every fault of a bundle without running anything in it."""
    from scilaws_bench.release import open_release
    from scilaws_bench.submissions import validate_submission

    issues = validate_submission(path, open_release(release_path or default_release()))
    lines = [f"fault: {issue}" for issue in issues] or ["no fault found: every answer can be scored"]
    emit({"valid": not issues, "issues": [issue.to_json() for issue in issues]}, lines, json_output)
    if issues:
        raise SystemExit(1)


@group.command("score")
@_bundle
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="File to write the scorecard to. Without it, it is written into the bundle (a folder) and claimed there.",
)
@release_option
@isolation_option
@workers_option
@_fresh_workers
@as_json
@failing
def score(
    path: Path,
    output: Path | None,
    release_path: Path | None,
    isolation: LevelChoice,
    workers: int,
    fresh_workers: bool,
    json_output: bool,
) -> None:
    """Score a bundle on every task of the release and claim the scorecard in it.

    A run that was killed goes on where it stopped.
    """
    from scilaws_bench import strict_json
    from scilaws_bench.release import open_release
    from scilaws_bench.sandbox import Sandbox
    from scilaws_bench.submissions import Unfinished, load_submission, score_submission
    from scilaws_bench.submissions.bundle import claim_scorecard
    from scilaws_bench.submissions.validation import submission_issues

    release = open_release(release_path or default_release())
    submission = load_submission(path)
    issues = submission_issues(submission, release, claims=False)
    for issue in issues:
        click.echo(f"fault: {issue}", err=True)
    with ExitStack() as stack:
        sandbox = stack.enter_context(Sandbox(isolation, workers=workers))
        references = stack.enter_context(Sandbox(isolation, workers=workers)) if fresh_workers else sandbox
        report = stack.enter_context(progress_line("scoring", quiet=json_output))
        unfinished = Unfinished.of(submission, release, sandbox.level)
        if len(unfinished):
            click.echo(f"going on with an unfinished run; verdicts kept: {len(unfinished)}", err=True)
        scorecard = score_submission(
            submission,
            release,
            sandbox,
            workers=workers,
            progress=report,
            unfinished=unfinished,
            references=references,
        )
    if output:
        strict_json.write(output, scorecard)
        written = f"wrote {output}"
    elif path.is_dir():
        written = f"wrote {claim_scorecard(path, scorecard)} and claimed it in the bundle"
    else:
        written = "nothing written: a zip file is not changed; name a file with --output"
    unfinished.clear()
    emit(scorecard, [*_table(scorecard), written], json_output)
    failures = {verdict["failure"] for verdict in scorecard["verdicts"]} - {None}
    if "infrastructure" in failures:
        raise SystemExit(3)
    if failures or issues:
        raise SystemExit(1)


@group.command("verify")
@_bundle
@release_option
@isolation_option
@workers_option
@_fresh_workers
@as_json
@failing
def verify(
    path: Path,
    release_path: Path | None,
    isolation: LevelChoice,
    workers: int,
    fresh_workers: bool,
    json_output: bool,
) -> None:
    """Recompute every claim of a bundle: confirmed, differs, or not verifiable."""
    from scilaws_bench.release import open_release
    from scilaws_bench.sandbox import Sandbox
    from scilaws_bench.submissions import load_submission, verify_submission

    release = open_release(release_path or default_release())
    submission = load_submission(path)
    with ExitStack() as stack:
        sandbox = stack.enter_context(Sandbox(isolation, workers=workers))
        references = stack.enter_context(Sandbox(isolation, workers=workers)) if fresh_workers else sandbox
        report = stack.enter_context(progress_line("verifying", quiet=json_output))
        result = verify_submission(
            submission, release, sandbox, workers=workers, progress=report, references=references
        )
    counts = result.counts
    lines = [f"{claim.status}: {claim.claim}: {claim.reason}" for claim in result.claims if claim.status != "confirmed"]
    lines.append(
        f"{'verified' if result.confirmed else 'NOT verified'}: {counts['confirmed']} claims confirmed, "
        f"{counts['differs']} differing, {counts['not verifiable']} not verifiable"
    )
    document = {
        "confirmed": result.confirmed,
        "submission": submission.manifest["name"],
        "release": release.reference,
        "isolation": sandbox.level,
        "counts": counts,
        "claims": [claim.to_json() for claim in result.claims],
    }
    emit(document, lines, json_output)
    if not result.confirmed:
        raise SystemExit(1)


def _table(scorecard: dict[str, Any]) -> list[str]:
    lines = []
    for verdict in scorecard["verdicts"]:
        score = "    none" if verdict["score"] is None else f"{verdict['score']:.6f}"
        note = f"  {verdict['failure'] or 'note'}: {verdict['reason']}" if verdict["reason"] else ""
        flags = f"  flags: {', '.join(verdict['flags'])}" if verdict["flags"] else ""
        lines.append(f"{verdict['task_id']:44} {score}{note}{flags}")
    for suite, scorers in scorecard["aggregates"].items():
        for scorer, parts in scorers.items():
            mean = parts["all"]
            lines.append(
                f"{suite} {scorer}: strict mean {mean['strict_mean']:.6f} over all {mean['tasks']} tasks; "
                f"{mean['scored']} have a score"
            )
    return lines
