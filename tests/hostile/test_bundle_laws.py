"""Answers that are no laws: each gets a verdict with a reason, and the good answer beside it keeps its score.

Guards against issue 2 ("laws that are not Python", "non-UTF-8") and pitfall 76.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bundle_kit import GOOD, OTHER, replace_law
from scilaws_bench.release import Release
from scilaws_bench.sandbox import Sandbox
from scilaws_bench.scoring import Anchors
from scilaws_bench.submissions import load_submission, score_submission, validate_submission

LAW = b"""
USED_INPUTS = ["wavelength_um"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}
def predict(X):
    return 1.5 + 0 * X[:, 0]
"""

NO_LAWS: dict[str, tuple[bytes, str]] = {
    "prose": (b"The law is n = A + B / wavelength^2.", "not a Python module"),
    "Markdown fence": (b"```python\n" + LAW + b"```\n", "not a Python module"),
    "JSON": (b'{"a": null', "not a Python module"),
    "compiled code": (b"\xa7\r\r\n\0\0\0\0", "not UTF-8"),
    "Latin-1 with a coding line": (b"# -*- coding: latin-1 -*-\n# \xe9\n" + LAW, "not UTF-8"),
    "UTF-16": (LAW.decode().encode("utf-16"), "not UTF-8"),
    "NUL bytes": (LAW + b"\0", "not a Python module"),
    "Python 2": (b"print 'n'", "not a Python module"),
    "tabs and spaces mixed": (b"if 1:\n\tx = 1\n        y = 2\n", "not a Python module"),
    "a hundred thousand minus signs": (b"x = " + b"-" * 100_000 + b"1", "not a Python module"),
    "a hundred thousand terms": (b"x = " + b"1+" * 100_000 + b"1", "not a Python module"),
    "two thousand parentheses": (b"x = " + b"(" * 2000, "not a Python module"),
    "a number of 9,000 digits": (b"x = " + b"9" * 9000, "not a Python module"),
    "more than 256 KiB": (LAW + b"#" * 262_144, "262,144 bytes"),
}
NO_PREDICT: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "predict"),
    "leaves at once": (b"import os\nos._exit(0)", "exit code 0"),
    "claims a score": (b"print('score 1.0')\nscore = 1.0", "predict"),
    "terminal commands in its error": (b"raise ValueError('\\x1b[2J\\n' * 1000)", "ValueError"),
}


def _score(
    bundle: Path, release: Release, sandbox: Sandbox, anchors: dict[str, Anchors]
) -> tuple[float, dict[str, str]]:
    scorecard = score_submission(load_submission(bundle), release, sandbox, anchors=anchors)
    by_task = {verdict["task_id"]: verdict for verdict in scorecard["verdicts"]}
    return by_task[GOOD]["score"], by_task[OTHER]


@pytest.mark.parametrize("what", [*NO_LAWS, *NO_PREDICT])
def test_no_law_is_a_verdict_and_costs_no_other(
    what: str, bundle: Path, small_release: Release, sandbox: Sandbox, anchors: dict[str, Anchors]
) -> None:
    content, reason = (NO_LAWS | NO_PREDICT)[what]
    replace_law(bundle, content)
    good, verdict = _score(bundle, small_release, sandbox, anchors)
    assert good == 0.348933
    assert verdict["failure"] == "protocol"
    assert verdict["score"] == 0.0
    assert reason in verdict["reason"]
    assert verdict["reason"].isprintable()
    assert len(verdict["reason"]) < 600


@pytest.mark.parametrize("what", NO_LAWS)
def test_no_law_is_an_issue_before_it_runs(what: str, bundle: Path, small_release: Release) -> None:
    content, reason = NO_LAWS[what]
    replace_law(bundle, content)
    (issue,) = validate_submission(bundle, small_release)
    assert OTHER in issue.path
    assert reason in str(issue) or issue.expected == "a Python module"
    assert str(issue).isprintable()


def test_the_same_module_without_the_fault_is_a_law(
    bundle: Path, small_release: Release, sandbox: Sandbox, anchors: dict[str, Anchors]
) -> None:
    replace_law(bundle, LAW)
    assert validate_submission(bundle, small_release) == []
    _, verdict = _score(bundle, small_release, sandbox, anchors)
    assert verdict["failure"] is None
