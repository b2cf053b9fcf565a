"""Apply a problem's declared split: what the solver gets, what is fitted on, what is scored."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scilaws_bench.errors import ProblemError
from scilaws_builders.scilaws.problem import Problem

GROUP_ID = "group_id"


@dataclass(frozen=True)
class SplitUnit:
    """One scored unit: `fit` is the group's fit window (None in a single-group problem)."""

    group: int
    label: str
    fit: pd.DataFrame | None
    scored: pd.DataFrame


@dataclass(frozen=True)
class Split:
    """Training rows and scored units; frames hold inputs and target, training also `group_id`.

    Group numbers are opaque: labels in sorted order get 0, 1, 2 … and labels stay with the grader.
    """

    train: pd.DataFrame
    train_labels: dict[int, str]
    units: tuple[SplitUnit, ...]


def split_records(problem: Problem, records: pd.DataFrame) -> Split:
    """Split checked records (as from `Problem.records`) into training rows and scored units.

    Raises:
        ProblemError: a selector that matches nothing or everything, an unknown test group, a group
            too small for its two windows, or a file of row numbers that is missing or wrong.
    """
    if problem.spec["group"]:
        return _split_groups(problem, records)
    test, train = _select(problem, records)
    if not test.any() or not train.any():
        raise ProblemError(f"split of {problem.id}", "both training and test rows", f"{int(test.sum())} test rows")
    columns = [*problem.inputs, problem.target]
    scored = records.loc[test, columns].reset_index(drop=True)
    return Split(records.loc[train, columns].reset_index(drop=True), {}, (SplitUnit(0, "all", None, scored),))


def _split_groups(problem: Problem, records: pd.DataFrame) -> Split:
    name = problem.spec["group"]["name"]
    labels = sorted(records[name].unique())
    numbers = {label: number for number, label in enumerate(labels)}
    held_out = [str(label) for label in problem.spec["split"]["test_groups"]]
    unknown = sorted(set(held_out) - set(labels))
    if unknown or set(held_out) == set(labels):
        found = f"unknown {', '.join(unknown)}" if unknown else f"all {len(labels)} groups"
        raise ProblemError(f"split of {problem.id}", "test_groups among, but not all of, the groups", found)
    is_train = ~records[name].isin(held_out)
    train = records.loc[is_train, [*problem.inputs, problem.target]].reset_index(drop=True)
    train.insert(0, GROUP_ID, records.loc[is_train, name].map(numbers).to_numpy(dtype="int64"))
    units = tuple(_unit(problem, records[records[name] == label], numbers[label], label) for label in sorted(held_out))
    return Split(train, {numbers[label]: label for label in labels if label not in set(held_out)}, units)


def _unit(problem: Problem, rows: pd.DataFrame, number: int, label: str) -> SplitUnit:
    within = problem.spec["split"]["within"]
    ordered = rows.sort_values(within["order_by"], kind="stable")
    rank = np.arange(len(ordered))
    if within["fit"] == "alternate":
        in_fit = rank % 2 == 0
    else:
        in_fit = rank < math.ceil(round(within["fraction"] * len(ordered), 9))
    columns = [*problem.inputs, problem.target]
    fit = ordered.loc[in_fit, columns].reset_index(drop=True)
    scored = ordered.loc[~in_fit, columns].reset_index(drop=True)
    if len(fit) == 0 or len(scored) == 0:
        raise ProblemError(f"group {label} of {problem.id}", "rows in both windows", f"{len(ordered)} rows in all")
    return SplitUnit(number, label, fit, scored)


def _select(problem: Problem, records: pd.DataFrame) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Masks (test, train) of a single-group split."""
    select = problem.spec["split"]["select"]
    if "listed" in select:
        return _listed(problem.folder, select["listed"], len(records))
    column = records[select["column"]].to_numpy()
    if "above" in select:
        test = column > select["above"]
    elif "below" in select:
        test = column < select["below"]
    elif "outside" in select:
        test = (column < select["outside"][0]) | (column > select["outside"][1])
    elif "last" in select:
        test = _ranks(column) >= len(column) - select["last"]
    else:
        test = _ranks(column) % select["every"] == select["offset"]
    return test, ~test


def _ranks(column: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Place of every row when sorted by the column; rows that are equal keep their order."""
    ranks = np.empty(len(column), dtype=int)
    ranks[np.argsort(column, kind="stable")] = np.arange(len(column))
    return ranks


def _listed(folder: Path, files: dict[str, str], count: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    test = _row_mask(folder / files["test"], count)
    train = _row_mask(folder / files["train"], count) if "train" in files else ~test
    if (test & train).any():
        raise ProblemError(str(folder), "no row both in training and test", f"{int((test & train).sum())} such rows")
    return test, train


def _row_mask(file: Path, count: int) -> np.ndarray[Any, Any]:
    wanted = f"distinct row numbers from 0 to {count - 1}, one a line"
    try:
        numbers = [int(line) for line in file.read_text(encoding="utf-8").split()]
    except (OSError, ValueError) as error:
        raise ProblemError(str(file), wanted, str(error), "Mend the file.") from None
    if len(set(numbers)) != len(numbers) or not all(0 <= number < count for number in numbers):
        found = "a number twice" if len(set(numbers)) != len(numbers) else f"{min(numbers)} to {max(numbers)}"
        raise ProblemError(str(file), wanted, found, "Mend the file.")
    mask = np.zeros(count, dtype=bool)
    mask[numbers] = True
    return mask
