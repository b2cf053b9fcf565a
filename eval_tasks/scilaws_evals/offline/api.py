"""The provider: turn what a policy decides into a reply of whichever protocol is spoken, with token usage.

Usage is set on every output; without it Inspect would count tokens with a table it downloads.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from scilaws_evals.errors import EvalSetupError
from scilaws_evals.offline.policies import POLICIES
from scilaws_evals.offline.view import Raw, Run, Say, Step, Submit, View

_CHARACTERS_A_TOKEN = 4
_MAX_CONNECTIONS = 8


class OfflineAPI(ModelAPI):
    """`scilaws/<policy>`: the same messages always get the same reply."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the signature of ModelAPI
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name not in POLICIES:
            raise EvalSetupError(f"model scilaws/{model_name}: expected one of {', '.join(POLICIES)}")
        if model_args:
            raise EvalSetupError(f"model scilaws/{model_name}: expected no model arguments; found {sorted(model_args)}")
        self._policy = POLICIES[model_name]

    def max_connections(self) -> int:
        """Calls at once."""
        return _MAX_CONNECTIONS

    async def count_text_tokens(self, text: str) -> int:
        """A quarter of the characters."""
        return len(text) // _CHARACTERS_A_TOKEN + 1

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - the signature of ModelAPI
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """The policy's reply to a conversation."""
        view = View(tuple(input), native=bool(tools))
        message = _message(self._policy(view), view, self.model_name)
        asked = sum(len(item.text) for item in input)
        said = len(message.text) + sum(len(str(call.arguments)) for call in message.tool_calls or [])
        input_tokens, output_tokens = asked // _CHARACTERS_A_TOKEN + 1, said // _CHARACTERS_A_TOKEN + 1
        return ModelOutput(
            model=self.model_name,
            choices=[ChatCompletionChoice(message=message, stop_reason="tool_calls" if message.tool_calls else "stop")],
            usage=ModelUsage(
                input_tokens=input_tokens, output_tokens=output_tokens, total_tokens=input_tokens + output_tokens
            ),
        )


def _message(step: Step, view: View, model: str) -> ChatMessageAssistant:
    if isinstance(step, Say):
        return ChatMessageAssistant(content=step.text, model=model, source="generate")
    if isinstance(step, Raw):
        content, calls = (step.text, list(step.calls)) if view.native else (step.xml, [])
        named = [
            ToolCall(id=f"call-{view.turn}-{number}", function=name, arguments=arguments, parse_error=fault)
            for number, (name, arguments, fault) in enumerate(calls)
        ]
        return ChatMessageAssistant(content=content, tool_calls=named or None, model=model, source="generate")
    tag, name, argument, text = {
        Run: ("python", "python", "code", getattr(step, "code", "")),
        Submit: ("final_formula", "submit_law", "law", getattr(step, "law", "")),
    }[type(step)]
    if view.native:
        call = ToolCall(id=f"call-{view.turn}", function=name, arguments={argument: text})
        return ChatMessageAssistant(content="", tool_calls=[call], model=model, source="generate")
    return ChatMessageAssistant(content=f"<{tag}>\n{text}\n</{tag}>", model=model, source="generate")
