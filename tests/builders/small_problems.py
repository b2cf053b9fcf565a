"""Small problem folders for the tests: a CSV pinned by hash, two laws, five rubric items."""

from __future__ import annotations

import copy
import hashlib
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from scilaws_bench.sandbox import InProcess
from scilaws_bench.scoring import NumericGold, anchors_of
from scilaws_builders.release_build.problem_step import Places
from scilaws_builders.scilaws import problem as problem_module
from scilaws_builders.scilaws.items import make_items
from scilaws_builders.scilaws.problem import Problem, all_problems, load_problem
from scilaws_builders.scilaws.rules import Case
from scilaws_builders.scilaws.splits import Split, split_records
from scilaws_builders.sources import open_source

Change = Callable[[dict[str, Any]], object]

RECORDS = """
import io
import pandas as pd

def records(source):
    return pd.read_csv(io.BytesIO(source.read("table.csv")), dtype={"site": str})
"""

SLOPE = '''
"""Proportional growth with a published slope."""
USED_INPUTS = ["x"]
LAW_CONSTANTS = {"slope": 2.0}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}

def predict(X, slope):
    return slope * X[:, 0]
'''

CURVE = SLOPE.replace('{"slope": 2.0}', '{"scale": 1.1, "exponent": 1.2}').replace(
    "predict(X, slope):\n    return slope * X[:, 0]",
    "predict(X, scale, exponent):\n    return scale * X[:, 0] ** exponent",
)

LOCAL_SLOPE = '''
"""Proportional growth with one slope a site."""
import numpy as np
USED_INPUTS = ["x"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"slope": {"init": 1.0}}

def predict(X, slope):
    return slope * X[:, 0]

def fit(X, y):
    return {"slope": float(X[:, 0] @ y / (X[:, 0] @ X[:, 0]))}
'''

LOCAL_OFFSET = '''
"""A constant one a site."""
import numpy as np
USED_INPUTS = ["x"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"level": {"init": 1.0}}

def predict(X, level):
    return np.full(len(X), level)

def fit(X, y):
    return {"level": float(y.mean())}
'''


def single_rows(count: int = 40) -> pd.DataFrame:
    """Rows x, y of a noisy proportionality; every y is distinct."""
    x = np.arange(1.0, count + 1.0)
    return pd.DataFrame({"x": x, "y": 2.0 * x + 0.25 * np.sin(7.0 * x)})


def multi_rows(sites: str = "abcde", count: int = 8) -> pd.DataFrame:
    """Rows site, x, y with another slope at each site."""
    x = np.arange(1.0, count + 1.0)
    frames = [
        pd.DataFrame({"site": site, "x": x + 0.01 * place, "y": (place + 1.0) * x + 0.1 * np.sin(5.0 * x + place)})
        for place, site in enumerate(sites)
    ]
    return pd.concat(frames, ignore_index=True)


def _citation(author: str, year: int) -> dict[str, Any]:
    return {
        "authors": author, "year": year, "title": "On growth", "venue": "Journal of Tests 1", "doi": None,
        "confirmed": "written for this test",
    }  # fmt: skip


def _reference(law: str, title: str, author: str, constants: str) -> dict[str, Any]:
    return {
        "law": law, "title": title, "equation": f"equation of {law}", "constants": constants, "fitted": [],
        "citation": _citation(author, 1900),
    }  # fmt: skip


def _spec(multi: bool) -> dict[str, Any]:
    first, second = ("local_slope", "local_offset") if multi else ("slope_1900", "curve_1900")
    constants = "local" if multi else "published"
    split: dict[str, Any] = {"why": "The held-out part asks for more than interpolation."}
    if multi:
        within = {"order_by": ["x"], "fit": "alternate"}
        split |= {"kind": "held-out-groups", "test_groups": ["b", "d", "e"], "within": within}
    else:
        split |= {"kind": "input-range-extrapolation", "select": {"column": "x", "above": 25}}
    return {
        "schema": "scilaws-bench/problem/1",
        "id": "small-multi" if multi else "small-single",
        "published_as": None,
        "title": "Growth of a test quantity",
        "discipline": "Biology",
        "context": "A quantity grows with another one.\nHow does it go on?",
        "value_kind": "measured",
        "target": {"name": "y", "symbol": "y", "unit": "m", "meaning": "the grown quantity"},
        "inputs": [{"name": "x", "symbol": "x", "unit": "s", "meaning": "time", "missing": "refuse"}],
        "auxiliary": [],
        "group": {"name": "site", "meaning": "one place"} if multi else None,
        "source": {"kind": "url", "files": []},
        "licence": {
            "spdx": "CC0-1.0", "holder": "nobody", "statement": "free", "confirmed": "here",
            "redistribution": "releasable",
        },
        "data_citation": _citation("Collector C.", 1950),
        "split": split,
        "metric": "rmse",
        "caps": {"law_constants": 0 if multi else 2, "local_params": int(multi), "init_size": 1},
        "priors": [],
        "references": [
            _reference(first, "first relation of growth", "Onesmith A.", constants),
            _reference(second, "second relation of growth", "Twosmith B.", constants),
        ],
        "reproduction": None,
        "rubric": [
            {
                "id": f"item-{number}", "probe": "monotone", "params": {"in": "x", "sign": "increasing"},
                "text": f"Sentence number {number} on growth.", "source": "a book", "satisfied_by": first,
            }
            for number in range(5)
        ],
        "notes": "",
    }  # fmt: skip


