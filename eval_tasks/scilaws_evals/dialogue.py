"""The turns of an attempt, the same in every protocol: what the paper's Appendix B.2 fixes.

A dialect says how a protocol reads a reply and answers it; this module counts turns, announces the
last one, grants one retry, shows failed model calls inside the loop, and settles the outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol as Interface

from inspect_ai.agent import AgentState
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import Tool
from inspect_ai.util import LimitExceededError, store_as

from scilaws_bench.sandbox import MAX_OUTPUT_CHARACTERS
from scilaws_evals import prompts
from scilaws_evals.blocks import MAX_REPLY_CHARACTERS
from scilaws_evals.decoding import Reasoning, decoding_defaults, stamp
from scilaws_evals.desk import PYTHON_SECONDS
from scilaws_evals.session import LawSession

_KEPT_CHARACTERS = 2_000
_MAX_ERROR_CHARACTERS = 300


class Dialect(Interface):
    """How one protocol reads replies."""

    name: prompts.Protocol
    tools: Sequence[Tool]

    async def answer(self, output: ModelOutput) -> list[ChatMessage]:
        """Do what a reply asks for, at most one thing, and return the messages that answer it."""
        ...


async def converse(state: AgentState, dialect: Dialect, max_turns: int, reasoning: Reasoning) -> AgentState:
    """Run one attempt to its end; the outcome is in the session.

    What raises out of here (a limit of the evaluation, a fault of this package) ends the sample.
    """
    session = store_as(LawSession)
    try:
        return await _take_turns(state, session, dialect, max_turns, reasoning)
    except LimitExceededError:
        raise
    except Exception as error:
        session.outcome, session.reason = "broken", f"the agent failed: {type(error).__name__}: {error}"
        raise


async def _take_turns(
    state: AgentState, session: LawSession, dialect: Dialect, max_turns: int, reasoning: Reasoning
) -> AgentState:
    model = get_model()
    config = decoding_defaults(model, reasoning)
    session.protocol, session.decoding = dialect.name, stamp(model, config, reasoning)
    rules = prompts.system_prompt(dialect.name, max_turns, PYTHON_SECONDS, MAX_OUTPUT_CHARACTERS)
    state.messages = [ChatMessageSystem(content=rules), *state.messages]
    for turn in range(1, max_turns + 2):
        session.turns, session.rejected, session.final_turn = turn, "", turn >= max_turns
        if turn >= max_turns:
            kind: prompts.Notice = "final" if turn == max_turns else "retry"
            state.messages.append(ChatMessageUser(content=prompts.notice(kind, dialect.name)))
        output = await _ask(model, state.messages, dialect.tools, config)
        if isinstance(output, str):
            state.messages.append(ChatMessageUser(content=f"{output} This turn is used up."))
            continue
        session.replies = session.replies + 1
        state.output = output
        state.messages.append(_bounded(output.message))
        state.messages.extend(await dialect.answer(output))
        if session.outcome:
            return state
    _settle(session)
    return state


def _settle(session: LawSession) -> None:
    """The outcome of an attempt that used up its turns."""
    if session.rejected:
        session.law, session.outcome = session.rejected, "unusable"
    elif session.replies == 0:
        session.outcome, session.reason = "no_reply", "the model's provider answered no call"
    else:
        session.outcome, session.reason = "unsubmitted", "no law was submitted in the turns allowed"


async def _ask(
    model: Model, messages: list[ChatMessage], tools: Sequence[Tool], config: GenerateConfig
) -> ModelOutput | str:
    """One model call, its retry included; a failed one is a sentence for the model, never an end of the sample."""
    try:
        output = await model.generate(messages, tools=tools, config=config)
    except LimitExceededError:
        raise
    except Exception as error:  # noqa: BLE001 - providers raise whatever they like; the paper's loop goes on
        return _failed_call(error)
    if output.empty:
        return "The model call returned no reply."
    return output


def _failed_call(error: Exception) -> str:
    cause = error.__cause__ if type(error).__name__ == "RetryError" and error.__cause__ else error
    lines = str(cause).strip().splitlines()
    detail = " ".join((lines[0] if lines else "").split())[:_MAX_ERROR_CHARACTERS]
    return f"The model call failed ({type(cause).__name__}{': ' + detail if detail else ''})."


def _bounded(message: ChatMessageAssistant) -> ChatMessageAssistant:
    """The reply as it is kept in the history: one too long to be read is cut, or every later call would carry it."""
    calls = message.tool_calls or []
    if len(message.text) > MAX_REPLY_CHARACTERS:
        message = message.model_copy(update={"content": _cut(message.text)})
    if sum(len(str(call.arguments)) for call in calls) > MAX_REPLY_CHARACTERS:
        short = [
            replace(call, arguments={name: _cut(str(value)) for name, value in call.arguments.items()})
            for call in calls
        ]
        message = message.model_copy(update={"tool_calls": short})
    return message


def _cut(text: str) -> str:
    left_out = len(text) - _KEPT_CHARACTERS
    return f"{text[:_KEPT_CHARACTERS]}\n[{left_out:,} characters left out]" if left_out > 0 else text
