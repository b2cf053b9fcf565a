"""Assemble a release folder from built problems."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scilaws_bench
from scilaws_bench import schemas, strict_json
from scilaws_bench.errors import ReleaseError, SchemaError
from scilaws_bench.hashing import column_types, json_hash, table_hash
from scilaws_bench.release.configs import RECORDS_SPLIT, TASKS_SPLIT, records_config, sealed_path, table_path
from scilaws_bench.release.content import MANIFEST, manifest_hash
from scilaws_bench.release.sealing import CANARY, seal
from scilaws_builders.pipeline.work import recover, swap_in, work_folder
from scilaws_builders.pipeline.workers import die_with_parent
from scilaws_builders.release_build.card import write_card
from scilaws_builders.release_build.problem_step import (
    CHECKS,
    GOLD,
    TASK,
    TRAIN,
    Built,
    Places,
    build_problem,
    read_json,
)
from scilaws_builders.release_build.tables import task_table
from scilaws_builders.scilaws.problem import DEMO_PROBLEMS, Problem, all_problems

RELEASE_NAME = "scilaws-bench"
DATA_VERSION = "0.1.0"


@dataclass(frozen=True)
class BuildOptions:
    """What to build and from where.

    `edition` is demo (six problems from package archives) or public (all). A publishable release
    leaves out tables whose licence is unverified; a local one may hold them.
    """

    edition: str
    output: Path
    places: Places
    publishable: bool = False
    workers: int = 2


def build_release(
    options: BuildOptions,
    *,
    progress: Callable[[Built, int, int], None] | None = None,
    executor: Executor | None = None,
) -> dict[str, Any]:
    """Build a release folder and return its manifest.

    Problems whose source can't be reached are left out and reported under `not_built`. The
    release appears at `options.output` whole: an older one there is replaced only at the end.

    Raises:
        ProblemError: a problem that breaks a rule of the release.
        SourceIntegrityError: bytes that are not the pinned ones.
        ReleaseError: nothing could be built, a worker was killed, or the output is a folder that
            holds no release.
    """
    output = options.output.resolve()  # a link to a release stays a link
    recover(output)
    _refuse_foreign_folder(output)
    problems = _chosen(options)
    built = _build_all(problems, options, progress, executor)
    done = [(problem, result.folder) for problem, result in zip(problems, built, strict=True) if result.folder]
    if not done:
        reasons = "; ".join(f"{result.problem_id}: {result.reason}" for result in built)
        raise ReleaseError(f"release {options.edition}", "at least one problem built", reasons, "See --mirror.")
    with work_folder(output.parent, output.name) as work:
        manifest = _assemble(options, problems, built, done, work)
        work.chmod(0o755)
        swap_in(work, output)
    return manifest


def _chosen(options: BuildOptions) -> list[Problem]:
    problems = all_problems()
    if options.edition == "demo":
        return [problems[name] for name in DEMO_PROBLEMS]
    return list(problems.values())


def _build_all(
    problems: list[Problem],
    options: BuildOptions,
    progress: Callable[[Built, int, int], None] | None,
    executor: Executor | None,
) -> list[Built]:
    wanted = [problem for problem in problems if not _withheld(problem, options)]
    results = {
        problem.id: Built(problem.id, None, f"licence {problem.spec['licence']['spdx']}: build-only, never released")
        for problem in problems
        if _withheld(problem, options)
    }
    with contextlib.ExitStack() as stack:
        pool = executor or stack.enter_context(
            # Not forked: the caller may run threads (a progress bar, pyarrow), and a fork copies their locks.
            ProcessPoolExecutor(options.workers, multiprocessing.get_context("spawn"), die_with_parent)
        )
        futures: dict[Future[Built], str] = {
            pool.submit(build_problem, problem, options.places): problem.id for problem in wanted
        }
        for count, future in enumerate(as_completed(futures), start=1):
            try:
                result = future.result()
            except BrokenExecutor:
                raise ReleaseError(
                    f"build of {futures[future]}", "a worker that finishes", "one that was killed",
                    "Free some memory or use fewer --workers; finished problems are kept.",
                ) from None  # fmt: skip
            results[result.problem_id] = result
            if progress:
                progress(result, count, len(wanted))
    return [results[problem.id] for problem in problems]


def _withheld(problem: Problem, options: BuildOptions) -> bool:
    return options.publishable and problem.spec["licence"]["redistribution"] == "build-only"


def _assemble(
    options: BuildOptions,
    problems: list[Problem],
    built: list[Built],
    done: list[tuple[Problem, Path]],
    work: Path,
) -> dict[str, Any]:
    import pyarrow.parquet as pq

    tasks = [read_json(folder, TASK) for _, folder in done]
    tables = {("scilaws_real", TASKS_SPLIT): task_table(tasks)}
    sealed = []
    for problem, folder in done:
        tables[records_config(problem.id), RECORDS_SPLIT] = pq.read_table(folder / TRAIN)
        gold = read_json(folder, GOLD)
        path = sealed_path(gold["task_id"])
        strict_json.write_bytes(work / path, seal(gold, path))
        sealed.append({"path": path, "task_id": gold["task_id"], "content_hash": json_hash(gold)})
    entries = []
    for (config, split), table in tables.items():
        path = table_path(config, split)
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, work / path, row_group_size=100_000, compression="zstd")
        entries.append(
            {
                "config": config,
                "split": split,
                "path": path,
                "rows": table.num_rows,
                "columns": column_types(table),
                "content_hash": table_hash(table),
            }
        )
    manifest = {
        "schema": "scilaws-bench/manifest/1",
        "name": RELEASE_NAME,
        "version": DATA_VERSION,
        "edition": options.edition,
        "publishable": not any(_build_only(problem) for problem, _ in done),
        "code_version": scilaws_bench.__version__,
        "canary": CANARY,
        "suites": {"scilaws_real": _suite_facts(problems, built, done)},
        "tables": entries,
        "sealed": sealed,
        "sources": [
            {"problem": problem.id}
            | {key: problem.spec[key] for key in ("published_as", "source", "licence", "data_citation")}
            for problem, _ in done
        ],
    }
    manifest["manifest_hash"] = manifest_hash(manifest)
    schemas.require("manifest", manifest, where=MANIFEST)
    write_card(work, manifest, tasks)
    strict_json.write(work / MANIFEST, manifest)
    return manifest


def _suite_facts(problems: list[Problem], built: list[Built], done: list[tuple[Problem, Path]]) -> dict[str, Any]:
    tasks = [read_json(folder, TASK) for _, folder in done]
    results = [read_json(folder, CHECKS)["reproduction"] for _, folder in done]
    run = [result for result in results if result is not None]
    not_built = [
        {"id": problem.id, "reason": result.reason}
        for problem, result in zip(problems, built, strict=True)
        if result.folder is None
    ]
    expected = {problem.id for problem in problems if problem.spec["reproduction"]}
    not_run = [entry for entry in not_built if entry["id"] in expected]
    structures = [task["structure"] for task in tasks]
    return {
        "tasks": len(tasks),
        "single": structures.count("single"),
        "multi": structures.count("multi"),
        "disciplines": _counts(task["discipline"] for task in tasks),
        "reference_laws": sum(len(problem.spec["references"]) for problem, _ in done),
        "rows": sum(task["records"]["rows"] + task["scored"]["rows"] + task["scored"]["fit_rows"] for task in tasks),
        "splits": _counts(task["split"]["kind"] for task in tasks),
        "reproductions": {"run": len(run), "not_run": len(not_run)},
        "reproduction_results": run,
        "reproductions_not_run": not_run,
        "not_built": not_built,
        "build_only": [problem.id for problem, _ in done if _build_only(problem)],
    }


def _build_only(problem: Problem) -> bool:
    return bool(problem.spec["licence"]["redistribution"] == "build-only")


def _counts(values: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return dict(sorted(counts.items()))


def _refuse_foreign_folder(output: Path) -> None:
    """Refuse to replace anything but an empty folder or a release: many programs write a manifest.json."""
    if not output.exists() or (output.is_dir() and not any(output.iterdir())):
        return
    try:
        document = strict_json.read(output / MANIFEST)
    except (OSError, SchemaError):
        document = None
    if not (isinstance(document, dict) and document.get("name") == RELEASE_NAME and "manifest_hash" in document):
        raise ReleaseError(
            str(output), "a new or empty folder or an older release", "something else", "Choose another --output."
        )