def packaged(mirror: Path, *, member: bytes) -> dict[str, Any]:
    """A `pypi` source whose archive lies in the mirror with `member` where other bytes are pinned."""
    archive = mirror / "small-1.0-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("table.csv", member)
    pinned = hashlib.sha256(archive.read_bytes()).hexdigest()
    return {
        "kind": "pypi", "distribution": "small", "version": "1.0",
        "archive": {"filename": archive.name, "sha256": pinned},
        "members": [{"path": "table.csv", "sha256": hashlib.sha256(b"as pinned").hexdigest()}],
    }  # fmt: skip


@contextmanager
def only_problems_below(root: Path) -> Iterator[None]:
    """The package's problems are those written below `root`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problem_module, "PROBLEMS_FOLDER", root / "problems")
        all_problems.cache_clear()
        yield
    all_problems.cache_clear()


@dataclass
class SmallProblem:
    """A problem folder below `root`, with its mirror; edit, then `write()`."""

    root: Path
    multi: bool = False
    name: str = "small"
    frame: pd.DataFrame = field(default_factory=pd.DataFrame)
    spec: dict[str, Any] = field(default_factory=dict)
    laws: dict[str, str] = field(default_factory=dict)
    records_source: str = RECORDS

    def __post_init__(self) -> None:
        self.frame = multi_rows() if self.multi else single_rows()
        self.spec = copy.deepcopy(_spec(self.multi))
        self.laws = (
            {"local_slope": LOCAL_SLOPE, "local_offset": LOCAL_OFFSET}
            if self.multi
            else {"slope_1900": SLOPE, "curve_1900": CURVE}
        )

    @property
    def folder(self) -> Path:
        return self.root / "problems" / "biology" / self.name

    @property
    def places(self) -> Places:
        """Places below `root`, offline, with the mirror that holds the table."""
        return Places(self.root / "sources", self.root / "store", self.root / "mirror", None, offline=True)

    def write(self, change: Change | None = None) -> Path:
        """Write folder and mirror and return the folder; what was loaded before is forgotten."""
        all_problems.cache_clear()
        table = self.frame.to_csv(index=False).encode()
        sha256 = hashlib.sha256(table).hexdigest()
        for folder in (self.root / "mirror", self.folder / "laws"):
            folder.mkdir(parents=True, exist_ok=True)
        (self.root / "mirror" / f"{self.name}.csv").write_bytes(table)
        address = f"https://example.invalid/{self.name}.csv"
        pinned = {"name": "table.csv", "url": address, "sha256": sha256, "bytes": len(table)}
        self.spec["source"] = {"kind": "url", "files": [pinned]}
        if change:
            change(self.spec)
        text = yaml.safe_dump(self.spec, sort_keys=False, allow_unicode=True)
        (self.folder / "problem.yaml").write_text(text, encoding="utf-8")
        (self.folder / "records.py").write_text(self.records_source, encoding="utf-8")
        for name, source in self.laws.items():
            (self.folder / "laws" / f"{name}.py").write_text(source, encoding="utf-8")
        return self.folder

    def load(self, change: Change | None = None) -> Problem:
        """The written folder, loaded."""
        return load_problem(self.write(change))

    def records(self, problem: Problem) -> pd.DataFrame:
        """Checked records of the loaded problem, read from the mirror through `open_source`."""
        source = open_source(problem.spec["source"], cache=self.places.sources, mirror=self.places.mirror, offline=True)
        return problem.records(source)

    def case(self, change: Change | None = None, *, split: Callable[[Split], Split] | None = None) -> Case:
        """What the rules look at; `split` may tamper with the split."""
        problem = self.load(change)
        parts = split_records(problem, self.records(problem))
        parts = split(parts) if split else parts
        items = make_items(problem, parts, {})
        gold, evaluate = NumericGold.from_json(items.gold, items.task), InProcess()
        return Case(problem, parts, gold, anchors_of(gold, evaluate), evaluate)
