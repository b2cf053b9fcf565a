"""A law that looks for what its parents left open: gold, sockets, the zygote's control channel, the result pipe.

Imitates harnesses that open the answers before they fork. Also the walk back from a descriptor to its path.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from attack_kit import LIMITS, NO_CALL, SENTINEL, Attack, check_honest, opened, run

from scilaws_bench.sandbox import Sandbox

READ_ALL = """
found = []
for number in range(1024):
    try:
        found.append(os.pread(number, 4096, 0))  # never waits: pipes and sockets have no positions
    except OSError:
        pass
return any(repr(SENTINEL).encode() in data for data in found)
"""


@pytest.fixture(scope="module")
def open_gold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Gold that this process holds open, inheritable, while sandboxes are started."""
    path = tmp_path_factory.mktemp("gold") / "gold"
    path.write_text(f"{SENTINEL!r}\n")
    handle = os.open(path, os.O_RDONLY)
    os.set_inheritable(handle, True)
    yield path
    os.close(handle)


@pytest.fixture(scope="module", params=["full", "kernel"])
def started_after(request: pytest.FixtureRequest, open_gold: Path) -> Iterator[Sandbox]:
    with opened(request.param) as sandbox:
        yield sandbox


def test_open_gold_is_not_inherited(started_after: Sandbox) -> None:
    result = run(started_after, Attack(READ_ALL, "").law({}))
    assert (result.status, result.error.partition(": ")[2]) == ("error", "LookupError: nothing found")
    check_honest(started_after)


def test_the_search_finds_it_where_descriptors_are_inherited(open_gold: Path) -> None:
    """The control for the way there: a child started without care does hold it."""
    code = Attack(READ_ALL, "").law({}) + "print(attempt(None))"
    done = subprocess.run([sys.executable, "-c", code], close_fds=False, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


DESCRIPTORS = """
import os, stat
LAW_CONSTANTS = []
for number in range(4096):
    try:
        kind = os.fstat(number).st_mode
    except OSError:
        continue
    LAW_CONSTANTS.append([number, stat.S_ISCHR(kind), stat.S_ISFIFO(kind), stat.S_ISSOCK(kind)])
"""


def test_all_that_is_open_is_the_null_device_and_the_result(sandbox: Sandbox) -> None:
    result = sandbox.describe(DESCRIPTORS, LIMITS)
    assert result.values is not None
    entries = result.values["law_constants"]
    assert [entry[0] for entry in entries[:3]] == [0, 1, 2]
    assert all(is_character for _, is_character, _, _ in entries[:3])
    assert [entry[1:] for entry in entries[3:]] == [[False, True, False]]  # one pipe, no socket to the zygote
    check_honest(sandbox)


MISUSE = {
    "read it back": ("os.read(pipe, 10)", "[Errno 9]"),
    "a larger pipe": ("import fcntl; fcntl.fcntl(pipe, 1031, 1 << 20)", "[Errno 1]"),
    "send signals with it": ("import fcntl; fcntl.fcntl(pipe, 8, os.getppid())", "[Errno 1]"),
    "make it non-blocking": ("os.set_blocking(pipe, False)", "[Errno 1]"),
    "pass it on": ("import socket; socket.socketpair()", "[Errno 1]"),
}
WITH_THE_PIPE = """
import os, stat
def is_pipe(number):
    try:
        return stat.S_ISFIFO(os.fstat(number).st_mode)
    except OSError:
        return False
def predict(X):
    pipe = next(number for number in range(3, 256) if is_pipe(number))
    {code}
    return X[:, 0]
"""


@pytest.mark.parametrize("name", MISUSE)
def test_the_result_pipe_only_takes_results(sandbox: Sandbox, name: str) -> None:
    code, message = MISUSE[name]
    result = run(sandbox, WITH_THE_PIPE.format(code=code))
    assert result.status == "error"
    assert message in result.error
    check_honest(sandbox)


def test_the_other_end_of_the_result_pipe(sandbox: Sandbox) -> None:
    """Landlock has no say over pipes, so at kernel /proc gives a law the reading end of its own pipe: it can read what
    it wrote itself, nothing else. At full there is no /proc."""
    result = run(sandbox, WITH_THE_PIPE.format(code="open(f'/proc/self/fd/{pipe}', 'rb').close()"))
    assert (result.status == "ok") == (sandbox.level == "kernel")
    assert "FileNotFoundError" in result.error or result.ok
    parent = run(sandbox, "import os\ndef predict(X):\n    return os.listdir(f'/proc/{os.getppid()}/fd')")
    assert parent.status == "error"
    assert "PermissionError" in parent.error or "FileNotFoundError" in parent.error
    check_honest(sandbox)


def test_no_terminal_can_be_typed_on(sandbox: Sandbox) -> None:
    """TIOCSTI: characters pushed into the terminal of the person who scores."""
    attack = Attack("import fcntl\nreturn all(fcntl.ioctl(n, 0x5412, b'x') for n in range(3))", NO_CALL)
    result = run(sandbox, attack.law({}))
    assert result.status == "error"
    assert "[Errno 1]" in result.error
    check_honest(sandbox)
