"""What of this machine a law may see: the interpreter's standard library, its shared libraries, the allow-list folder.

Nothing else, in either level: not /usr, not the interpreter's own site-packages, not the checkout.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scilaws_bench.errors import SandboxUnavailableError

from .packages import package_folder

# -s -S: no site-packages of any kind; -P: nothing else on sys.path; -B: no bytecode written. Not -I, which would make
# the interpreter ignore PYTHONHASHSEED; the environment is clean anyway.
INTERPRETER_FLAGS = ("-s", "-S", "-P", "-B")
WORKER_FOLDER = Path(__file__).with_name("_worker")

_MASKED = ("site-packages", "dist-packages")
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
_PROBE = "import sys; sys.path.append({worker!r}); import probe; sys.path.pop(); probe.main({packages!r})"
_PROBE_SECONDS = 120.0
_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PATH": "/nowhere",
    "HOME": "/",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
} | dict.fromkeys(_THREAD_VARIABLES, "1")


@dataclass(frozen=True)
class View:
    """Host paths. executable: the interpreter; modules: standard library folders; libraries: shared objects under the
    names the loader looks up; packages: the allow-list folder."""

    executable: Path
    modules: tuple[Path, ...]
    libraries: tuple[Path, ...]
    packages: Path

    def masked(self) -> list[Path]:
        """Folders inside the visible ones that must look empty."""
        return [folder / name for folder in self.modules for name in _MASKED if (folder / name).is_dir()]

    def readable(self) -> list[Path]:
        """Paths for Landlock rules. Rules are allow-only and reach down, so a folder that holds a masked one is
        replaced by its other entries. Its listing is then refused; imports work, as the zygote has listed it before.
        """
        paths = [self.executable, *self.libraries, self.packages]
        masked = self.masked()
        for folder in self.modules:
            hides = any(item.parent == folder for item in masked)
            paths += [item for item in sorted(folder.iterdir()) if item not in masked] if hides else [folder]
        return paths

    def environment(self) -> dict[str, str]:
        """The whole environment of a zygote: nothing of the host's, one thread for every numeric library."""
        folders = dict.fromkeys(str(library.parent) for library in self.libraries)
        return _ENVIRONMENT | {"LD_LIBRARY_PATH": ":".join(folders)}


@functools.cache
def current_view() -> View:
    """The view of the running interpreter, found once per process; the slow part is kept in the cache folder.

    Raises SandboxUnavailableError if the interpreter cannot be examined, or what package_folder() raises.
    """
    executable = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    packages = package_folder()
    stored = packages.with_name(f"{packages.name}.libraries.json")
    found = _stored_probe(stored, executable)
    if found is None:
        found = _probe(executable, packages)
        _store(stored, executable, found)
    return View(executable, _tops(found["modules"]), _tops(found["libraries"]), packages)


def _tops(names: list[str]) -> tuple[Path, ...]:
    """Without those that lie below another one."""
    return tuple(Path(name) for name in names if not any(name.startswith(f"{other}/") for other in names))


def _stamps(executable: Path, libraries: list[str]) -> list[list[Any]]:
    """Name, size and time of the files a probe was about; a system update changes them."""
    found = [(name, Path(name).stat()) for name in (str(executable), *libraries)]
    return [[name, status.st_size, status.st_mtime_ns] for name, status in found]


def _stored_probe(stored: Path, executable: Path) -> dict[str, list[str]] | None:
    try:
        content: dict[str, Any] = json.loads(stored.read_text())
        found: dict[str, list[str]] = content["found"]
        return found if content["stamps"] == _stamps(executable, found["libraries"]) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _store(stored: Path, executable: Path, found: dict[str, list[str]]) -> None:
    temporary = stored.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(json.dumps({"found": found, "stamps": _stamps(executable, found["libraries"])}))
    temporary.replace(stored)


def _probe(executable: Path, packages: Path) -> dict[str, list[str]]:
    code = _PROBE.format(worker=str(WORKER_FOLDER), packages=str(packages))
    try:
        done = subprocess.run(
            [executable, *INTERPRETER_FLAGS, "-c", code],
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=True,
        )
        found: dict[str, list[str]] = json.loads(done.stdout)
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise SandboxUnavailableError(
            f"the interpreter {executable} does not run with {packages} alone", found=f"{reason}"
        ) from error
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise SandboxUnavailableError(f"the interpreter {executable} cannot be examined", found=str(error)) from error
    return found
