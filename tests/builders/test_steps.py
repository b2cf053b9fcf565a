"""Build steps and swaps: whole or not at all, whoever is killed and whoever comes second (pitfalls 70, 74)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from errno import ENOSYS
from pathlib import Path

import pytest

import scilaws_bench
import scilaws_builders
from scilaws_builders.pipeline import work as work_module
from scilaws_builders.pipeline.steps import folder_key, stored
from scilaws_builders.pipeline.work import put_in_place, recover, swap_in, work_folder


def _writes(text: str) -> Callable[[Path], None]:
    def produce(folder: Path) -> None:
        (folder / "result").write_text(text)

    return produce


def _python(code: str, *args: object, path: str = "", **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        env=os.environ | {"PYTHONPATH": path} | variables,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_step_is_made_once_for_equal_inputs(tmp_path: Path) -> None:
    first = stored(tmp_path, "step", {"a": 1}, _writes("one"))
    again = stored(tmp_path, "step", {"a": 1}, _writes("two"))
    assert again == first
    assert (again / "result").read_text() == "one"


@pytest.mark.parametrize(("name", "inputs"), [("step", {"a": 2}), ("other", {"a": 1}), ("step", {"a": 1.5})])
def test_step_of_other_inputs_is_another(tmp_path: Path, name: str, inputs: dict[str, float]) -> None:
    first = stored(tmp_path, "step", {"a": 1}, _writes("one"))
    assert stored(tmp_path, name, inputs, _writes("two")) != first


def test_step_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def produce(folder: Path) -> None:
        (folder / "half").write_text("…")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        stored(tmp_path, "step", 1, produce)
    assert list(tmp_path.iterdir()) == []


def test_slower_of_two_writers_keeps_the_first_result(tmp_path: Path) -> None:
    def produce(folder: Path) -> None:
        stored(tmp_path, "step", 1, _writes("faster"))
        (folder / "result").write_text("slower")

    assert (stored(tmp_path, "step", 1, produce) / "result").read_text() == "faster"
    assert len(list(tmp_path.iterdir())) == 1


_HANG = """
import sys, time
from pathlib import Path
from scilaws_builders.pipeline.work import work_folder
with work_folder(Path(sys.argv[1]), "step") as work:
    (work / "half").write_text("half")
    print("ready", flush=True)
    time.sleep(60)
"""


def test_killed_writer_leaves_no_result_and_its_rubbish_goes(tmp_path: Path) -> None:
    writer = _python(_HANG, tmp_path)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    with work_folder(tmp_path, "step"):
        assert len(list(tmp_path.iterdir())) == 2, "a living writer's folder stays"
    assert list(tmp_path.glob("*/half")) or list(tmp_path.glob(".*/half"))
    writer.kill()
    writer.wait()
    writer.stdout.close()
    assert (stored(tmp_path, "step", 1, _writes("new")) / "result").read_text() == "new"
    assert [folder.name.startswith("step-") for folder in tmp_path.iterdir()] == [True]


def test_folders_of_others_are_never_rubbish(tmp_path: Path) -> None:
    others = [tmp_path / name for name in (".demo-config", "demo-old", ".other.scilaws-work-1", ".demo")]
    for folder in others:
        folder.mkdir()
    with work_folder(tmp_path, "demo") as work:
        work.rename(tmp_path / "demo")
    assert all(folder.is_dir() for folder in others)


def test_put_in_place_raises_what_is_no_race(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        put_in_place(tmp_path / "gone", tmp_path / "final")


_KEY = "from scilaws_builders.pipeline.steps import code_key; print(code_key())"


def _key_of(packages: Path, **variables: str) -> str:
    running = _python(_KEY, path=f"{packages / 'sdk'}{os.pathsep}{packages / 'builders'}", **variables)
    return running.communicate()[0].strip()


def test_code_key_follows_code_and_schemas_and_not_problem_folders(tmp_path: Path) -> None:
    """A checkout below a folder called `problems` once had an empty key: old results for new code."""
    packages = tmp_path / "problems"
    no_bytecode = shutil.ignore_patterns("__pycache__")
    for part, package in (("sdk", scilaws_bench), ("builders", scilaws_builders)):
        source = Path(package.__file__ or "").parent
        shutil.copytree(source, packages / part / source.name, ignore=no_bytecode)
    schemas = Path(scilaws_bench.__file__).parents[2] / "schemas"
    shutil.copytree(schemas, packages / "schemas")
    scilaws = packages / "builders" / "scilaws_builders" / "scilaws"
    law = next(iter(sorted(scilaws.glob("problems/*/*/laws/*.py"))))
    code = [packages / "sdk" / "scilaws_bench" / "hashing.py", scilaws / "splits.py"]
    first = _key_of(packages, PYTHONHASHSEED="1")
    assert len(first) == 64
    law.write_text(law.read_text() + "# changed\n")
    assert _key_of(packages, PYTHONHASHSEED="2") == first, "problem folders have keys of their own"
    for file in code:
        before = file.read_text()
        file.write_text(before + "# changed\n")
        assert _key_of(packages) != first, file.name
        file.write_text(before)
    task = packages / "schemas" / "task.schema.json"
    task.write_text(task.read_text().replace('"title": "task"', '"title": "changed"'))
    assert _key_of(packages) != first


def test_folder_key_sees_every_file_but_bytecode(tmp_path: Path) -> None:
    (tmp_path / "laws" / "__pycache__").mkdir(parents=True)
    (tmp_path / "a").write_text("1")
    (tmp_path / "laws" / "b").write_text("2")
    (tmp_path / "laws" / "__pycache__" / "c.pyc").write_text("3")
    first = folder_key(tmp_path)
    assert sorted(first) == ["a", "laws/b"]
    (tmp_path / "laws" / "b").write_text("4")
    assert folder_key(tmp_path) != first


def _release(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in ("manifest", "table"):
        (folder / name).write_text(text)
    return folder


@pytest.fixture(params=["exchange", "without exchange"])
def filesystem(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """This file system, and one whose kernel can't exchange two names."""

    def refuse(first: Path, second: Path) -> None:
        raise OSError(ENOSYS, os.strerror(ENOSYS))

    if request.param != "exchange":
        monkeypatch.setattr(work_module, "_exchange", refuse)
    return str(request.param)


