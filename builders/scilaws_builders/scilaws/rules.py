"""The rules a SciLaws-Real problem must keep before a release may hold it.

Each rule is one function returning the sentences that say how it is broken (none: kept).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from scilaws_bench.laws import LawRun
from scilaws_bench.sandbox import Evaluator
from scilaws_bench.scoring import Anchors, NumericGold
from scilaws_bench.scoring.numeric import run_law_of
from scilaws_builders.scilaws.problem import Problem
from scilaws_builders.scilaws.splits import Split

if TYPE_CHECKING:
    import pandas as pd

MIN_SCORED_ROWS = 10
MIN_REFERENCES = 2
MIN_RUBRIC_ITEMS = 5
MAX_TWIN_SHARE = {"single": 0.02, "multi": 0.5}
"""Share of scored rows that may equal a training row by chance; groups read off one coarse grid share more."""

UNVERIFIED = frozenset({"unknown", "unverified", "unconfirmed", "not confirmed", "none", "noassertion", "todo", "?"})
"""Words that say a licence or a citation was not seen anywhere."""

SAME_WITHIN = 1e-9
PRIOR_LEAK_WITHIN = 1e-4

FORM_WORDS = (
    "power law", "power-law", "exponential law", "logistic", "gompertz", "polynomial", "quadratic", "linear law",
    "sigmoid", "sellmeier", "cauchy", "rydberg", "allometric equation", "bertalanffy", "michaelis", "pythagorean",
    "inverse square", "hyperbol", "arrhenius",
)  # fmt: skip
"""Names of laws and forms that would give the answer away in a task's text, also with an ending."""


@dataclass(frozen=True)
class Case:
    """What the rules look at."""

    problem: Problem
    split: Split
    gold: NumericGold
    anchors: Anchors
    evaluate: Evaluator

    @cached_property
    def runs(self) -> dict[str, LawRun]:
        """Every reference law, run once over all scored units."""
        return {name: run_law_of(source, self.gold, self.evaluate) for name, source in self.gold.references}


def context_names_no_law(case: Case) -> list[str]:
    """Text given to the solver names neither a reference law, its authors nor its form."""
    spec = case.problem.spec
    texts = [spec["title"], spec["context"], spec["split"]["why"]]
    for entry in [spec["target"], *spec["inputs"], *spec["priors"], *([spec["group"]] if spec["group"] else [])]:
        texts += [entry["name"].replace("_", " "), entry["meaning"]]
    text = " ".join(" ".join(texts).lower().split())
    patterns = {word: rf"\b{re.escape(word)}\w*" for word in FORM_WORDS}
    for reference in spec["references"]:
        patterns |= {name: rf"\b{re.escape(name)}\b" for name in _surnames(reference)}
    return [f"the task's text contains {word!r}" for word in sorted(patterns) if re.search(patterns[word], text)]


def priors_leak_no_constant(case: Case) -> list[str]:
    """No prior equals (within 0.01 %) a published or fitted constant of a reference law."""
    faults = []
    for name, source in case.gold.references:
        description = case.evaluate.describe(source, case.gold.limits)
        if description.status != "ok":
            continue  # references_run says so
        described: Any = description.values
        for prior in case.problem.spec["priors"]:
            for constant, value in described["law_constants"].items():
                if value not in (0, 1) and abs(prior["value"] - value) <= PRIOR_LEAK_WITHIN * abs(value):
                    faults.append(f"prior {prior['name']} equals {constant} of {name}")
    return faults


def no_test_row_in_train(case: Case) -> list[str]:
    """Held-out rows do not stand in training as well: equal in every column, beyond a few by chance."""
    columns = [*case.problem.inputs, case.problem.target]
    train = set(_row_keys(case.split.train[columns]))
    allowed = MAX_TWIN_SHARE[case.problem.structure]
    faults = []
    for unit in case.split.units:
        rows = _row_keys(unit.scored[columns])
        twins = sum(row in train for row in rows)
        if twins > allowed * len(rows):
            faults.append(f"{twins} of {len(rows)} scored rows of {unit.label} also stand in training")
    return faults


def groups_stay_whole(case: Case) -> list[str]:
    """A held-out group has no training row, also not under its label in another spelling."""
    trained = {_spelling(label) for label in case.split.train_labels.values()}
    shared = sorted(unit.label for unit in case.split.units if _spelling(unit.label) in trained)
    return [f"group {label} has rows in training and in the test" for label in shared]


