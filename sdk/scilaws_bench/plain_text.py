"""Text of strangers, made safe to print."""

from __future__ import annotations

import unicodedata


def printable(text: str, limit: int | None = None) -> str:
    r"""`text` on one line with control, format and surrogate characters written as escapes.

    A file name or a message may hold terminal commands, line breaks that forge a second message,
    or characters no encoding has; here they show as `\x1b`, `\n`, `\ud800`. Longer than `limit`,
    it is cut and ends in an ellipsis.
    """
    cut = text if limit is None or len(text) <= limit else text[: limit - 1] + "…"
    return "".join(_escaped(character) if _is_unprintable(character) else character for character in cut)


def _is_unprintable(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "C" or category in ("Zl", "Zp")


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
