# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a reference table and its sidecar: exact doubles in, 25 digits out; what double cannot hold is left out.

The sidecar of a table that another program wrote: reference_table.py NAME GENERATOR DIGITS FORMULA."""
import hashlib
import json
import pathlib
import sys

from mpmath import mp, mpf, nstr

ROOT = pathlib.Path(__file__).resolve().parent.parent / "reference"


def representable(value):
    return value == 0 or mpf("1e-307") < abs(value) < mpf("1.7e308")


def write(name, generator, formula, columns, rows, inputs):
    """Rows are tuples; the first `inputs` entries are Python floats, the others mpf."""
    lines = [",".join(columns)]
    for row in rows:
        if all(representable(v) for v in row[inputs:]):
            lines.append(",".join([repr(float(v)) for v in row[:inputs]] + [nstr(v, 25) for v in row[inputs:]]))
    text = "\n".join(lines) + "\n"
    path = ROOT / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    describe(path, generator, mp.dps, formula)


def describe(path, generator, digits, formula):
    text = path.read_text()
    path.with_suffix(".json").write_text(json.dumps({
        "schema": "dpcurves/reference/1", "formula": formula, "digits": digits,
        "generator": "data/generate/" + pathlib.Path(generator).name, "rows": text.count("\n") - 1,
        "sha256": hashlib.sha256(text.encode()).hexdigest()}, indent=1) + "\n")


if __name__ == "__main__":
    describe(ROOT / sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
