"""Modelica text to a syntax tree: a real grammar, and refusals that name what lies outside the profile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from scilaws_builders.mechreasoner.modelica.errors import ModelicaError, refusal

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

MAX_BYTES = 1_000_000
MAX_DEPTH = 60
"""Deepest nesting of brackets; the library's examples need a dozen."""

Position = tuple[int, int]

_OUTSIDE = {
    "algorithm": "algorithm sections",
    "assert": "assertions",
    "block": "block classes",
    "class": "class definitions",
    "connector": "connector classes",
    "constrainedby": "constraining types",
    "der": "derivative declarations",
    "discrete": "discrete variables",
    "each": "array modifiers",
    "encapsulated": "encapsulated classes",
    "enumeration": "enumeration types",
    "expandable": "expandable connectors",
    "external": "external functions",
    "flow": "flow variables",
    "for": "for equations",
    "function": "functions",
    "if": "conditional declarations, equations and expressions",
    "import": "import clauses",
    "inner": "inner components",
    "input": "input variables",
    "loop": "loops",
    "operator": "operator classes",
    "outer": "outer components",
    "output": "output variables",
    "package": "packages",
    "partial": "partial models",
    "protected": "protected sections",
    "public": "public sections",
    "pure": "functions",
    "record": "records",
    "redeclare": "redeclarations",
    "replaceable": "replaceable elements",
    "stream": "stream variables",
    "type": "type definitions",
    "when": "when equations",
    "while": "loops",
}
_MARKS = {
    "[": "arrays",
    "]": "arrays",
    "{": "arrays",
    "}": "arrays",
    "'": "quoted names",
    "<": "comparisons",
    ">": "comparisons",
    ":": "arrays",
}
_REMEDY = "Write the model with component clauses and connect equations alone."


@dataclass(frozen=True)
class Expression:
    """An expression tree: `kind` is a grammar alias, `value` a literal or name, `parts` the operands."""

    kind: str
    value: str
    parts: tuple[Expression, ...]
    position: Position


@dataclass(frozen=True)
class Modification:
    """A modifier: its value, if any, and nested modifiers by name in order."""

    value: Expression | None
    nested: tuple[tuple[str, Modification, Position], ...]


@dataclass(frozen=True)
class Declaration:
    """One declared name of a component clause; variability is "parameter", "constant" or ""."""

    variability: str
    type_name: str
    type_position: Position
    name: str
    position: Position
    modification: Modification


@dataclass(frozen=True)
class Model:
    """A parsed model.

    Attributes:
        within: the enclosing package's full name, "" if the text has no `within`.
        name: the model's own name.
        extends: (name, position) of each base class.
        connections: pairs of (connector name, position).
        initial_equations: (left, right, position).
        annotations: the text of every model annotation's tokens, in order.
    """

    within: str
    name: str
    declarations: tuple[Declaration, ...]
    extends: tuple[tuple[str, Position], ...]
    connections: tuple[tuple[tuple[str, Position], tuple[str, Position]], ...]
    initial_equations: tuple[tuple[Expression, Expression, Position], ...]
    annotations: tuple[tuple[str, ...], ...]


def parse_model(text: str, *, file: str = "model.mo") -> Model:
    """Parse Modelica text.

    Raises:
        ModelicaError: text that is too long, broken, or outside the bounded profile; located.
    """
    from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedToken

    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise refusal(file, (1, 1), "text too long", expected=f"at most {MAX_BYTES:,} bytes")
    try:
        tree = _parser(file).parse(text)
    except UnexpectedCharacters as error:
        raise _unreadable(text, file, error.line, error.column) from None
    except UnexpectedToken as error:
        raise _unexpected(text, file, error.token) from None
    except UnexpectedEOF:
        raise _at_end(text, file) from None
    try:
        return _Builder(file).model(tree)
    except RecursionError:
        raise refusal(file, (1, 1), "an expression nested too deeply", remedy="Simplify the expressions.") from None


def _parser(file: str) -> Lark:
    from lark import Lark

    from scilaws_builders.mechreasoner.modelica.tokens import Annotations

    return Lark(_grammar(), parser="lalr", lexer="basic", propagate_positions=True, postlex=Annotations(file))


@cache
def _grammar() -> str:
    return files("scilaws_builders.mechreasoner.modelica").joinpath("modelica.lark").read_text(encoding="utf-8")


def _unreadable(text: str, file: str, line: int, column: int) -> ModelicaError:
    mark = text.splitlines()[line - 1][column - 1 : column] if line <= len(text.splitlines()) else ""
    if mark == '"':
        return refusal(file, (line, column), "a string that is never closed", remedy="Close it.")
    if mark in _MARKS:
        return refusal(file, (line, column), f"{_MARKS[mark]} are outside the profile", remedy=_REMEDY)
    return refusal(file, (line, column), f"a character no Modelica text has here: {mark!r}", remedy="Remove it.")


