"""What a policy sees of a conversation, and what it may do next. Both are the same in every protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser


@dataclass(frozen=True)
class Say:
    """Plain text, no action."""

    text: str


@dataclass(frozen=True)
class Run:
    """One run of Python."""

    code: str


@dataclass(frozen=True)
class Submit:
    """One submission."""

    law: str


@dataclass(frozen=True)
class Raw:
    """A reply as it is: `xml` in the XML protocol, `text` and calls (tool, arguments, parse error) in the native."""

    xml: str
    text: str = ""
    calls: tuple[tuple[str, dict[str, Any], str | None], ...] = ()


Step = Say | Run | Submit | Raw


@dataclass(frozen=True)
class View:
    """A conversation up to now."""

    messages: tuple[ChatMessage, ...]
    native: bool

    @property
    def turn(self) -> int:
        """The number of this reply, from 1."""
        return 1 + sum(isinstance(message, ChatMessageAssistant) for message in self.messages)

    @property
    def question(self) -> str:
        """The first user message."""
        return next((message.text for message in self.messages if isinstance(message, ChatMessageUser)), "")

    @property
    def answer(self) -> str:
        """What answered the last reply; empty before the first."""
        if self.turn == 1:
            return ""
        last = max(i for i, message in enumerate(self.messages) if isinstance(message, ChatMessageAssistant))
        return "\n".join(message.text for message in self.messages[last + 1 :])

    def is_told(self, text: str) -> bool:
        """Whether the last message contains a text."""
        return bool(self.messages) and text in self.messages[-1].text
