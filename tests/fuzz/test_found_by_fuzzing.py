"""Crashes that fuzzing found, each as a test of its own that runs with all others."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from scilaws_bench.sandbox import Sandbox
from scilaws_bench.submissions.files import read_bundle


@pytest.mark.parametrize("name", ["\0", "\0laws/one.py"])
def test_an_entry_without_a_name_costs_itself_only(tmp_path: Path, name: str) -> None:
    """zipfile cuts names at NUL, and ZipInfo.is_dir raised IndexError for what was left: the whole bundle was lost."""
    path = tmp_path / "bundle.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("submission.json", "{}")
        archive.writestr(zipfile.ZipInfo(name), b"")
    found = read_bundle(path)
    assert found.files == {"submission.json": b"{}"}
    assert len(found.issues) == 1


@pytest.mark.parametrize("field", ["kind", "message"])
def test_a_number_beyond_float64_in_an_error_report(sandbox: Sandbox, field: str) -> None:
    """One forged frame raised OverflowError in the host, out of `predict`: it ended the scoring of every submission."""
    frame = f'E{{"{field}": 1{"0" * 400}}}'.encode()
    law = f"import os\ndef predict(X):\n    for number in range(3, 256):\n        try: os.write(number, {frame!r})\n"
    law += "        except OSError: pass\n    os._exit(0)\n"
    result = sandbox.predict(law, np.ones((2, 1)), [], np.empty((1, 0)))
    assert (result.status, result.error) == ("protocol", "the error report is damaged")