def _unexpected(text: str, file: str, token: Token) -> ModelicaError:
    if token.type == "$END":
        return _at_end(text, file)
    position = (token.line or 1, token.column or 1)
    line = text.splitlines()[position[0] - 1][position[1] - 1 :]
    if line.startswith("/*"):
        return refusal(file, position, "a comment that is never closed", remedy="Close it with */.")
    word = str(token)
    if word in _OUTSIDE or word in _MARKS:
        what = _OUTSIDE.get(word) or _MARKS[word]
        return refusal(file, position, f"{what} are outside the profile", remedy=_REMEDY)
    if word in ("model", "within"):
        return refusal(file, position, "several classes in one file are outside the profile", remedy="Split the file.")
    return refusal(file, position, f"unexpected {word[:60]!r}", remedy="Correct the syntax here.")


def _at_end(text: str, file: str) -> ModelicaError:
    lines = text.splitlines() or [""]
    return refusal(file, (len(lines), len(lines[-1]) + 1), "the text ends too early", remedy="Complete the model.")


class _Builder:
    """From lark's tree to the records above."""

    def __init__(self, file: str) -> None:
        self.file = file

    def model(self, tree: Tree[Any]) -> Model:
        within, body = tree.children
        name, *rest = _children(body)
        elements, end = rest[1:-1], rest[-1]
        if str(end) != str(name):
            raise refusal(self.file, _at(end), f"`end {end}` closes `model {name}`", remedy=f"Write `end {name}`.")
        items: list[Tree[Any]] = []
        for element in elements:
            is_section = element.data in ("equation_section", "initial_section")
            items += _sections(self.file, element) if is_section else [element]
        return Model(
            within=_name(within.children[0]) if within is not None and within.children[0] is not None else "",
            name=str(name),
            declarations=tuple(
                found for item in items if item.data == "component_clause" for found in self._clause(item)
            ),
            extends=tuple((_name(i.children[0]), _start(i.children[0])) for i in items if i.data == "extends_clause"),
            connections=tuple(
                ((_name(i.children[0]), _start(i.children[0])), (_name(i.children[1]), _start(i.children[1])))
                for i in items
                if i.data == "connection"
            ),
            initial_equations=tuple(
                (self._expression(i.children[0]), self._expression(i.children[1]), _start(i))
                for i in items
                if i.data == "initial_equation"
            ),
            annotations=tuple(_children(i)[0].inner for i in items if i.data == "annotation_item"),
        )

    def _clause(self, tree: Tree[Any]) -> Iterator[Declaration]:
        _, variability, type_name, *declared = _children(tree)
        for item in declared:
            name, modification, *_ = _children(item)
            yield Declaration(
                str(variability or ""),
                _name(type_name),
                _start(type_name),
                str(name),
                _at(name),
                self._modification(modification),
            )

    def _modification(self, tree: Tree[Any] | None) -> Modification:
        if tree is None:
            return Modification(None, ())
        first, *more = tree.children
        if first.data == "value_modification":
            return Modification(self._expression(first.children[0]), ())
        nested = []
        for argument in first.children:
            if argument is not None:
                _, name, modification, *_ = _children(argument)
                nested.append((str(name), self._modification(modification), _at(name)))
        value = more[0] if more else None
        return Modification(None if value is None else self._expression(value), tuple(nested))

    def _expression(self, tree: Tree[Any]) -> Expression:
        position = _start(tree)
        if tree.data in ("number", "text", "truth"):
            return Expression(tree.data, str(tree.children[0]), (), position)
        if tree.data in ("reference", "call"):
            name, *arguments = tree.children
            parts = tuple(self._expression(part) for part in arguments if part is not None)
            return Expression(tree.data, _name(name), parts, position)
        return Expression(tree.data, "", tuple(self._expression(part) for part in tree.children), position)


def _sections(file: str, section: Tree[Any]) -> Iterator[Tree[Any]]:
    for item in section.children:
        if section.data == "equation_section" and item.data == "initial_equation":
            raise refusal(file, _start(item), "equations other than connect are outside the profile", remedy=_REMEDY)
        yield item


def _children(tree: Any) -> list[Any]:
    """Tokens and trees below a tree; the grammar says which is which."""
    return list(tree.children)


def _name(tree: Tree[Any]) -> str:
    return ".".join(str(token) for token in tree.children if token is not None and str(token) != ".")


def _start(tree: Tree[Any]) -> Position:
    return tree.meta.line, tree.meta.column


def _at(token: Token) -> Position:
    return token.line or 1, token.column or 1
