"""Bundles: written, read back as folder and zip, and never half-written."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from bundle_kit import GOOD, OTHER, OTHER_LAW, edit_manifest, task_hash_of, write_bundle, zip_bundle
from scilaws_bench import strict_json
from scilaws_bench.baselines import baseline_laws
from scilaws_bench.errors import SchemaError, SubmissionError
from scilaws_bench.hashing import bytes_hash
from scilaws_bench.release import Release
from scilaws_bench.submissions import create_submission, load_submission, validate_submission
from scilaws_bench.submissions.bundle import SCORECARD, claim_scorecard, laws_of_folder


def test_a_folder_and_its_zip_are_the_same_submission(bundle: Path, small_release: Release, tmp_path: Path) -> None:
    folder = load_submission(bundle)
    zipped = load_submission(zip_bundle(bundle, tmp_path / "bundle.zip"))
    assert zipped.manifest == folder.manifest
    assert zipped.bundle.files == folder.bundle.files
    laws = baseline_laws("naive", small_release)
    for read in (folder, zipped):
        assert {task_id: read.law(answer) for task_id, answer in read.answers.items()} == laws
        assert read.issues == ()
        assert read.claimed_scorecard is None


def test_what_is_written_is_bound_to_release_tasks_and_bytes(bundle: Path, small_release: Release) -> None:
    manifest = strict_json.read(bundle / "submission.json")
    assert manifest["release"] == small_release.reference
    assert manifest["claims"] is None
    for answer in manifest["answers"]:
        assert answer["task_hash"] == task_hash_of(small_release, answer["task_id"])
        assert answer["sha256"] == bytes_hash((bundle / answer["path"]).read_bytes())
    record = manifest["records"][0]
    assert record == {"path": "records/log.txt", "sha256": bytes_hash(b"what happened\n"), "meaning": "log"}
    assert validate_submission(bundle, small_release) == []


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"created": "31.01.2025"}, SchemaError, "created"),
        ({"name": ""}, SchemaError, "name"),
        ({"system": {"name": "x", "kind": "robot", "details": ""}}, SchemaError, "kind"),
        ({"records": {"../../escaped.txt": (b"x", "log")}}, SchemaError, "records"),
        ({"laws": {"scilaws_real/unheard-of": "x = 1"}}, SubmissionError, "unheard-of"),
    ],
    ids=["date", "name", "kind", "climbing record", "unknown task"],
)
def test_nothing_is_written_unless_all_is_in_order(
    small_release: Release, tmp_path: Path, changes: dict[str, Any], error: type[Exception], text: str
) -> None:
    arguments: dict[str, Any] = {
        "laws": baseline_laws("naive", small_release),
        "name": "n",
        "system": {"name": "s", "kind": "human", "details": ""},
        "submitter": {"name": "me", "contact": ""},
        "created": "2025-01-31",
    }
    with pytest.raises(error, match=text):
        create_submission(tmp_path / "new", small_release, **(arguments | changes))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("occupied_by", ["file", "folder"])
def test_an_occupied_place_is_refused_and_kept(small_release: Release, tmp_path: Path, occupied_by: str) -> None:
    place = tmp_path / "place"
    kept = place / "mine.txt" if occupied_by == "folder" else place
    kept.parent.mkdir(exist_ok=True)
    kept.write_text("mine")
    with pytest.raises(SubmissionError, match="new or empty folder"):
        write_bundle(place, small_release)
    assert kept.read_text() == "mine"


def test_law_files_are_found_by_problem_name(small_release: Release, tmp_path: Path) -> None:
    (tmp_path / "optical_dispersion.py").write_text("a = 1\n")
    (tmp_path / "bulk-modulus-atomic-volume.py").write_text("b = 2\n")
    assert laws_of_folder(tmp_path, small_release) == {OTHER: "a = 1\n", GOOD: "b = 2\n"}
    (tmp_path / "phlogiston.py").write_text("")
    with pytest.raises(SubmissionError, match=r"phlogiston.*task list"):
        laws_of_folder(tmp_path, small_release)


def test_a_folder_without_laws_is_refused(small_release: Release, tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="law modules named"):
        laws_of_folder(tmp_path, small_release)


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lambda file: file.unlink(), "no such file"),
        (lambda file: file.write_bytes(b"x = 1\n"), "sha256"),
        (lambda file: file.write_bytes(b"#" * (17 << 20)), "more than 16,777,216 bytes"),
        (lambda file: (file.unlink(), file.symlink_to("/etc/hostname")), "a symbolic link"),
    ],
    ids=["missing", "altered", "oversized", "link"],
)
def test_a_law_that_is_not_the_pinned_one_is_refused_with_the_reason(bundle: Path, spoil: Any, found: str) -> None:
    spoil(bundle / OTHER_LAW)
    submission = load_submission(bundle)
    with pytest.raises(SubmissionError) as caught:
        submission.law(submission.answers[OTHER])
    assert caught.value.thing == OTHER_LAW
    assert found in caught.value.found
    assert submission.law(submission.answers[GOOD])


def test_a_claimed_scorecard_is_the_claimed_bytes(scored_bundle: Path) -> None:
    claimed = load_submission(scored_bundle).claimed_scorecard
    assert claimed == strict_json.read(scored_bundle / SCORECARD)
    (scored_bundle / SCORECARD).write_text(strict_json.dumps(claimed))
    with pytest.raises(SubmissionError, match="the claimed scorecard with sha256"):
        _ = load_submission(scored_bundle).claimed_scorecard
    (scored_bundle / SCORECARD).unlink()
    with pytest.raises(SubmissionError, match="no such file"):
        _ = load_submission(scored_bundle).claimed_scorecard


def test_claiming_replaces_a_link_and_never_writes_through_it(scored_bundle: Path, tmp_path: Path) -> None:
    scorecard = load_submission(scored_bundle).claimed_scorecard
    assert scorecard is not None
    outside = tmp_path / "outside.json"
    outside.write_text("mine")
    (scored_bundle / SCORECARD).unlink()
    (scored_bundle / SCORECARD).symlink_to(outside)
    claim_scorecard(scored_bundle, scorecard)
    assert outside.read_text() == "mine"
    assert load_submission(scored_bundle).claimed_scorecard == scorecard


def test_a_zip_of_the_folder_itself_says_where_the_bundle_is(bundle: Path, tmp_path: Path) -> None:
    above = tmp_path / "above"
    shutil.move(bundle, above / "my-run")
    with pytest.raises(SubmissionError, match=r"one in my-run/.*zip what is in my-run/"):
        load_submission(zip_bundle(above, tmp_path / "bundle.zip"))


def test_a_bundle_may_be_reached_through_links_of_the_users_own(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "parent").symlink_to(tmp_path)
    (tmp_path / "shortcut").symlink_to(bundle)
    for path in (tmp_path / "parent" / "bundle", tmp_path / "shortcut"):
        assert load_submission(path).issues == ()


def test_several_faults_of_a_manifest_are_all_listed(bundle: Path, small_release: Release) -> None:
    edit_manifest(bundle, name="", created="yesterday", schema="scilaws-bench/submission/2")
    issues = validate_submission(bundle, small_release)
    assert {issue.path for issue in issues} == {
        f"submission.json at $.{key}" for key in ("name", "created", "schema")
    }  # fmt: skip
