"""A law after the project itself, installed from its wheel beside the evaluator: reference laws, gold, statsmodels.

The environment is what a leaderboard has: builders with hidden laws and packages with test rows in site-packages. It
is also poisoned: a .pth file, a sitecustomize on PYTHONPATH, look-alikes of numpy in the working folder, LD_PRELOAD.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from attack_kit import NO_CALL, NO_FILE, NOT_ALLOWED, NOTHING, SECRET, Attack
from filelock import FileLock

from scilaws_bench.sandbox import detect

REPOSITORY = Path(__file__).parents[3]
NO_MODULE = "ModuleNotFoundError: No module named"


def importing(name: str, *, found: bool = False) -> Attack:
    """Import as it stands, or with the environment's site-packages put on the path first."""
    path = "sys.path[:0] = ['SITE', 'OUTER_SITE']\n" if found else ""
    return Attack(f"{path}import {name}\nreturn {name}.__name__", f"{NO_MODULE} '{name.split('.')[0]}'")


def reading(code: str) -> Attack:
    return Attack(code, NO_FILE, NOT_ALLOWED)


ATTACKS = {
    "import scilaws_bench": importing("scilaws_bench"),
    "import scilaws_builders": importing("scilaws_builders"),
    "import scilaws_evals": importing("scilaws_evals"),
    "import statsmodels": importing("statsmodels"),
    "import scilaws_builders by its path": importing("scilaws_builders", found=True),
    "import scilaws_bench.release.gold by its path": importing("scilaws_bench.release.gold", found=True),
    "import statsmodels by its path": importing("statsmodels", found=True),
    "import sklearn's data sets": Attack(
        "from sklearn.datasets import load_diabetes\nreturn load_diabetes().target.size", f"{NO_FILE}|{NO_MODULE}"
    ),
    "find a spec": Attack("import importlib.util as u\nreturn u.find_spec('scilaws_builders')", NOTHING),
    "find the distribution": Attack(
        "import importlib.metadata as m\nreturn m.version('scilaws-bench')", "PackageNotFoundError"
    ),
    "list the distributions": Attack(
        "import importlib.metadata as m\nreturn [d for d in m.distributions() if 'scilaws' in (d.name or '')]", NOTHING
    ),
    "walk the packages": Attack("import pkgutil\nreturn [m for m in pkgutil.iter_modules(['SITE'])]", NOTHING),
    "site": Attack("import site\nsite.addsitedir('SITE')\nimport scilaws_builders\nreturn True", NO_MODULE),
    "import from the wheel file": Attack(
        "import zipimport\nreturn zipimport.zipimporter('WHEEL').load_module('scilaws_builders')", "ZipImportError"
    ),
    "open the wheel file": reading("import zipfile\nreturn zipfile.ZipFile('WHEEL').namelist()"),
    "a reference law by its path": reading("return open('REFERENCE_LAW').read()"),
    "the fits of all laws": reading("return open('SITE/scilaws_builders/scilaws/fits.lock').read()"),
    "the phrase of the seal": reading("return open('SITE/scilaws_bench/release/sealing.py').read()"),
    "a sealed file of a release": reading("return open('RELEASE/gold/task.sealed', 'rb').read()"),
    "a table of a release": reading("import pandas\nreturn pandas.read_csv('RELEASE/train.csv').size"),
    "test rows in statsmodels": reading("return os.listdir('OUTER_SITE/statsmodels/datasets')"),
    "the folder above the worker": reading("return open('SITE/scilaws_bench/sandbox/levels.py').read()"),
    "upwards from the worker": Attack(
        "import _worker\nfolder = os.path.dirname(os.path.dirname(_worker.__file__))\n"
        "return open(folder + '/levels.py').read()",
        NO_FILE,
        NOT_ALLOWED,
        unprotected="the worker has another name in process",
    ),
    "change the worker": Attack(
        "import _worker\nopen(_worker.__file__, 'a').close()\nreturn True",
        NO_CALL,
        unprotected="the worker has another name in process",
    ),
    "the caches of the project": reading("return os.listdir('CACHE')"),
    "the shell history": reading("return open('HOME/.bash_history').read()"),
    "the host's key": Attack("return SECRET in str(os.environ)", NOTHING),
    "the host's key in /proc": Attack(
        "return SECRET.encode() in open('/proc/self/environ', 'rb').read()", NO_FILE, NOT_ALLOWED
    ),
    "poison of a .pth": Attack("import builtins\nreturn hasattr(builtins, 'attack_pth')", NOTHING),
    "poison of a sitecustomize": Attack("import builtins\nreturn hasattr(builtins, 'attack_sitecustomize')", NOTHING),
    "poison by LD_PRELOAD": Attack(
        "seen = []\nclass Info(ctypes.Structure):\n    _fields_ = [('a', ctypes.c_void_p), ('name', ctypes.c_char_p)]\n"
        "def visit(info, size, data):\n    seen.append(info.contents.name or b'')\n    return 0\n"
        "kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)\n"
        "libc.dl_iterate_phdr(kind(visit), None)\nassert len(seen) > 3\nreturn [n for n in seen if b'poison' in n]",
        NOTHING,
    ),
    "look-alikes in the working folder": Attack(
        "import builtins, json, statistics\nreturn hasattr(builtins, 'attack_cwd')",
        NOTHING,
        unprotected="the host was not started in the way that falls for it",
    ),
}


