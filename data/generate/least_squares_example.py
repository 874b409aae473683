#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""The records of data/examples/least-squares.json: Gaussian features in the eigenbasis, a label in the last column."""
import math
import pathlib
import random

D, N = 40, 80
random.seed(4)
truth = [math.cos(i + 1) / math.sqrt(D) for i in range(D)]
lines = []
for _ in range(N):
    a = [round(random.gauss(0, 1) * (i + 1) ** -0.3, 4) for i in range(D)]
    b = sum(x * y for x, y in zip(a, truth)) + 0.3 * random.gauss(0, 1)
    lines.append(",".join(repr(x) for x in a + [round(b, 4)]))
path = pathlib.Path(__file__).resolve().parent.parent / "examples" / "least-squares-records.csv"
path.write_text("\n".join(lines) + "\n")
