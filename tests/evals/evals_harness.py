"""Scripted models, and what tests read from a log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ModelOutput, ModelUsage, get_model

USAGE = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
SINGLE, MULTI = "tree-height-diameter", "optical-dispersion"

GOOD_LAW = """
USED_INPUTS = ["diameter_cm"]
LAW_CONSTANTS = {"a": 157.8, "b": 32.7}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}
def predict(X, a, b):
    return a + b * X[:, 0]
"""

Run = Callable[..., EvalLog]


def saying(text: str) -> ModelOutput:
    """A reply of a scripted model; with usage, or Inspect would want a tokenizer from the network."""
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = USAGE
    return output


def calling(function: str, **arguments: Any) -> ModelOutput:
    output = ModelOutput.for_tool_call("mockllm/model", function, arguments)
    output.usage = USAGE
    return output


def submitting(law: str = GOOD_LAW) -> ModelOutput:
    return saying(f"<final_formula>{law}</final_formula>")


def scripted(*outputs: ModelOutput | Callable[..., Any]) -> Any:
    """A model that gives these replies in turn; a callable is called for its reply and may raise. The last repeats."""
    calls = iter(range(10**6))

    async def answer(*arguments: Any) -> ModelOutput:
        chosen = outputs[min(next(calls), len(outputs) - 1)]
        if isinstance(chosen, ModelOutput):
            return chosen.model_copy(deep=True)
        result = chosen(*arguments)
        return await result if hasattr(result, "__await__") else result

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def answers(sample: EvalSample) -> list[str]:
    """What was said to the model after each of its replies, the question and the rules left out."""
    return [message.text for message in sample.messages[2:] if message.role in ("user", "tool")]


def only(log: EvalLog) -> EvalSample:
    """The one sample of a log that ended well."""
    assert log.status == "success", log.error
    assert log.samples is not None
    assert len(log.samples) == 1
    assert log.samples[0].error is None
    return log.samples[0]


def outcome(sample: EvalSample) -> dict[str, Any]:
    """Score, outcome, failure and turns of a sample."""
    assert sample.scores is not None
    score = sample.scores["numeric_score"]
    assert score.metadata is not None
    kept = {key: score.metadata[key] for key in ("outcome", "failure", "turns")}
    return {"score": score.value, "explanation": score.explanation, **kept}
