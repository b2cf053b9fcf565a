"""Rules of a release: each has cases that break it and the sound problems that keep it (pitfalls 43, 47, 50, 53)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from small_problems import CURVE, SLOPE, SmallProblem

from scilaws_builders.scilaws.rules import RULES, Case, broken_rules
from scilaws_builders.scilaws.splits import Split

Spec = dict[str, Any]
Break = Callable[[SmallProblem], Case]


def _says(where: Callable[[Spec], Spec], key: str, text: str) -> Break:
    """The problem with this text at one place a solver reads."""
    return lambda single: single.case(lambda spec: where(spec).update({key: text}))


def _licence(key: str, text: str) -> Break:
    return _says(lambda spec: spec["licence"], key, text)


def _authors(text: str) -> Break:
    def case(single: SmallProblem) -> Case:
        single.spec["context"] = f"Records kept since the days of {text.split(',')[0].split()[-1]}'s laboratory."
        single.spec["references"][1]["citation"]["authors"] = text
        return single.case()

    return case


def _prior(value: float) -> Break:
    prior = {"name": "p", "value": value, "unit": "1", "meaning": "a fact"}
    return lambda single: single.case(lambda spec: spec["priors"].append(prior))


def _twin_rows(count: int) -> Break:
    def case(single: SmallProblem) -> Case:
        single.frame = pd.concat([single.frame, single.frame.loc[25 : 24 + count]], ignore_index=True)
        rows = "\n".join(map(str, range(25, 40)))
        single.write()
        (single.folder / "rows.txt").write_text(rows)
        return single.case(lambda spec: spec["split"].update(select={"listed": {"test": "rows.txt"}}))

    return case


def _twin_with_a_missing_input(single: SmallProblem) -> Case:
    single.frame["z"] = np.where(single.frame["x"] % 2 == 0, np.nan, single.frame["x"])
    inputs = {"name": "z", "symbol": "z", "unit": "1", "meaning": "a depth", "missing": "pass"}
    single.spec["inputs"].append(inputs)
    return _twin_rows(2)(single)


def _shared_group(split: Split) -> Split:
    return dataclasses.replace(split, train_labels=split.train_labels | {9: split.units[0].label})


def _respelled_group(small: SmallProblem) -> Case:
    return small.case(split=lambda split: dataclasses.replace(split, train_labels={0: " B "}))


def _law(name: str, source: str) -> Break:
    def case(single: SmallProblem) -> Case:
        single.laws[name] = source
        return single.case()

    return case


def _nine_scored(single: SmallProblem) -> Case:
    return single.case(lambda spec: spec["split"].update(select={"column": "x", "last": 9}))


def _no_better_than_the_median(single: SmallProblem) -> Case:
    single.frame["y"] = 1000.0 + 0.001 * np.arange(40)
    return single.case()


def _twin_group(split: Split) -> Split:
    """Training holds most scored rows of the first held-out group, under another label."""
    scored = split.units[0].scored.head(3).assign(group_id=0)
    return dataclasses.replace(split, train=pd.concat([split.train, scored], ignore_index=True))


BREAKS: list[tuple[str, str, Break, str]] = [
    ("context_names_no_law", "single", _says(lambda spec: spec, "title", "A Power  Law of growth"), "'power law'"),
    ("context_names_no_law", "single", _says(lambda spec: spec, "context", "They follow power laws."), "'power law'"),
    ("context_names_no_law", "single", _says(lambda spec: spec, "context", "It rises hyperbolically."), "'hyperbol'"),
    ("context_names_no_law", "single", _says(lambda spec: spec, "context", "As Onesmith found."), "'onesmith'"),
    ("context_names_no_law", "single", _says(lambda spec: spec["target"], "meaning", "logistic growth"), "'logistic'"),
    ("context_names_no_law", "single", _says(lambda spec: spec["inputs"][0], "meaning", "Twosmith's"), "'twosmith'"),
    ("context_names_no_law", "single", _says(lambda spec: spec["split"], "why", "quadratic there"), "'quadratic'"),
    ("context_names_no_law", "multi", _says(lambda spec: spec["group"], "meaning", "a sigmoid"), "'sigmoid'"),
    ("context_names_no_law", "single", _authors("Ångström, K.; Peltier, J."), "'ångström'"),
    ("context_names_no_law", "single", _authors("Jean Peltier"), "'peltier'"),
    ("priors_leak_no_constant", "single", _prior(2.0), "p equals slope of slope_1900"),
    ("priors_leak_no_constant", "single", _prior(1.20001), "p equals exponent of curve_1900"),
    ("no_test_row_in_train", "single", _twin_rows(1), "1 of 15 scored rows of all"),
    ("no_test_row_in_train", "single", _twin_with_a_missing_input, "2 of 15 scored rows of all"),
    ("no_test_row_in_train", "multi", lambda small: small.case(split=_twin_group), "3 of 4 scored rows of b"),
    ("groups_stay_whole", "multi", lambda small: small.case(split=_shared_group), "group b"),
    ("groups_stay_whole", "multi", _respelled_group, "group b"),
    ("enough_scored_rows", "single", _nine_scored, "9 scored rows, at least 10"),
    ("best_beats_naive", "single", _no_better_than_the_median, "the naive median"),
    ("references_run", "single", _law("curve_1900", SLOPE.replace("[:, 0]", "[:, :1]")), "curve_1900, group 0"),
    ("references_run", "single", _law("curve_1900", "raise OSError('no')\n" + SLOPE), "curve_1900: importing"),
    ("references_run", "single", _law("curve_1900", CURVE.replace("scale * X", "scale * eval('1') * X")), "eval"),
    (
        "references_run",
        "single",
        _law("curve_1900", CURVE.replace('{"scale"', '{"third": 0.0, "scale"').replace("(X, ", "(X, third, ")),
        "cap:law_constants:3>2",
    ),
    ("references_differ", "single", _law("curve_1900", SLOPE.replace("slope * ", "slope / 4 * 4 * ")), "the same"),
    (
        "enough_confirmed_content",
        "single",
        _says(lambda spec: spec["references"][1]["citation"], "confirmed", "Unconfirmed."),
        "1 confirmed references",
    ),
    ("licence_supports_redistribution", "single", _licence("spdx", "NOASSERTION"), "'NOASSERTION'"),
    ("licence_supports_redistribution", "single", _licence("confirmed", "unverified"), "'unverified'"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "kind", "broken", "words"), BREAKS)
def test_broken_rule_says_how(request: pytest.FixtureRequest, rule: str, kind: str, broken: Break, words: str) -> None:
    faults = broken_rules(broken(request.getfixturevalue(kind)))
    assert [fault for fault in faults if fault.startswith(f"{rule}: ") and words in fault], faults
    assert {fault.split(":")[0] for fault in faults} == {rule}, "no other rule speaks"


def test_every_rule_has_a_case_that_breaks_it() -> None:
    assert {rule.__name__ for rule in RULES} == {rule for rule, *_ in BREAKS}


KEEPS: list[tuple[str, Break]] = [
    ("single", lambda small: small.case()),
    ("multi", lambda small: small.case()),
    ("single", _says(lambda spec: spec, "context", "The onesmithsonian power of lawyers; linearly told.")),
    ("single", _prior(2.001)),
    ("single", lambda single: single.case(lambda spec: spec["split"].update(select={"column": "x", "last": 10}))),
    ("single", lambda s: s.case(lambda spec: spec["licence"].update(spdx="NOASSERTION", redistribution="build-only"))),
]


@pytest.mark.parametrize(("kind", "sound"), KEEPS)
def test_sound_problem_keeps_every_rule(request: pytest.FixtureRequest, kind: str, sound: Break) -> None:
    assert broken_rules(sound(request.getfixturevalue(kind))) == []


def test_chance_twins_of_a_coarse_grid_are_allowed(multi: SmallProblem) -> None:
    def some_twins(split: Split) -> Split:
        scored = split.units[0].scored.head(2).assign(group_id=0)
        return dataclasses.replace(split, train=pd.concat([split.train, scored], ignore_index=True))

    assert broken_rules(multi.case(split=some_twins)) == []


def test_rubric_of_four_items_is_counted(single: SmallProblem) -> None:
    """The schema refuses it first; the rule holds for problems that come another way."""
    case = single.case()
    spec = case.problem.spec | {"rubric": case.problem.spec["rubric"][:4]}
    faults = broken_rules(dataclasses.replace(case, problem=dataclasses.replace(case.problem, spec=spec)))
    assert faults == ["enough_confirmed_content: 4 rubric items, at least 5 wanted"]