def test_swap_puts_the_new_in_and_hands_the_old_back(tmp_path: Path, filesystem: str) -> None:
    final, work = _release(tmp_path / "final", "old"), _release(tmp_path / "work", "new")
    swap_in(work, final)
    assert ((final / "table").read_text(), (work / "table").read_text()) == ("new", "old")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["final", "work"]


@pytest.mark.parametrize("empty", [True, False])
def test_swap_into_nothing_or_an_empty_folder(tmp_path: Path, empty: bool) -> None:
    if empty:
        (tmp_path / "final").mkdir()
    swap_in(_release(tmp_path / "work", "new"), tmp_path / "final")
    assert [path.name for path in tmp_path.iterdir()] == ["final"]


def test_swap_onto_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "final").write_text("mine")
    with pytest.raises(NotADirectoryError):
        swap_in(_release(tmp_path / "work", "new"), tmp_path / "final")
    assert (tmp_path / "final").read_text() == "mine"


def test_reader_always_finds_a_release(tmp_path: Path) -> None:
    final, work = _release(tmp_path / "final", "even"), _release(tmp_path / "work", "odd")
    seen: set[bool] = set()
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            seen.add((final / "manifest").is_file())

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(2000):
        swap_in(work, final)
    stop.set()
    reader.join()
    assert seen == {True}


_SWAPS = """
import sys
from pathlib import Path
from scilaws_builders.pipeline.work import swap_in
print("ready", flush=True)
while True:
    swap_in(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.parametrize("delay", [0.001, 0.013, 0.03])
def test_kill_during_swaps_leaves_the_old_or_the_new(tmp_path: Path, delay: float) -> None:
    final, work = _release(tmp_path / "final", "a"), _release(tmp_path / "work", "b")
    swapper = _python(_SWAPS, work, final)
    assert swapper.stdout is not None
    swapper.stdout.readline()
    threading.Event().wait(delay)
    swapper.send_signal(signal.SIGKILL)
    swapper.wait()
    swapper.stdout.close()
    found = {(final / name).read_text() for name in ("manifest", "table")}
    assert found in ({"a"}, {"b"})


def test_kill_between_the_two_steps_of_a_plain_swap_is_recovered(tmp_path: Path) -> None:
    _release(tmp_path / ".final.scilaws-previous", "old")
    recover(tmp_path / "final")
    assert (tmp_path / "final" / "table").read_text() == "old"
    _release(tmp_path / ".final.scilaws-previous", "older")
    recover(tmp_path / "final")
    assert (tmp_path / "final" / "table").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["final"]
