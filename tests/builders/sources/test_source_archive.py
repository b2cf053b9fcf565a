"""Members of zip and tar files, read in memory and within limits."""

from __future__ import annotations

import io
import tarfile
import warnings
import zipfile
from pathlib import Path

import pytest

from scilaws_bench.errors import SourceIntegrityError
from scilaws_builders.sources.archive import read_members


@pytest.fixture(params=["a.whl", "a.zip", "a.tar.gz"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """`d/` with `d/a` (b"first", then again b"second") and `d/b` of 2,000 zero bytes."""
    path = tmp_path / str(request.param)
    members = [("d/a", b"first"), ("d/a", b"second"), ("d/b", bytes(2000))]
    if path.name.endswith(".tar.gz"):
        with tarfile.open(path, "w:gz") as tar:
            for name, data in members:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
            link = tarfile.TarInfo("d/link")
            link.type, link.linkname = tarfile.SYMTYPE, "a"
            tar.addfile(link)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # zipfile warns of the repeated name, which is the point
            packed.writestr("d/", b"")
            for name, data in members:
                packed.writestr(name, data)
    return path


def test_reads_the_last_of_a_name_and_leaves_out_what_is_no_file(archive: Path) -> None:
    found = read_members(archive, ["d/a", "d/b", "d/", "d", "d/link", "gone"])
    assert found == {"d/a": b"second", "d/b": bytes(2000)}


def test_refuses_a_member_above_the_limit_but_not_beside_it(archive: Path) -> None:
    assert read_members(archive, ["d/a"], limit=100) == {"d/a": b"second"}
    with pytest.raises(SourceIntegrityError, match=r"d/b.*at most 100 bytes.*2000 bytes declared"):
        read_members(archive, ["d/b"], limit=100)


def test_a_zip_that_lies_about_its_size_yields_no_more_than_it_said(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("bomb", bytes(1_000_000))
    path.write_bytes(path.read_bytes().replace((1_000_000).to_bytes(4, "little"), (50).to_bytes(4, "little")))
    with pytest.raises(SourceIntegrityError, match="CRC"):
        read_members(path, ["bomb"], limit=100)


@pytest.mark.parametrize("damage", ["cut", "noise", "empty"])
def test_damaged_archive(archive: Path, damage: str) -> None:
    data = archive.read_bytes()
    archive.write_bytes({"cut": data[: len(data) // 2], "noise": b"\x00\x01" * 500, "empty": b""}[damage])
    with pytest.raises(SourceIntegrityError, match=r"readable (zip|tar) file"):
        read_members(archive, ["d/a", "d/b"])
