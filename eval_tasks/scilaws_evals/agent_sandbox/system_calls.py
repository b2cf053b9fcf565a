"""The system call filter of a sample: a deny-list, since arbitrary programs run here; the namespaces are the boundary.

It takes away what namespaces and the keeper's counters do not cover: memory that belongs to no process (System V
segments, memfd), key rings inherited from the host's session, every socket but local ones (vsock would reach the
hypervisor past the network namespace), and kernel interfaces that a data analysis never needs.
"""

from __future__ import annotations

import errno
import struct

from scilaws_bench.sandbox._worker.syscalls import AUDIT_ARCH, X32_SYSCALL_BIT, architecture

_KILL_PROCESS, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16

# name: (x86_64, aarch64), from arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h
DENIED: dict[str, tuple[int | None, int]] = {
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "syslog": (103, 116),
    "personality": (135, 92),
}
_CLONE, _CLONE3 = (56, 220), (435, 435)  # clone3 takes its flags from memory, where a filter can't look
_CLONE_NEW_NAMESPACES = 0x7E020080
_SOCKET_CALLS = ((41, 198), (53, 199))  # socket, socketpair
_AF_UNIX = 1


def build(machine: str | None = None) -> bytes:
    """The filter as classic BPF, 8 bytes an instruction. Raises OSError on an architecture it has no numbers for."""
    machine = machine or architecture()
    column = 0 if machine == "x86_64" else 1
    parts = [
        _instruction(_LOAD, 0, 0, _ARCHITECTURE),
        _instruction(_JUMP_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        _instruction(_RETURN, 0, 0, _KILL_PROCESS),
        _instruction(_LOAD, 0, 0, _NUMBER),
    ]
    if column == 0:
        parts += [_instruction(_JUMP_GREATER_EQUAL, 0, 1, X32_SYSCALL_BIT), _instruction(_RETURN, 0, 0, _KILL_PROCESS)]
    refusals = [(numbers[column], errno.EPERM) for numbers in DENIED.values()]
    for number, error in [*refusals, (_CLONE3[column], errno.ENOSYS)]:
        if number is not None:
            parts += [_instruction(_JUMP_EQUAL, 0, 1, number), _instruction(_RETURN, 0, 0, _ERRNO | error)]
    parts += [_instruction(_JUMP_EQUAL, 0, 4, _CLONE[column]), _instruction(_LOAD, 0, 0, _FIRST_ARGUMENT)]
    parts += [_instruction(_JUMP_SET, 0, 1, _CLONE_NEW_NAMESPACES), _refuse(), _instruction(_RETURN, 0, 0, _ALLOW)]
    for calls in _SOCKET_CALLS:
        parts += [_instruction(_JUMP_EQUAL, 0, 4, calls[column]), _instruction(_LOAD, 0, 0, _FIRST_ARGUMENT)]
        parts += [_instruction(_JUMP_EQUAL, 1, 0, _AF_UNIX), _refuse(), _instruction(_RETURN, 0, 0, _ALLOW)]
    return b"".join([*parts, _instruction(_RETURN, 0, 0, _ALLOW)])


def _refuse() -> bytes:
    return _instruction(_RETURN, 0, 0, _ERRNO | errno.EPERM)


def _instruction(code: int, if_true: int, if_false: int, operand: int) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, operand)
