"""Problem folders: every fault is refused with a message that names it (grader pitfalls 41, 46, 72)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_problems import SLOPE, SmallProblem

from scilaws_bench.errors import ProblemError, SourceIntegrityError
from scilaws_builders.scilaws.problem import all_problems, load_problem

Spec = dict[str, Any]


def _put(value: object, *path: str | int) -> Callable[[Spec], None]:
    """A change that puts `value` at a path of the document."""

    def change(spec: Any) -> None:
        for key in path[:-1]:
            spec = spec[key]
        spec[path[-1]] = value

    return change


def _drop(key: str) -> Callable[[Spec], object]:
    return lambda spec: spec.pop(key)


def _repeat(key: str) -> Callable[[Spec], object]:
    return lambda spec: spec[key].append(spec[key][0])


FAULTS: dict[str, tuple[Callable[[Spec], object], str]] = {
    "unknown key": (_put(1, "colour"), "unknown colour"),
    "missing key": (_drop("licence"), "keys licence"),
    "other schema version": (_put("scilaws-bench/problem/9", "schema"), "scilaws-bench/problem/1"),
    "id that is no slug": (_put("Small Single", "id"), r"\$\.id"),
    "unknown discipline": (_put("Alchemy", "discipline"), "one of 'Astronomy'"),
    "unknown metric": (_put("mae", "metric"), r"\$\.metric"),
    "log_mae without its floor": (_put("log_mae", "metric"), "epsilon"),
    "floor of another metric": (_put(1e-6, "epsilon"), "epsilon"),
    "one reference": (lambda spec: spec["references"].pop(), r"\$\.references"),
    "four rubric items": (lambda spec: spec["rubric"].pop(), r"\$\.rubric"),
    "unknown probe": (_put("vibes", "rubric", 0, "probe"), r"\$\.rubric\[0\]\.probe"),
    "unpinned source": (_put("beef", "source", "files", 0, "sha256"), "sha256"),
    "source that is no address": (_put("file:///etc/passwd", "source", "files", 0, "url"), "url"),
    "infinite number": (_put(float("inf"), "caps", "law_constants"), "caps.law_constants"),
    "selector with two rules": (_put(3, "split", "select", "below"), "split"),
    "unknown split kind": (_put("random", "split", "kind"), "split"),
    "zero tail": (_put({"column": "x", "last": 0}, "split", "select"), "split"),
    "reference without module": (_put("gone_1900", "references", 0, "law"), "without a module in laws/; found gone"),
    "rubric naming no reference": (_put("nobody", "rubric", 2, "satisfied_by"), "naming no reference; found nobody"),
    "reference named twice": (_repeat("references"), "references named twice; found slope_1900"),
    "rubric id used twice": (_repeat("rubric"), "rubric ids used twice; found item-0"),
    "input named twice": (_repeat("inputs"), "columns named twice; found x"),
    "auxiliary named as the target": (_put(["y"], "auxiliary"), "columns named twice; found y"),
    "fitted names, published kind": (_put(["slope"], "references", 0, "fitted"), "found slope_1900"),
    "fitted kind, no names": (_put("fitted", "references", 1, "constants"), "found curve_1900"),
    "split by an unknown column": (_put({"column": "z", "above": 1}, "split", "select"), "do not have; found z"),
    "group without test_groups": (_put({"name": "s", "meaning": "a site"}, "group"), "a group and no test_groups"),
    "reproduction of no reference": (
        _put({"law": "nobody", "published": 1.0, "basis": "test", "tolerance": 1e-6, "where": "x"}, "reproduction"),
        "found nobody",
    ),
}  # fmt: skip


def test_sound_folder_loads_as_written(single: SmallProblem, multi: SmallProblem) -> None:
    problem, grouped = single.load(), multi.load()
    assert (problem.id, problem.structure, problem.inputs, problem.target) == ("small-single", "single", ["x"], "y")
    assert problem.laws == single.laws
    assert grouped.structure == "multi"


@pytest.mark.parametrize(("change", "words"), FAULTS.values(), ids=FAULTS.keys())
def test_fault_of_the_document_is_named(single: SmallProblem, change: Callable[[Spec], object], words: str) -> None:
    with pytest.raises(ProblemError, match=words) as caught:
        single.load(change)
    assert str(single.folder) in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_put(None, "group"), "test_groups and no group"),
        (_put(["depth"], "split", "within", "order_by"), "do not have; found depth"),
        (_put(["b", "b"], "split", "test_groups"), "split"),
        (_put({"order_by": ["x"], "fit": "first", "fraction": 1.0}, "split", "within"), "split"),
    ],
)
def test_fault_of_a_grouped_document_is_named(
    multi: SmallProblem, change: Callable[[Spec], object], words: str
) -> None:
    with pytest.raises(ProblemError, match=words):
        multi.load(change)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"- a list", r"at \$"),
        (b"", r"at \$"),
        (b"id: [", "while parsing"),
        (b"id: one\nid: two\n", "key 'id' twice"),
        (b"source: {a: 1, a: 2}\n", "key 'a' twice"),
        (b"on: 1\n", "unknown on"),
        (b"1: one\n", "key 1 is no text"),
        (b"title: \xff\xfe\n", "utf-8"),
        (b"title: !!python/object/apply:os.getcwd []\n", "could not determine a constructor"),
        (b"a: &a [*a]\n", "recursive"),
        (b"---\na: 1\n---\nb: 1\n", "single document"),
    ],
)
def test_text_that_is_no_document_is_named(single: SmallProblem, text: bytes, words: str) -> None:
    folder = single.write()
    (folder / "problem.yaml").write_bytes(text)
    with pytest.raises(ProblemError, match=words):
        load_problem(folder)


def test_missing_document_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match=r"problem\.yaml"):
        load_problem(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("stray_1900", SLOPE.encode(), "no reference names; found stray_1900"),
        ("slope_1900", b"def predict(X:\n", "not Python; found slope_1900"),
        ("slope_1900", b"# \xff\n", "UTF-8"),
        ("slope_1900", b"#" * 300_000, "at most 262,144 bytes"),
    ],
)
def test_fault_of_a_law_module_is_named(single: SmallProblem, name: str, content: bytes, words: str) -> None:
    folder = single.write()
    (folder / "laws" / f"{name}.py").write_bytes(content)
    with pytest.raises(ProblemError, match=words):
        load_problem(folder)


_HEAD = """
import io
import numpy as np
import pandas as pd

