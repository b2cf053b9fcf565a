"""Refractive indices of transparent crystals tabulated by W. L. Bond (1965), from refractiveindex.info."""

from __future__ import annotations

from pathlib import PurePosixPath

import pandas as pd
import yaml

# A file name is `Bond.yml` for a cubic crystal, else `Bond-<ray>.yml`; the ray becomes the suffix of the label.
_RAY = {"": "", "o": "_o", "e": "_e", "alpha": "_a", "beta": "_b", "gamma": "_g"}


def records(source) -> pd.DataFrame:
    """One row a tabulated wavelength: crystals in order of their label, rows in the order of the file."""
    tables = {}
    for name in source.names():
        path = PurePosixPath(name)  # …/main/<material>/nk/Bond[-<ray>].yml
        label = path.parts[-3] + _RAY[path.stem.partition("-")[2]]
        tables[label] = _table(source.read(name), label)
    return pd.concat([tables[label] for label in sorted(tables)], ignore_index=True)


def _table(content: bytes, label: str) -> pd.DataFrame:
    (block,) = yaml.safe_load(content)["DATA"]
    if block["type"] != "tabulated n":
        raise ValueError(f"{label}: expected one block of type 'tabulated n', found {block['type']!r}")
    pairs = [[float(value) for value in line.split()] for line in block["data"].strip().splitlines()]
    table = pd.DataFrame(pairs, columns=["wavelength_um", "n"])
    table.insert(0, "crystal", label)
    return table
