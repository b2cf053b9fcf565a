"""From a log to a verified bundle: `submission new --from-log`, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from evals_harness import Run

from scilaws_bench.cli import main


def _cli(*arguments: object) -> tuple[int, dict[str, object]]:
    done = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    return done.exit_code, json.loads(done.stdout)


def test_the_laws_of_a_log_are_bundled_scored_and_verified(run: Run, demo_folder: Path, tmp_path: Path) -> None:
    log = run("scilaws/solver")
    bundle = tmp_path / "bundle"
    code, made = _cli(
        "submission",
        "new",
        bundle,
        "--from-log",
        log.location,
        "--name",
        "n",
        "--submitter",
        "s",
        "--release",
        demo_folder,
    )
    assert code == 0
    assert made["answers"] == len(log.samples or [])
    manifest = json.loads((bundle / "submission.json").read_text())
    assert manifest["system"]["name"] == "scilaws/solver"
    assert {Path(record["path"]).parts[1] for record in manifest["records"]} == {"run.json", "transcripts"}
    _cli("submission", "score", bundle, "--release", demo_folder)
    code, verified = _cli("submission", "verify", bundle, "--release", demo_folder)
    assert (code, verified["confirmed"]) == (0, True)


def test_a_file_that_is_no_log_is_refused_by_name(demo_folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "not-a-log.eval"
    file.write_bytes(b"no zip")
    code, refused = _cli(
        "submission",
        "new",
        tmp_path / "b",
        "--from-log",
        file,
        "--name",
        "n",
        "--submitter",
        "s",
        "--release",
        demo_folder,
    )
    assert code == 1
    assert "not-a-log.eval" in json.dumps(refused)
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("more", [(), ("--baseline", "naive", "--laws", ".")])
def test_exactly_one_kind_of_answers_is_wanted(more: tuple[str, ...], tmp_path: Path) -> None:
    code, refused = _cli("submission", "new", tmp_path / "b", "--name", "n", "--submitter", "s", *more)
    assert code == 2
    assert "--from-log" in json.dumps(refused)
