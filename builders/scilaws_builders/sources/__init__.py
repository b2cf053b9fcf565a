"""Where real records come from: files in Python packages, pinned URLs, an upstream release.

Every byte handed out was checked against its pinned sha256 (an upstream folder has no pins and says so).
`SourceUnavailableError` means the records cannot be reached from here, `SourceIntegrityError` that what was
reached is not what was pinned; both are in `scilaws_bench.errors`.
"""

from scilaws_builders.sources.opening import SourceFiles, default_cache, open_source
from scilaws_builders.sources.rdata_files import read_rda

__all__ = ["SourceFiles", "default_cache", "open_source", "read_rda"]
