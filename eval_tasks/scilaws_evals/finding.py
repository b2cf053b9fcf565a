"""Find the release a task runs on.

Inspect runs a task file with the file's folder as working folder, so a relative path is looked for
below the working folder, then below its parents (as git looks for a repository), then below $PWD,
where the shell was when the command was typed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from scilaws_bench.cli.common import release_folder
from scilaws_bench.errors import ScilawsError
from scilaws_bench.release import Release, open_release
from scilaws_bench.release.content import MANIFEST
from scilaws_evals.errors import EvalSetupError

_EDITIONS = ("public", "demo")


def find_release(asked: str | None) -> Release:
    """The release named by `asked`, $SCILAWS_RELEASE, or the first of build/release/public and build/release/demo.

    `asked` is a folder or whatever else `open_release` takes. Raises EvalSetupError.
    """
    wanted = asked or os.environ.get("SCILAWS_RELEASE")
    try:
        if wanted:
            found = (base / wanted for base in _bases() if (base / wanted / MANIFEST).is_file())
            return open_release(next(found, wanted))
        for base in _bases():
            for edition in _EDITIONS:
                if (base / release_folder(edition) / MANIFEST).is_file():
                    return open_release(base / release_folder(edition))
    except ScilawsError as error:
        raise EvalSetupError.from_sdk(error) from None
    raise EvalSetupError(
        "release: expected a built or downloaded release; found none under build/release. Run `scilaws-bench release "
        "build` or name one with -T release=FOLDER or $SCILAWS_RELEASE."
    )


def _bases() -> Iterator[Path]:
    here = Path.cwd()
    yield from (here, *here.parents)
    typed = os.environ.get("PWD")
    if typed:
        yield Path(typed)
