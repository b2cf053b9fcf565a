"""Laws, and every assignment of cells that satisfies them: backtracking with early refusal (Definition 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Signs = frozenset[int]
# What one variable may take: cell name → its sign (-1, 0, 1), in the order of its space.
Domain = Mapping[str, int]


@dataclass(frozen=True)
class Term:
    """A signed product: coefficient sign (-1 or 1) and (variable, exponent ≥ 1) factors."""

    sign: int
    factors: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Law:
    """A confluence, and the component states in which it is active (every condition must hold)."""

    name: str
    terms: tuple[Term, ...]
    conditions: tuple[tuple[str, frozenset[str]], ...]

    @property
    def variables(self) -> frozenset[str]:
        """Every variable that stands in the law."""
        return frozenset(name for term in self.terms for name, _ in term.factors)

    def active_in(self, state: Mapping[str, str]) -> bool:
        """Whether the law is active in a composite state {component: component state}."""
        return all(state[component] in states for component, states in self.conditions)


def may_hold(law: Law, signs: Mapping[str, Signs]) -> bool:
    """Whether a law can still be satisfied when each variable has one of these signs.

    Never False for a law that some choice of the signs satisfies; exact when every variable has
    one sign left. Satisfied means: all terms zero, or a positive and a negative term.
    """
    found = [_signs_of_term(term, signs) for term in law.terms]
    all_zero = all(0 in possible for possible in found)
    both = any(1 in possible for possible in found) and any(-1 in possible for possible in found)
    return all_zero or both


def interpretations(domains: Mapping[str, Domain], laws: Sequence[Law]) -> Iterator[dict[str, str]]:
    """Every {variable: cell} within the domains that satisfies all the laws."""
    order = _order(domains, laws)
    concerned = {name: [law for law in laws if name in law.variables] for name in order}
    signs = {name: frozenset(domain.values()) for name, domain in domains.items()}
    if all(domains.values()) and all(may_hold(law, signs) for law in laws):
        yield from _extend({}, order, domains, concerned, signs)


def _extend(
    chosen: dict[str, str],
    order: Sequence[str],
    domains: Mapping[str, Domain],
    concerned: Mapping[str, Sequence[Law]],
    signs: dict[str, Signs],
) -> Iterator[dict[str, str]]:
    if len(chosen) == len(order):
        yield dict(chosen)
        return
    name = order[len(chosen)]
    before = signs[name]
    for cell, sign in domains[name].items():
        chosen[name], signs[name] = cell, frozenset((sign,))
        if all(may_hold(law, signs) for law in concerned[name]):
            yield from _extend(chosen, order, domains, concerned, signs)
        del chosen[name]
    signs[name] = before


def _order(domains: Mapping[str, Domain], laws: Sequence[Law]) -> list[str]:
    """Fixed variables first, then always one of the law that is nearest to complete: refuses early."""
    order = [name for name, domain in domains.items() if len(domain) <= 1]
    while len(order) < len(domains):
        open_ones = [sorted(law.variables - set(order)) for law in laws if law.variables - set(order)]
        rest = [name for name in domains if name not in order]
        order.append(min(open_ones, key=lambda names: (len(names), names))[0] if open_ones else rest[0])
    return order


def _signs_of_term(term: Term, signs: Mapping[str, Signs]) -> set[int]:
    possible = {term.sign}
    for name, exponent in term.factors:
        possible = {sign * factor**exponent for sign in possible for factor in signs[name]}
    return possible
