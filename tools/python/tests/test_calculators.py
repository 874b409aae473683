# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
import json
import math
import pathlib

import numpy as np
import pytest

import dpcurves

DATA = pathlib.Path(__file__).resolve().parents[3] / "data" / "reference"


def number(value):
    return float(value) if value in ("inf", "-inf") else value


def differences(wanted, got, relative, absolute, where=""):
    wanted = number(wanted)
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            yield from differences(value, got[key], relative, absolute, f"{where}.{key}")
    elif isinstance(wanted, list):
        if len(wanted) != len(got):
            yield f"{where}: {len(got)} entries, not {len(wanted)}"
        else:
            for i, (a, b) in enumerate(zip(wanted, got)):
                yield from differences(a, b, relative, absolute, f"{where}[{i}]")
    elif isinstance(wanted, bool) or wanted is None or isinstance(wanted, str):
        if wanted != got:
            yield f"{where}: {got!r}, not {wanted!r}"
    elif math.isinf(wanted):
        if wanted != got:
            yield f"{where}: {got}, not {wanted}"
    elif not abs(got - wanted) <= max(absolute, relative * abs(wanted)):
        yield f"{where}: {got}, not {wanted}"


@pytest.mark.parametrize("file", sorted(DATA.glob("*.json")), ids=lambda path: path.stem)
def test_vectors(file):
    vectors = json.loads(file.read_text())
    if not (isinstance(vectors, list) and vectors and "calculator" in vectors[0]):
        pytest.skip("no list of vectors")
    if vectors[0]["calculator"] not in dpcurves.calculators:
        pytest.skip("vectors of functions that are no calculators")
    # The values are held by the tests of the program; here it is the way to Python and back that is tested.
    asked: dict[str, int] = {}
    failures = []
    for vector in vectors:
        asked[vector["calculator"]] = asked.get(vector["calculator"], 0) + 1
        if asked[vector["calculator"]] > 3:
            continue
        tolerance = vector.get("tolerance") or {}
        got = dpcurves.calculators[vector["calculator"]](**vector["inputs"])
        for key, wanted in vector["outputs"].items():
            own = tolerance.get("by_key", {}).get(key, tolerance)
            relative = own.get("rel", 0.0 if "abs" in own else 1e-9)
            failures += [
                f"{vector['id']}: {line}"
                for line in differences(wanted, got[key], relative, own.get("abs", 0.0), key)
            ]
    assert not failures, "\n".join(failures[:20])


def test_a_calculator_explains_itself():
    calculator = dpcurves.calculators["shifted-interpolation/gdp-delta"]
    assert "mu" in calculator.__doc__
    assert calculator(mu=1.0, eps=1.0)["delta"] == pytest.approx(0.12693673750664397, rel=1e-12)
    assert len(dpcurves.calculators) == len(list(dpcurves.calculators)) > 150


def test_arrays_of_numpy_are_lists():
    calculator = dpcurves.calculators["shifted-interpolation/gdp-delta"]
    assert calculator(mu=np.float64(1.0), eps=np.array(1.0)) == calculator(mu=1, eps=1.0)


@pytest.mark.parametrize(
    "inputs, words",
    [({"mu": 1.0}, "eps"), ({"mu": 1.0, "eps": 1.0, "m": 3}, "m"), ({"mu": "x", "eps": 1.0}, "mu"),
     ({"mu": -1.0, "eps": 1.0}, "mu"), ({"mu": None, "eps": 1.0}, "mu"), ({"mu": [1.0], "eps": 1.0}, "mu")],
)
def test_errors_name_the_key(inputs, words):
    with pytest.raises((ValueError, TypeError), match=words):
        dpcurves.calculators["shifted-interpolation/gdp-delta"](**inputs)


def test_unknown_names_are_key_errors_with_a_suggestion():
    with pytest.raises(KeyError, match="gdp-delta"):
        dpcurves.calculators["shifted-interpolation/gdp-dleta"]
