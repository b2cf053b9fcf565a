"""What lies outside the bounded profile is refused with its place; nothing crashes, hangs or is guessed."""

from __future__ import annotations

import re

import pytest

from scilaws_builders.mechreasoner.modelica import ModelicaError, convert_file, convert_text

WITHIN = "within Modelica.Mechanics.Translational.Examples;\n"


def model(body: str, equations: str = "", within: str = WITHIN) -> str:
    return f"{within}model M\n{body}\nequation\n{equations}\nend M;\n"


MASS = "Components.Mass mass(m=1);"
FIXED = "Components.Fixed fixed;"

REFUSED = {
    "an array": ("Components.Mass mass[3];", "", "3:21: arrays are outside the profile"),
    "an array literal": ("Components.Mass mass(m={1, 2});", "", "3:24: arrays are outside the profile"),
    "a loop": (MASS, "for i in 1:3 loop end for;", "5:1: for equations are outside the profile"),
    "a conditional equation": (MASS, "if true then end if;", "5:1: conditional declarations, equations"),
    "a when equation": (MASS, "when true then end when;", "5:1: when equations are outside the profile"),
    "an algorithm": (MASS, "algorithm", "5:1: algorithm sections are outside the profile"),
    "a derivative": (MASS, "der(mass.s) = 1;", "5:1: derivative"),
    "a plain equation": (MASS, "mass.s = 1;", "5:1: equations other than connect"),
    "a redeclaration": ("Components.Mass mass(redeclare x=1);", "", "3:22: redeclarations are outside"),
    "a replaceable part": ("replaceable Components.Mass mass;", "", "3:1: replaceable elements are outside"),
    "an import": ("import Modelica.Constants;", "", "3:1: import clauses are outside the profile"),
    "an inner part": ("inner Components.Mass mass(m=1);", "", "3:1: inner components are outside"),
    "an outer part": ("outer Components.Mass mass(m=1);", "", "3:1: outer components are outside"),
    "a protected section": ("protected\n" + MASS, "", "3:1: protected sections are outside"),
    "a quoted name": ("Components.Mass 'my mass'(m=1);", "", "3:17: quoted names are outside"),
    "a base class": ("extends Modelica.Icons.Package;", "", "3:9: extending Modelica.Icons.Package"),
    "an unknown type": ("Components.Masse mass(m=1);", "", "3:1: unknown component type Components.Masse"),
    "a parameter component": ("parameter Components.Mass mass(m=1);", "", "3:11: parameter Components.Mass"),
    "a free variable": ("Real x;", "", "3:6: variable x is outside the profile"),
    "an unknown modifier": ("Components.Mass mass(m=1, M=2);", "", "3:27: unknown M of Modelica"),
    "a modifier given twice": ("Components.Mass mass(m=1, m=2);", "", "3:27: m is modified twice"),
    "a start on a parameter": ("Components.Mass mass(m(start=2));", "", "3:22: m has no value"),
    "a value for a variable": ("Components.Mass mass(m=1, v=2);", "", "3:27: v is a variable"),
    "an unknown attribute": ("Components.Mass mass(m=1, v(nominal=2));", "", "3:29: unknown attribute nominal of v"),
    "a missing parameter": ("Components.Mass mass;", "", "3:17: mass has no value for m"),
    "a text for a number": ('Components.Mass mass(m="1");', "", "3:24: m is '1'; expected a number"),
    "a number for a flag": (
        "Sources.Force force(useSupport=1);",
        "",
        "3:32: useSupport is 1.0; expected true or false",
    ),
    "a name declared twice": (MASS + "\nComponents.Fixed mass;", "", "4:18: mass is declared twice"),
    "an unknown name": ("Components.Mass mass(m=k);", "", "3:24: unknown name k"),
    "parameters in a circle": ("parameter Real a=b;\nparameter Real b=a;", "", "parameters in a circle: a -> b -> a"),
    "a parameter without value": ("parameter Real a;", "", "3:16: parameter a has no value"),
    "a division by zero": ("parameter Real a=1/0;", "", "3:18: an expression without a finite value"),
    "an overflow": ("parameter Real a=10^400;", "", "3:"),
    "an unknown function": ("parameter Real a=sin(1);", "", "3:18: function sin is outside the profile"),
    "an unknown component": (MASS, "connect(mas.flange_a, mass.flange_b);", "5:9: unknown component mas"),
    "an unknown connector": (
        MASS + FIXED,
        "connect(mass.flange, fixed.flange);",
        "5:9: unknown connector flange of mass",
    ),
    "connectors of two kinds": (
        "Components.Mass mass(m=1);\nModelica.Thermal.HeatTransfer.Components.HeatCapacitor heat(C=1);",
        "connect(mass.flange_a, heat.port);",
        "6:9: mass.flange_a (translational) is connected to heat.port (heat)",
    ),
    "a connector joined to itself": (MASS, "connect(mass.flange_a, mass.flange_a);", "connected to itself"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_what_is_outside_the_profile_is_refused_at_its_place(fault: str) -> None:
    body, equations, expected = REFUSED[fault]
    with pytest.raises(ModelicaError) as refusal:
        convert_text(model(body, equations), file="M.mo")
    message = str(refusal.value)
    assert re.match(r"M\.mo:\d+:\d+: ", message), message
    assert expected in message


BROKEN = {
    "no text": ("", "M.mo:1:1: the text ends too early"),
    "text that ends early": ("model M", "M.mo:1:8: the text ends too early"),
    "another end": ("model M end N;", "M.mo:1:13: `end N` closes `model M`"),
    "two classes": ("model M end M; model N end N;", "M.mo:1:16: several classes in one file"),
    "a function": ("function f end f;", "M.mo:1:1: functions are outside the profile"),
    "an open comment": ("model M /* x", "M.mo:1:9: a comment that is never closed"),
    "an open string": ('model M "x', "M.mo:1:9: a string that is never closed"),
    "an open annotation": ("model M annotation(x(; end M;", "M.mo:1:9: an annotation that is never closed"),
    "a stray character": ("model M § end M;", "M.mo:1:9: a character no Modelica text has here"),
    "deep brackets": ("model M parameter Real a=" + "(" * 100 + "1" + ")" * 100 + "; end M;", "nested brackets"),
    "a chain of signs": ("model M parameter Real a=--1; end M;", "unexpected '-'"),
    "a long sum": ("model M parameter Real a=" + "1+" * 50_000 + "1; end M;", "nested too deeply"),
    "a huge text": ("model M " + " " * 1_000_000 + "end M;", "M.mo:1:1: text too long"),
    "no component": ("model M end M;", "at least one component"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_broken_text_is_refused(fault: str) -> None:
    text, expected = BROKEN[fault]
    with pytest.raises(ModelicaError, match=re.escape(expected)):
        convert_text(text, file="M.mo")


def test_bytes_that_are_no_text_are_refused_at_their_place(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "M.mo"
    path.write_bytes(b"model M\n  \xff end M;")
    with pytest.raises(ModelicaError, match=r"M\.mo:2:3: bytes that are not UTF-8"):
        convert_file(path)


INITIAL = {
    "no equation fixes the parameter": ("", "no initial equation fixes a"),
    "an equation without a free parameter": ("initial equation\n1 = 1;", "an initial equation with 0 free parameters"),
    "an equation that is not linear": ("initial equation\na*a = 4;", "not linear in a"),
    "an equation that does not hold the parameter": ("initial equation\n0*a = 4;", "not linear in a"),
}


@pytest.mark.parametrize("fault", INITIAL)
def test_parameters_solved_at_initialisation_need_one_linear_equation(fault: str) -> None:
    section, expected = INITIAL[fault]
    text = f"{WITHIN}model M\nparameter Real a(fixed=false);\n{MASS}\n{section}\nend M;\n"
    with pytest.raises(ModelicaError, match=re.escape(expected)):
        convert_text(text, file="M.mo")
