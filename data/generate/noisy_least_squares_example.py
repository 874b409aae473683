#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Writes data/examples/noisy-least-squares.{json,csv}: a problem with its records, in the shape of the experiment.

Forty features, power-law spectrum, sixty Gaussian records in the eigenbasis, labels with noise.
"""
import json
import math
import pathlib
import random

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples"
D, N = 40, 60

rng = random.Random(5)
spectrum = [i**-0.5 for i in range(1, D + 1)]
xtilde = [math.cos(i) / math.sqrt(D) for i in range(1, D + 1)]
rows = []
for _ in range(N):
    a = [round(rng.gauss(0, math.sqrt(lam)), 3) for lam in spectrum]
    b = round(sum(x * y for x, y in zip(a, xtilde)) + rng.gauss(0, 0.1), 4)
    rows.append(",".join(str(v) for v in a + [b]))
FOLDER.mkdir(exist_ok=True)
(FOLDER / "noisy-least-squares.csv").write_text("\n".join(rows) + "\n")
(FOLDER / "noisy-least-squares.json").write_text(json.dumps({
    "spectrum": {"type": "power_law", "scale": 1.0, "exponent": 0.5},
    "x0": {"type": "constant", "norm": 1.0}, "xtilde": {"type": "cosine", "scale": 1.0},
    "E_xi2": 0.01, "delta": 0.1, "sigma": 2.0, "dim": D, "eta": 0.005,
    "records": "noisy-least-squares.csv"}, indent=1) + "\n")
