"""`scilaws-bench demo`: from pinned records to verified scores in one command."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scilaws_bench.cli.common import as_json, emit, failing, progress_line, release_folder, workers_option
from scilaws_bench.errors import MissingLibraryError

if TYPE_CHECKING:
    from scilaws_bench.release import Release
    from scilaws_bench.sandbox import Sandbox
    from scilaws_bench.scoring import Anchors
    from scilaws_bench.submissions import Verification

Progress = Callable[[str, int, int], None]

BASELINES = {
    "naive": "the training median",
    "best-published-law": "a reference law",
    "symbolic-regression": "pyoperon, small budget",
}
PROTOCOLS = {"xml": "scilaws/solver, XML", "native": "scilaws/solver, tools"}
MODEL = "scilaws/solver"
ALTERED = "altered-score"
_RAISED_BY = 0.1
_SEARCH_SECONDS = 1.0


@dataclass(frozen=True)
class Row:
    """One bundle of the demo and what verifying it gave."""

    bundle: str
    meaning: str
    folder: Path
    strict_mean: float
    tasks: int
    counts: dict[str, int]
    differing: tuple[str, ...]
    as_expected: bool

    def to_json(self) -> dict[str, Any]:
        """Plain dictionary for `--json` output."""
        return {**vars(self), "folder": str(self.folder), "differing": list(self.differing)}


@dataclass(frozen=True)
class _Stage:
    """What every step of the demo works with."""

    release: Release
    sandbox: Sandbox
    workers: int
    quiet: bool
    anchors: dict[str, Anchors] = field(default_factory=dict)

    def score(self, folder: Path) -> None:
        """Score a bundle and claim the scorecard in it."""
        from scilaws_bench.submissions import load_submission, score_submission
        from scilaws_bench.submissions.bundle import claim_scorecard

        submission = load_submission(folder)
        with progress_line(f"scoring {folder.name}", quiet=self.quiet) as report:
            scorecard = score_submission(
                submission, self.release, self.sandbox, workers=self.workers, progress=report, anchors=self.anchors
            )
        claim_scorecard(folder, scorecard)

    def verify(self, folder: Path, meaning: str, expected: Callable[[Verification], bool]) -> Row:
        """Verify a bundle and sum up what was found."""
        from scilaws_bench.submissions import load_submission, verify_submission

        submission = load_submission(folder)
        with progress_line(f"verifying {folder.name}", quiet=self.quiet) as report:
            result = verify_submission(
                submission, self.release, self.sandbox, workers=self.workers, progress=report, anchors=self.anchors
            )
        claimed = submission.claimed_scorecard or {}
        mean = claimed["aggregates"]["scilaws_real"]["numeric_score"]["all"]
        return Row(
            bundle=folder.name,
            meaning=meaning,
            folder=folder,
            strict_mean=mean["strict_mean"],
            tasks=mean["tasks"],
            counts=result.counts,
            differing=tuple(f"{claim.claim}: {claim.reason}" for claim in result.claims if claim.status == "differs"),
            as_expected=expected(result),
        )


@click.command("demo")
@workers_option
@as_json
@failing
def command(workers: int, json_output: bool) -> None:
    """Build the demo edition, score baselines and an offline model, verify them, catch an altered score.

    Writes build/release/demo and build/demo below the current folder; run again, it starts those
    bundles afresh and takes everything else from the cache.
    """
    from scilaws_bench.release import open_release
    from scilaws_bench.sandbox import Sandbox

    folder = Path("build") / "demo"
    edition = release_folder("demo")
    with Sandbox(workers=workers) as sandbox:
        with progress_line("building", quiet=json_output) as report:
            _build(edition, workers, report)
        release = open_release(edition)
        stage = _Stage(release, sandbox, workers, quiet=json_output)
        rows = [_baseline(stage, name, meaning, folder / name) for name, meaning in BASELINES.items()]
        rows += [_evaluated(stage, name, meaning, edition, folder) for name, meaning in PROTOCOLS.items()]
        rows.append(_altered(stage, folder / "naive", folder / ALTERED))
    document = {
        "ok": all(row.as_expected for row in rows),
        "release": {"path": str(edition), **release.reference},
        "isolation": sandbox.level,
        "bundles": [row.to_json() for row in rows],
    }
    if json_output:
        emit(document, [], json_output)
    else:
        _show(rows, release, edition, sandbox.level)
    if not document["ok"]:
        raise SystemExit(1)


def _build(edition: Path, workers: int, report: Progress) -> None:
    from scilaws_builders.release_build import BuildOptions, build_release
    from scilaws_builders.release_build.problem_step import Places
    from scilaws_builders.sources import default_cache

    cache = default_cache()
    places = Places(cache, cache.parent / "build", None, None, offline=False)
    options = BuildOptions("demo", edition, places, workers=workers)
    build_release(options, progress=lambda built, done, total: report(built.problem_id, done, total))


def _baseline(stage: _Stage, name: str, meaning: str, folder: Path) -> Row:
    """Write, score and verify the bundle of one baseline."""
    from scilaws_bench.baselines import baseline_laws
    from scilaws_bench.submissions import create_submission

    _clear(folder)
    create_submission(
        folder,
        stage.release,
        baseline_laws(name, stage.release, stage.sandbox, anchors=stage.anchors, seconds=_SEARCH_SECONDS),
        name=name,
        system={"name": name, "kind": "baseline", "details": meaning},
        submitter={"name": "scilaws-bench demo", "contact": ""},
        created=datetime.now(UTC).date().isoformat(),
    )
    stage.score(folder)
    return stage.verify(folder, meaning, lambda result: result.confirmed)


def _evaluated(stage: _Stage, protocol: str, meaning: str, edition: Path, folder: Path) -> Row:
    """Evaluate the offline model through Inspect, bundle the laws in its log, score and verify them."""
    from scilaws_bench.submissions import answers_of_log, create_submission

    bundle = folder / f"model-{protocol}"
    _clear(bundle)
    logs = folder / "logs"
    before = set(logs.glob("*.eval"))
    with progress_line("evaluating", quiet=stage.quiet) as report:
        report(meaning, 0, 1)
        _inspect(protocol, edition, logs)
        report(meaning, 1, 1)
    (log,) = set(logs.glob("*.eval")) - before
    answers = answers_of_log(log, stage.release)
    create_submission(
        bundle,
        stage.release,
        answers.laws,
        name=bundle.name,
        system=answers.system,
        submitter={"name": "scilaws-bench demo", "contact": ""},
        created=datetime.now(UTC).date().isoformat(),
        records=answers.records,
    )
    stage.score(bundle)
    return stage.verify(bundle, meaning, lambda result: result.confirmed)


def _inspect(protocol: str, edition: Path, logs: Path) -> None:
    """Run `inspect eval` as a user would, without network."""
    command = [sys.executable, "-m", "inspect_ai", "eval", "scilaws_evals/scilaws_real", "--model", MODEL]
    command += ["-T", f"protocol={protocol}", "-T", f"release={edition.resolve()}"]
    command += ["--log-dir", str(logs), "--display", "none"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise MissingLibraryError(
            f"evaluation of {MODEL}", "an installed Inspect AI and a finished evaluation", " ".join(last)[:300],
            "pip install 'scilaws-bench[eval]', or run `inspect eval scilaws_evals/scilaws_real` to see why.",
        )  # fmt: skip


def _altered(stage: _Stage, original: Path, folder: Path) -> Row:
    """Copy a scored bundle, raise one score as a careful cheat would, and verify: that score must be named."""
    from scilaws_bench import strict_json
    from scilaws_bench.scoring import aggregate
    from scilaws_bench.submissions.bundle import SCORECARD, claim_scorecard

    _clear(folder)
    shutil.copytree(original, folder)
    scorecard = strict_json.read(folder / SCORECARD)
    raised = scorecard["verdicts"][0]
    raised["score"] = round(raised["score"] + _RAISED_BY, 6)
    scorecard["aggregates"] = aggregate(scorecard["verdicts"], stage.release.tasks)
    claim_scorecard(folder, scorecard)

    def caught(result: Verification) -> bool:
        scores = [claim for claim in result.claims if claim.claim.startswith(tuple(stage.release.tasks))]
        return [claim.claim for claim in scores if claim.status == "differs"] == [
            f"{raised['task_id']} {raised['scorer']}"
        ]

    return stage.verify(folder, f"naive, one score +{_RAISED_BY:g}", caught)


def _clear(folder: Path) -> None:
    """Remove the bundle an earlier demo left, and nothing else."""
    from scilaws_bench.errors import SubmissionError
    from scilaws_bench.submissions.files import MANIFEST

    if (folder / MANIFEST).is_file():
        shutil.rmtree(folder)
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SubmissionError(str(folder), "nothing, or the bundle of an earlier demo", "something else", "Move it.")


def _show(rows: list[Row], release: Release, edition: Path, level: str) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Who scored what, and what a second scoring confirmed")
    for heading in ("bundle", "answers with", f"mean of {rows[0].tasks}", "verified"):
        table.add_column(heading, no_wrap=True)
    for row in rows:
        differs = row.counts["differs"]
        total = sum(row.counts.values())
        verdict = f"all {total} claims" if row.counts["confirmed"] == total else f"{differs} of {total} differ"
        if row.counts["not verifiable"]:
            verdict += f", {row.counts['not verifiable']} open"
        table.add_row(row.bundle, row.meaning, f"{row.strict_mean:.6f}", verdict)
    console = Console(highlight=False)
    console.print()
    console.print(table)
    for line in _closing_lines(rows, release, edition, level):
        click.echo(line)


def _closing_lines(rows: list[Row], release: Release, edition: Path, level: str) -> list[str]:
    altered = rows[-1]
    facts = release.manifest["suites"]["scilaws_real"]
    lines = ["A score of 0.5 is the best published law, 1 a perfect prediction, 0 twice its error or worse.", ""]
    if altered.as_expected:
        lines += ["The altered score was caught:", *(f"  {reason}" for reason in altered.differing[:1])]
    else:
        lines.append("FAULT: the altered score was not caught.")
    lines += [f"FAULT: {row.bundle} was not confirmed." for row in rows[:-1] if not row.as_expected]
    lines += [f"not built: {entry['id']}: {entry['reason']}" for entry in facts["not_built"]]
    program = "scilaws-bench" if shutil.which("scilaws-bench") else sys.argv[0]
    return [
        *lines,
        "",
        f"release    {edition} ({facts['tasks']} tasks, {facts['reference_laws']} published laws, "
        f"{facts['rows']:,} records)",
        f"bundles    {rows[0].folder.parent}/<bundle>",
        f"logs       {rows[0].folder.parent / 'logs'} (inspect view --log-dir {rows[0].folder.parent / 'logs'})",
        f"isolation  {level}",
        "",
        "Go on with one of these:",
        f"  {program} task list --release {edition}",
        f"  {program} submission verify {rows[0].folder} --release {edition}",
        f"  {program} release build   # every problem that can be reached from here",
    ]
