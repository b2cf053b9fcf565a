"""Stand-in for a machine that lacks a layer: `lacking_machine.py RULES CODE` runs Python code under a filter.

RULES is JSON, [[system call, errno, argument or null, value, mask], ...]: these calls answer errno, 0 being a lie that
all went well. The filter is inherited by everything the code starts, as a kernel's or a container's refusal would be.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys

NUMBERS = {  # x86_64, aarch64
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
    "prctl": (157, 167),
    "seccomp": (317, 277),
    "clone": (56, 220),
    "clone3": (435, 435),
    "unshare": (272, 97),
}
LOAD, AND, JUMP_EQUAL, RETURN = 0x20, 0x54, 0x15, 0x06
ERRNO, ALLOW = 0x00050000, 0x7FFF0000


def instruction(code: int, if_false: int, operand: int) -> bytes:
    return struct.pack("<HBBI", code, 0, if_false, operand)


def rule(name: str, errno: int, argument: int | None, value: int, mask: int) -> bytes:
    number = NUMBERS[name][0 if os.uname().machine == "x86_64" else 1]
    checks = b""
    if argument is not None:
        checks = instruction(LOAD, 0, 16 + 8 * argument) + instruction(AND, 0, mask) + instruction(JUMP_EQUAL, 1, value)
    body = checks + instruction(RETURN, 0, ERRNO | errno)
    return instruction(LOAD, 0, 0) + instruction(JUMP_EQUAL, len(body) // 8, number) + body


def main() -> None:
    rules, code = json.loads(sys.argv[1]), sys.argv[2]
    if rules:
        program = b"".join(rule(*entry) for entry in rules) + instruction(RETURN, 0, ALLOW)
        buffer = ctypes.create_string_buffer(program, len(program))
        header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, header, 0, 0):
            raise OSError(ctypes.get_errno(), "no filter")
    exec(code, {"__name__": "__main__"})


if __name__ == "__main__":
    main()
