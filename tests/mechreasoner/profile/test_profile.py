"""The qualitative profile: laws and declarations are what the equations say, and physics outside it is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scilaws_bench.qualitative import Mechanism
from scilaws_builders.mechreasoner import catalogue
from scilaws_builders.mechreasoner.modelica import convert_text
from scilaws_builders.mechreasoner.profile import ProfileError, mechanism_of

FIXTURES = Path(__file__).parents[2] / "fixtures" / "modelica"
WITHIN = "within Modelica.Mechanics.Translational.Examples;\n"


def mechanism(body: str, equations: str, within: str = WITHIN) -> Mechanism:
    text = f"{within}model M\n{body}\nequation\n{equations}\nend M;\n"
    return mechanism_of(convert_text(text, file="M.mo")).mechanism


def laws(found: Mechanism) -> set[str]:
    return {law.text() for law in found.confluences}


def test_a_spring_and_a_damper_on_a_body() -> None:
    """m a = -c s - d v for a body on flange_b of a spring and a damper that are fixed at flange_a."""
    found = mechanism(
        """Components.Fixed fixed; Components.Mass mass(m=1);
        Components.Spring spring(c=1); Components.Damper damper(d=1);""",
        """connect(fixed.flange, spring.flange_a); connect(spring.flange_b, mass.flange_a);
        connect(fixed.flange, damper.flange_a); connect(damper.flange_b, mass.flange_a);""",
    )
    texts = laws(found)
    assert {"spring.f - spring.s_rel = 0", "damper.f - damper.v_rel = 0"} <= texts
    assert {"spring.v_rel - mass.v = 0", "damper.v_rel - mass.v = 0"} <= texts
    newton = [law for law in found.confluences if {"mass.a", "spring.f", "damper.f"} == set(law.variables)]
    assert [{term.factors[0].variable: term.sign for term in law.terms} for law in newton] == [
        {"mass.a": 1, "spring.f": 1, "damper.f": 1}
    ]


def test_a_spring_the_other_way_round_pushes_the_other_way() -> None:
    found = mechanism(
        "Components.Fixed fixed; Components.Spring spring(c=1); Components.Mass mass(m=1);",
        "connect(fixed.flange, spring.flange_b); connect(spring.flange_a, mass.flange_a);",
    )
    assert "spring.v_rel + mass.v = 0" in laws(found)
    assert "mass.a - spring.f = 0" in laws(found)


def test_declarations_join_neighbouring_states_both_ways() -> None:
    found = catalogue.load("mechanics_damper").mechanism
    of_mass = [item for item in found.declarations if item.component == "mass1"]
    assert {(item.source, item.target) for item in of_mass} == {
        ("MOVING_NEGATIVE", "REST"),
        ("REST", "MOVING_NEGATIVE"),
        ("REST", "MOVING_POSITIVE"),
        ("MOVING_POSITIVE", "REST"),
    }
    for item in of_mass:
        rising = item.target == "MOVING_POSITIVE" or item.source == "MOVING_NEGATIVE"
        assert item.event == "mass1.v"
        assert item.source_guards == {"mass1.a": ("+",) if rising else ("-",)}
        assert list(item.target_guards) == ["mass1.v"]


def test_no_algebraic_quantity_hides_an_ambiguous_sum() -> None:
    """A quantity that is neither coordinate nor rate is tied to others by a law of two terms somewhere."""
    for name in catalogue.ids():
        found = catalogue.load(name).mechanism
        paired = {
            variable for law in found.confluences if len(law.terms) == 2 for term in law.terms
            for variable in [factor.variable for factor in term.factors]
        }  # fmt: skip
        loose = [
            variable.id
            for variable in found.variables
            if variable.role == "quantity" and not variable.is_coordinate and variable.id not in paired
        ]
        assert loose == [], name


def test_coordinates_have_the_differentiated_law_too() -> None:
    """Where a law ties coordinates linearly, the same law holds for their rates."""
    for name in catalogue.ids():
        found = catalogue.load(name).mechanism
        rate = {variable.id: variable.derivative for variable in found.variables}
        known = {frozenset((term.sign, term.factors[0].variable) for term in law.terms) for law in found.confluences}
        known |= {frozenset((-sign, variable) for sign, variable in terms) for terms in known}
        for law in found.confluences:
            linear = all(len(term.factors) == 1 and term.factors[0].exponent == 1 for term in law.terms)
            coordinates = all(rate[variable] for variable in law.variables)
            if linear and coordinates and len(law.terms) > 2:
                image = frozenset((term.sign, rate[term.factors[0].variable]) for term in law.terms)
                assert image in known, f"{name}: {law.id}"


OUTSIDE = {
    "a type without a profile": (
        "Components.Mass mass(m=1); Components.SpringDamper both(c=1, d=0);",
        "both.d; expected positive",
    ),
    "a driving brake": (
        "Components.Mass mass(m=1); Sources.LinearSpeedDependentForce brake(f_nominal=5, v_nominal=1);",
        "brake.f_nominal; expected negative",
    ),
    "a brake of another regularisation": (
        "Components.Mass mass(m=1); Sources.SignForce brake(f_nominal=-5, v0=1);",
        "brake.reg; expected Linear",
    ),
    "a mass of nothing": ("Components.Mass mass(m=0);", "mass.m; expected positive"),
    "an input without signal": (
        "Components.Mass mass(m=1); Sources.Force force;",
        "force.f; expected a connected signal",
    ),
}


@pytest.mark.parametrize("fault", OUTSIDE)
def test_physics_outside_the_profile_is_refused(fault: str) -> None:
    body, expected = OUTSIDE[fault]
    other = [word.split("(")[0].strip(" ;") for word in re.findall(r"\S+\.\S+ (\w+)", body)][-1]
    port = "flange_a" if other == "both" else "flange"
    equations = f"connect({other}.{port}, mass.flange_a);" if other != "mass" else ""
    with pytest.raises(ProfileError, match=re.escape(expected)):
        mechanism(body, equations)


def test_binding_start_values_that_contradict_are_refused() -> None:
    text = (FIXTURES / "mechanics_initial_conditions.mo").read_text(encoding="utf-8")
    both = text.replace("sd2(", "sd2(s_rel(start=1, fixed=true), ", 1)
    assert both != text
    with pytest.raises(ProfileError, match="start values that agree"):
        mechanism_of(convert_text(both, file="M.mo"))
