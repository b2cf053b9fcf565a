"""`scilaws-bench mechanism`: the commands on catalogue ids, documents and Modelica text."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_harness import run

from scilaws_builders.mechreasoner import catalogue

FIXTURES = Path(__file__).parents[1] / "fixtures" / "modelica"
TWO = "thermal_two_masses"


def test_the_catalogue_is_listed() -> None:
    done = run("mechanism", "list", "--json")
    assert done.code == 0, done.err
    assert [row["id"] for row in done.document] == list(catalogue.ids())


def test_modelica_text_converts_solves_and_walks(tmp_path: Path) -> None:
    file, output = str(FIXTURES / f"{TWO}.mo"), tmp_path / "two.json"
    done = run("mechanism", "convert", file, "--id", TWO, "--output", str(output), "--json")
    assert done.code == 0, done.err
    assert done.document["mechanism"]["id"] == TWO
    assert done.document["instance"]["solved_parameters"][0]["id"] == "T_final_K"
    for mechanism in (file, str(output), TWO):
        solved = run("mechanism", "solve", mechanism, "--json")
        assert solved.code == 0, solved.err
        assert solved.document["count"] == 3
        assert solved.document["forced"]["excess_heat"] == "0"
        walked = run("mechanism", "graph", mechanism, "--horizon", "1", "--json")
        assert walked.document["component_changes"] == [
            "conduction: FORWARD → BALANCED",
            "mass1: ABOVE → AT",
            "mass2: BELOW → AT",
        ]


@pytest.mark.parametrize("name", catalogue.ids())
def test_every_mechanism_answers(name: str) -> None:
    solved = run("mechanism", "solve", name, "--limit", "1", "--json")
    assert solved.code == 0, solved.err
    assert solved.document["count"] > 0
    walked = run("mechanism", "graph", name, "--horizon", "1", "--json")
    assert walked.code == 0, walked.err
    assert walked.document["edges"] > 0


def test_an_impossible_state_says_why() -> None:
    states = [f"--state={part}" for part in ("mass1=ABOVE", "mass2=ABOVE", "conduction=FORWARD")]
    done = run("mechanism", "solve", TWO, *states, "--json")
    assert done.document["count"] == 0
    assert any("excess_heat" in line for line in done.document["why_empty"])


@pytest.mark.parametrize("ending", ["svg", "graphml", "json"])
def test_a_graph_is_exported(ending: str, tmp_path: Path) -> None:
    output = tmp_path / f"graph.{ending}"
    done = run("mechanism", "graph", TWO, "--output", str(output))
    assert done.code == 0, done.err
    assert "FORWARD" in output.read_text(encoding="utf-8")


def test_a_step_is_explained() -> None:
    done = run("mechanism", "graph", TWO, "--explain", "2", "1")
    assert "#2 → #1: an edge" in done.out
    refused = run("mechanism", "graph", TWO, "--explain", "1", "2", "--json")
    assert refused.document["is_edge"] is False
    assert any(line.strip().startswith("E1:") for line in refused.document["text"])


FAULTS = {
    "an unknown mechanism": (["solve", "thermal_two"], "expected an id of the catalogue"),
    "an unknown scenario": (["solve", TWO, "--scenario", "hot"], "Known: nominal, any_start"),
    "an unknown quantity": (["solve", TWO, "--set", "mass1.T=+"], "expected a quantity of"),
    "an unknown cell": (["solve", TWO, "--set", "mass1.theta=++"], "Known: -, 0, +"),
    "an unknown component": (["solve", TWO, "--state", "mass3=AT"], "Known: mass1, mass2"),
    "an unknown component state": (["solve", TWO, "--state", "mass1=HOT"], "one of BELOW, AT, ABOVE"),
    "an episode that is not there": (["graph", TWO, "--explain", "0", "9"], "a row from 0 to 2"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named(fault: str) -> None:
    words, expected = FAULTS[fault]
    done = run("mechanism", *words)
    assert done.code == 1
    assert expected in done.err
    assert "Traceback" not in done.err


def test_text_outside_the_profile_is_refused_with_its_place_and_nothing_is_written(tmp_path: Path) -> None:
    file, output = tmp_path / "M.mo", tmp_path / "M.json"
    file.write_text("model M\n  Real x[3];\nend M;\n", encoding="utf-8")
    done = run("mechanism", "convert", str(file), "--output", str(output))
    assert done.code == 1
    assert "M.mo:2:9: arrays are outside the profile" in done.err
    assert not output.exists()


def test_the_consistency_check_answers_from_frozen_observations() -> None:
    done = run("mechanism", "consistency", "--json")
    assert done.code == 0, done.err
    keys = {"observed", "direct", "boundary", "contradictions", "inconclusive", "mechanisms", "runs", "acceptance"}
    assert keys <= set(done.document)
    assert done.document["contradictions"] == 0
    shown = run("mechanism", "consistency")
    assert "composite states" in shown.out
    assert "transition shapes" in shown.out


def test_extraction_without_a_library_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCILAWS_MODELICA_LIBRARY", raising=False)
    done = run("mechanism", "consistency", "--extract")
    assert done.code == 3
    assert "SCILAWS_MODELICA_LIBRARY" in done.err
