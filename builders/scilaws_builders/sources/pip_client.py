"""One archive of a Python package, fetched by pip itself and never installed.

pip knows the user's index, proxy and certificates, and checks the archive's sha256 before it does anything
with it. For an sdist it then asks the package for its metadata, which runs the package's own build code (of
exactly the pinned archive); a wheel is only copied.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from packaging.tags import Tag
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from scilaws_bench.errors import SchemaError, ScilawsError, SourceIntegrityError, SourceUnavailableError

_MIRROR_HINT = "or give a folder that holds this archive as the mirror"

# pip has one exit code for everything; these are its own words, with -vv. A 404 only says that one of several
# indexes does not know the package.
_NO_INDEX = re.compile(r"^Could not fetch URL (?!.*: 404 Client Error).*$", re.MULTILINE)
_BROKEN = re.compile(r"^.*(?:ConnectionPool|IncompleteRead|ProtocolError|incomplete-download).*$", re.MULTILINE)
_NO_METADATA = re.compile(r"metadata-generation-failed|subprocess-exited-with-error")
# Indented is what the package's own build code printed; pip's own traceback is not.
_PACKAGE_ERROR = re.compile(r"^ +(?:\w+\.)*\w*(?:Error|Exception|Exit)\b.*$", re.MULTILINE)
_GOT_HASH = re.compile(r"Got\s+([0-9a-f]{64})")
_NOT_FOUND = re.compile(r"No matching distribution found|Could not find a version")


@dataclass(frozen=True)
class ArchivePin:
    """One pinned archive of a distribution on a package index.

    Raises:
        SchemaError: the filename is not that of a wheel or sdist (`.tar.gz`, `.zip`) of this very version.
    """

    distribution: str
    version: str
    filename: str
    sha256: str

    def __post_init__(self) -> None:
        try:
            name, version = self._named()
            agrees = (name, version) == (canonicalize_name(self.distribution), Version(self.version))
            found = f"{name} {version}"
        except (InvalidSdistFilename, InvalidWheelFilename, InvalidVersion) as error:
            agrees, found = False, str(error)
        if not agrees or Path(self.filename).name != self.filename:
            raise SchemaError(
                thing=f"archive {self.filename}",
                expected=f"the filename of a wheel or sdist of {self.distribution} {self.version}",
                found=found,
                remedy="Correct the `source` block of the problem.",
            )

    @property
    def is_wheel(self) -> bool:
        """Whether the archive is a wheel; else it is an sdist."""
        return self.filename.endswith(".whl")

    def _named(self) -> tuple[str, Version]:
        if self.is_wheel:
            name, version, _, _ = parse_wheel_filename(self.filename)
            return name, version
        return parse_sdist_filename(self.filename)


def selection_options(pin: ArchivePin) -> list[str]:
    """pip options that make any machine and any Python choose exactly the pinned archive.

    A wheel's filename says which interpreter, ABI and platforms it is for; pip is told to pretend to be
    one of them. "any", "none" and a bare "py3" need no pretence.
    """
    if not pin.is_wheel:
        # Not ":all:": pip hands that on to the package's build requirements, and would build those from source.
        return ["--no-binary", canonicalize_name(pin.distribution)]
    options = ["--only-binary", ":all:"]
    tags = sorted(parse_wheel_filename(pin.filename)[3], key=str)
    for platform in sorted({tag.platform for tag in tags} - {"any"}):
        options += ["--platform", platform]
    for abi in sorted({tag.abi for tag in tags} - {"none"}):
        options += ["--abi", abi]
    return options + _interpreter_options(tags)


def _interpreter_options(tags: list[Tag]) -> list[str]:
    parts = [match.groups() for tag in tags if (match := re.fullmatch(r"([a-z]+)(\d+)", tag.interpreter))]
    implementation, version = max(parts, key=lambda part: (int(part[1][0]), int(part[1][1:] or 0)), default=("py", "3"))
    options: list[str] = []
    if implementation != "py":
        options += ["--implementation", implementation]
    # "3" alone would mean Python 3.0, for which hardly anything is released any more.
    if version != "3":
        options += ["--python-version", version]
    return options


def download(pin: ArchivePin, scratch: Path) -> Path:
    """Have pip fetch the pinned archive into `scratch`; path of the file.

    Raises:
        SourceUnavailableError: no pip, no network, no such version or archive, or an sdist whose metadata
            cannot be made here.
        SourceIntegrityError: the index serves other bytes under this version.
    """
    requirements = scratch / "requirements.txt"
    requirements.write_text(f"{pin.distribution}=={pin.version} --hash=sha256:{pin.sha256}\n", encoding="utf-8")
    target, temporary = scratch / "archive", scratch / "tmp"
    target.mkdir()
    temporary.mkdir()
    command = [
        sys.executable, "-m", "pip", "download", "--no-input", "--no-cache-dir", "--disable-pip-version-check",
        "--progress-bar", "off", "-vv", "--no-deps", "--require-hashes", "--ignore-requires-python",
        *selection_options(pin), "--dest", str(target), "--requirement", str(requirements),
    ]  # fmt: skip
    # pip's own scratch space lies inside ours, so that whatever kills it, the next fetch clears it away.
    environment = {**os.environ, "TMPDIR": str(temporary)}
    ran = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if ran.returncode != 0:
        raise _failure(pin, ran.stdout + "\n" + ran.stderr)
    (fetched,) = target.iterdir()
    return fetched


def _failure(pin: ArchivePin, output: str) -> ScilawsError:
    """What pip's words mean; the order matters, since an unreachable index also "has no such version"."""
    thing = f"package {pin.distribution} {pin.version} ({pin.filename})"
    if "No module named pip" in output:
        return SourceUnavailableError(
            thing=thing,
            expected="pip to fetch it with",
            found=f"no pip module in {sys.executable}",
            remedy=f"Run `{sys.executable} -m ensurepip`, {_MIRROR_HINT}.",
        )
    if "DO NOT MATCH THE HASHES" in output:
        got = _GOT_HASH.search(output)
        return SourceIntegrityError(
            thing=thing,
            expected=f"sha256 {pin.sha256}",
            found=got.group(1) if got else _last_words(output),
            remedy=f"The package index serves other bytes; nothing was kept. Check the index pip uses, {_MIRROR_HINT}.",
        )
    if lost := _NO_INDEX.search(output) or _BROKEN.search(output):
        return SourceUnavailableError(
            thing=thing,
            expected="a package index that pip can reach",
            found=_short(lost.group()),
            remedy=f"Try again with a network, {_MIRROR_HINT}.",
        )
    if _NO_METADATA.search(output):
        raised = _PACKAGE_ERROR.findall(output)
        return SourceUnavailableError(
            thing=thing,
            expected="an sdist whose metadata pip can make with this Python",
            found=_short(raised[-1]) if raised else _last_words(output),
            remedy=f"Build with another Python version, {_MIRROR_HINT}.",
        )
    if _NOT_FOUND.search(output):
        return SourceUnavailableError(
            thing=thing,
            expected=f"a {'wheel' if pin.is_wheel else 'source archive'} of this version on the package index pip uses",
            found=_last_words(output),
            remedy=f"Check the index pip uses (`pip config list`), {_MIRROR_HINT}.",
        )
    return SourceUnavailableError(
        thing=thing,
        expected="pip to fetch it",
        found=_last_words(output),
        remedy=f"Mend what pip says, {_MIRROR_HINT}.",
    )


def _last_words(output: str) -> str:
    """pip's first error line, else its last line."""
    lines = [line for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error:")]
    return _short((errors or lines[-1:] or ["no output from pip"])[0])


def _short(line: str) -> str:
    return line.strip()[:400]
