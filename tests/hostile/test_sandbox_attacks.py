"""Laws that attack: each is contained, and the next honest call is right.

A probe is code that returns True if it got what it wanted. Probes that do no harm are also run at level none, where
they must succeed: a probe that cannot succeed would prove nothing.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import sysconfig
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pluggy
import pytest

from scilaws_bench.sandbox import CallResult, Limits, Sandbox, detect

X = np.linspace(0.0, 1.0, 40).reshape(20, 2)
NO_CONSTANTS = np.empty((1, 0))
LIMITS = Limits(wall_seconds=15.0)
SMALL = Limits(wall_seconds=15.0, memory_bytes=1 << 30)
SHORT = Limits(wall_seconds=0.5)
SECRET = "sk-sandbox-test-6f1d"
HONEST = "import numpy as np\ndef predict(X):\n    return np.hypot(X[:, 0], X[:, 1])\n"


def _open(level: str) -> Sandbox:
    missing = detect().missing(level)  # type: ignore[arg-type]
    if missing:
        pytest.skip(f"level {level}: " + "; ".join(f"{row.mechanism}: {row.detail}" for row in missing))
    return Sandbox(level)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def host_secret() -> Iterator[None]:
    """An API key in the host's environment before any zygote starts, and in that of another process of the user."""
    os.environ["OPENAI_API_KEY"] = SECRET
    with subprocess.Popen(["sleep", "600"]) as other:
        yield
        other.kill()
    del os.environ["OPENAI_API_KEY"]


@pytest.fixture(scope="module", params=["full", "kernel"])
def sandbox(request: pytest.FixtureRequest, host_secret: None) -> Iterator[Sandbox]:
    with _open(request.param) as opened:
        yield opened


@pytest.fixture(scope="module")
def unprotected(host_secret: None) -> Iterator[Sandbox]:
    with _open("none") as opened:
        yield opened


@pytest.fixture(scope="module")
def places() -> Iterator[dict[str, str]]:
    """Paths the probes go for: gold files in the checkout, at home and in /tmp, a listener, site-packages."""
    name = f".sandbox-test-gold-{os.getpid()}"
    gold = [folder / name for folder in (Path(__file__).parent, Path.home(), Path("/tmp"))]
    for path in gold:
        path.write_text("42.0\n")
    with socket.create_server(("127.0.0.1", 0)) as server:
        base = Path(sys.base_prefix, sysconfig.get_path("purelib", vars={"base": ""}).lstrip("/"))
        yield {
            "REPO_GOLD": str(gold[0]),
            "HOME_GOLD": str(gold[1]),
            "TEMPORARY_GOLD": str(gold[2]),
            "PORT": str(server.getsockname()[1]),
            "PACKAGES": str(Path(pluggy.__file__).parents[1]),
            "INTERPRETER_SITE": str(base),
            "NEW_FILE": f"/tmp/{name}-written",
        }
    for path in gold:
        path.unlink()


def check_honest(sandbox: Sandbox) -> None:
    result = sandbox.predict(HONEST, X, [], NO_CONSTANTS, limits=LIMITS)
    assert result.ok, result.error
    assert result.values is not None
    np.testing.assert_array_equal(result.values["values"], [np.hypot(X[:, 0], X[:, 1])])


def run_probe(sandbox: Sandbox, code: str, places: dict[str, str]) -> CallResult:
    for name, value in places.items():
        code = code.replace(name, value)
    source = (
        "import ctypes, glob, os, sys\nimport numpy as np\n"
        f"SECRET = {SECRET[:5]!r} + {SECRET[5:]!r}\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        f"def probe():\n{textwrap.indent(textwrap.dedent(code), '    ')}\n"
        "def predict(X):\n"
        "    try:\n"
        "        return np.full(len(X), float(bool(probe())))\n"
        "    except OSError:\n"  # refused; any other exception is a mistake in the probe and fails the test
        "        return np.zeros(len(X))\n"
    )
    return sandbox.predict(source, X, [], NO_CONSTANTS, limits=LIMITS)


