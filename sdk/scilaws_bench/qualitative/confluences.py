"""Confluences: qualitative laws as sums of signed product terms (paper A.4, Definition 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Sign = Literal[-1, 0, 1]


@dataclass(frozen=True)
class Factor:
    """A variable raised to a positive whole power; an even power makes the sign of the factor positive or zero."""

    variable: str
    exponent: int = 1


@dataclass(frozen=True)
class Term:
    """A coefficient's sign times a product of factors."""

    sign: Literal[-1, 1]
    factors: tuple[Factor, ...]


@dataclass(frozen=True)
class Confluence:
    """A law `sum of terms = 0`, read qualitatively.

    Attributes:
        id: unique name of the law.
        terms: the signed product terms.
        component: the component whose law it is, or None for a connection law.
        active: for each named component the states in which the law holds; empty means always.
    """

    id: str
    terms: tuple[Term, ...]
    component: str | None = None
    active: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the law, each once, in order of appearance."""
        return tuple(dict.fromkeys(factor.variable for term in self.terms for factor in term.factors))

    def is_active(self, states: Mapping[str, str]) -> bool:
        """Whether it holds in a composite state, given as component id → component state."""
        return all(states[component] in allowed for component, allowed in self.active)

    def text(self) -> str:
        """The law as a line of text, e.g. `mass.a - spring.f + damper.f = 0`."""
        pieces = []
        for place, term in enumerate(self.terms):
            product = " * ".join(
                factor.variable if factor.exponent == 1 else f"{factor.variable}^{factor.exponent}"
                for factor in term.factors
            )
            lead = ("-" if term.sign < 0 else "") if place == 0 else (" - " if term.sign < 0 else " + ")
            pieces.append(lead + product)
        return "".join(pieces) + " = 0"


def term_sign(term: Term, signs: Mapping[str, int]) -> int:
    """Sign of a term: the coefficient's sign times the signs of its factors, powers respected."""
    sign: int = term.sign
    for factor in term.factors:
        sign *= signs[factor.variable] ** factor.exponent
    return sign


def is_satisfied(confluence: Confluence, signs: Mapping[str, int]) -> bool:
    """Whether all terms are zero or both signs occur among them (a lone sign beside zeros fails)."""
    return balanced(term_sign(term, signs) for term in confluence.terms)


def balanced(term_signs: Iterable[int]) -> bool:
    """The rule of satisfaction on the signs of the terms alone."""
    present = set(term_signs)
    return (1 in present) == (-1 in present)


def parse_confluence(name: str, text: str, component: str | None = None) -> Confluence:
    """A law written as text, e.g. `parse_confluence("newton", "mass.a - spring.f + damper.f")`.

    Grammar: `[+|-] product (("+"|"-") product)*`, a product being variables joined by `*`, each
    optionally `^n` with a whole n ≥ 1. Tokens are separated by blanks.

    Raises:
        ValueError: text outside the grammar.
    """
    tokens = text.split()
    if not tokens:
        raise ValueError(f"confluence {name}: expected terms, found nothing")
    if tokens[0] not in "+-":
        tokens.insert(0, "+")
    terms: list[Term] = []
    place = 0
    while place < len(tokens):
        if tokens[place] not in ("+", "-"):
            raise ValueError(f"confluence {name}: expected + or -, found {tokens[place]!r}")
        sign: Literal[-1, 1] = 1 if tokens[place] == "+" else -1
        factors = [_factor(name, tokens, place + 1)]
        place += 2
        while place < len(tokens) and tokens[place] == "*":
            factors.append(_factor(name, tokens, place + 1))
            place += 2
        terms.append(Term(sign, tuple(factors)))
    return Confluence(name, tuple(terms), component)


def _factor(law: str, tokens: list[str], place: int) -> Factor:
    token = tokens[place] if place < len(tokens) else ""
    name, _, power = token.partition("^")
    if not name or name[0].isdigit() or name in "+-*" or (power and not (power.isdecimal() and int(power) >= 1)):
        raise ValueError(f"confluence {law}: expected a variable, found {token!r}")
    return Factor(name, int(power) if power else 1)
