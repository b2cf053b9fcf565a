"""Confluences: the rule of satisfaction (paper A.4, Definition 3) and the text form."""

from __future__ import annotations

import itertools

import pytest

from scilaws_bench.qualitative import Confluence, Factor, Term, is_satisfied, parse_confluence

SIGN_TRIPLES = list(itertools.product((-1, 0, 1), repeat=3))


@pytest.mark.parametrize("signs", SIGN_TRIPLES)
def test_a_sum_is_satisfied_iff_some_numbers_of_these_signs_cancel(signs: tuple[int, int, int]) -> None:
    """Against numbers: magnitudes 1..4 stand for all magnitudes in a sum of three."""
    law = parse_confluence("sum", "x + y - z")
    assignment = dict(zip("xyz", signs, strict=True))
    magnitudes = itertools.product(range(1, 5), repeat=3)
    cancels = any(signs[0] * a + signs[1] * b - signs[2] * c == 0 for a, b, c in magnitudes)
    assert is_satisfied(law, assignment) == cancels


def test_a_zero_beside_terms_of_one_sign_does_not_satisfy() -> None:
    law = parse_confluence("pair", "x + y")
    assert not is_satisfied(law, {"x": 0, "y": 1})
    assert is_satisfied(law, {"x": 0, "y": 0})
    assert is_satisfied(law, {"x": -1, "y": 1})


@pytest.mark.parametrize(("x", "y"), list(itertools.product((-1, 0, 1), repeat=2)))
def test_products_and_even_powers_have_the_sign_of_the_number(x: int, y: int) -> None:
    law = parse_confluence("power", "p - x^2 * y")
    for p in (-1, 0, 1):
        assert is_satisfied(law, {"p": p, "x": x, "y": y}) == (p == x * x * y)


def test_a_variable_repeated_in_a_product_counts_twice() -> None:
    law = Confluence("square", (Term(1, (Factor("p"),)), Term(-1, (Factor("x"), Factor("x")))))
    assert is_satisfied(law, {"p": 1, "x": -1})
    assert law.variables == ("p", "x")


def test_the_text_form_reads_back() -> None:
    text = "mass.a - spring.f + damper.f * k^2 - w"
    law = parse_confluence("newton", text, "mass")
    assert law.text() == text + " = 0"
    assert parse_confluence("newton", law.text().removesuffix(" = 0"), "mass") == law
    assert parse_confluence("l", "- x + y").text() == "-x + y = 0"


@pytest.mark.parametrize("text", ["", "x y", "x +", "x * + y", "2 - x", "x^0", "x^-1", "x^a", "+", "x ^ 2"])
def test_text_outside_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="confluence law: expected"):
        parse_confluence("law", text)


def test_a_conditional_law_holds_in_the_named_states_alone() -> None:
    law = Confluence("l", (Term(1, (Factor("x"),)),), "brake", (("brake", ("FAST", "SLOW")), ("switch", ("ON",))))
    assert law.is_active({"brake": "SLOW", "switch": "ON"})
    assert not law.is_active({"brake": "SLOW", "switch": "OFF"})
    assert not law.is_active({"brake": "STOPPED", "switch": "ON"})