def enough_scored_rows(case: Case) -> list[str]:
    """At least ten held-out rows are scored."""
    rows = sum(len(unit.scored) for unit in case.split.units)
    return [f"{rows} scored rows, at least {MIN_SCORED_ROWS} wanted"] if rows < MIN_SCORED_ROWS else []


def best_beats_naive(case: Case) -> list[str]:
    """The best reference predicts better than the median of the training targets."""
    metric, anchors = case.gold.metric, case.anchors
    kept = [index for index, out in enumerate(anchors.excluded) if not out]
    naive = float(np.mean([anchors.naive[index] for index in kept]))
    if metric.is_better(anchors.mean_value, naive):
        return []
    return [f"best reference {anchors.best} has {anchors.mean_value:.6g}, the naive median {naive:.6g}"]


def references_differ(case: Case) -> list[str]:
    """No two references predict the same values on every scored row."""
    runs = case.runs
    faults, names = [], list(runs)
    for index, first in enumerate(names):
        for second in names[index + 1 :]:
            pairs = list(zip(runs[first].groups, runs[second].groups, strict=False))
            if pairs and all(
                a.predictions is not None
                and b.predictions is not None
                and np.allclose(a.predictions, b.predictions, rtol=SAME_WITHIN, atol=0.0)
                for a, b in pairs
            ):
                faults.append(f"{first} and {second} predict the same values")
    return faults


def references_run(case: Case) -> list[str]:
    """Every reference keeps the law contract and runs on every scored group."""
    faults = []
    for name, run in case.runs.items():
        if run.failure:
            faults.append(f"{name}: {run.reason}")
        faults += [f"{name}, group {group.group}: {group.reason}" for group in run.groups if group.failure]
        faults += [f"{name}: {flag}" for flag in run.flags]
    return faults


def enough_confirmed_content(case: Case) -> list[str]:
    """At least two references whose citation was seen, and five rubric items."""
    spec = case.problem.spec
    faults = []
    confirmed = [entry for entry in spec["references"] if not _unverified(entry["citation"]["confirmed"])]
    if len(confirmed) < MIN_REFERENCES:
        faults.append(f"{len(confirmed)} confirmed references, at least {MIN_REFERENCES} wanted")
    if len(spec["rubric"]) < MIN_RUBRIC_ITEMS:
        faults.append(f"{len(spec['rubric'])} rubric items, at least {MIN_RUBRIC_ITEMS} wanted")
    return faults


def licence_supports_redistribution(case: Case) -> list[str]:
    """A table marked releasable names an SPDX licence and where it was seen."""
    licence = case.problem.spec["licence"]
    if licence["redistribution"] == "releasable":
        return [
            f"licence {key} {licence[key]!r} is marked releasable; mark it build-only"
            for key in ("spdx", "confirmed")
            if _unverified(licence[key])
        ]
    return []


RULES: tuple[Callable[[Case], list[str]], ...] = (
    context_names_no_law,
    priors_leak_no_constant,
    no_test_row_in_train,
    groups_stay_whole,
    enough_scored_rows,
    best_beats_naive,
    references_run,
    references_differ,
    enough_confirmed_content,
    licence_supports_redistribution,
)


def broken_rules(case: Case) -> list[str]:
    """All sentences of all rules, each led by the rule's name."""
    return [f"{rule.__name__}: {fault}" for rule in RULES for fault in rule(case)]


def _row_keys(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Rows as comparable tuples; a missing value equals a missing value."""
    return [tuple(None if value != value else value for value in row) for row in frame.to_numpy().tolist()]


def _spelling(label: str) -> str:
    return " ".join(label.split()).casefold()


def _unverified(text: str) -> bool:
    return text.strip().strip(".").lower() in UNVERIFIED


def _surnames(reference: dict[str, Any]) -> set[str]:
    """Family names in an author list such as "Kjeldsen, H.; Bedding, T. R." or "H. Kjeldsen and T. Bedding"."""
    words = re.findall(r"[A-Za-zÀ-ž'-]{4,}", reference["citation"]["authors"])
    return {word.lower() for word in words} - {"and", "with", "others", "team", "collaboration"}
