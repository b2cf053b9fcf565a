"""Which programs of this machine a sample sees, and the shared libraries they need. An allow-list of files, no folder.

Mounting /usr would show data: R and its packages, dist-packages, documentation and data sets below /usr/share, all
of which hold tables that are test rows here. So each program and each library is mounted by itself.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_PATH = "/usr/bin:/bin"
_REQUIRED = ("bash", "sh", "cat", "ls", "env")
_WANTED_TEXT = """
    [ arch awk base32 base64 basename bash bc bunzip2 bzcat bzip2 cat chmod cksum cmp column comm cp csplit cut date dd
    df diff diff3 dirname du echo egrep env expand expr factor false fgrep file find fmt fold free getconf grep groups
    gunzip gzip head hexdump hostname id install join jq kill link ln ls md5sum mkdir mkfifo mktemp mv nice nl nohup
    nproc numfmt od paste patch pgrep pkill pr printenv printf ps pwd readlink realpath rev rm rmdir sdiff sed seq
    setsid sh sha1sum sha256sum sha512sum shred shuf sleep sort split stat stdbuf strings stty sum sync tac tail tar
    tee test time timeout top touch tr true truncate tsort tty uname unexpand uniq unlink uptime wc which whoami xargs
    xxd xz xzcat yes zcat zgrep
"""
_WANTED = tuple(_WANTED_TEXT.split())
_LIBRARY = re.compile(r"(/\S+) \(0x")
_LINKER_SECONDS = 60.0


@dataclass(frozen=True)
class Programs:
    """files: host path by the name it has in /usr/bin; libraries: paths the program loader looks up."""

    files: dict[str, Path]
    libraries: tuple[Path, ...]


@functools.cache
def find_programs() -> Programs:
    """The wanted programs that are installed here, looked up once per process (a second).

    Raises FileNotFoundError if a shell, coreutils or ldd is missing, OSError if ldd fails.
    """
    files = {name: Path(found).resolve() for name in _WANTED if (found := shutil.which(name, path=_PATH))}
    missing = [name for name in _REQUIRED if name not in files]
    linker = shutil.which("ldd", path=_PATH)
    if missing or linker is None:
        raise FileNotFoundError(f"not found in {_PATH}: {', '.join([*missing, *([] if linker else ['ldd'])])}")
    return Programs(files, _libraries(linker, sorted({str(path) for path in files.values()})))


def _libraries(linker: str, programs: list[str]) -> tuple[Path, ...]:
    """What ldd names. Its exit code says nothing here: it is 1 if one of the files is a script."""
    try:
        done = subprocess.run(
            [linker, *programs],
            env={"PATH": _PATH, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LINKER_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(f"{linker} did not answer within {_LINKER_SECONDS:.0f} s") from error
    found = sorted(set(_LIBRARY.findall(done.stdout)))
    if not found:
        raise OSError(f"{linker} names no shared library: {done.stderr.strip()[-300:]}")
    return tuple(map(Path, found))
