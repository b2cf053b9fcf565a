"""Everything that can be said about a bundle without running it."""

from __future__ import annotations

from pathlib import Path

from scilaws_bench.errors import SchemaError, ScilawsError, SubmissionError
from scilaws_bench.hashing import bytes_hash, json_hash
from scilaws_bench.laws import syntax_fault
from scilaws_bench.plain_text import printable
from scilaws_bench.release import Release
from scilaws_bench.schemas import Issue
from scilaws_bench.submissions.bundle import Submission, load_submission
from scilaws_bench.submissions.documents import ManifestError


def validate_submission(path: Path, release: Release) -> list[Issue]:
    """All faults of a bundle against a release (none: it can be scored in full).

    Never raises for anything in the bundle. A fault of one answer costs that answer; a fault of
    the manifest costs the bundle.
    """
    try:
        submission = load_submission(path)
    except ManifestError as error:
        return list(error.issues)
    except (SubmissionError, SchemaError) as error:
        return [_issue(error)]
    return submission_issues(submission, release)


def submission_issues(submission: Submission, release: Release, *, claims: bool = True) -> list[Issue]:
    """All faults of an opened bundle against a release; without `claims`, those that matter before scoring."""
    issues = [*submission.issues, *release_issues(submission, release)]
    for answer in submission.answers.values():
        issues += answer_issues(submission, answer, release)
    for record in submission.records:
        content = submission.bundle.files.get(record["path"])
        if content is None or bytes_hash(content) != record["sha256"]:
            found = submission.bundle.why_missing(record["path"]) if content is None else "another sha256"
            issues.append(Issue(record["path"], "the record the manifest states", found, "Write the bundle again."))
    if claims:
        try:
            _ = submission.claimed_scorecard
        except ScilawsError as error:
            issues.append(_issue(error))
    return issues


def release_issues(submission: Submission, release: Release) -> list[Issue]:
    """Whether the bundle answers this very release."""
    stated, found = submission.manifest["release"], release.reference
    return [
        Issue(f"release.{key}", found[key], printable(stated[key], 120), "Use the release the bundle was made for.")
        for key in found
        if stated[key] != found[key]
    ]


def answer_issues(submission: Submission, answer: dict[str, str], release: Release) -> list[Issue]:
    """Faults of one answer: unknown task, changed task, unreadable file, text that is not Python."""
    task_id = printable(answer["task_id"])
    task = release.tasks.get(answer["task_id"])
    if task is None:
        return [Issue(task_id, "a task of the release", "none of that id", "Remove the answer or see `task list`.")]
    issues = []
    if answer["task_hash"] != json_hash(task):
        found = f"task hash {answer['task_hash']}"
        issues.append(Issue(task_id, f"task hash {json_hash(task)}", found, "Answer the task of this release."))
    try:
        fault = syntax_fault(submission.law(answer))
    except SubmissionError as error:
        return [*issues, _issue(error, f"{task_id}, {error.thing}")]
    if fault:
        issues.append(Issue(f"{task_id}, {answer['path']}", "a Python module", printable(fault, 300), "Mend the law."))
    return issues


def _issue(error: ScilawsError, path: str = "") -> Issue:
    texts = (path or error.thing, error.expected, error.found, error.remedy or "Mend the file.")
    return Issue(*(printable(text, 300) for text in texts))
