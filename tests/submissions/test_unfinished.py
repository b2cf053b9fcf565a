"""A killed scoring run goes on where it stopped, and nothing else can bring verdicts along."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bundle_kit import GOOD, OTHER, write_bundle
from scilaws_bench import strict_json
from scilaws_bench.baselines import baseline_laws
from scilaws_bench.release import Release
from scilaws_bench.sandbox import Sandbox
from scilaws_bench.scoring import Anchors
from scilaws_bench.submissions import Unfinished, load_submission, score_submission
from scilaws_bench.submissions.bundle import SCORECARD

SCORE = [sys.executable, "-m", "scilaws_bench", "submission", "score", "--workers", "1"]


def test_a_run_killed_half_way_goes_on_where_it_stopped(small_release: Release, tmp_path: Path) -> None:
    """Pitfall 74 (resume)."""
    laws = baseline_laws("naive", small_release)
    laws[OTHER] = "import time\ntime.sleep(0.3)\n" + laws[OTHER]
    bundle = write_bundle(tmp_path / "bundle", small_release, laws, name=str(tmp_path))
    command = [*SCORE, str(bundle), "--release", str(small_release.path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as run:
        assert run.stderr is not None
        assert any(line.startswith("scoring: 1/2") for line in run.stderr)
        run.send_signal(signal.SIGKILL)
    assert not (bundle / SCORECARD).exists()
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert "verdicts kept: 1" in again.stderr
    verdicts = strict_json.read(bundle / SCORECARD)["verdicts"]
    assert [verdict["score"] for verdict in verdicts] == [0.348933, 0.0]


@pytest.fixture
def run(
    bundle: Path, small_release: Release, sandbox: Sandbox, anchors: dict[str, Anchors], tmp_path: Path
) -> tuple[Unfinished, Path]:
    """A run that reached all its verdicts and was killed before its scorecard was written, and its file."""
    submission = load_submission(bundle)
    unfinished = Unfinished.of(submission, small_release, sandbox.level, tmp_path / "cache")
    score_submission(submission, small_release, sandbox, unfinished=unfinished, anchors=anchors)
    (file,) = (tmp_path / "cache" / "scoring").iterdir()
    return unfinished, file


def _reopened(bundle: Path, release: Release, isolation: str, cache: Path) -> Unfinished:
    return Unfinished.of(load_submission(bundle), release, isolation, cache)


def test_kept_verdicts_are_used(
    run: tuple[Unfinished, Path], bundle: Path, small_release: Release, sandbox: Sandbox, tmp_path: Path
) -> None:
    _, file = run
    text = file.read_text()
    assert '"score":0.348933' in text
    file.write_text(text.replace('"score":0.348933', '"score":0.111111'))
    again = _reopened(bundle, small_release, sandbox.level, tmp_path / "cache")
    scorecard = score_submission(load_submission(bundle), small_release, sandbox, unfinished=again)
    assert [verdict["score"] for verdict in scorecard["verdicts"]] == [0.111111, 0.0]
    again.clear()
    assert not file.exists()
    assert len(_reopened(bundle, small_release, sandbox.level, tmp_path / "cache")) == 0


def test_a_torn_line_costs_that_verdict_alone(
    run: tuple[Unfinished, Path], bundle: Path, small_release: Release, sandbox: Sandbox, tmp_path: Path
) -> None:
    _, file = run
    file.write_bytes(file.read_bytes()[:-100])
    torn = _reopened(bundle, small_release, sandbox.level, tmp_path / "cache")
    assert len(torn) == 1
    answer = load_submission(bundle).answers[OTHER]["sha256"]
    assert torn.find(OTHER, answer) is None
    score_submission(load_submission(bundle), small_release, sandbox, unfinished=torn)
    assert len(_reopened(bundle, small_release, sandbox.level, tmp_path / "cache")) == 2


def test_another_answer_level_or_release_starts_afresh(
    run: tuple[Unfinished, Path], bundle: Path, small_release: Release, demo_release: Release, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    assert len(_reopened(bundle, small_release, "none", cache)) == 0
    assert len(_reopened(bundle, demo_release, "full", cache)) == 0
    other = write_bundle(tmp_path / "other", small_release, {GOOD: "x = 1"})
    assert len(_reopened(other, small_release, "full", cache)) == 0
    assert run[0].find(GOOD, "0" * 64) is None


def test_infrastructure_failures_are_tried_again(run: tuple[Unfinished, Path]) -> None:
    unfinished, file = run
    lines = file.read_bytes()
    verdict = strict_json.loads(lines.split()[0]) | {"failure": "infrastructure", "score": None}
    unfinished.add(verdict)
    assert file.read_bytes() == lines


def test_a_cache_that_cannot_be_written_costs_the_resuming_not_the_run(
    bundle: Path, small_release: Release, sandbox: Sandbox, anchors: dict[str, Anchors], tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    submission = load_submission(bundle)
    unfinished = Unfinished.of(submission, small_release, sandbox.level, tmp_path / "cache")
    scorecard = score_submission(submission, small_release, sandbox, unfinished=unfinished, anchors=anchors)
    assert scorecard["verdicts"][0]["score"] == 0.348933
    unfinished.clear()
