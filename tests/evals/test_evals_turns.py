"""Turn accounting, the forced turn and the retry, long replies, Python that misbehaves."""

from __future__ import annotations

import pytest
from evals_harness import GOOD_LAW, Run, answers, calling, only, outcome, saying, scripted, submitting
from inspect_ai.model import ModelOutput

PYTHON = saying("<python>print(6 * 7)</python>")
NO_PREDICT = GOOD_LAW.replace("predict", "forecast")


@pytest.mark.parametrize("max_turns", [1, 3])
def test_a_law_in_the_forced_turn_counts(run: Run, max_turns: int) -> None:
    model = scripted(*[PYTHON] * (max_turns - 1), submitting())
    sample = only(run(model, max_turns=max_turns))
    found = outcome(sample)
    assert (found["outcome"], found["turns"]) == ("submitted", max_turns)
    assert found["score"] > 0.1
    notices = [text for text in answers(sample) if "This is your last turn" in text]
    assert len(notices) == 1 or max_turns == 1


def test_python_is_refused_in_the_forced_turn_and_the_retry(run: Run) -> None:
    sample = only(run(scripted(PYTHON), max_turns=2))
    said = answers(sample)
    assert "42" in said[0]
    assert "last turn" in said[1]
    assert "Only a submission is accepted" in said[2]
    assert "exactly one more try" in said[3]
    assert "Only a submission is accepted" in said[4]
    found = outcome(sample)
    assert (found["outcome"], found["turns"], found["score"]) == ("unsubmitted", 3, 0.0)


def test_an_unusable_law_is_handed_back_and_the_loop_goes_on(run: Run) -> None:
    sample = only(run(scripted(submitting("def predict(X:"), submitting(NO_PREDICT), submitting())))
    said = answers(sample)
    assert "not a Python module" in said[0]
    assert "defines no function predict" in said[1]
    found = outcome(sample)
    assert (found["outcome"], found["turns"], found["failure"]) == ("submitted", 3, None)


def test_an_unusable_law_on_the_retry_is_a_classed_failure(run: Run) -> None:
    sample = only(run(scripted(submitting(NO_PREDICT)), max_turns=1))
    found = outcome(sample)
    assert (found["outcome"], found["failure"], found["score"]) == ("unusable", "protocol", 0.0)
    assert "predict" in found["explanation"]
    assert sample.store["LawSession:law"].strip() == NO_PREDICT.strip()


def test_nothing_follows_an_accepted_law(run: Run) -> None:
    reply = saying(f"<final_formula>{GOOD_LAW}</final_formula><python>print(1)</python>")
    sample = only(run(scripted(reply)))
    assert answers(sample) == ["The law is accepted. The task has ended."]


@pytest.mark.parametrize("protocol", ["xml", "native"])
def test_a_reply_of_ten_megabytes_is_cut_in_the_history(run: Run, protocol: str) -> None:
    huge = saying("x" * 10_000_000) if protocol == "xml" else calling("python", code="x" * 10_000_000)
    good = submitting() if protocol == "xml" else calling("submit_law", law=GOOD_LAW)
    sample = only(run(scripted(huge, good), protocol=protocol))
    said = answers(sample) + [
        message.error.message for message in sample.messages if message.role == "tool" and message.error
    ]
    assert any("10,000,000" in text and "Nothing was run" in text for text in said)
    assert sum(len(str(message)) for message in sample.messages) < 100_000
    assert outcome(sample)["outcome"] == "submitted"


def test_a_reply_cut_at_the_token_limit_is_named(run: Run) -> None:
    cut = ModelOutput.from_content("mockllm/model", "<python>print(", stop_reason="max_tokens")
    cut.usage = saying("").usage
    assert "cut at the token limit" in answers(only(run(scripted(cut, submitting()))))[0]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("while True: pass", "ended at the limit of 1 s"),
        ("x = [0] * 10**12", "MemoryError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import ctypes", "import of ctypes is not allowed"),
        ("1 / 0", 'File "<python>", line 1, in <module>'),
        ("x = 1", "printed nothing"),
        ("print('x' * 50_000, end='')", "[... 34,000 characters left out ...]"),
        ("__import__('ctypes').string_at(0)", "The Python process died"),
        (
            "print(train_df.columns.tolist(), X_train.shape, y_train.shape)",
            "['diameter_cm', 'height_cm'] (694, 1) (694,)",
        ),
        ("print(np.pi, scipy.__name__, pd.__name__)", "3.14159"),
        ("print(group_ids_train)", "name 'group_ids_train' is not defined"),
    ],
)
def test_python_that_misbehaves_is_answered(run: Run, code: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from scilaws_bench.sandbox import Limits
    from scilaws_evals import desk, tools

    if "while" in code:
        monkeypatch.setattr(desk, "PYTHON_LIMITS", Limits(wall_seconds=1.0))
        monkeypatch.setattr(tools, "PYTHON_SECONDS", 1)
    sample = only(run(scripted(saying(f"<python>{code}</python>"), submitting())))
    text = answers(sample)[0]
    assert message in text
    assert "/work/" not in text
    assert len(text) < 17_000
    assert outcome(sample)["outcome"] == "submitted"


def test_a_fault_of_the_agents_own_code_is_an_infrastructure_failure(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from scilaws_evals import xml_agent

    def broken(_reply: str) -> None:
        raise ZeroDivisionError("a fault of the scanner")

    monkeypatch.setattr(xml_agent, "first_block", broken)
    log = run(scripted(PYTHON))
    assert log.status == "success"
    assert log.samples is not None
    assert log.samples[0].error is not None
    found = outcome(log.samples[0])
    assert (found["outcome"], found["failure"], found["score"]) == ("broken", "infrastructure", 0.0)


def test_a_limit_of_the_evaluation_leaves_the_task_unsubmitted(run: Run) -> None:
    log = run(scripted(PYTHON), max_turns=30, options={"turn_limit": 2})
    assert log.samples is not None
    assert log.samples[0].limit is not None
    found = outcome(log.samples[0])
    assert (found["failure"], found["score"]) == ("protocol", 0.0)
    assert "stopped before it ended" in found["explanation"]


def test_a_scorer_that_fails_is_counted_apart(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from scilaws_evals import grading

    def broken(*_arguments: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(grading, "open_gold", broken)
    found = outcome(only(run(scripted(submitting()))))
    assert (found["failure"], found["score"]) == ("infrastructure", 0.0)
    assert "the disk is gone" in found["explanation"]
