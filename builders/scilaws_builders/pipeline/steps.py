"""One build step: a function whose result is stored under the hash of everything it depends on.

A result appears in the store whole or not at all (written beside, then renamed), so a build that
is killed at any moment goes on where it stopped, and two builds may share a store.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import scilaws_bench
from scilaws_bench.hashing import bytes_hash, json_hash
from scilaws_bench.schemas import KINDS, load_schema
from scilaws_builders.pipeline.work import put_in_place, work_folder

_LIBRARIES = ("numpy", "openpyxl", "pandas", "pyarrow", "pyyaml", "rdata", "scipy")
"""What turns source bytes into records and records into gold."""


def stored(store: Path, name: str, inputs: Any, produce: Callable[[Path], None]) -> Path:
    """Folder with the result of a step, made by `produce(folder)` unless the store has it.

    Args:
        store: folder of all results; created if missing.
        name: name of the step, part of the key.
        inputs: JSON value of everything the result depends on besides the code.
        produce: writes the result's files into the empty folder it is given.
    """
    key = json_hash({"step": name, "inputs": inputs, "code": code_key()})
    final = store / f"{name}-{key[:32]}"
    if final.is_dir():
        return final
    with work_folder(store, name) as work:
        produce(work)
        put_in_place(work, final)
    return final


@cache
def code_key() -> str:
    """Hash of all code a result depends on: both packages, the schemas, Python and the libraries.

    Problem folders are left out; the step of a problem has its own folder among its inputs.
    """
    roots = {"sdk": Path(scilaws_bench.__file__).parent, "builders": Path(__file__).parents[1]}
    problems = roots["builders"] / "scilaws" / "problems"
    files = {
        f"{name}/{file.relative_to(root)}": bytes_hash(file.read_bytes())
        for name, root in roots.items()
        for file in sorted(root.rglob("*.py"))
        if not file.is_relative_to(problems)
    }
    return json_hash(
        {
            "files": files,
            "schemas": [load_schema(kind) for kind in (*KINDS, "common")],
            "libraries": {name: version(name) for name in _LIBRARIES},
            "python": list(sys.version_info[:2]),
        }
    )


def folder_key(folder: Path) -> dict[str, str]:
    """Hashes of all files below a folder, by relative path (bytecode left out)."""
    return {
        str(file.relative_to(folder)): bytes_hash(file.read_bytes())
        for file in sorted(folder.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }
