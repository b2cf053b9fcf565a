"""Bundles whose JSON attacks the reader: broken, lying, enormous, or written to deceive who reads the messages.

Guards against issue 2, "Bad input gets", and pitfalls 27, 28 (NaN in JSON), "AS" (duplicate keys,
NaN accepted), 52 (a benchmark that passes with {}).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bundle_kit import GOOD, edit_scorecard
from scilaws_bench import strict_json
from scilaws_bench.cli import main
from scilaws_bench.hashing import bytes_hash
from scilaws_bench.release import Release
from scilaws_bench.submissions import load_submission, validate_submission
from scilaws_bench.submissions.bundle import SCORECARD

pytestmark = pytest.mark.usefixtures("never_hang")

Edit = Callable[[dict[str, Any]], Any]


def _run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, done.output


TEXTS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty file": (lambda text: b"", "valid JSON"),
    "half a file": (lambda text: text[: len(text) // 2], "valid JSON"),
    "two documents": (lambda text: text + text, "valid JSON"),
    "a comment": (lambda text: b"// mine\n" + text, "valid JSON"),
    "byte order mark": (lambda text: b"\xef\xbb\xbf" + text, "BOM"),
    "UTF-16": (lambda text: text.decode().encode("utf-16"), "UTF-8 text"),
    "Latin-1": (lambda text: text.replace(b"honest", b"\xe9"), "UTF-8 text"),
    "NUL byte": (lambda text: text.replace(b"honest", b"\0"), "valid JSON"),
    "NaN": (lambda text: text.replace(b'"honest"', b"NaN"), "finite numbers"),
    "number that overflows": (lambda text: text.replace(b'"honest"', b"1e999"), "finite numbers"),
    "integer of 5000 digits": (lambda text: text.replace(b'"honest"', b"9" * 5000), "at most 40 digits"),
    "duplicate key": (lambda text: text.replace(b'"name"', b'"name": "x", "name"', 1), "unique keys"),
    "nested without end": (lambda text: b"[" * 1_000_000, "nested levels"),
    "nested too deep": (lambda text: text.replace(b'"honest"', b"[" * 70 + b"]" * 70), "nested levels"),
    "half a surrogate": (lambda text: text.replace(b"honest", rb"\ud800"), "surrogate"),
    "passes with {}": (lambda text: b"{}", "keys answers"),
    "a list": (lambda text: b"[]", "type object"),
    "17 MiB": (lambda text: text + b" " * (17 << 20), "more than 16,777,216 bytes"),
}


@pytest.mark.parametrize("attack", TEXTS)
def test_unreadable_manifest_is_one_clear_error(attack: str, bundle: Path, small_release: Release) -> None:
    spoil, expected = TEXTS[attack]
    file = bundle / "submission.json"
    file.write_bytes(spoil(file.read_bytes()))
    options = ("--release", small_release.path, "--json")
    code, output = _run("submission", "validate", bundle, *options)
    assert code == 1
    issues = strict_json.loads(output)["issues"]
    assert expected in str(issues)
    assert all(issue[key] for issue in issues for key in ("path", "expected", "found", "remedy"))
    for verb in ("score", "verify"):
        code, output = _run("submission", verb, bundle, *options)
        assert code == 1
        (error,) = strict_json.loads(output)["errors"]
        assert set(error) == {"path", "expected", "found", "remedy"}
        assert expected in str(error)


FATAL: dict[str, tuple[Edit, str]] = {
    "other schema version": (lambda made: made.update(schema="scilaws-bench/submission/2"), "$.schema"),
    "key missing": (lambda made: made.pop("release"), "keys release"),
    "key unknown": (lambda made: made.update(score=1.0), "unknown score"),
    "terminal commands in a key": (lambda made: made.update({"\x1b[2J\n": 1}), r"\x1b[2J\n"),
    "answers that are no list": (lambda made: made.update(answers={}), "$.answers"),
    "more answers than any release has tasks": (lambda made: made.update(answers=[{}] * 5001), "at most 5,000 entries"),
    "more records than a bundle has files": (lambda made: made.update(records=[{}] * 20001), "at most 20,000 entries"),
    "claims that climb": (lambda made: made.update(claims={"scorecard": "../x", "sha256": "0" * 64}), "$.claims"),
    "wrong hash of the release": (lambda made: made["release"].update(manifest_hash="x"), "$.release.manifest_hash"),
}


@pytest.mark.parametrize("attack", FATAL)
def test_fault_of_the_manifest_costs_the_bundle_and_is_named(attack: str, bundle: Path, small_release: Release) -> None:
    edit, expected = FATAL[attack]
    made = strict_json.read(bundle / "submission.json")
    edit(made)
    strict_json.write(bundle / "submission.json", made)
    issues = [str(issue) for issue in validate_submission(bundle, small_release)]
    assert any(expected in issue for issue in issues), issues
    assert all(issue.isprintable() and len(issue) < 1500 for issue in issues)
    for verb in ("validate", "score", "verify"):
        code, output = _run("submission", verb, bundle, "--release", small_release.path)
        assert code == 1
        assert expected in output
        assert "\x1b" not in output


ENTRIES: dict[str, tuple[Any, str]] = {
    "no object": ("law.py", "$.answers[1]"),
    "null": (None, "$.answers[1]"),
    "nothing in it": ({}, "keys path, sha256, task_hash, task_id"),
    "climbing path": ({"path": "../../../etc/passwd"}, "$.answers[1].path"),
    "absolute path": ({"path": "/etc/passwd"}, "$.answers[1].path"),
    "path with a newline": ({"path": "laws/x.py\n"}, "laws/x.py"),
    "path of 10,000 characters": ({"path": "a" * 10_000}, "$.answers[1].path"),
    "hash that is none": ({"sha256": "sha256"}, "$.answers[1].sha256"),
    "hash of something else": ({"sha256": "0" * 64}, f"sha256 {'0' * 64}"),
    "claimed score": ({"score": 1.0}, "unknown score"),
    "unknown task": ({"task_id": "scilaws_real/perpetual-motion"}, "scilaws_real/perpetual-motion"),
    "terminal commands as a task": ({"task_id": "\x1b]0;owned\x07"}, "x1b]0;owned"),
    "number as a task": ({"task_id": 7}, "$.answers[1].task_id"),
    "the manifest as a law": ({"path": "submission.json"}, "submission.json"),
    "the same task as another": ({"task_id": GOOD}, "one answer a task"),
}


@pytest.mark.parametrize("attack", ENTRIES)
def test_fault_of_one_answer_costs_that_answer(attack: str, bundle: Path, small_release: Release) -> None:
    """Pitfall 76: one failed item blocks the rest."""
    changes, expected = ENTRIES[attack]
    made = strict_json.read(bundle / "submission.json")
    made["answers"][1] = made["answers"][1] | changes if isinstance(changes, dict) and changes else changes
    strict_json.write(bundle / "submission.json", made)
    issues = [str(issue) for issue in validate_submission(bundle, small_release)]
    assert any(expected in issue for issue in issues), issues
    assert all(issue.isprintable() and len(issue) < 1500 for issue in issues)
    submission = load_submission(bundle)
    if attack == "the same task as another":
        assert submission.answers == {}
        assert "several answers" in submission.refused[GOOD]
    else:
        assert "def predict" in submission.law(submission.answers[GOOD])


def test_faulty_records_cost_no_answer(bundle: Path, small_release: Release) -> None:
    made = strict_json.read(bundle / "submission.json")
    made["records"] += [{"path": "../x"}, made["records"][0] | {"path": "records/gone"}]
    strict_json.write(bundle / "submission.json", made)
    paths = {issue.path for issue in validate_submission(bundle, small_release)}
    assert any(path.startswith("submission.json at $.records[1]") for path in paths)
    assert "records/gone" in paths
    assert set(load_submission(bundle).answers) == {answer["task_id"] for answer in made["answers"]}


SCORECARDS: dict[str, tuple[Edit, str]] = {
    "score above one": (lambda card: card["verdicts"][0].update(score=7), "verdict 0"),
    "score as text": (lambda card: card["verdicts"][0].update(score="1.0"), "verdict 0"),
    "unknown key": (lambda card: card.update(rank=1), "unknown rank"),
    "other schema version": (lambda card: card.update(schema="scilaws-bench/scorecard/9"), "scorecard/1"),
    "a million groups": (
        lambda card: card["verdicts"][0]["evidence"].update(groups=[{}] * 1_000_000),
        "at most 20,000 values",
    ),
    "200,000 aggregates": (
        lambda card: card["aggregates"].update(scilaws_real={str(n): {} for n in range(200_000)}),
        "at most 20,000 values",
    ),
    "a million verdicts": (lambda card: card.update(verdicts=[{}] * 1_000_000), "at most 5,000 entries"),
    "a number too large for aggregates": (
        lambda card: card["aggregates"]["scilaws_real"]["numeric_score"]["all"].update(strict_mean=-1.7e308),
        "strict_mean",
    ),
    "terminal commands as a submission": (lambda card: card.update(submission="\x1b[2J"), "another submission"),
    "terminal commands as a scorer": (lambda card: card["verdicts"][0].update(scorer="\x1b[2J"), r"\x1b[2J"),
}


@pytest.mark.parametrize("attack", SCORECARDS)
def test_hostile_scorecard_is_not_verified(attack: str, scored_bundle: Path, small_release: Release) -> None:
    edit, expected = SCORECARDS[attack]
    card = strict_json.read(scored_bundle / SCORECARD)
    edit(card)
    edit_scorecard(scored_bundle, **card)
    code, output = _run("submission", "verify", scored_bundle, "--release", small_release.path)
    assert code == 1
    assert expected in output
    assert "NOT verified" in output
    assert "\x1b" not in output


def test_scorecard_that_is_no_strict_json_is_not_verified(scored_bundle: Path, small_release: Release) -> None:
    text = (scored_bundle / SCORECARD).read_bytes().replace(b"0.348933", b"NaN", 1)
    (scored_bundle / SCORECARD).write_bytes(text)
    made = strict_json.read(scored_bundle / "submission.json")
    made["claims"]["sha256"] = bytes_hash(text)
    strict_json.write(scored_bundle / "submission.json", made)
    code, output = _run("submission", "verify", scored_bundle, "--release", small_release.path, "--json")
    assert code == 1
    (claim,) = strict_json.loads(output)["claims"]
    assert "finite numbers" in claim["reason"]
