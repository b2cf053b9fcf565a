"""Provider errors and time-outs in the middle of an attempt; decoding defaults as they reach the provider."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from evals_harness import Run, answers, only, outcome, saying, scripted, submitting
from inspect_ai.event import ModelEvent
from inspect_ai.model import GenerateConfig, ModelInfo, ModelOutput, get_model, set_model_info

from scilaws_evals.decoding import decoding_defaults, is_reasoning_model

NO_RETRY = {"max_retries": 0}


def failing(*_arguments: Any) -> ModelOutput:
    raise ConnectionError("the provider hung up\nwith a long story")


async def hanging(*_arguments: Any) -> ModelOutput:
    await anyio.sleep(30)
    return saying("never")


def test_an_error_is_shown_in_the_loop_and_costs_the_turn(run: Run) -> None:
    sample = only(run(scripted(failing, failing, submitting()), options=NO_RETRY))
    said = answers(sample)
    assert said[0] == said[1] == "The model call failed (ConnectionError: the provider hung up). This turn is used up."
    found = outcome(sample)
    assert (found["outcome"], found["turns"], found["failure"]) == ("submitted", 3, None)


def test_a_call_that_hangs_is_given_up(run: Run) -> None:
    sample = only(run(scripted(hanging, submitting()), options=NO_RETRY | {"attempt_timeout": 1}))
    assert "The model call failed (AttemptTimeoutError: attempt_timeout '1' exceeded" in answers(sample)[0]
    assert outcome(sample)["outcome"] == "submitted"


def test_an_error_in_the_forced_turn_leaves_the_retry(run: Run) -> None:
    sample = only(run(scripted(saying("hm"), failing, submitting()), max_turns=2, options=NO_RETRY))
    assert (outcome(sample)["outcome"], outcome(sample)["turns"]) == ("submitted", 3)


def test_a_provider_that_never_answers_is_an_infrastructure_failure(run: Run) -> None:
    log = run(scripted(failing), options=NO_RETRY)
    found = outcome(only(log))
    assert (found["score"], found["outcome"], found["failure"]) == (0.0, "no_reply", "infrastructure")
    assert log.results is not None
    metrics = {name.split("/")[-1]: item.value for score in log.results.scores for name, item in score.metrics.items()}
    assert metrics["infrastructure_failures"] == 1.0


def test_a_reply_without_choices_costs_the_turn(run: Run) -> None:
    empty = ModelOutput(model="mockllm/model", usage=saying("").usage)
    sample = only(run(scripted(empty, submitting())))
    assert "returned no reply" in answers(sample)[0]
    assert outcome(sample)["outcome"] == "submitted"


@pytest.mark.parametrize(
    ("arguments", "options", "expected"),
    [
        ({}, {}, {"temperature": 0.4, "max_tokens": 8192, "reasoning_effort": None}),
        ({"reasoning": "yes"}, {}, {"temperature": None, "max_tokens": 65_536, "reasoning_effort": "medium"}),
        ({}, {"temperature": 0.9, "max_tokens": 77}, {"temperature": 0.9, "max_tokens": 77, "reasoning_effort": None}),
        ({}, {"reasoning_effort": "high"}, {"temperature": None, "max_tokens": 65_536, "reasoning_effort": "high"}),
    ],
)
def test_decoding_reaches_the_provider_and_the_log(
    run: Run, arguments: dict[str, Any], options: dict[str, Any], expected: dict[str, Any]
) -> None:
    sample = only(run("scilaws/late", max_turns=1, options=options, **arguments))
    configs = [event.config for event in sample.events if isinstance(event, ModelEvent)]
    assert len(configs) == 2
    for config in configs:
        assert {name: getattr(config, name) for name in expected} == expected
        assert (config.attempt_timeout, config.max_retries) == (120, 1)
        assert config.top_p is config.frequency_penalty is config.presence_penalty is None
    stamped = sample.store["LawSession:decoding"]
    merged = stamped["defaults"] | stamped["set"]
    assert {name: merged.get(name) for name in expected} == expected


def test_what_counts_as_a_reasoning_model() -> None:
    plain = get_model("scilaws/solver", memoize=False)
    assert not is_reasoning_model(plain, "auto")
    assert is_reasoning_model(plain, "yes")
    told = get_model("scilaws/silent", config=GenerateConfig(reasoning_effort="low"), memoize=False)
    assert is_reasoning_model(told, "auto")
    assert not is_reasoning_model(told, "no")
    off = get_model("scilaws/silent", config=GenerateConfig(reasoning_effort="none"), memoize=False)
    assert not is_reasoning_model(off, "auto")
    set_model_info("scilaws/judge", ModelInfo(reasoning=True))
    known = get_model("scilaws/judge", memoize=False)
    assert decoding_defaults(known, "auto").reasoning_effort == "medium"
