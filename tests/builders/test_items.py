"""Tasks and gold: they agree, and nothing of the gold stands in the task (grader pitfalls 43, 50, 53)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_problems import SmallProblem

from scilaws_bench import strict_json
from scilaws_bench.errors import ProblemError
from scilaws_bench.hashing import json_hash, table_hash
from scilaws_bench.scoring import METRICS
from scilaws_builders.scilaws.items import Items, make_items
from scilaws_builders.scilaws.splits import Split, split_records


def _made(small: SmallProblem, change: Any = None) -> tuple[Items, Split]:
    problem = small.load(change)
    split = split_records(problem, small.records(problem))
    return make_items(problem, split, {}), split


def _documents(value: Any) -> list[Any]:
    """The value and everything inside it."""
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(found for child in children for found in _documents(child))]


@pytest.fixture(params=["single", "multi"])
def small(request: pytest.FixtureRequest) -> SmallProblem:
    made: SmallProblem = request.getfixturevalue(request.param)
    return made


def test_task_gold_and_table_agree(small: SmallProblem) -> None:
    items, split = _made(small)
    task, gold = items.task, items.gold
    assert gold["task_hash"] == json_hash(task)
    for key in ("task_id", "suite", "structure", "metric", "epsilon"):
        assert gold[key] == task[key]
    assert gold["inputs"] == [column["name"] for column in task["inputs"]] == ["x"]
    assert task["records"]["rows"] == items.train.num_rows == len(split.train)
    assert task["records"]["content_hash"] == table_hash(items.train)
    assert task["records"]["groups"] == len(split.train_labels)
    assert gold["train_median"] == np.median(items.train.column("y").to_numpy())
    windows = [group["scored"] for group in gold["groups"]]
    assert task["scored"]["rows"] == sum(len(window["target"]) for window in windows)
    assert task["scored"]["groups"] == (len(gold["groups"]) if small.multi else 0)
    fits = [group["fit"] for group in gold["groups"] if group["fit"]]
    assert task["scored"]["fit_rows"] == sum(len(window["target"]) for window in fits)
    assert len(fits) == (3 if small.multi else 0)
    assert [reference["source"] for reference in gold["references"]] == [
        small.laws[reference["id"]] for reference in gold["references"]
    ]


def test_ranges_are_those_of_the_rows(small: SmallProblem) -> None:
    items, _ = _made(small)
    column = items.train.column("x").to_numpy()
    scored = [value for group in items.gold["groups"] for value in group["scored"]["columns"]["x"]]
    described = items.task["inputs"][0]
    assert described["train_range"] == [column.min(), column.max()]
    assert described["scored_range"] == [min(scored), max(scored)]


def test_no_gold_in_the_task(small: SmallProblem) -> None:
    items, split = _made(small)
    task, gold = items.task, items.gold
    text = strict_json.dumps(task)
    for reference in gold["references"]:
        assert not [key for key in ("id", "title", "equation") if reference[key] in text]
        assert reference["citation"]["authors"] not in text
    for item in gold["rubric"]:
        assert item["text"] not in text
    public = {value for value in _documents(task) if isinstance(value, float)}
    held_out = {value for group in gold["groups"] for value in group["scored"]["target"]}
    assert not public & held_out
    keys = {key for found in _documents(task) if isinstance(found, dict) for key in found}
    assert not keys & (set(gold) - set(task) - {"groups"})
    assert all(isinstance(task[part]["groups"], int) for part in ("records", "scored"))  # a count, no list of groups
    assert not set(split.train_labels.values()) & {value for value in _documents(task) if isinstance(value, str)}


def test_group_labels_stay_with_the_grader(multi: SmallProblem) -> None:
    multi.frame["site"] = multi.frame["site"].map(lambda site: f"secret-{site}")
    names = ["secret-b", "secret-d"]
    items, _ = _made(multi, lambda spec: spec["split"].update(test_groups=names))
    assert "secret-" not in strict_json.dumps(items.task)
    assert "secret-" not in str(items.train.to_pylist())
    assert [(group["group"], group["label"]) for group in items.gold["groups"]] == [(1, "secret-b"), (3, "secret-d")]
    assert sorted(set(items.train.column("group_id").to_pylist())) == [0, 2, 4]


def test_held_out_rows_are_not_in_the_training_table(small: SmallProblem) -> None:
    items, split = _made(small)
    train = set(items.train.column("y").to_pylist())
    for unit in split.units:
        assert not train & set(unit.scored["y"])
    assert len(train) == items.train.num_rows


def test_missing_inputs_are_null_in_gold_and_table(single: SmallProblem) -> None:
    single.frame.loc[[3, 35], "x"] = np.nan

    def change(spec: dict[str, Any]) -> None:
        spec["inputs"][0]["missing"] = "pass"
        spec["split"]["select"] = {"listed": {"test": "rows.txt"}}

    single.write()
    (single.folder / "rows.txt").write_text("\n".join(map(str, range(25, 40))))
    items, _ = _made(single, change)
    assert items.train.column("x").null_count == 1
    assert items.gold["groups"][0]["scored"]["columns"]["x"].count(None) == 1
    strict_json.dumps(items.gold)  # no NaN


def test_input_that_is_missing_in_all_scored_rows_is_refused(single: SmallProblem) -> None:
    single.frame["z"] = single.frame["x"].where(single.frame["x"] < 20)
    single.spec["inputs"].append({"name": "z", "symbol": "z", "unit": "1", "meaning": "a depth", "missing": "pass"})
    with pytest.raises(ProblemError, match="input z of small-single"):
        _made(single)


def test_folded_text_of_the_document_is_one_line(single: SmallProblem) -> None:
    items, _ = _made(single)
    assert items.task["context"] == "A quantity grows with another one. How does it go on?"


def test_floor_of_log_mae_reaches_task_and_gold(single: SmallProblem) -> None:
    items, _ = _made(single, lambda spec: spec.update(metric="log_mae", epsilon=1e-6))
    assert items.task["epsilon"] == items.gold["epsilon"] == 1e-6
    assert items.gold["metric"] in METRICS
