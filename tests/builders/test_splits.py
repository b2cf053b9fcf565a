"""Splits: which rows are trained on, fitted on and scored; selectors that select nothing are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from small_problems import SmallProblem

from scilaws_bench.errors import ProblemError
from scilaws_builders.scilaws.splits import GROUP_ID, Split, split_records

X = [5.0, 1.0, 3.0, 3.0, 2.0, 4.0]
"""Unsorted, with a tie; `y` of a row is its place in the table."""


def _split(single: SmallProblem, select: dict[str, Any], x: list[float] | None = None) -> Split:
    values = X if x is None else x
    single.frame = pd.DataFrame({"x": values, "y": np.arange(len(values), dtype=float)})
    problem = single.load(lambda spec: spec["split"].update(select=select))
    return split_records(problem, single.records(problem))


def _rows(frame: pd.DataFrame) -> list[int]:
    return [int(value) for value in frame["y"]]


@pytest.mark.parametrize(
    ("select", "test"),
    [
        ({"above": 3.0}, [0, 5]),  # a row on the bound is trained on
        ({"above": 3}, [0, 5]),
        ({"below": 3.0}, [1, 4]),
        ({"outside": [2.0, 4.0]}, [0, 1]),
        ({"outside": [3.0, 3.0]}, [0, 1, 4, 5]),
        ({"last": 1}, [0]),
        ({"last": 4}, [0, 2, 3, 5]),
        ({"last": 3}, [0, 3, 5]),  # of the tied rows 2 and 3 the later one ranks last
        ({"every": 2, "offset": 0}, [1, 2, 5]),
        ({"every": 2, "offset": 1}, [0, 3, 4]),
        ({"every": 4, "offset": 3}, [3]),
    ],
    ids=str,
)
def test_selector_takes_exactly_these_rows(single: SmallProblem, select: dict[str, Any], test: list[int]) -> None:
    split = _split(single, {"column": "x"} | select)
    assert _rows(split.units[0].scored) == test
    assert _rows(split.train) == [row for row in range(len(X)) if row not in test]
    assert (split.units[0].fit, split.units[0].group, split.train_labels) == (None, 0, {})
    assert list(split.train.columns) == ["x", "y"]


@pytest.mark.parametrize(
    ("select", "found"),
    [
        ({"above": 5.0}, "0 test rows"),
        ({"above": 0.0}, "6 test rows"),
        ({"below": 1.0}, "0 test rows"),
        ({"outside": [1.0, 5.0]}, "0 test rows"),
        ({"outside": [4.0, 2.0]}, "6 test rows"),
        ({"last": 6}, "6 test rows"),
        ({"last": 99}, "6 test rows"),
        ({"every": 3, "offset": 3}, "0 test rows"),
    ],
    ids=str,
)
def test_selector_of_nothing_or_everything_is_refused(single: SmallProblem, select: dict[str, Any], found: str) -> None:
    with pytest.raises(ProblemError, match=f"both training and test rows; found {found}"):
        _split(single, {"column": "x"} | select)


def test_split_by_an_auxiliary_column_never_releases_it(single: SmallProblem) -> None:
    single.frame = pd.DataFrame({"x": X, "y": range(6), "year": [3, 1, 1, 2, 3, 1]})

    def change(spec: dict[str, Any]) -> None:
        spec["auxiliary"] = ["year"]
        spec["split"]["select"] = {"column": "year", "above": 2}

    problem = single.load(change)
    split = split_records(problem, single.records(problem))
    assert _rows(split.units[0].scored) == [0, 4]
    assert list(split.train.columns) == list(split.units[0].scored.columns) == ["x", "y"]


def _listed(single: SmallProblem, files: dict[str, str], select: dict[str, str]) -> Split:
    single.write()
    for name, text in files.items():
        (single.folder / name).write_text(text)
    return _split(single, {"listed": select})


def test_listed_rows_leave_out_rows_in_neither_list(single: SmallProblem) -> None:
    split = _listed(single, {"a": "4\n0\n", "b": "1\n2\n"}, {"test": "a", "train": "b"})
    assert (_rows(split.units[0].scored), _rows(split.train)) == ([0, 4], [1, 2])


def test_listed_test_rows_alone_train_on_the_others(single: SmallProblem) -> None:
    split = _listed(single, {"a": "4\n0\n"}, {"test": "a"})
    assert (_rows(split.units[0].scored), _rows(split.train)) == ([0, 4], [1, 2, 3, 5])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0\n6\n", "row numbers from 0 to 5.*found 0 to 6"),
        ("-1\n", "found -1 to -1"),
        ("0\n0\n", "a number twice"),
        ("0.5\n", r"invalid literal.*0\.5"),
        ("", "0 test rows"),
        (None, "No such file"),
        ("1\n", "no row both in training and test; found 1 such rows"),
    ],
)
def test_wrong_row_list_is_refused(single: SmallProblem, text: str | None, words: str) -> None:
    files = {"b": "1\n2\n"} | ({} if text is None else {"a": text})
    with pytest.raises(ProblemError, match=words):
        _listed(single, files, {"test": "a", "train": "b"})


def _grouped(multi: SmallProblem, within: dict[str, Any], counts: dict[str, int], test: list[str]) -> Split:
    """Groups of the given sizes with x falling in the table, so that order must come from `within`."""
    multi.frame = pd.concat(
        [
            pd.DataFrame({"site": site, "x": np.arange(count, 0.0, -1.0), "y": np.arange(count, 0.0, -1.0)})
            for site, count in counts.items()
        ]
    )
    problem = multi.load(lambda spec: spec["split"].update(within=within, test_groups=test))
    return split_records(problem, multi.records(problem))


@pytest.mark.parametrize(
    ("within", "count", "fit", "scored"),
    [
        ({"fit": "alternate"}, 5, [1, 3, 5], [2, 4]),
        ({"fit": "alternate"}, 2, [1], [2]),
        ({"fit": "first", "fraction": 0.6}, 5, [1, 2, 3], [4, 5]),
        ({"fit": "first", "fraction": 0.5}, 5, [1, 2, 3], [4, 5]),  # rounded up
        ({"fit": "first", "fraction": 0.01}, 3, [1], [2, 3]),
        ({"fit": "first", "fraction": 0.07}, 100, list(range(1, 8)), list(range(8, 101))),  # 0.07 * 100 > 7 in floats
    ],
    ids=str,
)
def test_windows_of_a_held_out_group(
    multi: SmallProblem, within: dict[str, Any], count: int, fit: list[int], scored: list[int]
) -> None:
    split = _grouped(multi, {"order_by": ["x"]} | within, {"a": 3, "b": count}, ["b"])
    unit = split.units[0]
    assert unit.fit is not None
    assert (_rows(unit.fit), _rows(unit.scored)) == (fit, scored)


@pytest.mark.parametrize(
    ("within", "count"), [({"fit": "alternate"}, 1), ({"fit": "first", "fraction": 0.9}, 3)], ids=str
)
def test_group_too_small_for_both_windows_is_refused(multi: SmallProblem, within: dict[str, Any], count: int) -> None:
    with pytest.raises(
        ProblemError, match=f"group b of small-multi; expected rows in both windows; found {count} rows"
    ):
        _grouped(multi, {"order_by": ["x"]} | within, {"a": 3, "b": count}, ["b"])


def test_ties_keep_the_order_of_the_second_column_then_of_the_table(multi: SmallProblem) -> None:
    multi.frame = pd.DataFrame(
        {
            "site": ["a"] + ["b"] * 4,
            "x": [0.0, 2.0, 1.0, 1.0, 1.0],
            "y": [9.0, 0.0, 3.0, 1.0, 1.5],
            "k": [0, 1, 2, 2, 1],
        }
    )

    def change(spec: dict[str, Any]) -> None:
        spec["auxiliary"] = ["k"]
        spec["split"].update(within={"order_by": ["x", "k"], "fit": "first", "fraction": 0.75}, test_groups=["b"])

    problem = multi.load(change)
    unit = split_records(problem, multi.records(problem)).units[0]
    assert unit.fit is not None
    assert unit.fit["y"].tolist() == [1.5, 3.0, 1.0]


def test_groups_get_opaque_numbers_and_never_meet(multi: SmallProblem) -> None:
    split = _grouped(multi, {"order_by": ["x"], "fit": "alternate"}, {"pike": 4, "bass": 4, "eel": 2}, ["pike", "bass"])
    assert split.train_labels == {1: "eel"}
    assert split.train[GROUP_ID].tolist() == [1, 1]
    assert [(unit.group, unit.label) for unit in split.units] == [(0, "bass"), (2, "pike")]
    assert list(split.train.columns) == [GROUP_ID, "x", "y"]


@pytest.mark.parametrize(
    ("test", "words"),
    [(["b", "z"], "found unknown z"), (["b", "a"], "found all 2 groups")],
)
def test_unknown_or_all_groups_held_out_are_refused(multi: SmallProblem, test: list[str], words: str) -> None:
    with pytest.raises(ProblemError, match=words):
        _grouped(multi, {"order_by": ["x"], "fit": "alternate"}, {"a": 3, "b": 4}, test)


def test_numeric_labels_match_their_text(multi: SmallProblem, tmp_path: Path) -> None:
    split = _grouped(multi, {"order_by": ["x"], "fit": "alternate"}, {"03": 3, "3": 4}, ["03"])
    assert (split.units[0].label, split.train_labels) == ("03", {1: "3"})
