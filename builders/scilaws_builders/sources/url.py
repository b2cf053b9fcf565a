"""Files behind pinned URLs: from the cache, from a mirror by their bytes, else downloaded with pooch."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from scilaws_bench.errors import SchemaError, SourceIntegrityError, SourceUnavailableError
from scilaws_builders.sources.cache import ContentCache
from scilaws_builders.sources.hashing import checked, sha256_of_file
from scilaws_builders.sources.mirror import Mirror

TIMEOUT_S = 60.0
"""Seconds without a byte before a download counts as broken."""
RETRY_WAIT_S = 1.0
"""Seconds before the one retry."""

_HINT = "Give a folder that holds the same bytes under any name as the mirror"


@dataclass(frozen=True)
class FilePin:
    """One pinned file: its `name` in the problem, its address, its sha256 and its size in bytes."""

    name: str
    url: str
    sha256: str
    size: int


@dataclass(frozen=True)
class UrlFiles:
    """Pinned files that lie on this machine, in the cache or in the mirror."""

    _found: Mapping[str, tuple[FilePin, Path]]

    def names(self) -> tuple[str, ...]:
        """The names in the order of the source block."""
        return tuple(self._found)

    def read(self, name: str) -> bytes:
        """The file's bytes, their sha256 checked.

        Raises:
            SourceIntegrityError: unknown name, or the local copy was altered since it was opened.
            SourceUnavailableError: the local copy went away since it was opened.
        """
        if name not in self._found:
            raise SourceIntegrityError(
                thing=f"file {name} of a url source",
                expected=f"one of {', '.join(self._found)}",
                found="no such name",
                remedy="Correct the name, or add the file to the `source` block.",
            )
        pin, path = self._found[name]
        try:
            data = path.read_bytes()
        except OSError as error:
            raise SourceUnavailableError(
                thing=f"file {name} ({path})",
                expected="a readable file",
                found=str(error),
                remedy="Open the source again.",
            ) from error
        return checked(data, pin.sha256, thing=f"file {name} ({path})", remedy="Open the source again; it heals.")


def open_url(spec: Mapping[str, Any], *, cache: ContentCache, mirror: Mirror | None, offline: bool) -> UrlFiles:
    """Every file of a `url` source block, brought onto this machine.

    Args:
        spec: `{kind: url, files: [{name, url, sha256, bytes}]}`.
        cache: where downloads go (section `files`).
        mirror: folder searched by size and sha256 before the network is.
        offline: never touch the network.

    Raises:
        SourceUnavailableError: a file is in neither folder and cannot be downloaded (or must not be).
        SourceIntegrityError: the URL serves other bytes than those pinned.
        SchemaError: two files have the same name.
    """
    found: dict[str, tuple[FilePin, Path]] = {}
    for entry in spec["files"]:
        pin = FilePin(name=entry["name"], url=entry["url"], sha256=entry["sha256"], size=entry["bytes"])
        if pin.name in found:
            raise SchemaError(
                thing=f"url source with two files called {pin.name}",
                expected="one name a file",
                remedy="Rename one of them.",
            )
        found[pin.name] = (pin, _locate(pin, cache, mirror, offline))
    return UrlFiles(found)


def _locate(pin: FilePin, cache: ContentCache, mirror: Mirror | None, offline: bool) -> Path:
    if path := cache.find("files", pin.sha256, "data"):
        return path
    if mirror is not None and (path := mirror.find_sized(pin.sha256, pin.size)):
        return path
    if offline:
        raise SourceUnavailableError(
            thing=f"file {pin.name} (sha256 {pin.sha256}, {pin.size} bytes)",
            expected=f"a copy in the cache {cache.root}" + (f" or the mirror {mirror.folder}" if mirror else ""),
            found="none, and the network may not be used (offline)",
            remedy=f"{_HINT}, or fetch once with a network.",
        )
    return cache.fetch("files", pin.sha256, "data", lambda scratch: _download(pin, scratch))


def _download(pin: FilePin, scratch: Path) -> Path:
    """Download with one retry; an answer that would be the same again (4xx, wrong bytes) is not retried."""
    import requests

    try:
        try:
            return _attempt(pin, scratch)
        except requests.RequestException as error:
            if error.response is not None and error.response.status_code < 500:
                raise
            time.sleep(RETRY_WAIT_S)
            return _attempt(pin, scratch)
    except requests.RequestException as error:
        raise SourceUnavailableError(
            thing=f"file {pin.name} from {pin.url}",
            expected=f"{pin.size} bytes with sha256 {pin.sha256}",
            found=f"{type(error).__name__}: {error}",
            remedy=f"{_HINT}, or try again with a network that reaches this address.",
        ) from error


def _attempt(pin: FilePin, scratch: Path) -> Path:
    import pooch

    # pooch announces each download on standard error; what a user sees is the caller's to decide.
    pooch.get_logger().setLevel("WARNING")
    known_hash = f"sha256:{pin.sha256}"
    return Path(pooch.retrieve(pin.url, known_hash, fname="data", path=scratch, downloader=_Capped(pin)))


@dataclass(frozen=True)
class _Capped:
    """A pooch downloader that stops at the pinned size, so that a wrong address cannot fill the disk."""

    pin: FilePin

    def __call__(self, url: str, output_file: str, pooch_instance: object) -> None:
        import pooch

        with contextlib.ExitStack() as opened, Path(output_file).open("wb") as handle:

            def close_at_exit(response: Any, *_: object, **__: object) -> None:
                opened.callback(response.close)

            get = pooch.HTTPDownloader(
                timeout=TIMEOUT_S,
                # The pin is of the file itself: ask for it without a transport encoding.
                headers={"Accept-Encoding": "identity"},
                # pooch leaves the connection of a refused or broken answer open.
                hooks={"response": close_at_exit},
            )
            get(url, _CappedWriter(handle, self.pin), pooch_instance)
        # pooch would notice too, in words that say neither the address nor what to do.
        size, digest = Path(output_file).stat().st_size, sha256_of_file(Path(output_file))
        if (size, digest) != (self.pin.size, self.pin.sha256):
            raise _wrong_bytes(self.pin, f"{size} bytes with sha256 {digest}")


class _CappedWriter:
    """The writing half of a file, refusing the first byte past the pinned size."""

    def __init__(self, handle: IO[bytes], pin: FilePin) -> None:
        self._handle = handle
        self._pin = pin
        self._written = 0

    def write(self, chunk: bytes) -> int:
        self._written += len(chunk)
        if self._written > self._pin.size:
            raise _wrong_bytes(self._pin, f"more than {self._pin.size} bytes")
        return self._handle.write(chunk)

    def flush(self) -> None:
        self._handle.flush()


def _wrong_bytes(pin: FilePin, found: str) -> SourceIntegrityError:
    return SourceIntegrityError(
        thing=f"file {pin.name} from {pin.url}",
        expected=f"{pin.size} bytes with sha256 {pin.sha256}",
        found=found,
        remedy=f"The address now serves other bytes; nothing was kept. {_HINT}.",
    )
