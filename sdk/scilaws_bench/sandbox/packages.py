"""The allow-list folder: the packages laws may import, copied out of site-packages without their data and tests.

site-packages itself must never be visible to a law: installed builders hold hidden laws, and several packages ship
tables that are test rows. The folder is built once per set of package versions, under a name derived from them.
"""

from __future__ import annotations

import compileall
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

REQUIRED = ("numpy", "scipy")
OPTIONAL = ("pandas", "scikit-learn")

_LAYOUT_VERSION = 1  # raise when the rules below change what a folder holds
_DROPPED_FOLDERS = frozenset({"tests", "test"})
_CODE_SUFFIXES = (".py", ".so", ".pyc")
_IMPORT_NAMES = {"scikit-learn": "sklearn", "python-dateutil": "dateutil"}


def cache_folder() -> Path:
    """Where the user's caches live: $SCILAWS_CACHE, else scilaws-bench below $XDG_CACHE_HOME or ~/.cache."""
    own = os.environ.get("SCILAWS_CACHE")
    if own:
        return Path(own).absolute()
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache").absolute() / "scilaws-bench"


def package_folder(cache: Path | None = None) -> Path:
    """The allow-list folder for the installed versions, built first if needed (seconds; safe to race).

    Raises ModuleNotFoundError where numpy or scipy is missing, OSError where the cache cannot be written.
    """
    distributions = _allowed_distributions()
    folder = (cache or cache_folder()) / "sandbox" / f"packages-{_key(distributions)}"
    if not folder.is_dir():
        _build(folder, distributions)
    return folder


def _allowed_distributions() -> list[metadata.Distribution]:
    """REQUIRED, the OPTIONAL that are installed, and all they need, sorted by name."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [*REQUIRED, *OPTIONAL]
    while waiting:
        name = _normal(waiting.pop())
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            if name in REQUIRED:
                raise ModuleNotFoundError(f"the sandbox needs {name} in {sys.prefix}; pip install {name}") from None
            continue  # an optional package, or a requirement under a marker that does not hold here
        waiting += [_requirement_name(line) for line in found[name].requires or () if "extra" not in line]
    return [found[name] for name in sorted(found)]


def _requirement_name(line: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", line)
    return match.group() if match else line


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _key(distributions: list[metadata.Distribution]) -> str:
    """Name of the folder's content: interpreter, versions and, where recorded, the hash of every installed file."""
    digest = hashlib.sha256(f"{_LAYOUT_VERSION} {sys.implementation.cache_tag} {sys.platform}".encode())
    for distribution in distributions:
        record = distribution.read_text("RECORD") or str(distribution.locate_file(""))
        digest.update(f"\n{distribution.name}=={distribution.version}\n{record}".encode())
    return digest.hexdigest()[:20]


def _build(folder: Path, distributions: list[metadata.Distribution]) -> None:
    """Fill a temporary sibling, then rename it: a half-built folder never has the final name."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".packages-", dir=folder.parent))
    try:
        for distribution in distributions:
            for source, relative in _files(distribution):
                _place(source, staging / relative)
        compileall.compile_dir(staging, quiet=2, workers=1)
        staging.chmod(0o755)  # mkdtemp makes it private; nothing in it is secret
        staging.rename(folder)
    except OSError:
        if not folder.is_dir():  # else another process finished first, with the same content
            raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _files(distribution: metadata.Distribution) -> Iterator[tuple[Path, Path]]:
    """Installed files that laws may see, each with its path below the folder."""
    base = Path(str(distribution.locate_file("")))
    for top in _top_level_names(distribution):
        root = base / top
        if root.is_dir():
            for source in sorted(path for path in root.rglob("*") if path.is_file()):
                if _is_wanted(source.relative_to(base)):
                    yield source, source.relative_to(base)
        elif root.is_file():
            yield root, Path(top)


def _top_level_names(distribution: metadata.Distribution) -> list[str]:
    """First path components a distribution installs, metadata, scripts and bytecode left out."""
    if distribution.files:
        names = {file.parts[0] for file in distribution.files if file.parts}
        return sorted(name for name in names if name not in ("..", "__pycache__") and not name.endswith(".dist-info"))
    name = _IMPORT_NAMES.get(_normal(distribution.name), distribution.name.replace("-", "_"))
    return [name, f"{name}.py", f"{distribution.name.replace('-', '_')}.libs"]  # system packages keep no file list


def _is_wanted(path: Path) -> bool:
    folders = path.parts[:-1]
    if _DROPPED_FOLDERS.intersection(folders):
        return False
    return "datasets" not in folders or path.suffix in _CODE_SUFFIXES


def _place(source: Path, target: Path) -> None:
    """Hard link where the file system allows it, else copy with the time stamp that bytecode is checked against."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target, follow_symlinks=False) if not source.is_symlink() else shutil.copy2(source, target)
    except OSError:
        shutil.copy2(source, target)
