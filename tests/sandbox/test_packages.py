"""The allow-list folder: what is in it, what is not, and how it comes to be."""

from __future__ import annotations

import subprocess
import sys
import threading
from importlib import metadata
from pathlib import Path

import pytest

from scilaws_bench.sandbox import packages
from scilaws_bench.sandbox.view import INTERPRETER_FLAGS, current_view

DATA_SUFFIXES = {".csv", ".gz", ".npy", ".npz", ".parquet", ".pkl", ".mat", ".dat", ".arff", ".xls", ".xlsx", ".data"}
CODE_TABLES = {"scipy/stats/_sobol_direction_numbers.npz", "dateutil/zoneinfo/dateutil-zoneinfo.tar.gz"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packages.package_folder(tmp_path_factory.mktemp("cache"))


def installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def test_it_holds_what_laws_need_and_nothing_else(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()} - {"__pycache__"}
    assert {"numpy", "scipy"} <= names
    assert names <= {
        *{"numpy", "numpy.libs", "scipy", "scipy.libs", "pandas", "pandas.libs", "sklearn", "scikit_learn.libs"},
        *{"joblib", "threadpoolctl.py", "dateutil", "six.py", "pytz", "tzdata", "narwhals", "cloudpickle"},
    }
    assert ("pandas" in names) == installed("pandas")
    assert ("sklearn" in names) == installed("scikit-learn")


def test_no_data_and_no_tests_are_in_it(folder: Path) -> None:
    files = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    assert not [path for path in files if {"tests", "test"} & set(path.parts[:-1])]
    assert {path.as_posix() for path in files if path.suffix in DATA_SUFFIXES} <= CODE_TABLES
    in_datasets = [path for path in files if "datasets" in path.parts]
    assert {path.suffix for path in in_datasets} <= {".py", ".pyc", ".so"}


def test_every_module_is_compiled(folder: Path) -> None:
    tag = sys.implementation.cache_tag
    sources = list(folder.rglob("*.py"))
    missing = [path for path in sources if not (path.parent / "__pycache__" / f"{path.stem}.{tag}.pyc").exists()]
    assert not missing


def test_it_is_built_once(folder: Path) -> None:
    before = folder.stat().st_ino
    assert packages.package_folder(folder.parents[1]) == folder
    assert folder.stat().st_ino == before


def test_builders_may_race(tmp_path: Path) -> None:
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(packages.package_folder(tmp_path))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert set(found) == set((tmp_path / "sandbox").iterdir())  # one folder, no staging left behind


def test_the_key_follows_the_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    distributions = packages._allowed_distributions()
    before = packages._key(distributions)
    assert before == packages._key(packages._allowed_distributions())
    assert before != packages._key(distributions[1:])


def test_missing_optional_packages_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = metadata.distribution

    def without(name: str) -> metadata.Distribution:
        if name in ("pandas", "scikit-learn"):
            raise metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(packages.metadata, "distribution", without)
    names = {path.name for path in packages.package_folder(tmp_path).iterdir()}
    assert names - {"__pycache__"} <= {"numpy", "numpy.libs", "scipy", "scipy.libs"}


def test_missing_numpy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(packages.metadata, "distribution", nothing)
    with pytest.raises(ModuleNotFoundError, match="pip install"):
        packages._allowed_distributions()


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"SCILAWS_CACHE": "/a/b", "XDG_CACHE_HOME": "/c"}, Path("/a/b")),
        ({"XDG_CACHE_HOME": "/c"}, Path("/c/scilaws-bench")),
        ({"HOME": "/h"}, Path("/h/.cache/scilaws-bench")),
    ],
)
def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], expected: Path) -> None:
    for name in ("SCILAWS_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert packages.cache_folder() == expected


def test_the_interpreter_runs_with_it_alone() -> None:
    view = current_view()
    modules = "numpy.random, scipy.stats, scipy.signal, scipy.interpolate"
    modules += ", pandas" if installed("pandas") else ""
    modules += ", sklearn.linear_model" if installed("scikit-learn") else ""
    code = (
        f"import sys; sys.path.insert(0, {str(view.packages)!r}); import {modules}\n"
        "files = [getattr(module, '__file__', None) or '' for module in sys.modules.values()]\n"
        "assert not [file for file in files if 'site-packages' in file]"
    )
    subprocess.run([view.executable, *INTERPRETER_FLAGS, "-c", code], env=view.environment(), check=True)


def test_the_view_shows_no_site_packages() -> None:
    view = current_view()
    assert not [path for path in view.readable() if path.name in ("site-packages", "dist-packages")]
    hidden = view.masked()
    assert not [path for path in view.readable() if any(item.is_relative_to(path) for item in hidden)]
    assert all(library.name.split(".so")[0] != library.name for library in view.libraries)
