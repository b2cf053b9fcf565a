"""What the converter makes of admitted text: names, values, starts, connections."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from scilaws_bench.schemas import problems_with
from scilaws_builders.mechreasoner import catalogue
from scilaws_builders.mechreasoner.modelica import Instance, convert_file, convert_text
from scilaws_builders.mechreasoner.modelica.instance import Part, Start

FIXTURES = Path(__file__).parents[2] / "fixtures" / "modelica"
WITHIN = "within Modelica.Mechanics.Translational.Examples;\n"


def part(body: str, within: str = WITHIN, name: str = "x") -> Part:
    instance = convert_text(f"{within}model M\n{body}\nend M;\n", file="M.mo")
    return next(item for item in instance.parts if item.id == name)


def fixture(name: str) -> Instance:
    return convert_file(FIXTURES / f"{name}.mo", instance_id=name)


@pytest.mark.parametrize(
    "spelling",
    [
        "Modelica.Mechanics.Translational.Components.Mass",
        "Mechanics.Translational.Components.Mass",
        "Translational.Components.Mass",
        "Components.Mass",
        ".Modelica.Mechanics.Translational.Components.Mass",
    ],
)
def test_every_spelling_of_a_type_is_resolved(spelling: str) -> None:
    assert part(f"{spelling} x(m=1);").type == "Modelica.Mechanics.Translational.Components.Mass"


def test_the_innermost_package_wins() -> None:
    """`Components.Fixed` is another type in each of the two domains."""
    rotational = "within Modelica.Mechanics.Rotational.Examples;\n"
    assert part("Components.Fixed x;").type == "Modelica.Mechanics.Translational.Components.Fixed"
    assert part("Components.Fixed x;", rotational).type == "Modelica.Mechanics.Rotational.Components.Fixed"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2.0),
        ("-1e-3", -0.001),
        (".5", 0.5),
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3/2", 4.5),
        ("2^3", 8.0),
        ("-2^2 + 5", 1.0),
        ("abs(-v)", 3.0),
        ("w - v", -2.0),
        ("Modelica.Constants.pi", math.pi),
        ("Modelica.Units.Conversions.from_degC(20)", 293.15),
    ],
)
def test_parameter_expressions_have_values(text: str, value: float) -> None:
    body = f"parameter SI.Velocity v=3;\nfinal parameter Real w=v - 2, unused=w;\nComponents.Mass x(m={text});"
    assert part(body).parameters["m"] == pytest.approx(value, rel=1e-15)


def test_starts_nested_modifiers_and_defaults() -> None:
    mass = part("Components.Mass x(m=1, s(start=0.5), v(fixed=true, start=-2));")
    assert mass.initial == {"s": Start(0.5, False), "v": Start(-2.0, True)}
    assert mass.parameters == {"m": 1.0, "L": 0.0}
    moved = part("Sources.Accelerate x(v(start=3));")
    assert moved.initial == {"s": Start(0.0, True), "v": Start(3.0, True)}, "fixed=true of the type is kept"


def test_comments_strings_and_annotations_hold_anything() -> None:
    body = """
    // connect(a, b); model X[3]
    /* for if when "open string */
    Components.Mass x(m=1 "a \\" quoted [text]" ) "say: der(x)" annotation (Placement(
        transformation(extent={{-1,2},{3,4}}, rotation=if true then 1 else 2)), Dialog(group="a)b"));
    annotation (Documentation(info="<html> experiment(StopTime=9) </html>"), experiment(StopTime=2.5, Interval=1e-3));
    """
    instance = convert_text(f"{WITHIN}model M\n{body}\nend M;\n", file="M.mo")
    assert [item.id for item in instance.parts] == ["x"]
    assert (instance.experiment.stop_time, instance.experiment.interval) == (2.5, 0.001)


def test_several_names_in_one_clause_have_their_own_modifiers() -> None:
    body = "Components.Mass x(m=1), y(m=2);"
    assert (part(body).parameters["m"], part(body, name="y").parameters["m"]) == (1.0, 2.0)


def test_a_support_connection_that_does_not_exist_vanishes() -> None:
    """SignConvention joins a housing to a support that useSupport=false leaves out."""
    text = (FIXTURES / "mechanics_sign_convention.mo").read_text(encoding="utf-8")
    assert "connect(fixed.flange, force3.support)" in text
    assert not [pair for pair in fixture("mechanics_sign_convention").connections if "force3.support" in pair]
    kept = text.replace("force3;", "force3(useSupport=true);")
    assert kept != text
    pairs = convert_text(kept, file="M.mo").connections
    assert ("fixed.flange", "force3.support") in pairs


def test_a_heat_port_exists_where_it_is_used() -> None:
    text = (FIXTURES / "electrical_resistor.mo").read_text(encoding="utf-8")
    assert ("resistor.heatPort", "thermalConductor.port_a") in fixture("electrical_resistor").connections
    without = convert_text(text.replace("useHeatPort=true", "useHeatPort=false"), file="M.mo")
    assert not [pair for pair in without.connections if "resistor.heatPort" in pair]


def test_a_parameter_is_solved_at_initialisation() -> None:
    (solved,) = fixture("thermal_two_masses").solved_parameters
    assert (solved.id, solved.value) == ("T_final_K", pytest.approx(323.15, rel=1e-12))


def test_initial_values_may_be_relative() -> None:
    parts = {item.id: item for item in fixture("mechanics_initial_conditions").parts}
    assert parts["s1"].initial == {"s_rel": Start(0.5, True)}
    assert parts["sd1"].initial == {"s_rel": Start(1.0, True), "v_rel": Start(0.0, True)}
    assert parts["m2"].initial == {}


@pytest.mark.parametrize("name", catalogue.ids())
def test_every_text_converts_to_a_valid_document_that_reads_back(name: str) -> None:
    text = catalogue.texts().by_id[name]
    instance = fixture(name) if text.library_sha256 else convert_text(text.read(), file=text.file, instance_id=name)
    document = instance.to_document()
    assert problems_with("modelica_instance", document) == []
    assert Instance.from_document(document) == instance
