"""Frozen simulations against the qualitative simulator: every disposition, and faults that must be seen."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from made_mechanisms import braked_mass
from scilaws_bench import strict_json
from scilaws_bench.errors import SourceIntegrityError
from scilaws_bench.qualitative import mechanism_from_document, parse_confluence
from scilaws_bench.qualitative.solver import WorkLimits
from scilaws_builders.mechreasoner import catalogue
from scilaws_builders.mechreasoner.consistency import Frozen, Run, acceptance, consistency_report, frozen, score, suite
from scilaws_builders.mechreasoner.consistency.frozen import INDEX, folder
from scilaws_builders.mechreasoner.consistency.observe import Observations, observe
from scilaws_builders.mechreasoner.consistency.rumoca_runs import wrapper

MASS = mechanism_from_document(braked_mass())
OBSERVABLES = {"mass.v": {"terms": [[1.0, "mass.v"]], "offset": 0.0}}
NOMINAL = Run("braked_mass", "nominal", "nominal", 1.0, 4, 1e-10, {})


def seen(values: list[float], name: str = "mass.v") -> Observations:
    columns = {"time": np.linspace(0.0, 1.0, len(values)), name: np.array(values)}
    return observe(MASS, OBSERVABLES, [(NOMINAL, columns)])


def observed(states: list[dict[str, Any]], transitions: list[dict[str, Any]]) -> Frozen:
    return Frozen("braked_mass", {"runs": [], "states": states, "transitions": transitions})


def state(name: str, *groups: list[str]) -> dict[str, Any]:
    alternatives = [{"variable": "v", "alternatives": [[one] for one in group]} for group in groups]
    return {"id": "s", "states": [name], "groups": alternatives, "run": "nominal", "time": 0.0, "raw": {}}


def transition(source: str, target: str) -> dict[str, Any]:
    return {"id": "t", "component": "mass", "source": source, "target": target, "run": "nominal", "time": 0.0}


class TestObserving:
    def test_a_crossing_between_samples_is_a_row_of_its_own(self) -> None:
        found = seen([1.0, 0.5, -0.5])
        assert [item.states for item in found.states] == [("MOVING_NEGATIVE",), ("MOVING_POSITIVE",), ("REST",)]
        assert [(item.source, item.target) for item in found.transitions] == [
            ("MOVING_POSITIVE", "REST"),
            ("REST", "MOVING_NEGATIVE"),
        ]
        assert found.states[2].time == pytest.approx(0.75)

    def test_touching_and_staying_make_no_crossing(self) -> None:
        assert [item.states for item in seen([1.0, 0.0, 1.0]).states] == [("MOVING_POSITIVE",), ("REST",)]
        assert seen([1.0, 2.0]).transitions == ()

    def test_a_value_near_a_landmark_keeps_both_cells(self) -> None:
        (rest,) = [item for item in seen([5e-10, 5e-10]).states if item.states == ("REST",)]
        assert rest.groups == (("mass.v", (("MOVING_POSITIVE",),)),)
        assert rest.raw == (("mass.v", 5e-10),)

    def test_a_value_at_a_landmark_has_one_cell(self) -> None:
        (rest,) = seen([0.0, 0.0]).states
        assert rest.groups == ()

    def test_each_state_is_frozen_at_its_first_sighting(self) -> None:
        found = seen([1.0, -1.0, 1.0, -1.0])
        assert len(found.states) == 3
        assert [item.time for item in found.states if item.states == ("MOVING_POSITIVE",)] == [0.0]


class TestScoring:
    def disposition(self, item: dict[str, Any], mechanism: Any = MASS, **options: Any) -> str:
        (found,) = score(observed([item], []), mechanism, **options)
        return found.disposition

    def test_a_state_with_an_interpretation_is_direct(self) -> None:
        assert self.disposition(state("REST")) == "direct"

    def without_rest(self) -> Any:
        """In REST the law asks for an acceleration that another law forbids."""
        extra = parse_confluence("impossible", "mass.v + mass.a", "mass")
        document = braked_mass()
        document["restrictions"].append({"component": "mass", "state": "REST", "variable": "mass.a", "cells": ["+"]})
        return replace(mechanism_from_document(document), confluences=(*MASS.confluences, extra))

    def test_an_empty_state_whose_raw_side_holds_is_a_boundary_case(self) -> None:
        assert self.disposition(state("REST", ["MOVING_POSITIVE"]), self.without_rest()) == "boundary"

    def test_an_empty_state_without_raw_side_is_a_contradiction(self) -> None:
        assert self.disposition(state("REST"), self.without_rest()) == "contradiction"

    def test_one_empty_group_is_enough_for_a_contradiction(self) -> None:
        item = state("REST", ["MOVING_POSITIVE"], ["REST"])
        assert self.disposition(item, self.without_rest()) == "contradiction"

    def test_one_alternative_of_a_group_is_enough(self) -> None:
        item = state("REST", ["REST", "MOVING_NEGATIVE"])
        assert self.disposition(item, self.without_rest()) == "boundary"

    def test_a_solve_beyond_its_limit_is_inconclusive(self) -> None:
        entry = catalogue.load("electrical_electrothermal_resistor_ladder").mechanism
        states = [component.states[-1] for component in entry.components]
        item = {**state("REST"), "states": states}
        assert self.disposition(item, entry, limits=WorkLimits(steps=1)) == "inconclusive"

    def test_a_transition_needs_one_declared_edge(self) -> None:
        stops, starts = transition("MOVING_POSITIVE", "REST"), transition("REST", "MOVING_POSITIVE")
        found = score(observed([], [stops, starts]), MASS)
        assert [one.disposition for one in found] == ["direct", "contradiction"]

    def test_a_declared_path_over_a_state_is_not_enough(self) -> None:
        mechanism = catalogue.load("mechanics_damper").mechanism
        skips = {**transition("MOVING_POSITIVE", "MOVING_NEGATIVE"), "component": "mass1"}
        (found,) = score(observed([], [skips]), mechanism)
        assert found.disposition == "contradiction"

    def test_acceptance_counts_states_and_pairs(self) -> None:
        """Of three composite states all are admissible; of six ordered pairs one is declared."""
        assert (acceptance(MASS).states, acceptance(MASS).pairs) == (1.0, 1 / 6)
        assert acceptance(MASS).flagged == ("states",)


class TestFrozenObservations:
    def test_they_agree_without_a_simulator(self) -> None:
        """The bar of the paper's Table 8."""
        report = consistency_report()
        assert report["mechanisms"] == 18
        assert report["runs"] >= 72
        assert report["observed"] >= 341
        assert report["contradictions"] == report["inconclusive"] == 0
        assert report["direct"] + report["boundary"] == report["observed"]
        assert report["table"]["total"]["observed"] == report["observed"]

    def test_every_run_of_the_suite_is_in_them(self) -> None:
        listed = [(item.mechanism, run["name"]) for item in frozen() for run in item.document["runs"]]
        assert listed == [(run.mechanism, run.name) for run in suite()]
        assert len(set(listed)) == len(listed)

    def test_an_altered_file_is_caught_by_its_hash(self, tmp_path: Path) -> None:
        shutil.copytree(folder(), tmp_path / "observations")
        path = tmp_path / "observations" / "mechanics_damper.json"
        path.write_text(path.read_text(encoding="utf-8").replace("POSITIVE", "NEGATIVE"), encoding="utf-8")
        with pytest.raises(SourceIntegrityError, match=r"mechanics_damper\.json; expected sha256"):
            frozen(tmp_path / "observations")
        assert set(strict_json.read(folder() / INDEX)) == {f"{name}.json" for name in catalogue.ids()}

    def test_a_broken_law_is_seen(self) -> None:
        """The damper's force with the wrong sign: no observed motion is admissible any more."""
        (item,) = [one for one in frozen() if one.mechanism == "mechanics_damper"]
        mechanism = catalogue.load("mechanics_damper").mechanism
        broken = tuple(
            parse_confluence(law.id, "damper1.v_rel - mass1.v", law.component)
            if set(law.variables) == {"damper1.v_rel", "mass1.v"}
            else law
            for law in mechanism.confluences
        )
        assert broken != mechanism.confluences
        found = score(item, replace(mechanism, confluences=broken))
        assert any(one.disposition == "contradiction" for one in found if one.kind == "state")

    def test_a_broken_declaration_is_seen(self) -> None:
        (item,) = [one for one in frozen() if one.mechanism == "mechanics_damper"]
        mechanism = catalogue.load("mechanics_damper").mechanism
        kept = tuple(one for one in mechanism.declarations if (one.component, one.target) != ("mass1", "REST"))
        found = score(item, replace(mechanism, declarations=kept))
        contradicted = [one.observation for one in found if one.disposition == "contradiction"]
        assert {one["component"] for one in contradicted} == {"mass1"}


def test_start_values_are_overridden_with_fixed_said_again() -> None:
    run = Run("m", "start1", "perturbation", 1.0, 4, 1e-10, {"mass2.v": 1.0, "mass2.s": -0.5})
    text = wrapper("Lib.Oscillator", run)
    assert "extends Lib.Oscillator(mass2(v(start=1.0, fixed=true), s(start=-0.5, fixed=true)));" in text
    assert wrapper("Lib.Oscillator", replace(run, starts={})).count("(") == 0
