"""The one door to real records: a problem's `source` block in, checked bytes out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from scilaws_bench.errors import SchemaError
from scilaws_builders.sources.cache import ContentCache
from scilaws_builders.sources.mirror import Mirror
from scilaws_builders.sources.pypi import open_pypi
from scilaws_builders.sources.upstream import open_upstream
from scilaws_builders.sources.url import open_url


class SourceFiles(Protocol):
    """The files of one source, read by the names its `source` block gives them."""

    def names(self) -> tuple[str, ...]:
        """Every name `read` accepts, in the order of the block (sorted for an upstream folder)."""
        ...

    def read(self, name: str) -> bytes:
        """The whole file as bytes whose sha256 was just checked.

        Raises:
            SourceIntegrityError: a name the source does not have, a missing member, or bytes that are not
                the pinned ones.
        """
        ...


def default_cache() -> Path:
    """The cache folder used when none is given; it is not created here.

    `$SCILAWS_CACHE/sources`, else `$XDG_CACHE_HOME/scilaws-bench/sources`, else
    `~/.cache/scilaws-bench/sources`. An empty variable counts as unset.
    """
    if own := os.environ.get("SCILAWS_CACHE"):
        return Path(own).expanduser() / "sources"
    xdg = os.environ.get("XDG_CACHE_HOME")
    return (Path(xdg) if xdg else Path.home() / ".cache") / "scilaws-bench" / "sources"


def open_source(
    spec: Mapping[str, Any],
    *,
    cache: Path,
    mirror: Path | None = None,
    upstream: Path | None = None,
    offline: bool = False,
) -> SourceFiles:
    """Make the files of a `source` block available here and return them.

    Whatever has to be fetched is fetched now, so that an unreachable source shows at once; pinned bytes are
    looked for in the cache, then in the mirror, then on the network.

    Args:
        spec: a `source` block that follows `source.schema.json`.
        cache: folder for fetched files, made when needed; several builds may share it at the same time.
        mirror: folder that may hold the same bytes under any names; only read.
        upstream: folder of a downloaded upstream release, one folder a problem; only read.
        offline: never touch the network.

    Raises:
        SourceUnavailableError: the files cannot be reached from here; the message says how they could be.
        SourceIntegrityError: what was reached is not what was pinned.
        SchemaError: the block contradicts itself (unknown kind, a name given twice).
    """
    kind = spec["kind"]
    if kind == "upstream":
        return open_upstream(spec, folder=upstream)
    if kind not in ("pypi", "url"):
        raise SchemaError(
            thing=f"source of kind {kind!r}",
            expected="pypi, url or upstream",
            remedy="Correct the `source` block of the problem.",
        )
    store = ContentCache(cache)
    known = Mirror(mirror) if mirror is not None else None
    opener = open_pypi if kind == "pypi" else open_url
    return opener(spec, cache=store, mirror=known, offline=offline)
