"""The bundle format: `submission.json`, law modules, records, and what is claimed for them.

```
submission.json        who, which system, which release; one entry an answer
laws/<task>.py         law modules, UTF-8
records/…              anything that shows how the answers came about (logs, prompts); never scored
scorecard.json         the claimed scores, as `submission score` writes them (optional)
```
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scilaws_bench import schemas, strict_json
from scilaws_bench.errors import SubmissionError
from scilaws_bench.hashing import bytes_hash, json_hash
from scilaws_bench.laws import decode_source, read_source
from scilaws_bench.plain_text import printable
from scilaws_bench.release import Release
from scilaws_bench.schemas import Issue
from scilaws_bench.submissions.documents import parse_manifest, parse_scorecard
from scilaws_bench.submissions.files import MANIFEST, BundleFiles, read_bundle

SCORECARD = "scorecard.json"


@dataclass(frozen=True)
class Submission:
    """A bundle whose manifest can be used; single answers may still be faulty.

    `answers` and `records` are the entries of the manifest that follow its schema, answers by task
    id; `refused` says for a task why its answer is not among them, `issues` all that was refused
    on opening.
    """

    manifest: dict[str, Any]
    bundle: BundleFiles
    answers: dict[str, dict[str, str]]
    records: tuple[dict[str, str], ...]
    refused: dict[str, str]
    issues: tuple[Issue, ...]

    def law(self, answer: Mapping[str, str]) -> str:
        """Source text of an answer.

        Raises:
            SubmissionError: a missing file, another hash than the manifest states, or a file that is
                too large or not UTF-8.
        """
        path = answer["path"]
        return decode_source(self._pinned(path, answer["sha256"], "a law module in the bundle"), path)

    @property
    def claimed_scorecard(self) -> dict[str, Any] | None:
        """The claimed scorecard, None if nothing is claimed.

        Raises:
            SubmissionError: a claim whose file is missing or altered.
            SchemaError: a scorecard that does not follow its schema.
        """
        claims = self.manifest["claims"]
        if claims is None:
            return None
        content = self._pinned(claims["scorecard"], claims["sha256"], "the claimed scorecard")
        return parse_scorecard(content, claims["scorecard"])

    def _pinned(self, path: str, sha256: str, meaning: str) -> bytes:
        content = self.bundle.files.get(path)
        if content is None:
            raise SubmissionError(path, meaning, self.bundle.why_missing(path), "Put it there as a plain file.")
        found = bytes_hash(content)
        if found != sha256:
            raise SubmissionError(
                path, f"{meaning} with sha256 {sha256}", f"sha256 {found}",
                "The file was changed after the manifest was written: restore it or write the bundle again.",
            )  # fmt: skip
        return content


def load_submission(path: Path) -> Submission:
    """Open a bundle: the one door for submissions.

    Raises:
        SubmissionError: no bundle, or no `submission.json` in it.
        SchemaError: a manifest that is not strict JSON or breaks its schema outside single answers.
    """
    bundle = read_bundle(path)
    content = bundle.files.get(MANIFEST)
    if content is None:
        raise _no_manifest(path, bundle)
    manifest = parse_manifest(content)
    issues = (*bundle.issues, *manifest.issues)
    return Submission(manifest.document, bundle, manifest.answers, manifest.records, manifest.refused, issues)


def _no_manifest(path: Path, bundle: BundleFiles) -> SubmissionError:
    where, found = f"submission {printable(str(path), 200)}", bundle.why_missing(MANIFEST)
    deeper = next((name for name in sorted(bundle.files) if name.endswith(f"/{MANIFEST}")), None)
    if deeper is None:
        return SubmissionError(where, f"a file {MANIFEST}", found, "Create a bundle with `submission new`.")
    folder = printable(deeper.removesuffix(MANIFEST), 200)
    return SubmissionError(
        where, f"a file {MANIFEST} at its top", f"one in {folder}",
        f"The bundle is that folder: name it, or zip what is in {folder} and not the folder itself.",
    )  # fmt: skip


def create_submission(
    folder: Path,
    release: Release,
    laws: Mapping[str, str],
    *,
    name: str,
    system: Mapping[str, str],
    submitter: Mapping[str, str],
    created: str,
    description: str = "",
    records: Mapping[str, tuple[bytes, str]] | None = None,
) -> Path:
    """Write a bundle folder for law sources by task id; returns its `submission.json`.

    `system` has name, kind (model, agent, baseline, human) and details; `submitter` name and
    contact; `created` is YYYY-MM-DD; `records` maps file names below records/ to (bytes, meaning).
    Nothing is written unless everything is in order; the manifest is written last.

    Raises:
        SubmissionError: a folder that is not empty, or a task the release does not have.
        SchemaError: an empty name, a date of another form, a record path that is not plain.
    """
    refuse_occupied(folder)
    unknown = sorted(set(laws) - set(release.tasks))
    if unknown:
        raise SubmissionError(f"task {unknown[0]!r}", "a task of the release", "none of that id", "See `task list`.")
    contents: dict[str, bytes] = {}
    answers = []
    for task_id, source in sorted(laws.items()):
        path = f"laws/{task_id}.py"
        contents[path] = source.encode("utf-8")
        answers.append(
            {
                "task_id": task_id,
                "task_hash": json_hash(release.tasks[task_id]),
                "path": path,
                "sha256": bytes_hash(contents[path]),
            }
        )
    kept = []
    for file_name, (content, meaning) in sorted((records or {}).items()):
        path = f"records/{file_name}"
        contents[path] = content
        kept.append({"path": path, "sha256": bytes_hash(content), "meaning": meaning})
    manifest = {
        "schema": "scilaws-bench/submission/1",
        "name": name,
        "description": description,
        "submitter": dict(submitter),
        "system": dict(system),
        "created": created,
        "release": release.reference,
        "answers": answers,
        "claims": None,
        "records": kept,
    }
    schemas.require("submission", manifest, where=MANIFEST)
    for path, content in contents.items():
        strict_json.write_bytes(folder / path, content)
    strict_json.write(folder / MANIFEST, manifest)
    return folder / MANIFEST


def refuse_occupied(folder: Path) -> None:
    """Raise SubmissionError unless a bundle can be written there: no such path yet, or an empty folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        found = "files in it" if folder.is_dir() else "a file"
        raise SubmissionError(f"submission {folder}", "a new or empty folder", found, "Choose another folder.")


