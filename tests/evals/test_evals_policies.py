"""Every offline policy in both protocols, from the model call to the score."""

from __future__ import annotations

import pytest
from evals_harness import MULTI, SINGLE, Run, answers, only, outcome
from inspect_ai.event import ToolEvent

from scilaws_evals.offline.policies import POLICIES

PROTOCOLS = ("xml", "native")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_solver_scores_on_both_structures(run: Run, protocol: str) -> None:
    log = run("scilaws/solver", f"{SINGLE},{MULTI}", protocol=protocol)
    assert log.status == "success"
    found = {sample.metadata["problem_id"]: outcome(sample) for sample in log.samples or []}
    assert found[SINGLE]["outcome"] == found[MULTI]["outcome"] == "submitted"
    assert found[SINGLE]["turns"] == found[MULTI]["turns"] == 3
    assert found[SINGLE]["score"] == pytest.approx(0.261541, abs=1e-5)
    assert found[SINGLE]["failure"] is None
    assert log.eval.metadata is not None
    assert log.eval.metadata["protocol"] == protocol
    sample = next(item for item in log.samples or [] if item.metadata["problem_id"] == SINGLE)
    assert sample.scores is not None
    assert sample.scores["numeric_score"].metadata is not None
    assert sample.scores["numeric_score"].metadata["protocol"] == protocol
    tools = [event.function for event in sample.events if isinstance(event, ToolEvent)]
    assert tools == ["python", "python", "submit_law"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("policy", ["silent", "judge"])
def test_a_model_that_never_acts_is_unsubmitted(run: Run, policy: str, protocol: str) -> None:
    log = run(f"scilaws/{policy}", protocol=protocol)
    found = outcome(only(log))
    assert (found["score"], found["outcome"], found["failure"], found["turns"]) == (0.0, "unsubmitted", "protocol", 5)
    assert log.results is not None
    metrics = {name: item.value for score in log.results.scores for name, item in score.metrics.items()}
    assert {name.split("/")[-1]: value for name, value in metrics.items()} == {
        **{"mean": 0.0, "stderr": 0.0, "strict_mean": 0.0, "infrastructure_failures": 0.0},
    }


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_late_is_accepted_on_the_retry(run: Run, protocol: str) -> None:
    found = outcome(only(run("scilaws/late", protocol=protocol)))
    assert (found["outcome"], found["turns"], found["failure"]) == ("submitted", 5, None)


def test_malformed_is_answered_in_plain_words(run: Run) -> None:
    sample = only(run("scilaws/malformed", max_turns=12))
    said = answers(sample)
    expected = [
        "has no closing tag",
        "is not a tag of this protocol",
        "Your reply is empty",
        "Blocks are not nested",
        "There are no experiments in this task",
        "one\n</python_output>\n\nOnly the first block of your reply was run",
        "block is empty",
        "import of os is not allowed",
        "no <python> or <final_formula> block",
        "not a Python module: '(' was never closed",
        "defines no function predict",
        "This is your last turn",
        "USED_INPUTS names 'no_such_column'",
        "exactly one more try",
        "has no closing tag",
    ]
    assert [part in text for part, text in zip(expected, said, strict=True)] == [True] * len(expected)
    assert outcome(sample)["outcome"] == "unsubmitted"
    assert "two" not in said[5]


def test_malformed_in_native_calls(run: Run) -> None:
    sample = only(run("scilaws/malformed", max_turns=12, protocol="native"))
    errors = [message.error.message for message in sample.messages if message.role == "tool" and message.error]
    for part in (
        "'code' is a required property",
        "Tool Python not found",
        "7 is not of type 'string'",
        "one tool call a turn, and this was not the first",
        "import of os is not allowed",
        "the arguments are not JSON",
        "defines no function predict",
        "'no_such_column'",
    ):
        assert any(part in text for text in errors), part
    assert outcome(sample)["outcome"] == "unsubmitted"


def test_an_unknown_policy_is_refused_with_the_names() -> None:
    from inspect_ai.model import get_model

    with pytest.raises(ValueError, match=r"scilaws/unknown: expected one of " + ", ".join(POLICIES)):
        get_model("scilaws/unknown")
    with pytest.raises(ValueError, match="expected no model arguments"):
        get_model("scilaws/solver", temper="bad", memoize=False)
