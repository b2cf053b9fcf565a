"""Where the Modelica text of each catalogue mechanism is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from scilaws_bench.errors import SourceIntegrityError, SourceUnavailableError
from scilaws_bench.hashing import bytes_hash

LIBRARY_VARIABLE = "SCILAWS_MODELICA_LIBRARY"
"""Environment variable that names a folder with `Modelica/`, `ModelicaServices/` and `Complex.mo`."""


@dataclass(frozen=True)
class ModelicaText:
    """One text: our own composition inside the package, or a file of the library outside it.

    Attributes:
        title: the mechanism in one line.
        file: path below the library folder, or file name of the composition.
        library_sha256: pinned sha256 of the library file, None for a composition.
    """

    id: str
    title: str
    file: str
    library_sha256: str | None

    def read(self, library: Path | None = None) -> str:
        """The text; a library file is checked against its pinned bytes.

        Raises:
            SourceUnavailableError: a library file, and no library folder that has it.
            SourceIntegrityError: a library file of other bytes.
        """
        if self.library_sha256 is None:
            return files("scilaws_builders.mechreasoner").joinpath("compositions", self.file).read_text("utf-8")
        folder = library or library_folder()
        if folder is None or not (folder / self.file).is_file():
            raise SourceUnavailableError(
                self.file, "the Modelica Standard Library 4.1.0", "no such file" if folder else "no library folder",
                f"Set {LIBRARY_VARIABLE} to a folder that holds Modelica/.",
            )  # fmt: skip
        content = (folder / self.file).read_bytes()
        if bytes_hash(content) != self.library_sha256:
            raise SourceIntegrityError(
                str(folder / self.file), f"sha256 {self.library_sha256}", bytes_hash(content), "Use version 4.1.0."
            )
        return content.decode("utf-8")


@dataclass(frozen=True)
class Texts:
    """All texts by mechanism id, and what the library is."""

    library: Mapping[str, str]
    by_id: Mapping[str, ModelicaText]


@cache
def texts() -> Texts:
    """The table of `texts.yaml`, ids in alphabetical order."""
    import yaml

    text = files("scilaws_builders.mechreasoner.catalogue").joinpath("texts.yaml").read_text(encoding="utf-8")
    document: dict[str, Any] = yaml.safe_load(text)
    by_id = {
        name: ModelicaText(name, item["title"], item.get("library_file") or item["composition"], item.get("sha256"))
        for name, item in sorted(document["texts"].items())
    }
    return Texts({key: str(value) for key, value in document["library"].items()}, by_id)


def library_folder() -> Path | None:
    """The library folder that the environment names, or None."""
    named = os.environ.get(LIBRARY_VARIABLE)
    return Path(named) if named else None
