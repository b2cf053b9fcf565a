"""Answers kept by other programs, read through the entry-point group `scilaws_bench.answers`.

The SDK knows no evaluation library; the package that does registers a reader for its logs.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from scilaws_bench.errors import MissingLibraryError, SubmissionError
from scilaws_bench.release import Release


@dataclass(frozen=True)
class Answers:
    """Law sources by task id, the system they come from and what shows how they came about.

    The fields are the arguments of `create_submission` of the same names.
    """

    laws: dict[str, str]
    system: dict[str, str]
    records: dict[str, tuple[bytes, str]]


def answers_of_log(path: Path, release: Release) -> Answers:
    """Answers in the log of an evaluation made with this release.

    Raises:
        SubmissionError: no log, or a log of something else.
        ReleaseError: a log made with another release.
        MissingLibraryError: the library that reads logs is not installed.
    """
    remedy = "pip install 'scilaws-bench[eval]'"
    for entry in entry_points(group="scilaws_bench.answers", name="log"):
        try:
            read = entry.load()
        except ImportError as error:
            raise MissingLibraryError(f"log {path}", "the library that reads it", str(error), remedy) from None
        answers: Answers = read(path, release)
        return answers
    raise SubmissionError(f"log {path}", "an installed reader of logs", "none", remedy)
