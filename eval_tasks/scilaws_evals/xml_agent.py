"""The XML protocol of the paper (Appendix B.2): one tagged block a turn, answers as user messages."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    execute_tools,
)
from inspect_ai.tool import Tool, ToolCall
from inspect_ai.util import store_as

from scilaws_evals.blocks import Block, NoBlock, first_block
from scilaws_evals.decoding import Reasoning
from scilaws_evals.dialogue import converse
from scilaws_evals.prompts import Protocol
from scilaws_evals.session import LawSession
from scilaws_evals.tools import TOOL_OUTPUT_BYTES, python, submit_law

_NO_EXPERIMENTS = "There are no experiments in this task: the training records are all there is. Nothing was run."
_ONLY_FIRST = "Only the first block of your reply was run; the others were ignored."


@agent
def xml_agent(max_turns: int = 30, reasoning: Reasoning = "auto") -> Agent:
    """Solve a task in the XML protocol. `reasoning`: auto, yes or no, see docs/protocol.md."""

    async def execute(state: AgentState) -> AgentState:
        return await converse(state, XmlDialect(), max_turns, reasoning)

    return execute


class XmlDialect:
    """Reads the first block of a reply; the model itself is given no tools."""

    name: Protocol = "xml"
    tools: Sequence[Tool] = ()

    async def answer(self, output: ModelOutput) -> list[ChatMessage]:
        """Run the block and answer in one user message."""
        block = first_block(output.message.text)
        if isinstance(block, NoBlock):
            return [ChatMessageUser(content=block.reason + _if_cut(output))]
        text = await self._run(block)
        if block.more and not store_as(LawSession).outcome:
            text = f"{text}\n\n{_ONLY_FIRST}"
        return [ChatMessageUser(content=text)]

    async def _run(self, block: Block) -> str:
        if block.tag == "experiment":
            return _NO_EXPERIMENTS
        if block.tag == "python":
            result = await _called(python(), "python", {"code": block.text})
            return f"<python_output>\n{result.rstrip()}\n</python_output>"
        return await _called(submit_law(), "submit_law", {"law": block.text})


async def _called(tool: Tool, name: str, arguments: dict[str, str]) -> str:
    """Run a tool as if the model had called it natively, so that it is logged, limited and approved like any other."""
    call = ToolCall(id=f"xml-{uuid4().hex[:12]}", function=name, arguments=dict(arguments))
    shim = ChatMessageAssistant(content="", tool_calls=[call])
    messages, _ = await execute_tools([shim], [tool], max_output=TOOL_OUTPUT_BYTES)
    for message in messages:
        if isinstance(message, ChatMessageTool):
            return message.error.message if message.error else message.text
    return "The tool gave no answer."


def _if_cut(output: ModelOutput) -> str:
    return " It was cut at the token limit: be shorter." if output.stop_reason == "max_tokens" else ""
