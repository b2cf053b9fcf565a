"""A law that leaves Python: ctypes, system calls by number, machine code of its own, libraries, shells, sockets.

Imitates the 11 of 20 probes that walked through an import allow-list (numpy.ctypeslib, numpy.f2py.os, os.popen).
"""

from __future__ import annotations

import os
import re
from typing import ClassVar

import numpy as np
import pytest
from attack_kit import LIMITS, NO_CALL, NO_FILE, NOT_ALLOWED, Attack, AttackTests, check_honest, run

from scilaws_bench.sandbox import Sandbox
from scilaws_bench.sandbox._worker import syscalls


class TestProcesses(AttackTests):
    attacks: ClassVar[dict[str, Attack]] = {
        "fork": Attack("child = os.fork()\nif not child:\n    os._exit(0)\nreturn child", NO_CALL),
        "fork through C": Attack("child = libc.fork()\nif not child:\n    os._exit(0)\nreturn check(child)", NO_CALL),
        "exec": Attack("os.execv('/bin/true', ['true'])", NO_CALL, unprotected="replaces the law"),
        "os.system": Attack("return os.system('true') == 0 or check(-1)", r"\[Errno \d+\]|LookupError"),
        "os.popen": Attack("return os.popen('echo yes').read() == 'yes\\n'", NO_CALL),
        "numpy.f2py.os": Attack("from numpy.f2py import os as own\nreturn own.popen('echo yes').read()", NO_CALL),
        "subprocess": Attack("import subprocess\nreturn subprocess.run(['/bin/true']).returncode == 0", NO_CALL),
        "posix_spawn": Attack("return os.posix_spawn('/bin/true', ['true'], {})", NO_CALL),
        "multiprocessing": Attack(
            "import multiprocessing as m\nc = m.get_context('fork').Process(target=int)\nc.start()\nreturn True",
            NO_CALL,
        ),
        "a process pool": Attack(
            "from concurrent.futures import ProcessPoolExecutor as P\nreturn P(1).submit(int, 1).result() == 1",
            rf"{NO_CALL}|{NO_FILE}|{NOT_ALLOWED}|NotImplementedError",
            unprotected="multiprocessing's locks need /dev/shm",
        ),
        "a terminal": Attack(
            "import pty\nreturn pty.openpty()", rf"{NO_CALL}|{NO_FILE}|{NOT_ALLOWED}|out of pty devices"
        ),
        "LD_PRELOAD and exec": Attack(
            "os.environ['LD_PRELOAD'] = 'FOLDER/gold.py'\nimport subprocess\n"
            "return subprocess.run(['/bin/true'], stderr=-3).returncode == 0",
            NO_CALL,
        ),
        "the C compiler": Attack(
            "import subprocess\nreturn subprocess.run(['cc', '--version'], env={'PATH': '/usr/bin'}, stdout=-3)",
            NO_CALL,
        ),
    }


class TestNetwork(AttackTests):
    attacks: ClassVar[dict[str, Attack]] = {
        "connect": Attack("import socket\nreturn socket.create_connection(('127.0.0.1', PORT), 2)", NO_CALL),
        "a Unix socket": Attack("import socket\nreturn socket.socketpair()", NO_CALL),
        "an abstract socket": Attack(
            "import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('\\0attack')\nreturn True", NO_CALL
        ),
        "netlink": Attack("import socket\nreturn socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", NO_CALL),
        "a raw packet": Attack(
            "import socket\nreturn socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)", NO_CALL, unprotected="needs root"
        ),
        "urllib": Attack(
            "import urllib.request as u\nreturn u.urlopen('http://127.0.0.1:PORT', timeout=1)",
            r"URLError: <urlopen error \[Errno 1\]",
            unprotected="the listener does not speak HTTP",
        ),
        "pandas from an address": Attack(
            "import pandas\nreturn pandas.read_csv('http://127.0.0.1:PORT/x')",
            r"URLError: <urlopen error \[Errno 1\]",
            unprotected="as above",
        ),
        "a name": Attack("import socket\nreturn socket.getaddrinfo('localhost', 80)", "gaierror|Errno"),
        "asyncio": Attack("import asyncio\nreturn asyncio.new_event_loop()", NO_CALL),
    }


