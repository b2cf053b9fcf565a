"""The native protocol: the same tools and turns, asked for through the provider's own tool calls. Labelled as such."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ChatMessage, ChatMessageTool, ChatMessageUser, ModelOutput, execute_tools
from inspect_ai.tool import Tool, ToolCall, ToolCallError

from scilaws_evals.decoding import Reasoning
from scilaws_evals.dialogue import converse
from scilaws_evals.prompts import Protocol
from scilaws_evals.tools import TOOL_OUTPUT_BYTES, python, submit_law

_NO_CALL = "Your reply calls no tool. Nothing was run: call `python` or `submit_law`."
_ONLY_FIRST = "Not run: one tool call a turn, and this was not the first."


@agent
def native_agent(max_turns: int = 30, reasoning: Reasoning = "auto") -> Agent:
    """Solve a task through native tool calls. `reasoning`: auto, yes or no, see docs/protocol.md."""

    async def execute(state: AgentState) -> AgentState:
        return await converse(state, NativeDialect(), max_turns, reasoning)

    return execute


class NativeDialect:
    """Runs the first tool call of a reply."""

    name: Protocol = "native"

    def __init__(self) -> None:
        self.tools: Sequence[Tool] = (python(), submit_law())

    async def answer(self, output: ModelOutput) -> list[ChatMessage]:
        """Run the first call; every other call gets its own refusal, as providers demand an answer to each."""
        calls = output.message.tool_calls or []
        if not calls:
            cut = " It was cut at the token limit: be shorter." if output.stop_reason == "max_tokens" else ""
            return [ChatMessageUser(content=_NO_CALL + cut)]
        first = output.message.model_copy(update={"tool_calls": calls[:1]})
        answered, _ = await execute_tools([first], list(self.tools), max_output=TOOL_OUTPUT_BYTES)
        return [*answered, *(_refusal(call) for call in calls[1:])]


def _refusal(call: ToolCall) -> ChatMessage:
    return ChatMessageTool(
        content=_ONLY_FIRST,
        tool_call_id=call.id,
        function=call.function,
        error=ToolCallError("approval", _ONLY_FIRST),
    )
