"""Check a release folder: nothing altered, missing, foreign or leaking; fits that repeat."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scilaws_bench import schemas, strict_json
from scilaws_bench.errors import ScilawsError
from scilaws_bench.release import Release, open_release
from scilaws_bench.release.content import MANIFEST
from scilaws_bench.release.gold import open_gold
from scilaws_bench.release.sealing import CANARY
from scilaws_bench.schemas import Issue
from scilaws_builders.release_build.leaks import leaks
from scilaws_builders.release_build.problem_step import Places
from scilaws_builders.scilaws.fits import REFIT_WITHIN, fit_all, read_lock
from scilaws_builders.scilaws.problem import all_problems
from scilaws_builders.scilaws.splits import split_records
from scilaws_builders.sources import open_source

CARDS = ("README.md", "ATTRIBUTION.md")


def check_release(path: Path) -> list[Issue]:
    """All faults of a release folder (none: it is whole, closed and leaks no gold).

    Content is read only if every file is a regular one in its place, so that nothing outside the
    folder is opened.
    """
    try:
        release = open_release(path)
    except ScilawsError as error:
        return [_issue(str(path), error)]
    issues = list(_files(release))
    if issues:
        return issues
    altered = list(_tables(release))
    try:
        tasks = release.tasks
    except ScilawsError:
        return altered  # the faulty table is named already
    golds: dict[str, dict[str, Any]] = {}
    issues = [*altered, *_gold(release, golds), *_canaries(release, tasks), *_reproductions(release)]
    return issues if altered else [*issues, *leaks(release, golds, CARDS)]


def check_refit(places: Places, only: set[str]) -> list[Issue]:
    """Fit every fitted constant of these problems again and compare it with fits.lock."""
    issues = []
    for problem in all_problems().values():
        if problem.id not in only or not any(entry["fitted"] for entry in problem.spec["references"]):
            continue
        try:
            source = open_source(
                problem.spec["source"],
                cache=places.sources,
                mirror=places.mirror,
                upstream=places.upstream,
                offline=places.offline,
            )
            fresh = fit_all(problem, split_records(problem, problem.records(source)).train)
            committed = read_lock().get(problem.id, {})
        except ScilawsError as error:
            issues.append(_issue(problem.id, error))
            continue
        for law, values in fresh.items():
            for name, value in values.items():
                locked = committed.get(law, {}).get(name)
                if locked is None or abs(value - locked) > REFIT_WITHIN * max(abs(value), abs(locked)):
                    where = f"fits.lock {problem.id} {law} {name}"
                    issues.append(Issue(where, f"{value!r} within {REFIT_WITHIN}", repr(locked), "Run `release fit`."))
    return issues


def _files(release: Release) -> Iterator[Issue]:
    """Every file of the manifest is there, and nothing else is."""
    known = {MANIFEST, *CARDS, *(entry["path"] for part in ("tables", "sealed") for entry in release.manifest[part])}
    found = set()
    for file in sorted(release.path.rglob("*")):
        name = file.relative_to(release.path).as_posix()
        if file.is_symlink() or not (file.is_file() or file.is_dir()):
            kind = "a symbolic link" if file.is_symlink() else "a special file"
            yield Issue(name, "only regular files of the manifest", kind, "Remove it.")
        elif file.is_file() and name not in known:
            yield Issue(name, "only files of the manifest", "another file", "Remove it.")
        elif file.is_file():
            found.add(name)
    for name in sorted(known - found):
        yield Issue(name, "a file of this name", "none", "Download the release again, or build it again.")


def _tables(release: Release) -> Iterator[Issue]:
    for entry in release.manifest["tables"]:
        try:
            table = release.table(entry["config"], entry["split"])
            texts = table.column("task_json").to_pylist() if "task_json" in table.column_names else []
            tasks = [strict_json.loads(text, where=entry["path"]) for text in texts]
        except ScilawsError as error:
            yield _issue(entry["path"], error)
            continue
        if table.num_rows != entry["rows"]:
            yield Issue(entry["path"], f"{entry['rows']} rows", str(table.num_rows), "Build the release again.")
        for task in tasks:
            yield from schemas.problems_with("task", task, path=entry["path"])


def _gold(release: Release, golds: dict[str, dict[str, Any]]) -> Iterator[Issue]:
    sealed = {entry["task_id"] for entry in release.manifest["sealed"]}
    for task_id in sorted(set(release.tasks) ^ sealed):
        yield Issue(task_id, "a task with its gold", "one without the other", "Build the release again.")
    for task_id in sorted(set(release.tasks) & sealed):
        try:
            golds[task_id] = open_gold(release, task_id)
        except ScilawsError as error:
            yield _issue(task_id, error)


def _canaries(release: Release, tasks: dict[str, dict[str, Any]]) -> Iterator[Issue]:
    names = [MANIFEST, "README.md", *(entry["path"] for entry in release.manifest["sealed"])]
    for name in names:
        if CANARY.encode() not in (release.path / name).read_bytes():
            yield Issue(name, "the canary string", "none", "Build the release again.")
    for task_id, task in tasks.items():
        if task["canary"] != CANARY:
            yield Issue(task_id, "the canary string", task["canary"], "Build the release again.")


def _reproductions(release: Release) -> Iterator[Issue]:
    """A published value that is claimed to be recomputed was recomputed."""
    for result in release.manifest["suites"]["scilaws_real"]["reproduction_results"]:
        gap = abs(result["measured"] - result["published"])
        if gap > result["tolerance"] or not result["reproduced"]:
            expected = f"{result['published']} within {result['tolerance']}"
            yield Issue(f"reproduction of {result['id']}", expected, str(result["measured"]), "Mend the problem.")


def _issue(path: str, error: ScilawsError) -> Issue:
    return Issue(path, error.expected or "no error", error.found or error.thing, error.remedy)
