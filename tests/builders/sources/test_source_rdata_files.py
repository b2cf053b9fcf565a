"""R data files written and read without R."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import rdata

from scilaws_bench.errors import SourceIntegrityError
from scilaws_builders.sources import read_rda


@pytest.fixture(scope="module")
def fish() -> bytes:
    """A saved data frame of numbers and a vector, not compressed."""
    frame = pd.DataFrame({"mass": [1.5, 2.5], "count": np.array([3, 4], dtype=np.int32)})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.rda"
        rdata.write_rda(path, {"fish": frame, "years": np.array([1.0, 2.0])}, compression=None)
        return path.read_bytes()


@pytest.mark.parametrize(
    "compress", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["plain", "gzip", "bzip2", "xz"]
)
def test_data_frames_become_pandas_frames(fish: bytes, compress: Callable[[bytes], bytes]) -> None:
    found = read_rda(compress(fish))
    assert sorted(found) == ["fish", "years"]
    frame, years = found["fish"], found["years"]
    assert isinstance(frame, pd.DataFrame)
    assert frame["mass"].tolist() == [1.5, 2.5]
    assert frame["count"].tolist() == [3, 4]
    assert isinstance(years, np.ndarray)
    assert years.tolist() == [1.0, 2.0]


def test_a_frame_written_by_r_itself() -> None:
    (frame,) = read_rda((rdata.TESTDATA_PATH / "test_dataframe.rda").read_bytes()).values()
    assert isinstance(frame, pd.DataFrame)
    assert frame["class"].tolist() == ["a", "b", "b"]
    assert frame["value"].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"x,y\n1,2\n", id="a csv table"),
        pytest.param(b"RDX3\nX\n\x00\x00", id="cut"),
        pytest.param(b"RDX3\n?\n" + bytes(100), id="unknown encoding"),
        pytest.param(gzip.compress(b"RDX3\nX\n"), id="cut before packing"),
        pytest.param(gzip.compress(b"RDX3\nX\n" * 100)[:-9], id="cut after packing"),
        pytest.param(b"\x1f\x8b" + bytes(20), id="damaged gzip"),
    ],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(SourceIntegrityError, match=r"R data file of \d+ bytes"):
        read_rda(data)


def test_every_cut_of_a_file_is_refused(fish: bytes) -> None:
    for length in range(0, len(fish) - 1, 7):
        with pytest.raises(SourceIntegrityError):
            read_rda(fish[:length])


def test_single_object_file_is_refused(tmp_path: Path) -> None:
    rdata.write_rds(tmp_path / "a.rds", np.array([1.0]))
    with pytest.raises(SourceIntegrityError, match=r"save\(\)"):
        read_rda((tmp_path / "a.rds").read_bytes())
