"""A law that wants the machine: processes, threads, memory, disk, output, processor time, time.

Imitates the submissions that hung or killed public judging servers. Each is stopped by the limit meant for it, within
a known time, and costs the next submission nothing.
"""

from __future__ import annotations

import os
import shutil
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from attack_kit import check_honest, run

from scilaws_bench.sandbox import Limits, Sandbox

LIMITS = Limits(wall_seconds=15.0, memory_bytes=640 << 20)
SHORT = Limits(wall_seconds=0.5, memory_bytes=1 << 30)
REAL_TIME = "stopped after 0.5 s of real time"
MEMORY = "the memory limit was reached"


@dataclass(frozen=True)
class Bomb:
    body: str
    status: str
    error: str


BOMBS = {
    "a fork bomb": Bomb("while True: os.fork()", "error", "[Errno 1]"),
    "a fork bomb that does not give up": Bomb(
        "while True:\n    try: os.fork()\n    except OSError: pass", "timeout", REAL_TIME
    ),
    "fork through C": Bomb("while ctypes.CDLL(None).fork() == -1: pass", "timeout", REAL_TIME),
    "30 GB": Bomb("np.ones(30 << 27)", "memory", MEMORY),
    "30 GB in pieces": Bomb("kept = []\nwhile True: kept.append(bytearray(1 << 24))", "memory", MEMORY),
    "30 GB by C": Bomb(
        "libc = ctypes.CDLL(None)\nlibc.malloc.restype = ctypes.c_void_p\n"
        "if not libc.malloc(ctypes.c_size_t(30 << 30)): raise MemoryError",
        "memory",
        MEMORY,
    ),
    "30 GB reserved": Bomb("import mmap\nmmap.mmap(-1, 30 << 30)", "error", "[Errno 12]"),
    "30 GB shared": Bomb("import mmap\nmmap.mmap(-1, 30 << 30, flags=mmap.MAP_SHARED)", "error", "[Errno 12]"),
    "a billion laughs": Bomb("text = 'ha'\nwhile True: text += text", "memory", MEMORY),
    "a huge integer": Bomb("10 ** 10 ** 9", "timeout", REAL_TIME),
    "a zip bomb": Bomb(
        "import zlib\npacked = zlib.compress(bytes(1 << 24), 9)\nkept = []\n"
        "while True: kept.append(zlib.decompress(packed))",
        "memory",
        MEMORY,
    ),
    "an array that claims": Bomb("return np.broadcast_to(1.0, (1 << 40,))", "protocol", "expected (20,)"),
    "a list that never ends": Bomb("import itertools\nreturn list(itertools.repeat(1.0))", "memory", MEMORY),
    "a loop in Python": Bomb("while True: pass", "timeout", REAL_TIME),
    "a loop in C": Bomb("sum(range(10 ** 12))", "timeout", REAL_TIME),
    "a loop in a regular expression": Bomb("import re\nre.match('(a+)+$', 'a' * 64 + 'b')", "timeout", REAL_TIME),
    "a loop in LAPACK": Bomb("np.linalg.svd(np.ones((2000, 2000)))", "timeout", REAL_TIME),
    "a loop in the sorting of objects": Bomb(
        "class A:\n    def __lt__(s, o):\n        while True: pass\nsorted([A(), A()])", "timeout", REAL_TIME
    ),
    "a loop that catches all": Bomb(
        "import signal\nfor number in range(1, 64):\n    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nwhile True:\n    try:\n        while True: pass\n"
        "    except BaseException: pass",
        "timeout",
        REAL_TIME,
    ),
    "sleep": Bomb("import time\ntime.sleep(1000)", "timeout", REAL_TIME),
    "a lock nobody opens": Bomb(
        "import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()", "timeout", REAL_TIME
    ),
    "stopping itself": Bomb("import signal\nsignal.raise_signal(signal.SIGSTOP)", "timeout", REAL_TIME),
    "waiting for input": Bomb("import select\nselect.select([], [], [])", "timeout", REAL_TIME),
    "compiling for ever": Bomb("eval('+'.join(['(' * 90 + '1' + ')' * 90] * 10 ** 5))", "timeout", REAL_TIME),
    "a disk bomb": Bomb("open('bomb', 'wb').write(bytes(1 << 30))", "error", "[Errno 1]"),
    "a temporary disk bomb": Bomb(
        "import tempfile\ntempfile.NamedTemporaryFile(dir='/tmp').write(bytes(1 << 30))", "error", "[Errno 1]"
    ),
    "deep recursion": Bomb("f = lambda: f()\nf()", "error", "RecursionError"),
    "deep recursion in C": Bomb(
        "import sys\nsys.setrecursionlimit(10 ** 9)\na = []\nfor _ in range(10 ** 6): a = [a]\nrepr(a)",
        "crash",
        "SIGSEGV",
    ),
    "many open files": Bomb("kept = [os.dup(1) for _ in range(10 ** 5)]", "error", "[Errno 24]"),
    "a flood of results": Bomb(
        "while True:\n    for n in range(256):\n        try: os.write(n, bytes(1 << 20))\n        except OSError: pass",
        "protocol",
        "the result is longer than",
    ),
    "a core dump": Bomb("os.abort()", "crash", "SIGABRT"),
    "work left to __del__": Bomb(
        "class D:\n    def __del__(self):\n        while True: pass\nD()\nreturn X[:, 0]", "timeout", REAL_TIME
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_stopped_by_the_limit_meant_for_it(sandbox: Sandbox, name: str) -> None:
    bomb = BOMBS[name]
    body = textwrap.indent(bomb.body, "    ")
    source = f"import ctypes, os\nimport numpy as np\ndef predict(X):\n{body}\n"
    began = time.monotonic()
    result = run(sandbox, source, SHORT if bomb.status == "timeout" else LIMITS)
    assert (result.status, result.values) == (bomb.status, None), result.error
    assert bomb.error in result.error
    assert time.monotonic() - began < 15.0
    check_honest(sandbox)


def test_a_small_part_of_each_bomb_works_unprotected(unprotected: Sandbox) -> None:
    """The control: what is asked for is nothing impossible."""
    source = (
        "import os, time\nimport numpy as np\ndef predict(X):\n    child = os.fork()\n    if not child: os._exit(0)\n"
    )
    source += (
        "    os.waitpid(child, 0)\n    time.sleep(0.1)\n    np.linalg.svd(np.ones((50, 50)))\n    return X[:, 0]\n"
    )
    assert run(unprotected, source).ok


THREADS = """
import threading, time
import numpy as np
def predict(X):
    threading.stack_size({stack})
    count = 0
    try:
        for count in range({most}):
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    except RuntimeError:
        pass
    return np.full(len(X), float(count))
"""


def test_a_thread_bomb_ends_at_the_memory_limit(sandbox: Sandbox) -> None:
    """Threads of the usual 8 MiB of stack: address space for a hundred of them."""
    result = run(sandbox, THREADS.format(stack=8 << 20, most=10**5), LIMITS)
    assert result.values is not None, result.error
    assert result.values["values"][0][0] < 200
    check_honest(sandbox)


def test_threads_with_small_stacks_are_counted_where_the_kernel_counts(sandbox: Sandbox) -> None:
    """At full, for every user but root. Elsewhere nothing counts them (docs/security.md): boards need pids.max."""
    result = run(sandbox, THREADS.format(stack=32 << 10, most=1000))
    assert result.values is not None, result.error
    counted = sandbox.level == "full" and os.getuid() != 0
    assert (result.values["values"][0][0] < 600) == counted
    check_honest(sandbox)


def test_a_bomb_leaves_no_process_and_no_file(sandbox: Sandbox) -> None:
    """After all of that: no process of this user runs a law, and the temporary folder has not filled up."""
    free = shutil.disk_usage("/tmp").free
    for name in ("a disk bomb", "a temporary disk bomb", "a flood of results", "stopping itself"):
        body = textwrap.indent(BOMBS[name].body, "    ")
        run(sandbox, f"import ctypes, os\nimport numpy as np\ndef predict(X):\n{body}\n", SHORT)
    assert not list(Path(sandbox_folder(sandbox)).iterdir())
    assert shutil.disk_usage("/tmp").free > free - (1 << 29)
    check_honest(sandbox)


def sandbox_folder(sandbox: Sandbox) -> str:
    zygote = sandbox._slots.queue[-1]
    assert zygote is not None
    return zygote._folder.name


def test_processor_time_of_all_threads_counts(sandbox: Sandbox) -> None:
    source = "import hashlib, threading\ndef burn():\n    while True: hashlib.sha256(bytes(1 << 20))\n"
    source += "for _ in range(4): threading.Thread(target=burn, daemon=True).start()\nburn()\n"
    result = run(sandbox, source, Limits(wall_seconds=30.0, cpu_seconds=1))
    assert (result.status, result.error) == ("timeout", "stopped after 1 s of processor time")
    check_honest(sandbox)
