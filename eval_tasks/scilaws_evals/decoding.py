"""Decoding defaults of Appendix B.1, used only where the person who runs the evaluation said nothing.

Reasoning models: medium effort, 65,536 completion tokens, no temperature. Others: temperature 0.4,
8,192 tokens. Never top_p, penalties or streaming. A call has 120 s and one retry (Appendix B.2).
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from inspect_ai.model import GenerateConfig, Model, get_model_info

Reasoning = Literal["auto", "yes", "no"]
REASONING: tuple[str, ...] = get_args(Reasoning)

CALL_SECONDS = 120
CALL_RETRIES = 1
_REASONING_TOKENS = 65_536
_PLAIN_TOKENS = 8_192
_PLAIN_TEMPERATURE = 0.4


def call_defaults() -> GenerateConfig:
    """Time limit and retries of a model call, as the task's config: any command-line option overrides them."""
    return GenerateConfig(attempt_timeout=CALL_SECONDS, max_retries=CALL_RETRIES)


def is_reasoning_model(model: Model, reasoning: Reasoning) -> bool:
    """What `reasoning` says; for auto, whether a reasoning option is set or Inspect's model table says so.

    A model that table does not know counts as not reasoning.
    """
    if reasoning != "auto":
        return reasoning == "yes"
    if model.config.reasoning_effort is not None or model.config.reasoning_tokens is not None:
        return model.config.reasoning_effort != "none" and model.config.reasoning_tokens != 0
    info = get_model_info(model)
    return bool(info and info.reasoning)


def decoding_defaults(model: Model, reasoning: Reasoning) -> GenerateConfig:
    """The defaults for one model, without the fields that were set for the run."""
    if is_reasoning_model(model, reasoning):
        defaults: dict[str, Any] = {"reasoning_effort": "medium", "max_tokens": _REASONING_TOKENS}
    else:
        defaults = {"temperature": _PLAIN_TEMPERATURE, "max_tokens": _PLAIN_TOKENS}
    return GenerateConfig(**{name: value for name, value in defaults.items() if getattr(model.config, name) is None})


def stamp(model: Model, defaults: GenerateConfig, reasoning: Reasoning) -> dict[str, Any]:
    """What a run decodes with, for the log: the defaults taken and the options that were set."""
    return {
        "reasoning": is_reasoning_model(model, reasoning),
        "defaults": defaults.model_dump(exclude_none=True),
        "set": model.config.model_dump(exclude_none=True),
    }