class TestKernel(AttackTests):
    attacks: ClassVar[dict[str, Attack]] = {
        "a namespace": Attack("return check(libc.unshare(0x10000000))", NO_CALL, unprotected="needs rights"),
        "another root": Attack("os.chroot('/')\nreturn True", NO_CALL, unprotected="needs root"),
        "mount": Attack(
            "return check(libc.mount(b'none', b'/tmp', b'tmpfs', 0, 0))", NO_CALL, unprotected="needs root"
        ),
        "another user": Attack("os.setresuid(0, 0, 0)\nreturn True", NO_CALL, unprotected="needs root"),
        "a keyring": Attack(
            "return check(libc.syscall(250 if os.uname().machine == 'x86_64' else 219, 0, -3, 1))", NO_CALL
        ),
        "a file in memory": Attack("return os.memfd_create('x') + 1", NO_CALL),
        "an io_uring": Attack(
            "return check(libc.syscall(425, 8, ctypes.create_string_buffer(256)))",
            NO_CALL,
            unprotected="often switched off",
        ),
        "a BPF program": Attack("return check(libc.syscall(321, 0, 0, 0))", NO_CALL, unprotected="needs rights"),
        "a pipe": Attack("return os.pipe()", NO_CALL),
        "an eventfd": Attack("return os.eventfd(0) + 1", NO_CALL),
        "an epoll": Attack("import select\nreturn select.epoll().fileno() + 1", NO_CALL),
        "a watch on files": Attack("return check(libc.inotify_init())", NO_CALL),
        "higher limits": Attack(
            "import resource as r\nr.setrlimit(r.RLIMIT_AS, (-1, -1))\nreturn True",
            "not allowed to raise maximum limit",  # Python's words for EPERM
            unprotected="needs root",
        ),
        "another filter": Attack("return check(libc.prctl(22, 1, 0, 0, 0))", NO_CALL, unprotected="kills the law"),
        "leave the filter": Attack("return check(libc.prctl(22, 0, 0, 0, 0))", NO_CALL, unprotected="no filter there"),
        "another personality": Attack("return check(libc.personality(0x0040000))", NO_CALL),
    }


# Linux >= 6.11 lets uretprobe and uprobe pass every filter: only the kernel's own trampolines can make use of them.
BEFORE_THE_FILTER = {335, 336} if os.uname().machine == "x86_64" else set()


def test_no_system_call_outside_the_table_is_let_through(sandbox: Sandbox) -> None:
    """All numbers the kernel could know, called for real: the running kernel, not a model of the filter, answers."""
    machine = syscalls.architecture()
    allowed = BEFORE_THE_FILTER | {syscalls.number(name, machine) for name in syscalls._TABLE}
    numbers = [number for number in range(600) if number not in allowed]
    source = (
        "import ctypes, numpy as np\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "def attempt(number):\n    ctypes.set_errno(0)\n"
        "    return 0.0 if libc.syscall(number, -1, -1, -1, -1, -1, -1) >= 0 else ctypes.get_errno()\n"
        f"def predict(X):\n    return np.array([attempt(number) for number in {numbers}])\n"
    )
    result = sandbox.predict(source, np.zeros((len(numbers), 1)), [], np.empty((1, 0)), limits=LIMITS)
    assert result.ok, result.error
    assert result.values is not None
    answers = dict(zip(numbers, result.values["values"][0], strict=True))
    assert set(answers.values()) == {1.0}, {number: answer for number, answer in answers.items() if answer != 1.0}
    check_honest(sandbox)


@pytest.mark.parametrize("number", sorted(BEFORE_THE_FILTER))
def test_calls_that_no_filter_sees_kill(sandbox: Sandbox, number: int) -> None:
    result = run(
        sandbox, f"import ctypes\nif ctypes.CDLL(None).syscall({number}) == -1:\n    raise OSError('no such call')"
    )
    assert result.status in ("crash", "error")
    assert re.search(r"SIGILL|SIGSEGV|no such call", result.error)
    check_honest(sandbox)


MACHINE_CODE = """
import ctypes, mmap
import numpy as np
CODE = bytes.fromhex('{code}')
def predict(X):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(CODE)
    call = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    return np.full(len(X), float(call()))
"""
ANSWER_41 = "b829000000c3"  # mov eax, 41; ret
FORK_BY_HAND = "b8390000000f05c3"  # mov eax, 57; syscall; ret
OLD_ABI = "b814000000cd80c3"  # mov eax, 20 (getpid of i386); int 0x80; ret


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="machine code of x86_64")
class TestMachineCode:
    def test_it_runs_at_all(self, sandbox: Sandbox) -> None:
        """Native code is no boundary and none is claimed: the filter judges the calls it makes."""
        result = run(sandbox, MACHINE_CODE.format(code=ANSWER_41))
        assert result.values is not None
        assert set(result.values["values"][0]) == {41.0}

    def test_its_system_calls_are_filtered(self, sandbox: Sandbox) -> None:
        result = run(sandbox, MACHINE_CODE.format(code=FORK_BY_HAND))
        assert result.values is not None
        assert set(result.values["values"][0]) == {-1.0}  # -EPERM
        check_honest(sandbox)

    def test_the_32_bit_door_kills(self, sandbox: Sandbox) -> None:
        """The numbers of int 0x80 mean other calls: a filter that forgot the architecture would let them through."""
        result = run(sandbox, MACHINE_CODE.format(code=OLD_ABI))
        assert (result.status, result.error) == ("crash", "the process was killed by SIGSYS")
        check_honest(sandbox)

    def test_the_32_bit_door_is_open_unprotected(self, unprotected: Sandbox) -> None:
        result = run(unprotected, MACHINE_CODE.format(code=OLD_ABI))
        if result.status == "crash":
            pytest.skip(f"this kernel has no 32-bit system calls: {result.error}")
        assert result.values is not None
        assert result.values["values"][0][0] > 1  # the process's number
