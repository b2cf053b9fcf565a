"""A submission that breaks its own worker for good, on a board that scores many: the others, and the references, are
computed elsewhere (`references` of score_submission, `--fresh-workers` of the command)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bundle_kit import anchors, bundle, small_release
from scilaws_bench import strict_json
from scilaws_bench.cli import main
from scilaws_bench.release import Release
from scilaws_bench.sandbox import CallResult, Sandbox
from scilaws_bench.submissions import load_submission, score_submission, verify_submission
from scilaws_bench.submissions.bundle import claim_scorecard

__all__ = ["anchors", "bundle", "small_release"]


class Recording(Sandbox):
    """A sandbox that keeps the sources it ran."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.sources: set[str] = set()

    def _call(self, request: Any, limits: Any) -> CallResult:
        self.sources.add(request.source)
        return super()._call(request, limits)


@pytest.fixture
def submitted(bundle: Path) -> set[str]:
    return {file.read_text() for file in (bundle / "laws").rglob("*.py")}


def test_submission_and_references_never_share_a_worker(
    bundle: Path, small_release: Release, submitted: set[str]
) -> None:
    with Recording() as own, Recording() as trusted:
        card = score_submission(load_submission(bundle), small_release, own, references=trusted)
        assert own.sources == submitted
        assert trusted.sources
        assert not trusted.sources & submitted
        claim_scorecard(bundle, card)
        with Recording() as again:
            assert verify_submission(load_submission(bundle), small_release, again, references=trusted).confirmed
            assert again.sources == submitted


def test_a_lying_worker_costs_its_own_submission_only(bundle: Path, small_release: Release) -> None:
    """As if a law had taken its worker over: every answer is forged. What it can reach is its own scores."""

    class Taken(Sandbox):
        def predict(self, *arguments: Any, **options: Any) -> CallResult:
            result = super().predict(*arguments, **options)
            if result.values is not None:
                result.values["values"][:] = 0.0
                for selected in result.values["selected"]:
                    selected[:] = 0.0
            return result

    kept: dict[str, Any] = {}
    submission = load_submission(bundle)
    with Sandbox() as trusted:
        with Taken() as taken:
            spoiled = score_submission(submission, small_release, taken, references=trusted, anchors=kept)
        with Sandbox() as fresh:
            honest = score_submission(submission, small_release, fresh, references=trusted, anchors=kept)
        assert honest == score_submission(submission, small_release, trusted)
        with Taken() as shared:
            also_spoiled: dict[str, Any] = {}
            score_submission(submission, small_release, shared, anchors=also_spoiled)
    assert spoiled["verdicts"] != honest["verdicts"]
    assert also_spoiled != kept  # the control: on shared workers the anchors of everybody are the attacker's


def test_the_option_of_the_command(bundle: Path, small_release: Release, tmp_path: Path) -> None:
    cards = []
    for options in ([], ["--fresh-workers"]):
        card = tmp_path / f"card{len(options)}.json"
        arguments = ["submission", "score", str(bundle), "--release", str(small_release.path), "--output", str(card)]
        done = CliRunner().invoke(main, [*arguments, *options])
        assert done.exit_code == 0, done.output
        cards.append(strict_json.read(card))
    assert cards[0] == cards[1]
    claim_scorecard(bundle, cards[0])
    done = CliRunner().invoke(
        main, ["submission", "verify", str(bundle), "--release", str(small_release.path), "--fresh-workers"]
    )
    assert done.exit_code == 0, done.output
