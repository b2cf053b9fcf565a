"""A law that leaves a message for its next call, or for an accomplice: every kind of memory two processes can share.

Imitates submissions that compute once, with targets in sight, and answer later from what they kept.
"""

from __future__ import annotations

from typing import ClassVar

from attack_kit import LIMITS, NO_CALL, NO_FILE, NOT_ALLOWED, Attack, AttackTests, X, check_honest, run

from scilaws_bench.sandbox import Sandbox

X86 = "os.uname().machine == 'x86_64'"


class TestSharedMemory(AttackTests):
    attacks: ClassVar[dict[str, Attack]] = {
        "POSIX": Attack(
            "import _posixshmem as m\nm.shm_open('/attack', os.O_CREAT | os.O_RDWR, 0o600)\nm.shm_unlink('/attack')\n"
            "return True",
            NO_CALL,
        ),
        "multiprocessing": Attack(
            "from multiprocessing import shared_memory as m\ns = m.SharedMemory(create=True, size=9)\ns.unlink()\n"
            "return True",
            NO_CALL,
            unprotected="the size limit of files holds there too",
        ),
        "System V": Attack("return check(libc.shmget(0, 4096, 0o1600))", NO_CALL, unprotected="would stay"),
        "System V semaphores": Attack("return check(libc.semget(0, 1, 0o1600))", NO_CALL, unprotected="would stay"),
        "System V messages": Attack("return check(libc.msgget(0, 0o1600))", NO_CALL, unprotected="would stay"),
        "POSIX messages": Attack(
            f"return check(libc.syscall(240 if {X86} else 180, b'attack', 0o102, 0o600, 0))",
            NO_CALL,
            unprotected="would stay",
        ),
        "/dev/shm": Attack("return os.listdir('/dev/shm') or True", NO_FILE, NOT_ALLOWED),
        "a named pipe": Attack("os.mkfifo('attack')\nreturn True", NO_CALL),
        "a lock on a file": Attack(
            "import fcntl, numpy\nf = open(numpy.__file__)\nfcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)\nreturn True",
            NO_CALL,
        ),
        "a lease on a file": Attack(
            "import fcntl as f\nfile = open(np.__file__)\nf.fcntl(file, f.F_SETLEASE, f.F_RDLCK)\nreturn True",
            NO_CALL,
            unprotected="not on every file system",
        ),
        "a key in the kernel": Attack(
            f"return check(libc.syscall(248 if {X86} else 217, b'user', b'a', b'b', 1, -3))",
            NO_CALL,
        ),
        "a name of the machine": Attack("import socket\nsocket.sethostname('attack')\nreturn True", NO_CALL,
                                        unprotected="would stay"),
    }  # fmt: skip


KEEP = """
import mmap, os, sys
sys.modules['numpy'].kept = 1
page = mmap.mmap(-1, 4096, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
page.write(b'a message')
def predict(X):
    for name in ('/tmp/kept', 'kept', '/dev/shm/kept'):
        try:
            open(name, 'w').write('a message')
        except OSError:
            pass
    return X[:, 0]
"""
FIND = """
import os, sys
import numpy as np
def predict(X):
    kept = hasattr(np, 'kept') or any(map(os.path.exists, ('/tmp/kept', 'kept', '/dev/shm/kept')))
    return np.full(len(X), float(kept))
"""


def test_nothing_kept_is_found_by_the_next_call(sandbox: Sandbox) -> None:
    assert run(sandbox, KEEP).ok
    result = run(sandbox, FIND)
    assert result.values is not None
    assert set(result.values["values"][0]) == {0.0}
    check_honest(sandbox)


def test_fit_cannot_leave_its_targets_to_predict(sandbox: Sandbox) -> None:
    """The only way from fit to predict is the returned constants."""
    law = "import sys\nimport numpy as np\ndef fit(X, y):\n    np.kept = sys.kept = y\n    return {'a': 0.0}\n"
    law += "def predict(X, a):\n    return X[:, 0] + (getattr(np, 'kept', None) is not None) + hasattr(sys, 'kept')\n"
    assert sandbox.fit(law, X, X[:, 1], {}, 0, LIMITS).ok
    result = sandbox.predict(law, X, ["a"], [[0.0]], limits=LIMITS)  # type: ignore[arg-type]
    assert result.values is not None
    assert (result.values["values"][0] == X[:, 0]).all()
