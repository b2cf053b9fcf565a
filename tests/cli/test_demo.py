"""`scilaws-bench demo`: everything once, again at no harm, and it fails when the cheat is not caught."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_harness import run

from scilaws_bench.release import open_release
from scilaws_bench.submissions import load_submission, validate_submission
from scilaws_builders.cli import demo
from scilaws_builders.release_build import build


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo_folder: Path) -> None:
    """The builds of `demo_folder` are in the cache; two of the six problems are enough to see the demo work."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(build, "DEMO_PROBLEMS", ("bulk-modulus-atomic-volume", "optical-dispersion"))


def test_the_demo_shows_who_scored_what_and_that_cheating_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "PROTOCOLS", {"xml": demo.PROTOCOLS["xml"]})
    done = run("demo")
    assert done.code == 0, done.err
    for text in ("naive", "best-published-law", "0.500000", "The altered score was caught:", "(-0.100000)"):
        assert text in done.out
    for stage in ("building: 2/2", "scoring naive: 2/2", "verifying naive: 2/2", "verifying altered-score: 2/2"):
        assert stage in done.err
    release = open_release("build/release/demo")
    bundles = ("naive", "best-published-law", "symbolic-regression", "model-xml", "altered-score")
    for name in bundles:
        folder = Path("build") / "demo" / name
        assert name in done.out
        assert validate_submission(folder, release) == []
        assert load_submission(folder).claimed_scorecard is not None
    assert len(list(Path("build/demo/logs").glob("*.eval"))) == 1


@pytest.mark.slow
def test_a_second_demo_gives_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "PROTOCOLS", {})
    monkeypatch.setattr(demo, "BASELINES", {"naive": "the training median", "best-published-law": "a reference law"})
    first, again = run("demo", "--json"), run("demo", "--json")
    assert (first.code, again.code) == (0, 0)
    assert again.document["ok"] is True
    assert again.document["bundles"] == first.document["bundles"]
    naive, best, altered = again.document["bundles"]
    assert (naive["counts"]["differs"], best["counts"]["differs"]) == (0, 0)
    assert best["strict_mean"] == 0.5
    assert altered["counts"]["differs"] > 0
    assert altered["strict_mean"] > naive["strict_mean"]


def test_the_demo_fails_if_the_cheat_goes_unnoticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_RAISED_BY", 0.0)
    monkeypatch.setattr(demo, "PROTOCOLS", {})
    monkeypatch.setattr(demo, "BASELINES", {"naive": "the training median"})
    done = run("demo")
    assert done.code == 1
    assert "FAULT: the altered score was not caught." in done.out


def test_the_demo_removes_nothing_but_its_own_bundles() -> None:
    mine = Path("build/demo/naive/mine.txt")
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    done = run("demo")
    assert done.code == 1
    assert "the bundle of an earlier demo" in done.err
    assert mine.read_text() == "mine"
