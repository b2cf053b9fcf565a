"""A problem's folder in a downloaded upstream release: listed and read as it is, without hash pins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scilaws_bench.errors import SourceIntegrityError, SourceUnavailableError


@dataclass(frozen=True)
class UpstreamFiles:
    """The files below `<folder>/<problem>/`: `train.csv`, `test.csv`, `metadata.yaml` and whatever else is there.

    Nobody pinned their hashes here, so `read` returns the bytes as found; the build records what it read.
    """

    folder: Path
    problem: str
    _names: tuple[str, ...]

    def names(self) -> tuple[str, ...]:
        """Paths relative to the problem's folder, with `/`, sorted."""
        return self._names

    def read(self, name: str) -> bytes:
        """The file's bytes, unchecked.

        Raises:
            SourceIntegrityError: the folder has no such file.
            SourceUnavailableError: the file cannot be read.
        """
        path = self.folder / self.problem / name
        if name not in self._names:
            raise SourceIntegrityError(
                thing=f"file {name} of upstream problem {self.problem}",
                expected=f"one of {', '.join(self._names) or '(the folder is empty)'}",
                found=f"no such file in {path.parent}",
                remedy="Download the upstream release again, completely.",
            )
        try:
            return path.read_bytes()
        except OSError as error:
            raise SourceUnavailableError(
                thing=f"file {path}",
                expected="a readable file",
                found=str(error),
                remedy="Check that it is still there and may be read.",
            ) from error


def open_upstream(spec: Mapping[str, Any], *, folder: Path | None) -> UpstreamFiles:
    """The files of an `upstream` source block.

    Args:
        spec: `{kind: upstream, problem: <published task id>}`.
        folder: where the user downloaded the upstream release, or None.

    Raises:
        SourceUnavailableError: no folder was given, or it has no folder for this problem.
    """
    problem = str(spec["problem"])
    if folder is None:
        raise SourceUnavailableError(
            thing=f"upstream problem {problem}",
            expected="a folder with a downloaded upstream release",
            found="none given",
            remedy="Download the published dataset and give its folder: scilaws-bench release import-upstream FOLDER.",
        )
    root = folder / problem
    # A task id is one folder name; "../x" would read outside the release the user pointed at.
    if Path(problem).name != problem or problem == ".." or not root.is_dir():
        raise SourceUnavailableError(
            thing=f"upstream problem {problem}",
            expected=f"a folder {root}",
            found="no such folder",
            remedy="Check that the folder given holds one folder a problem, named by the published task id.",
        )
    names = tuple(sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()))
    return UpstreamFiles(folder=folder, problem=problem, _names=names)