@dataclass(frozen=True)
class Installed:
    """folder: with dist/, environment/ and working_folder/; report: see wheel_host.py."""

    folder: Path
    report: dict[str, Any]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, built and installed into a poisoned environment, and what became of all attacks there.

    Made by the first of the test processes that needs it.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, report = shared / "installed_project", shared / "installed_project.json"
    with FileLock(shared / "installed_project.lock"):
        if not report.is_file():
            folder.mkdir()
            report.write_text(json.dumps(attack_installed_project(folder)))
    return Installed(folder, json.loads(report.read_text()))


def attack_installed_project(folder: Path) -> dict[str, Any]:
    wheel = build_wheel(folder / "dist")
    venv.create(folder / "environment", with_pip=False)
    site = site_of(folder)
    outer = sysconfig.get_path("purelib")
    install = [
        sys.executable,
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        "install",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*install, "--no-compile", "--target", str(site), str(wheel)], check=True)
    (site / "zz_outer.pth").write_text(f"{outer}\n")  # the dependencies: the environment the tests run in
    poison(folder, site)
    home, release = folder / "home", folder / "release"
    (release / "gold").mkdir(parents=True)
    (release / "gold" / "task.sealed").write_bytes(b"SCILAWS-SEALED-1 sealed")
    (release / "train.csv").write_text("a,b\n1,2\n")
    home.mkdir()
    (home / ".bash_history").write_text("export KEY=...\n")
    cache = Path(os.environ.get("SCILAWS_CACHE") or Path.home() / ".cache" / "scilaws-bench")
    places = {
        "REFERENCE_LAW": str(next((site / "scilaws_builders/scilaws/problems").glob("*/*/laws/[a-z]*.py"))),
        "OUTER_SITE": outer,
        "SITE": str(site),
        "WHEEL": str(wheel),
        "RELEASE": str(release),
        "CACHE": str(cache),
        "HOME": str(home),
    }
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))} | {
        "SCILAWS_TEST_API_KEY": SECRET,
        "HOME": str(home),
        "SCILAWS_CACHE": str(cache),
        "PYTHONPATH": str(folder / "on_the_path"),
        "PYTHONSTARTUP": str(folder / "on_the_path" / "sitecustomize.py"),
        "LD_PRELOAD": str(folder / "poison.so"),
    }
    job = {
        "evaluators": ["in process", *detect().levels],
        "laws": {name: attack.law(places) for name, attack in ATTACKS.items()},
    }
    done = subprocess.run(
        [python_of(folder), Path(__file__).with_name("wheel_host.py")],
        input=json.dumps(job), env=environment, cwd=folder / "working_folder", capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def python_of(folder: Path) -> Path:
    return folder / "environment" / "bin" / "python"


def site_of(folder: Path) -> Path:
    return next((folder / "environment" / "lib").glob("python*/site-packages"))


def build_wheel(target: Path) -> Path:
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(target), str(REPOSITORY)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return next(target.glob("*.whl"))


def poison(folder: Path, site: Path) -> None:
    """Code in every place that an interpreter runs code from unasked."""
    for name in ("on_the_path", "working_folder"):
        (folder / name).mkdir()
    (site / "zz_poison.pth").write_text("import builtins; builtins.attack_pth = 1\n")
    mark = "import builtins; builtins.attack_{} = 1\n"
    (folder / "on_the_path" / "sitecustomize.py").write_text(mark.format("sitecustomize"))
    for module in ("numpy", "json", "statistics", "sitecustomize", "_worker", "scipy"):
        (folder / "working_folder" / f"{module}.py").write_text(mark.format("cwd"))
    source = next(path for path in loaded_libraries() if "libgcc_s" in path)
    shutil.copyfile(source, folder / "poison.so")


def loaded_libraries() -> list[str]:
    from scilaws_bench.sandbox.view import current_view

    return [str(path.resolve()) for path in current_view().libraries]


def test_the_host_is_what_it_is_meant_to_be(installed: Installed) -> None:
    """The wheel's packages, not the checkout's, ran the sandbox, and the poison did work on the host itself."""
    folders = [str(Path(path).parents[1]) for path in installed.report["packages"]]
    assert folders == [str(site_of(installed.folder))] * 2
    assert installed.report["poisoned"] == ["attack_pth", "attack_sitecustomize"]


def test_look_alikes_work_where_python_starts_carelessly(installed: Installed) -> None:
    """The control of the working folder: `python -c` puts it first on the path."""
    code = "import builtins, statistics; print(hasattr(builtins, 'attack_cwd'))"
    folder = installed.folder / "working_folder"
    done = subprocess.run(
        [python_of(installed.folder), "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


@pytest.mark.parametrize("name", [name for name, attack in ATTACKS.items() if not attack.unprotected])
def test_works_in_process(installed: Installed, name: str) -> None:
    assert installed.report["answers"]["in process"][name] == ["ok", ""]


@pytest.mark.parametrize("level", ["full", "kernel"])
@pytest.mark.parametrize("name", ATTACKS)
def test_refused(installed: Installed, name: str, level: str) -> None:
    if level not in installed.report["answers"]:
        pytest.skip(f"level {level} is not available here: see `scilaws-bench sandbox check`")
    status, error, next_status = installed.report["answers"][level][name]
    assert status == "error"
    assert re.search(ATTACKS[name].reason(level), error), error
    assert next_status == "ok"
