# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Scores of canaries for the examples of audits: one Gaussian release of noise multiplier 1.

python3 data/generate/audit_scores.py FOLDER
"""
import pathlib
import random
import sys

folder = pathlib.Path(sys.argv[1])
draw = random.Random(5)
with open(folder / "multi-run-scores.csv", "w", encoding="ascii") as file:
    file.write("run,score,member\n")
    for run in range(600):
        member = run % 2
        file.write(f"{run},{draw.gauss(member, 1):.3f},{member}\n")
with open(folder / "one-run-scores.csv", "w", encoding="ascii") as file:
    file.write("canary,score,member\n")
    for canary in range(1000):
        member = draw.randrange(2)
        file.write(f"{canary},{draw.gauss(member, 1):.3f},{member}\n")
