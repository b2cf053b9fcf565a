"""bwrap's command line for a sample: an empty root, the allow-list mounted read-only, three bounded memory folders."""

from __future__ import annotations

from pathlib import Path

from scilaws_bench.sandbox.view import INTERPRETER_FLAGS, View

from .programs import Programs

WORK = "/sandbox/work"
TEMPORARY = "/tmp"
WORK_BYTES = 512 << 20
TEMPORARY_BYTES = 128 << 20
_SHARED_BYTES = 64 << 20

_INSIDE_PACKAGES = "/sandbox/packages"
_INSIDE_KEEPER = "/sandbox/keeper/_inside"
_KEEPER = "import sys; sys.path.append('/sandbox/keeper'); from _inside.keeper import main; main()"
_FOLDER = Path(__file__).parent
_NOBODY = "65534"
_DEVICES = ("null", "zero", "full", "random", "urandom")
_STREAMS = {"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}
_HIDDEN = ("cmdline", "config.gz", "kallsyms", "kcore", "key-users", "keys", "kmsg", "modules", "timer_list")
_THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"), "1")


def command(bwrap: Path, view: View, programs: Programs, filter_descriptor: int) -> list[str]:
    """The keeper under bwrap. `filter_descriptor`: where bwrap reads the system call filter.

    To be started with an empty environment: bwrap's --clearenv would leave the host's in /proc/1/environ.
    """
    options = ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", _NOBODY, "--gid", _NOBODY]
    options += ["--hostname", "sandbox", "--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"]
    for folder, size in ((WORK, WORK_BYTES), (TEMPORARY, TEMPORARY_BYTES), ("/dev/shm", _SHARED_BYTES)):
        options += ["--size", str(size), "--tmpfs", folder]  # first: what is mounted below one, stays visible
    for name, path in programs.files.items():
        options += ["--ro-bind", str(path), f"/usr/bin/{name}"]
    for path in (view.executable, *view.modules):
        options += ["--ro-bind", str(path), str(path)]
    for path in view.masked():
        options += ["--tmpfs", str(path), "--remount-ro", str(path)]
    for path in sorted({*view.libraries, *programs.libraries}):
        options += ["--ro-bind", str(path.resolve()), str(path)]
    options += ["--ro-bind", str(view.packages), _INSIDE_PACKAGES]
    options += ["--ro-bind", str(_FOLDER / "_inside"), _INSIDE_KEEPER, "--ro-bind", str(_FOLDER / "etc"), "/etc"]
    options += [*_link("/bin", "usr/bin"), *_link("/sbin", "usr/bin"), *_link("/usr/sbin", "bin")]
    for name in {"python3", "python"} - {view.executable.name}:
        options += _link(f"/usr/bin/{name}", str(view.executable))
    for device in _DEVICES:
        options += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    for name, target in _STREAMS.items():
        options += _link(f"/dev/{name}", target)
    # A process of host root is root to the kernel's file checks even without a capability: /proc must be read-only.
    options += ["--proc", "/proc"]
    for name in _HIDDEN:
        if (Path("/proc") / name).exists():
            options += ["--ro-bind", "/dev/null", f"/proc/{name}"]
    options += ["--remount-ro", "/proc"]
    options += ["--remount-ro", "/", "--chdir", WORK, "--seccomp", str(filter_descriptor)]
    return [str(bwrap), *options, "--", str(view.executable), *INTERPRETER_FLAGS, "-c", _KEEPER]


def environment(view: View, programs: Programs) -> dict[str, str]:
    """What a command finds in its environment, before what its caller adds."""
    folders = dict.fromkeys(str(path.parent) for path in (*view.libraries, *programs.libraries))
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": WORK,
        "TMPDIR": TEMPORARY,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONPATH": _INSIDE_PACKAGES,
        "PYTHONDONTWRITEBYTECODE": "1",
        "LD_LIBRARY_PATH": ":".join(folders),
    } | _THREADS


def _link(place: str, target: str) -> list[str]:
    return ["--symlink", target, place]
