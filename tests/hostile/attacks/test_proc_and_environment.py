"""A law after API keys and other processes: /proc, the environment block, the memory and the descriptors of others.

Imitates public breaks of evaluation harnesses that left OPENAI_API_KEY or the answers in the environment of a parent
process, and bubblewrap's own leak through /proc/1/environ.
"""

from __future__ import annotations

import re
from typing import ClassVar

from attack_kit import NO_CALL, NO_FILE, NOT_ALLOWED, NOTHING, Attack, AttackTests, run

from scilaws_bench.sandbox import Sandbox

SEARCH_ENVIRONMENTS = """
for path in ['/proc/self/environ', *glob.glob('/proc/[0-9]*/environ'), *(f'/proc/{n}/environ' for n in range(99))]:
    try:
        if SECRET.encode() in open(path, 'rb').read():
            return True
    except OSError:
        pass
"""
SEARCH_BLOCK = """
strings = (ctypes.c_char_p * 4096).in_dll(libc, 'environ')
block = ctypes.cast(ctypes.c_void_p.in_dll(libc, 'environ'), ctypes.POINTER(ctypes.c_char_p))
index = 0
while block[index] is not None:
    if {wanted} in block[index]:
        return True
    index += 1
"""


def process(path: str) -> Attack:
    """An attack on a file of another process: no /proc at full, refused by Landlock at kernel."""
    return Attack(f"return open('/proc/OTHER_PID/{path}', 'rb').read(4096)", NO_FILE, NOT_ALLOWED)


class TestEnvironment(AttackTests):
    attacks: ClassVar[dict[str, Attack]] = {
        "every environment in /proc": Attack(SEARCH_ENVIRONMENTS, NOTHING),
        "os.environ": Attack("return SECRET in str(os.environ)", NOTHING, unprotected="clean at level none too"),
        "the environment block": Attack(
            SEARCH_BLOCK.format(wanted="SECRET.encode()"), NOTHING, unprotected="clean at level none too"
        ),
        "a variable by its name": Attack(
            "return os.environ['SCILAWS_TEST_API_KEY']",
            "KeyError: 'SCILAWS_TEST_API_KEY'",
            unprotected="clean there too",
        ),
        "who started this": Attack(
            "return os.environ.get('USER') or os.environ.get('LOGNAME')", NOTHING, unprotected="clean"
        ),
    }


class TestOtherProcesses(AttackTests):
    attacks: ClassVar[dict[str, Attack]] = {
        "its environment": process("environ"),
        "its command line": process("cmdline"),
        "its maps": process("maps"),
        "its status": process("status"),
        "its files": Attack("return os.listdir('/proc/OTHER_PID/fd')", NO_FILE, NOT_ALLOWED),
        "its working folder": Attack("return os.readlink('/proc/OTHER_PID/cwd')", NO_FILE, NOT_ALLOWED),
        "its program": Attack("return os.readlink('/proc/OTHER_PID/exe')", NO_FILE, NOT_ALLOWED),
        "the memory of the zygote": Attack(
            "return open(f'/proc/{os.getppid()}/mem', 'rb')", NO_FILE, NOT_ALLOWED, unprotected="needs ptrace rights"
        ),
        "its own memory as a file": Attack("return open('/proc/self/mem', 'rb')", NO_FILE, NOT_ALLOWED),
        "its own maps": Attack("return open('/proc/self/maps').read()", NO_FILE, NOT_ALLOWED),
        "the list of processes": Attack("return os.listdir('/proc')", NO_FILE, NOT_ALLOWED),
        "read its memory by call": Attack(
            "import struct\nhere = ctypes.create_string_buffer(8)\n"
            "one = struct.pack('QQ', ctypes.addressof(here), 8)\n"
            "return check(libc.process_vm_readv(HOST_PID, one, 1, one, 1, 0))",
            NO_CALL,
            unprotected="reads an address of the test's own process",
        ),
        "trace it": Attack("return check(libc.ptrace(16, OTHER_PID, 0, 0))", NO_CALL, unprotected="stops the process"),
        "be traced": Attack("return check(libc.ptrace(0, 0, 0, 0))", NO_CALL),
        "become dumpable": Attack("return check(libc.prctl(4, 1, 0, 0, 0))", NO_CALL),
        "open it (pidfd)": Attack("return os.pidfd_open(OTHER_PID)", NO_CALL),
        "signal it": Attack("os.kill(OTHER_PID, 0)\nreturn True", NO_CALL),
        "signal the evaluator": Attack("os.kill(HOST_PID, 0)\nreturn True", NO_CALL),
        "kill the zygote": Attack("os.kill(os.getppid(), 9)\nreturn True", NO_CALL, unprotected="ends the sandbox"),
        "kill everything": Attack("os.kill(-1, 9)\nreturn True", NO_CALL, unprotected="ends everything"),
        "stop the process group": Attack("os.killpg(0, 19)\nreturn True", NO_CALL, unprotected="stops the tests"),
        "its priority": Attack("return os.getpriority(0, OTHER_PID) + 1", NO_CALL),
        "its limits": Attack("import resource\nreturn resource.prlimit(OTHER_PID, resource.RLIMIT_CPU)", NO_CALL),
        "its robust futexes": Attack(
            "a, b = ctypes.c_void_p(), ctypes.c_size_t()\n"
            "return check(libc.syscall(NUMBER, OTHER_PID, ctypes.byref(a), ctypes.byref(b)))".replace(
                "NUMBER", "274 if os.uname().machine == 'x86_64' else 100"
            ),
            r"\[Errno (1|3|13)\]",
        ),
        "its scheduling": Attack("os.sched_setaffinity(OTHER_PID, {0})\nreturn True", NO_CALL, unprotected="moves it"),
    }


def test_the_environment_block_can_be_searched(sandbox: Sandbox) -> None:
    """Positive control of the search itself: what the zygote does have in its environment is found."""
    attack = Attack(SEARCH_BLOCK.format(wanted="b'PYTHONHASHSEED=0'"), "")
    assert run(sandbox, attack.law({})).ok


def test_what_a_law_can_learn_about_its_host(sandbox: Sandbox) -> None:
    """At full neither name, user nor process numbers; at kernel these three are visible (docs/security.md)."""
    result = sandbox.describe(
        "import os\nLAW_CONSTANTS = [os.uname().nodename, os.getuid(), os.getpid(), os.getppid()]"
    )
    assert result.values is not None
    name, user, own, parent = result.values["law_constants"]
    if sandbox.level == "full":
        assert (name, user, parent) == ("sandbox", 65534, 1)
        assert own < 100_000
    else:
        assert re.fullmatch(r"\S+", name)
        assert parent > 1
