"""Nothing of gold reaches the model or the log, whatever the model tries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from evals_harness import Run, answers, only, outcome

from scilaws_bench.release import Release
from scilaws_bench.release.gold import open_gold
from scilaws_bench.release.sealing import CANARY
from scilaws_evals.offline.cheating import attempts

PROBLEM = "bulk-modulus-atomic-volume"
_LEAST_DIGITS = 6
_LEAST_LINE = 25


@pytest.mark.parametrize(("protocol", "max_turns"), [("xml", 30), ("native", 4)])
def test_cheating_is_refused_and_the_raw_log_holds_no_gold(
    run: Run, demo_release: Release, protocol: str, max_turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCILAWS_TEST_API_KEY", "a-secret-of-the-host")
    log = run("scilaws/cheating", PROBLEM, protocol=protocol, max_turns=max_turns)
    sample = only(log)
    said = [text for text in answers(sample) if "REFUSED" in text or "REACHED" in text]
    assert len(said) == min(len(attempts()), max_turns - 1)
    for name, text in zip(attempts(), said, strict=False):
        assert f"REFUSED {name} - " in text
    assert outcome(sample)["outcome"] == ("submitted" if max_turns == 30 else "unsubmitted")
    raw = Path(log.location).read_text(encoding="utf-8")
    assert sample.target == ""
    for secret in (*_secrets(demo_release), CANARY, "a-secret-of-the-host", str(demo_release.path / "gold")):
        assert secret not in raw


def test_the_secrets_are_those_of_the_gold(demo_release: Release) -> None:
    """The control: what is searched for is there, and would be found in the gold itself."""
    secrets = _secrets(demo_release)
    assert len(secrets) > 150
    assert any("def " in text or "return " in text for text in secrets)
    assert any(text[0].isdigit() for text in secrets)


def _secrets(release: Release) -> list[str]:
    """Texts of references and rubric, lines of law sources, held-out targets that are not training targets too."""
    task_id = f"scilaws_real/{PROBLEM}"
    gold, task = open_gold(release, task_id), release.task(task_id)
    known = set(map(repr, release.records(PROBLEM)[task["target"]["name"]].tolist()))
    targets = [repr(value) for group in gold["groups"] for value in group["scored"]["target"]]
    texts = [text for reference in gold["references"] for text in _texts(reference) if len(text) >= _LEAST_LINE]
    texts += [text for item in gold["rubric"] for text in _texts(item) if len(text) >= _LEAST_LINE]
    texts += [reference["id"] for reference in gold["references"]]
    numbers = [text for text in targets if text not in known and sum(map(str.isdigit, text)) >= _LEAST_DIGITS]
    return sorted({*texts, *numbers})


def _texts(value: Any) -> list[str]:
    """Every line of every text in a JSON value."""
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines()]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    return [text for item in value for text in _texts(item)] if isinstance(value, list) else []
