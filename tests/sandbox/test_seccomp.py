"""The filter of both architectures, run by a small BPF interpreter, and its table against the kernel's headers."""

from __future__ import annotations

import errno
import os
import re
import struct
from pathlib import Path

import pytest

from scilaws_bench.sandbox._worker import seccomp, syscalls

PROCESS = 4242
ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.EPERM
ABSENT = 0x00050000 | errno.ENOSYS
KILL = 0x80000000
MACHINES = sorted(syscalls.AUDIT_ARCH)


def run(code: bytes, arch: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """Verdict of a classic BPF program on struct seccomp_data, as the kernel would find it."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<IIQ6Q", number, arch, 0, *padded)
    accumulator, position = 0, 0
    while True:
        operation, if_true, if_false, operand = struct.unpack_from("<HBBI", code, 8 * position)
        position += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, operand)
        elif operation == 0x54:
            accumulator &= operand
        elif operation == 0x15:
            position += if_true if accumulator == operand else if_false
        elif operation == 0x35:
            position += if_true if accumulator >= operand else if_false
        else:
            assert operation == 0x06
            return int(operand)


def verdict(machine: str, name: str, *arguments: int) -> int | None:
    number = syscalls.number(name, machine)
    if number is None:
        return None
    return run(seccomp.build(machine, PROCESS), syscalls.AUDIT_ARCH[machine], number, arguments)


@pytest.mark.parametrize("machine", MACHINES)
class TestFilter:
    def test_every_unconditional_call_is_allowed(self, machine: str) -> None:
        assert {verdict(machine, name) for name in seccomp.ALWAYS} <= {ALLOW, None}

    def test_everything_that_no_rule_names_is_refused(self, machine: str) -> None:
        named = {syscalls.number(name, machine) for name in syscalls._TABLE}
        code = seccomp.build(machine, PROCESS)
        verdicts = {run(code, syscalls.AUDIT_ARCH[machine], number) for number in range(600) if number not in named}
        assert verdicts == {REFUSE}

    def test_libc_is_told_to_fall_back(self, machine: str) -> None:
        assert {verdict(machine, name) for name in seccomp.ABSENT} == {ABSENT}

    @pytest.mark.parametrize("name", ["landlock_create_ruleset", "landlock_restrict_self", "capset"])
    def test_calls_of_the_lock_down_itself_are_refused(self, machine: str, name: str) -> None:
        assert verdict(machine, name) == REFUSE

    @pytest.mark.parametrize(
        ("name", "arguments", "expected"),
        [
            ("openat", (0, 0, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY), ALLOW),
            ("openat", (0, 0, os.O_WRONLY), REFUSE),
            ("openat", (0, 0, os.O_RDWR), REFUSE),
            ("openat", (0, 0, os.O_CREAT), REFUSE),
            ("openat", (0, 0, os.O_TRUNC), REFUSE),
            ("openat", (0, 0, os.O_TMPFILE), REFUSE),
            ("openat", (0, 0, 3), REFUSE),
            ("open", (0, os.O_RDONLY), ALLOW),
            ("open", (0, os.O_WRONLY), REFUSE),
            ("clone", (0x3D0F00,), ALLOW),  # what pthread_create asks for
            ("clone", (0x11,), REFUSE),  # fork
            ("clone", (0x4111,), REFUSE),  # vfork
            ("clone", (0x10000 | 0x10000000,), REFUSE),  # a thread in a new user namespace
            ("tgkill", (PROCESS, 7, 6), ALLOW),
            ("tgkill", (1, 1, 9), REFUSE),
            ("prlimit64", (0, 9, 0, 99), ALLOW),
            ("prlimit64", (0, 9, 99, 0), REFUSE),
            ("prlimit64", (0, 9, 1 << 32, 0), REFUSE),  # a pointer whose low half is zero
            ("prlimit64", (1, 9, 0, 99), REFUSE),
            ("prctl", (15,), ALLOW),
            ("prctl", (4, 1), REFUSE),
            ("prctl", (22, 2), REFUSE),
            ("fcntl", (1, 1030), ALLOW),
            ("fcntl", (1, 8, 1), REFUSE),  # F_SETOWN: signals to others
            ("ioctl", (0, 0x5401), ALLOW),
            ("ioctl", (0, 0x5412), REFUSE),  # TIOCSTI: type on the terminal
        ],
    )
    def test_conditions(self, machine: str, name: str, arguments: tuple[int, ...], expected: int) -> None:
        found = verdict(machine, name, *arguments)
        assert found in (expected, None)
        assert found is not None or machine == "aarch64"

    def test_other_abis_are_killed(self, machine: str) -> None:
        code = seccomp.build(machine, PROCESS)
        others = [0x40000003, *(arch for name, arch in syscalls.AUDIT_ARCH.items() if name != machine)]
        assert {run(code, arch, 0) for arch in others} == {KILL}
        if machine == "x86_64":
            assert run(code, syscalls.AUDIT_ARCH[machine], 0x40000000) == KILL

    def test_the_program_is_short_enough(self, machine: str) -> None:
        assert len(seccomp.build(machine, PROCESS)) // 8 < 4096  # BPF_MAXINSNS


HEADERS = {
    "x86_64": ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"),
    "aarch64": ("/usr/include/asm-generic/unistd.h",),
}


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_the_kernels(machine: str) -> None:
    header = next((Path(name) for name in HEADERS[machine] if Path(name).exists()), None)
    if header is None:
        pytest.skip(f"no kernel header for {machine} here: {' '.join(HEADERS[machine])}")
    text = header.read_text().replace("__NR3264_", "__NR_")
    known = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+)\s+(\d+)", text)}
    known["newfstatat"] = known.get("newfstatat", known.get("fstatat", -1))
    ours = {name: syscalls.number(name, machine) for name in syscalls._TABLE}
    wrong = {name: number for name, number in ours.items() if number is not None and known.get(name, number) != number}
    assert not wrong
    assert sum(name in known for name in ours) > 40
    assert not [name for name, number in ours.items() if number is None and name in known]


def test_the_table_has_no_number_twice() -> None:
    for machine in MACHINES:
        numbers = [n for n in (syscalls.number(name, machine) for name in syscalls._TABLE) if n is not None]
        assert len(numbers) == len(set(numbers))


def test_an_unknown_architecture_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(OSError, match="riscv64"):
        syscalls.architecture()
