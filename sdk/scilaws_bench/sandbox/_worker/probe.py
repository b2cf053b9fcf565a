"""Find out what the interpreter needs in order to run laws: print its library paths and module paths as JSON.

Run by the host, outside the sandbox, with the allow-list folder on sys.path. Importing everything a law may import and
asking the dynamic loader what it mapped gives the exact shared libraries, so that the sandbox mounts those files and
no system folder.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import sys
import warnings
from pathlib import Path

_PACKAGES = (
    "numpy numpy.fft numpy.linalg numpy.random scipy.fft scipy.integrate scipy.interpolate scipy.linalg scipy.ndimage "
    "scipy.optimize scipy.signal scipy.sparse scipy.sparse.linalg scipy.spatial scipy.special scipy.stats pandas "
    "sklearn sklearn.linear_model sklearn.ensemble sklearn.gaussian_process sklearn.neighbors sklearn.svm joblib"
)
_SYSTEM_ONLY = ("_tkinter", "_curses", "readline", "_test", "_xx", "xx", "_dbm", "_gdbm", "nis", "spwd", "audioop")


class _Module(ctypes.Structure):
    """Head of struct dl_phdr_info (dl_iterate_phdr(3))."""

    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]


def _import_everything() -> None:
    warnings.simplefilter("ignore")
    extensions = [
        path.name.split(".")[0]
        for folder in map(Path, sys.path)
        if folder.name == "lib-dynload"
        for path in sorted(folder.iterdir())
    ]
    for name in [*_PACKAGES.split(), *(item for item in extensions if not item.startswith(_SYSTEM_ONLY))]:
        with contextlib.suppress(ImportError):  # pandas and scikit-learn are optional
            importlib.import_module(name)
    with contextlib.suppress(OSError):
        ctypes.CDLL("libgcc_s.so.1")  # glibc opens it only when a thread ends


def _mapped_libraries() -> list[str]:
    """Paths of all loaded shared objects, the program loader included, spelled as the loader looked them up."""
    names: list[str] = []

    def visit(module: ctypes._Pointer[_Module], _size: int, _data: int | None) -> int:
        names.append(os.fsdecode(module.contents.name or b""))
        return 0

    visitor = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Module), ctypes.c_size_t, ctypes.c_void_p)
    ctypes.CDLL(None).dl_iterate_phdr(visitor(visit), None)
    return sorted(name for name in set(names) if name.startswith("/"))


def main(packages: str) -> None:
    """Print {"modules": [...], "libraries": [...]}: standard library folders, and libraries outside them."""
    modules = [path for path in sys.path if path != packages and Path(path).exists()]
    sys.path.insert(0, packages)
    _import_everything()
    inside = tuple(f"{path}/" for path in (packages, *modules))
    libraries = [name for name in _mapped_libraries() if not os.path.normpath(name).startswith(inside)]
    sys.stdout.write(json.dumps({"modules": modules, "libraries": libraries}))