def laws_of_folder(folder: Path, release: Release) -> dict[str, str]:
    """Law sources by task id from files named after the problem (`optical-dispersion.py`).

    Raises:
        SubmissionError: a file that names no task of the release, or no file at all.
    """
    by_problem = {task["problem_id"]: task_id for task_id, task in release.tasks.items()}
    laws = {}
    for file in sorted(folder.glob("*.py")):
        name = file.stem.replace("_", "-")
        if name not in by_problem:
            raise SubmissionError(
                str(file), "a file named after a problem of the release", file.stem, "See `task list`."
            )
        laws[by_problem[name]] = read_source(file)
    if not laws:
        raise SubmissionError(str(folder), "law modules named <problem>.py", "none", "Write one a task.")
    return laws


def claim_scorecard(folder: Path, scorecard: Mapping[str, Any]) -> Path:
    """Write a scorecard into a bundle folder and claim it in `submission.json`; returns the scorecard's path."""
    content = (strict_json.dumps(scorecard, indent=2) + "\n").encode("utf-8")
    strict_json.write_bytes(folder / SCORECARD, content)
    manifest = strict_json.read(folder / MANIFEST)
    manifest["claims"] = {"scorecard": SCORECARD, "sha256": bytes_hash(content)}
    strict_json.write(folder / MANIFEST, manifest)
    return folder / SCORECARD
