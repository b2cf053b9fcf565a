"""Annotations as one token each: their content is free in form and not part of the profile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lark import Token

from scilaws_builders.mechreasoner.modelica.errors import refusal

_OPEN, _CLOSE = {"(", "[", "{"}, {")", "]", "}"}


class AnnotationToken(Token):
    """An annotation; `inner` are the texts of the tokens between its outer brackets."""

    inner: tuple[str, ...] = ()


class Annotations:
    """A lark postlex step: `annotation ( … )` becomes one AnnotationToken; deep nesting is refused."""

    always_accept = ("KEYWORD", "MARK")
    """Terminals that no rule uses: inside annotations they may stand, elsewhere they are refused by name."""

    def __init__(self, file: str) -> None:
        self.file = file

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Fold annotations, watch the depth of brackets outside them, name what the profile leaves out."""
        from scilaws_builders.mechreasoner.modelica.syntax import MAX_DEPTH

        depth = 0
        for token in stream:
            if token.type == "ANNOTATION":
                yield self._fold(token, stream)
                continue
            depth += (token == "(") - (token == ")")
            if depth > MAX_DEPTH:
                raise refusal(self.file, _at(token), f"more than {MAX_DEPTH} nested brackets", remedy="Simplify it.")
            yield token

    def _fold(self, start: Token, stream: Iterator[Token]) -> Token:
        inner: list[str] = []
        depth = 0
        for token in stream:
            depth += (str(token) in _OPEN) - (str(token) in _CLOSE)
            if depth == 0:
                folded: Any = AnnotationToken("ANNOTATION", str(start))
                folded.inner = tuple(inner[1:])
                for field in ("line", "column", "end_line", "end_column", "start_pos", "end_pos"):
                    setattr(folded, field, getattr(start if "end" not in field else token, field))
                return folded  # type: ignore[no-any-return]
            inner.append(str(token))
        raise refusal(self.file, _at(start), "an annotation that is never closed", remedy="Close its brackets.")


def _at(token: Token) -> tuple[int, int]:
    return token.line or 1, token.column or 1