def got_through(result: CallResult) -> bool:
    assert result.ok, f"the probe did not run: {result.error}"
    assert result.values is not None
    return bool(result.values["values"].any())


HARMLESS = {
    "read gold in the checkout": "return open('REPO_GOLD').read()",
    "read gold at home": "return open('HOME_GOLD').read()",
    "read gold in /tmp": "return open('TEMPORARY_GOLD').read()",
    "read gold through numpy": "return np.fromfile('REPO_GOLD', sep=' ').size",
    "read gold through pandas": "import pandas as pd\nreturn pd.read_csv('REPO_GOLD').size + 1",
    "read gold through libc": "return libc.open(b'REPO_GOLD', 0) >= 0",
    "memory-map gold": "return np.memmap('REPO_GOLD', mode='r').size",
    "read /etc/passwd": "return open('/etc/passwd').read()",
    "read installed packages": "return open('PACKAGES/pluggy/__init__.py').read()",
    "list installed packages": "return os.listdir('PACKAGES')",
    "list the interpreter's packages": "return os.listdir('INTERPRETER_SITE')",
    "import an installed package": (
        "sys.path.append('PACKAGES')\ntry:\n    import pluggy\nexcept ImportError:\n    return False\nreturn True"
    ),
    "list home": f"return os.listdir({str(Path.home())!r})",
    "find the key in any environment": (
        "found = SECRET in str(dict(os.environ))\n"
        "for path in glob.glob('/proc/[0-9]*/environ'):\n"
        "    try:\n        found |= SECRET.encode() in open(path, 'rb').read()\n    except OSError:\n        pass\n"
        "return found"
    ),
    "make a socket": "import socket\nsocket.socket().close()\nreturn True",
    "make a Unix socket": "import socket\nsocket.socketpair()\nreturn True",
    "connect to the host": "import socket\nsocket.create_connection(('127.0.0.1', PORT), 2).close()\nreturn True",
    "fork": "pid = os.fork()\nif pid == 0:\n    os._exit(0)\nreturn pid",
    "os.system": "return os.system('true') == 0",
    "subprocess": "import subprocess\nreturn subprocess.run(['true'], env={'PATH': '/bin'}).returncode == 0",
    "posix_spawn": "return os.posix_spawn('/bin/true', ['true'], {})",
    "libc system": "return libc.system(b'true') == 0",
    "write a file": "open('NEW_FILE', 'w').write('x')\nos.unlink('NEW_FILE')\nreturn True",
    "write in the working folder": "open('x', 'w').write('x')\nos.unlink('x')\nreturn True",
    "make a folder": "os.mkdir('NEW_FILE')\nos.rmdir('NEW_FILE')\nreturn True",
    "append to gold": "open('REPO_GOLD', 'a').close()\nreturn True",
    "change gold's mode": "os.chmod('REPO_GOLD', 0o600)\nreturn True",
    "link": "os.symlink('x', 'NEW_FILE')\nos.unlink('NEW_FILE')\nreturn True",
    "anonymous memory file": "os.close(os.memfd_create('x'))\nreturn True",
    "shared memory": (
        "import _posixshmem\n_posixshmem.shm_open('/scilaws-probe', os.O_CREAT | os.O_RDWR, 0o600)\n"
        "_posixshmem.shm_unlink('/scilaws-probe')\nreturn True"
    ),
    "signal the parent": "os.kill(os.getppid(), 0)\nreturn True",
    "become debuggable": "return libc.prctl(4, 1, 0, 0, 0) == 0",
    "be traced": "return libc.ptrace(0, 0, 0, 0) == 0",
    "lower a limit": "return libc.setrlimit(4, (ctypes.c_ulong * 2)(0, 0)) == 0",
    "set an alarm": "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nreturn True",
    "a pipe of its own": "return os.pipe()",
}
PROTECTED_ONLY = {  # too dangerous to run unprotected, or refused to plain users anyway
    "open any other process's memory": "return open(f'/proc/{os.getppid()}/mem', 'rb')",
    "kill the parent": "os.kill(os.getppid(), 9)\nreturn True",
    "kill everything": "os.kill(-1, 9)\nreturn True",
    "stop the parent": "import signal\nos.kill(os.getppid(), signal.SIGSTOP)\nreturn True",
    "trace the parent": "return libc.ptrace(16, os.getppid(), 0, 0) == 0",
    "delete gold": "os.unlink('REPO_GOLD')\nreturn True",
    "overwrite gold": "open('REPO_GOLD', 'w').close()\nreturn True",
    "exec": "os.execv('/bin/true', ['true'])",
    "fork bomb": "while True:\n    os.fork()",
    "new namespaces": "return libc.unshare(0x10000000 | 0x40000000 | 0x20000) == 0",
    "change root": "return libc.chroot(b'/tmp') == 0",
    "become root": "return libc.setresuid(0, 0, 0) == 0",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_the_probe_works_without_protection(unprotected: Sandbox, places: dict[str, str], name: str) -> None:
    assert got_through(run_probe(unprotected, HARMLESS[name], places))


@pytest.mark.parametrize("name", [*HARMLESS, *PROTECTED_ONLY])
def test_the_probe_is_refused(sandbox: Sandbox, places: dict[str, str], name: str) -> None:
    result = run_probe(sandbox, (HARMLESS | PROTECTED_ONLY)[name], places)
    assert not got_through(result), name
    for gold in ("REPO_GOLD", "HOME_GOLD", "TEMPORARY_GOLD"):
        assert Path(places[gold]).read_text() == "42.0\n"
    assert not Path(places["NEW_FILE"]).exists()
    check_honest(sandbox)


# (x86_64, aarch64); called with zeros, an unfiltered kernel answers EINVAL, EFAULT or EBADF, or does it
SYSTEM_CALLS = {
    **{"ptrace": (101, 117), "process_vm_readv": (310, 270), "kill": (62, 129), "pidfd_open": (434, 434)},
    **{"pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "unshare": (272, 97), "setns": (308, 268)},
    **{"mount": (165, 40), "move_mount": (429, 429), "fsopen": (430, 430), "pivot_root": (155, 41)},
    **{"keyctl": (250, 219), "add_key": (248, 217), "bpf": (321, 280), "perf_event_open": (298, 241)},
    **{"io_uring_setup": (425, 425), "userfaultfd": (323, 282), "memfd_create": (319, 279), "seccomp": (317, 277)},
    **{"memfd_secret": (447, 447), "execve": (59, 221), "execveat": (322, 281), "socket": (41, 198)},
    **{"open_by_handle_at": (304, 265), "init_module": (175, 105), "personality": (135, 92), "shmget": (29, 194)},
    **{"mq_open": (240, 180), "inotify_init1": (294, 26), "fanotify_init": (300, 262), "quotactl": (179, 60)},
    **{"unlinkat": (263, 35), "renameat2": (316, 276), "linkat": (265, 37), "fchmodat": (268, 53)},
    **{"truncate": (76, 45), "ftruncate": (77, 46), "fallocate": (285, 47), "setuid": (105, 146)},
    **{"rt_sigqueueinfo": (129, 138), "timer_create": (222, 107), "sched_setaffinity": (203, 122)},
    **{"landlock_restrict_self": (446, 446), "setrlimit": (160, 164), "process_madvise": (440, 440)},
}


def test_system_calls_outside_the_list_are_refused(sandbox: Sandbox) -> None:
    column = 0 if os.uname().machine == "x86_64" else 1
    numbers = [pair[column] for pair in SYSTEM_CALLS.values()]
    source = (
        "import ctypes, errno, numpy as np\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "def attempt(number):\n    ctypes.set_errno(0)\n"
        "    return 0.0 if libc.syscall(number, 0, 0, 0, 0, 0, 0) >= 0 else ctypes.get_errno()\n"
        f"def predict(X):\n    return np.array([attempt(number) for number in {numbers}])\n"
    )
    result = sandbox.predict(source, np.zeros((len(numbers), 1)), [], NO_CONSTANTS, limits=LIMITS)
    assert result.ok, result.error
    assert result.values is not None
    answers = dict(zip(SYSTEM_CALLS, result.values["values"][0], strict=True))
    assert answers == dict.fromkeys(SYSTEM_CALLS, 1.0)  # EPERM
    check_honest(sandbox)


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="x32 system calls exist on x86_64 only")
def test_x32_system_calls_kill(sandbox: Sandbox) -> None:
    source = "import ctypes\ndef predict(X):\n    ctypes.CDLL(None).syscall(0x40000000 | 39)\n    return X[:, 0]\n"
    result = sandbox.predict(source, X, [], NO_CONSTANTS, limits=LIMITS)
    assert (result.status, result.error) == ("crash", "the process was killed by SIGSYS")
    check_honest(sandbox)


EVERY_DESCRIPTOR = (
    "import os\ndef send(data):\n    for fd in range(256):\n        try:\n            os.write(fd, data)\n"
    "        except OSError:\n            pass\n"
)
ENDINGS = {
    "sleep": ("import time\ntime.sleep(100)", {"timeout"}, "real time"),
    "a loop in C": ("sum(range(10 ** 12))", {"timeout"}, "real time"),
    "a huge product": ("np.ones((6000, 6000)) @ np.ones((6000, 6000))\nwhile True: pass", {"timeout"}, "real time"),
    "a loop that catches everything": (
        "import signal\nfor number in range(1, 64):\n    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        {"timeout"},
        "real time",
    ),
    "thread bomb": (
        "import threading, time\nfor _ in range(10 ** 6):\n    threading.Thread(target=time.sleep, args=(9,)).start()",
        {"error", "memory", "timeout"},
        "",
    ),
    "30 GB at once": ("np.ones(30 << 27)", {"memory"}, "memory limit"),
    "30 GB in pieces": ("kept = []\nwhile True: kept.append(np.ones(1 << 20))", {"memory"}, "memory limit"),
    "30 GB shared": ("import mmap\nkept = mmap.mmap(-1, 30 << 30)", {"memory", "error"}, ""),
    "a huge return": ("return np.ones(1 << 25)", {"protocol"}, "expected (20,)"),
    "a broadcast return": ("return np.broadcast_to(1.0, (1 << 40,))", {"protocol"}, "expected (20,)"),
    "a gigabyte of message": ("raise ValueError('x' * 10 ** 9)", {"error", "memory"}, ""),
    "a message that raises": (
        "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E",
        {"error"},
        "cannot be printed",
    ),
    "SystemExit": ("raise SystemExit(0)", {"error"}, "SystemExit"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", {"error"}, "KeyboardInterrupt"),
    "__array__ that raises": (
        "class A:\n    def __array__(self, *a, **k): raise SystemExit\nreturn A()",
        {"error"},
        "SystemExit",
    ),
    "__array__ that lies": (
        "class A(np.ndarray):\n    shape = property(lambda s: (20,))\n    __len__ = lambda s: 20\n"
        "return np.zeros(3).view(A)",
        {"protocol"},
        "expected (20,)",
    ),
    "recursion": ("def f(): return f()\nf()", {"error"}, "RecursionError"),
    "segfault": ("import ctypes\nctypes.string_at(0)", {"crash"}, "SIGSEGV"),
    "abort": ("import os\nos.abort()", {"crash"}, "SIGABRT"),
    "exit without a result": ("import os\nos._exit(0)", {"crash"}, "without a result (exit code 0)"),
    "exit with another code": ("import os\nos._exit(70)", {"crash"}, "exit code 70"),
    "a pickle as result": ("send(b'\\x80\\x04N.')\nos._exit(0)", {"protocol"}, "damaged"),
    "a short result": ("send(b'N' + bytes(8))\nos._exit(0)", {"protocol"}, "has 8 bytes, expected 160"),
    "a result before the result": ("send(b'N' + bytes(160))\nreturn X[:, 0]", {"protocol"}, "bytes, expected 160"),
    "an error that claims infrastructure": (
        'send(b\'E{"kind": "infrastructure", "message": ""}\')\nos._exit(0)',
        {"protocol"},
        "damaged",
    ),
    "an error report of lists": ("send(b'E' + b'[' * 4000)\nos._exit(0)", {"protocol"}, "damaged"),
    "a flood": ("while True: send(bytes(1 << 20))", {"protocol"}, "longer than"),
    "a closed result": ("os.closerange(0, 256)\nreturn X[:, 0]", {"crash"}, "without a result"),
    "no way out": (
        "os._exit = sys.exit = lambda *a: None\nos.write = lambda fd, data: len(data)\nreturn X[:, 0]",
        {"crash", "timeout"},
        "",
    ),
    "endless work in __del__": (
        "class D:\n    def __del__(self):\n        while True: pass\nd = D()\nreturn X[:, 0]",
        {"timeout"},
        "real time",
    ),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_an_ending_is_contained(sandbox: Sandbox, name: str) -> None:
    body, statuses, message = ENDINGS[name]
    source = f"import sys\nimport numpy as np\n{EVERY_DESCRIPTOR}def predict(X):\n{textwrap.indent(body, '    ')}\n"
    began = time.monotonic()
    result = sandbox.predict(source, X, [], NO_CONSTANTS, limits=SHORT if "timeout" in statuses else SMALL)
    assert result.status in statuses, result.error
    assert message in result.error
    assert result.error.isprintable()
    assert 0 < len(result.error) <= 300
    assert time.monotonic() - began < 20.0
    check_honest(sandbox)


@pytest.mark.parametrize("stage", ["import", "fit", "describe"])
def test_every_stage_is_under_the_limits(sandbox: Sandbox, stage: str) -> None:
    loop = "while True: pass"
    if stage == "import":
        result = sandbox.predict(loop, X, [], NO_CONSTANTS, limits=SHORT)
    elif stage == "fit":
        result = sandbox.fit(f"def fit(X, y):\n    {loop}", X, X[:, 0], {}, 0, SHORT)
    else:
        result = sandbox.describe(f"def __getattr__(name):\n    {loop}", SHORT)
    assert (result.status, result.error) == ("timeout", "stopped after 0.5 s of real time")
    check_honest(sandbox)


def test_processor_time_is_limited_apart_from_real_time(sandbox: Sandbox) -> None:
    source = "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass\n"
    result = sandbox.predict(source, X, [], NO_CONSTANTS, limits=Limits(wall_seconds=30.0, cpu_seconds=1))
    assert (result.status, result.error) == ("timeout", "stopped after 1 s of processor time")
    check_honest(sandbox)


def test_a_forged_result_is_its_predictions_and_no_more(sandbox: Sandbox) -> None:
    body = "def predict(X):\n    send(b'N' + np.full(20, 7.0).tobytes())\n    os._exit(0)\n"
    result = sandbox.predict(f"import numpy as np\n{EVERY_DESCRIPTOR}{body}", X, [], NO_CONSTANTS, limits=LIMITS)
    assert result.ok
    assert result.values is not None
    np.testing.assert_array_equal(result.values["values"], np.full((1, 20), 7.0))
    check_honest(sandbox)


@pytest.mark.parametrize(
    "frame",
    [
        "[" * 60000,
        '{"a":' * 10000,
        '{"a": 1e999}',
        '{"a": NaN}',
        '{"a": [1]}',
        '{"a": true}',
        '{"a": 1' + "0" * 400 + "}",
    ],
)
def test_a_forged_fit_is_checked_by_the_host(sandbox: Sandbox, frame: str) -> None:
    source = f"{EVERY_DESCRIPTOR}def fit(X, y):\n    send(b'J{frame}')\n    os._exit(0)\n"
    result = sandbox.fit(source, X, X[:, 0], {}, 0, LIMITS)
    assert (result.status, result.error) == ("protocol", "the result is damaged: no valid JSON object")
    check_honest(sandbox)


HARMLESS_NOISE = {
    "prints 100 MB": "print('x' * 10 ** 8)\nsys.stderr.write('x' * 10 ** 7)\nos.write(1, b'N')",
    "atexit hook": "import atexit\natexit.register(send, b'N')",
    "__del__ hook": "class D:\n    def __del__(self): send(b'N')\nsys.kept = D()",
    "a thread that stays": "import threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start()",
    "warnings": "import warnings\nwarnings.warn('x' * 10 ** 6)",
}


@pytest.mark.parametrize("name", HARMLESS_NOISE)
def test_noise_changes_nothing(sandbox: Sandbox, name: str) -> None:
    body = textwrap.indent(HARMLESS_NOISE[name], "    ")
    source = f"import sys\nimport numpy as np\n{EVERY_DESCRIPTOR}def predict(X):\n{body}\n    return X[:, 0] + 1\n"
    result = sandbox.predict(source, X, [], NO_CONSTANTS, limits=LIMITS)
    assert result.ok, result.error
    assert result.values is not None
    np.testing.assert_array_equal(result.values["values"], [X[:, 0] + 1])
    check_honest(sandbox)


PATCHES = {
    "numpy": "np.hypot = np.add = np.asarray = np.frombuffer = lambda *a, **k: 1 / 0",
    "builtins": "import builtins\nbuiltins.len = builtins.compile = builtins.exec = lambda *a, **k: 1 / 0",
    "json and os": "import json, os\njson.dumps = json.loads = os.fork = os.write = lambda *a, **k: 1 / 0",
    "the worker": (
        "import gc\nfor module in list(sys.modules.values()):\n    if 'worker' in getattr(module, '__name__', ''):\n"
        "        vars(module).clear()"
    ),
    "floating point": "np.seterr(all='raise')",
}


@pytest.mark.parametrize("name", PATCHES)
def test_patches_do_not_outlive_the_call(sandbox: Sandbox, name: str) -> None:
    sandbox.predict(f"import sys\nimport numpy as np\n{PATCHES[name]}\n{HONEST}", X, [], NO_CONSTANTS, limits=LIMITS)
    check_honest(sandbox)


def test_nothing_of_an_earlier_call_is_in_memory(sandbox: Sandbox) -> None:
    """Frames, sys.modules and the garbage collector of the next call know neither source nor targets of this one."""
    target = 12345.678
    first = sandbox.fit(
        "# earlier_law_marker\ndef fit(X, y):\n    return {'a': y[0]}", X, X[:, 0] + target, {}, 0, LIMITS
    )
    assert first.ok
    source = f"""
# present_law_marker
import gc, sys
import numpy as np
def contents():
    todo = list(gc.get_objects()) + [vars(m) for m in list(sys.modules.values()) if hasattr(m, '__dict__')]
    frame = sys._getframe()
    while frame is not None:
        todo += [frame.f_locals, frame.f_globals]
        frame = frame.f_back
    for thing in todo:
        for item in gc.get_referents(thing):
            if type(item) is np.ndarray:
                yield item.tobytes()
            elif isinstance(item, (str, bytes, bytearray)):
                yield item.encode('utf-8', 'replace') if isinstance(item, str) else bytes(item)
def predict(X):
    earlier, number = b'earlier_' + b'law_marker', np.float64({target!r}).tobytes()
    present = b'present_' + b'law_marker'
    found = own = 0
    for data in contents():
        found += any(mark in data and mark != data for mark in (earlier, number))  # not these two variables
        own += present in data
    return np.full(len(X), float(found if own else -1))  # the search must at least find this call's own source
"""
    result = sandbox.predict(source, X, [], NO_CONSTANTS, limits=LIMITS)
    assert not got_through(result)
    check_honest(sandbox)


def test_the_host_survives_a_wave_of_attacks(sandbox: Sandbox) -> None:
    """Descriptors, memory files and processes of the host do not grow with failed calls."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for body in ("import os; os._exit(0)", "import ctypes; ctypes.string_at(0)", "raise ValueError", "x ="):
        for _ in range(5):
            assert not sandbox.describe(body, LIMITS).ok
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
    check_honest(sandbox)
