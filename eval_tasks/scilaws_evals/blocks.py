"""Find the block a reply of the XML protocol asks to run: a scanner, not a pattern. Rules: docs/protocol.md.

One pass over the reply. Outside a block it looks for an opening tag and skips mentions in backticks
or quotes. Inside one it walks the Python text and knows strings from comments from code, so that
`print("</python>")` does not end a block and a tag in a string opens none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Tag = Literal["python", "experiment", "final_formula"]

MAX_REPLY_CHARACTERS = 400_000
"""Longer replies are not searched; a law may have 262,144 bytes."""

_NEAR = 2_000
_NAMES = "python|experiment|final_formula"
_OPENING = re.compile(rf"<({_NAMES})>")
_ALMOST = re.compile(rf"<\s*({_NAMES})\b[^<>\n]{{0,200}}>", re.IGNORECASE)
_STRINGS = ('"""', "'''", '"', "'")
_STEP = re.compile(rf"\"\"\"|'''|[\"'#]|</?(?:{_NAMES})>")
_IN_STRING = {
    '"""': re.compile(r'\\.|"""', re.DOTALL),
    "'''": re.compile(r"\\.|'''", re.DOTALL),
    '"': re.compile(r'\\.|["\n]', re.DOTALL),
    "'": re.compile(r"\\.|['\n]", re.DOTALL),
}
_FENCE = re.compile(r"\A(`{3,}|~{3,})[^\n`]*\n(.*)\n[ \t]*\1[ \t]*\Z", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """The first block of a reply: its tag, its text without a surrounding fence, whether more blocks follow it."""

    tag: Tag
    text: str
    more: bool


@dataclass(frozen=True)
class NoBlock:
    """Why a reply has no block that could be run, in words for the model."""

    reason: str


def first_block(reply: str) -> Block | NoBlock:
    """The first block of a reply, in time linear in its length."""
    if len(reply) > MAX_REPLY_CHARACTERS:
        return NoBlock(
            f"Your reply has {len(reply):,} characters; at most {MAX_REPLY_CHARACTERS:,} are read. Nothing was run."
        )
    opening = _next_opening(reply, 0)
    if opening is None:
        return NoBlock(_without_block(reply))
    tag: Tag = opening[1]  # type: ignore[assignment]
    end = _closing(reply, opening.end(), tag)
    if isinstance(end, NoBlock):
        return end
    text = _unfenced(reply[opening.end() : end])
    if not text.strip():
        return NoBlock(f"The <{tag}> block is empty. Nothing was run.")
    return Block(tag, text, more=_next_opening(reply, end) is not None)


def _next_opening(reply: str, start: int) -> re.Match[str] | None:
    return next((found for found in _OPENING.finditer(reply, start) if not _is_mention(reply, found)), None)


def _is_mention(reply: str, tag: re.Match[str]) -> bool:
    """Whether the tag stands in quotes, or in a code span of its line (looked for 2,000 characters either way)."""
    before, after = reply[tag.start() - 1 : tag.start()], reply[tag.end() : tag.end() + 1]
    if before and before == after and before in "\"'`":
        return True
    head = reply[max(0, tag.start() - _NEAR) : tag.start()].rpartition("\n")[2].replace("```", "")
    tail = reply[tag.end() : tag.end() + _NEAR].partition("\n")[0]
    return head.count("`") % 2 == 1 and "`" in tail


def _closing(reply: str, start: int, tag: str) -> int | NoBlock:
    """Where the closing tag of a block begins that opened before `start`."""
    closing, position = f"</{tag}>", start
    deaf = dict.fromkeys(_STRINGS, start)  # up to where a quote sign opens no string: its line does not close it
    while step := _STEP.search(reply, position):
        token, position = step[0], step.end()
        if token == closing:
            return step.start()
        if token in _STRINGS:
            if position <= deaf[token]:
                continue
            closed, end = _string_end(reply, position, token)
            if closed:
                position = end
            elif len(token) == 3:
                break  # broken Python: it will say so itself, if only its block has an end
            else:
                deaf[token] = end
        elif token == "#":
            line_end = reply.find("\n", position)
            line_end = len(reply) if line_end < 0 else line_end
            found = reply.find(closing, position, line_end)
            if found >= 0:
                return found
            position = line_end
        elif _OPENING.fullmatch(token):
            return NoBlock(
                f"The <{tag}> block is not closed before {token} opens. Blocks are not nested and each needs its "
                "closing tag. Nothing was run."
            )
    found = max(reply.find(closing, position), reply.find(closing, start))  # inside what looked like a string
    if found >= 0:
        return found
    return NoBlock(f"The <{tag}> block has no closing tag. Nothing was run.")


def _string_end(reply: str, position: int, quote: str) -> tuple[bool, int]:
    """Whether the string literal that opened before `position` is closed, and where it, or else its line, ends."""
    for found in _IN_STRING[quote].finditer(reply, position):
        if found[0] == quote:
            return True, found.end()
        if found[0] == "\n":  # an apostrophe or broken code, no string
            return False, found.start()
    return False, len(reply)


def _unfenced(text: str) -> str:
    """The text without a Markdown fence around all of it."""
    fenced = _FENCE.match(text.strip())
    return fenced[2] if fenced else text.strip("\n")


def _without_block(reply: str) -> str:
    if not reply.strip():
        return "Your reply is empty. Nothing was run."
    for almost in _ALMOST.finditer(reply):
        if not _OPENING.fullmatch(almost[0]) and not _is_mention(reply, almost):
            return (
                f"{almost[0][:80]!r} is not a tag of this protocol: tags are lower case, without spaces or attributes. "
                "Nothing was run."
            )
    return "Your reply has no <python> or <final_formula> block. Nothing was run."
