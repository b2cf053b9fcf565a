"""Sandboxes with something to steal around them: an API key, gold files, a listener."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import shutil
import socket
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from attack_kit import SECRET, SENTINEL, AttackTests, opened

from scilaws_bench.sandbox import Sandbox

KEY = "SCILAWS_TEST_API_KEY"
REPOSITORY = Path(__file__).parents[3]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`attack`: every attack of the class; `control`: those that also run unprotected."""
    if metafunc.cls is None or not issubclass(metafunc.cls, AttackTests):
        return
    attacks = metafunc.cls.attacks
    if "attack" in metafunc.fixturenames:
        metafunc.parametrize("attack", attacks.values(), ids=attacks)
    if "control" in metafunc.fixturenames:
        controls = {name: attack for name, attack in attacks.items() if not attack.unprotected}
        metafunc.parametrize("control", controls.values(), ids=controls)


@pytest.fixture(scope="session")
def host() -> Iterator[int]:
    """An API key in the environment of this process before any zygote starts, and in that of another process."""
    os.environ[KEY] = SECRET
    with subprocess.Popen(["sleep", "600"]) as other:
        yield other.pid
        other.kill()
    del os.environ[KEY]


@pytest.fixture(scope="session", params=["full", "kernel"])
def sandbox(request: pytest.FixtureRequest, host: int) -> Iterator[Sandbox]:
    with opened(request.param) as guarded:
        yield guarded


@pytest.fixture(scope="session")
def unprotected(host: int) -> Iterator[Sandbox]:
    with opened("none") as bare:
        yield bare


@pytest.fixture(scope="session")
def targets(host: int) -> Iterator[dict[str, str]]:
    """Paths, numbers and names the attacks go for, by the word that stands for them in an attack's code."""
    folder = Path(tempfile.mkdtemp(prefix=f"attack_gold_{os.getpid()}_"))
    in_checkout = REPOSITORY / "build" / "test" / f"attack-gold-{os.getpid()}.txt"  # where nobody tidies up meanwhile
    in_checkout.parent.mkdir(parents=True, exist_ok=True)
    at_home = Path.home() / f".attack-gold-{os.getpid()}.txt"
    _write_gold(folder)
    for copy in (in_checkout, at_home):
        shutil.copyfile(folder / "gold.csv", copy)
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield {
            "GOLD": str(folder / "gold"),
            "CHECKOUT_FILE": str(in_checkout),
            "HOME_FILE": str(at_home),
            "FOLDER": str(folder),
            "PORT": str(server.getsockname()[1]),
            "HOST_PID": str(os.getpid()),
            "OTHER_PID": str(host),
            "SITE_PACKAGES": sysconfig.get_path("purelib"),
            "INTERPRETER_SITE": f"{sysconfig.get_path('stdlib')}/site-packages",
            "REPOSITORY": str(REPOSITORY),
        }
    shutil.rmtree(folder)
    for copy in (in_checkout, at_home):
        copy.unlink(missing_ok=True)


def _write_gold(folder: Path) -> None:
    """One held-out column in every format a reader of the allowed packages knows."""
    import pandas as pd
    from scipy import io

    column = np.array([SENTINEL, 1.0, 2.0])
    np.save(folder / "gold.npy", column)
    np.savez(folder / "gold.npz", target=column)
    np.savetxt(folder / "gold.csv", column)
    (folder / "gold.bin").write_bytes(column.tobytes())
    (folder / "gold.json").write_text(json.dumps({"target": column.tolist()}))
    (folder / "gold.pkl").write_bytes(pickle.dumps(column))
    (folder / "gold.csv.gz").write_bytes(gzip.compress((folder / "gold.csv").read_bytes()))
    (folder / "gold.svm").write_text(f"{SENTINEL!r} 1:1.0\n")
    (folder / "gold.py").write_text(f"TARGET = {SENTINEL!r}\n")
    pd.Series(column).to_pickle(folder / "gold.pandas")
    io.savemat(folder / "gold.mat", {"target": column})
    io.mmwrite(folder / "gold.mtx", column.reshape(-1, 1))
    io.wavfile.write(folder / "gold.wav", 8000, column)
    with io.netcdf_file(folder / "gold.nc", "w") as stream:
        stream.createDimension("row", 3)
        stream.createVariable("target", "d", ("row",))[:] = column