def records(source):
    frame = pd.read_csv(io.BytesIO(source.read("table.csv")))
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def records(source:\n", "SyntaxError"),
        ("import not_a_module_of_this_world\n", "not_a_module_of_this_world"),
        ("rows = 3\n", "AttributeError.*records"),
        (_HEAD + "    return frame['no such column']\n", "KeyError.*no such column"),
        (_HEAD + "    return frame.to_dict()\n", "a pandas DataFrame; found dict"),
        (_HEAD + "    return frame[['x']]\n", r"columns \['x', 'y'\]; found \['x'\]"),
        (_HEAD + "    return frame.assign(z=1.0)\n", r"found \['x', 'y', 'z'\]"),
        (_HEAD + "    return frame.assign(y=frame.y.astype(str))\n", "numbers in column y; found dtype str"),
        (_HEAD + "    return frame.assign(y=frame.y + 0j)\n", "numbers in column y; found dtype complex"),
        (_HEAD + "    return frame.assign(x=frame.x > 3)\n", "numbers in column x; found dtype bool"),
        (_HEAD + "    return frame.assign(x=frame.x.where(frame.x > 2))\n", "missing value in column x; found 2 of 40"),
        (_HEAD + "    return frame.assign(y=frame.y.where(frame.x > 1))\n", "missing value in column y; found 1 of 40"),
        (_HEAD + "    return frame.assign(y=np.where(frame.x > 3, np.inf, frame.y))\n", "finite numbers in column y"),
    ],
)  # fmt: skip
def test_fault_of_the_records_is_named(single: SmallProblem, text: str, words: str) -> None:
    single.records_source = text
    with pytest.raises(ProblemError, match=words):
        single.records(single.load())


def test_missing_records_module_is_named(single: SmallProblem) -> None:
    problem = single.load()
    (single.folder / "records.py").unlink()
    with pytest.raises(ProblemError, match=r"records\.py.*no such file"):
        single.records(problem)


def test_fault_of_the_source_stays_what_it_is(single: SmallProblem) -> None:
    single.records_source = "def records(source):\n    return source.read('other.csv')\n"
    with pytest.raises(SourceIntegrityError, match=r"other\.csv"):
        single.records(single.load())


def test_group_without_label_is_refused(multi: SmallProblem) -> None:
    multi.frame.loc[3, "site"] = None
    with pytest.raises(ProblemError, match="no missing value in column site; found 1 of 40"):
        multi.records(multi.load())


@pytest.mark.parametrize(("policy", "rows", "missing"), [("drop", 38, 0), ("pass", 40, 2)])
def test_missing_inputs_follow_the_declared_policy(single: SmallProblem, policy: str, rows: int, missing: int) -> None:
    single.frame.loc[[0, 30], "x"] = np.nan
    records = single.records(single.load(_put(policy, "inputs", 0, "missing")))
    assert (len(records), int(records["x"].isna().sum())) == (rows, missing)
    assert list(records.index) == list(range(rows))


def test_two_problems_of_one_id_are_refused(single: SmallProblem, tmp_path: Path, only_small_problems: None) -> None:
    single.write()
    twin = SmallProblem(tmp_path, name="twin")
    twin.write()
    with pytest.raises(ProblemError, match=r"small-single.*biology/small.*biology/twin"):
        all_problems()


SCALARS: dict[str, object] = {
    "on": "on", "off": "off", "yes": "yes", "No": "No", "y": "y", "1e-6": 1e-6, "1.0E+2": 100.0, "-.5": -0.5, "+3": 3,
    "0": 0, "012": "012", "1_000": "1_000", "12:30:45": "12:30:45", "2001-01-01": "2001-01-01", "0x1F": "0x1F",
    "true": True, "false": False, "null": None, "~": None, "": None, ".nan": ".nan", ".inf": ".inf", "1.": 1.0,
    "'1'": "1", "<<": "<<", "=": "=",
}  # fmt: skip


@pytest.mark.parametrize(("scalar", "value"), SCALARS.items())
def test_scalars_are_read_as_yaml_1_2(single: SmallProblem, scalar: str, value: object) -> None:
    folder = single.write(_put({"value": "PLACE"}, "rubric", 0, "params"))
    file = folder / "problem.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("value: PLACE", f"value: {scalar}"), encoding="utf-8")
    found = load_problem(folder).spec["rubric"][0]["params"]["value"]
    assert found == value
    assert type(found) is type(value)
