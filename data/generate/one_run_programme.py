# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Writes data/reference/inference/one_run_programme.csv: the largest chance of `correct` or more right guesses over all
laws of the number of right guesses that (epsilon, delta)-DP allows coin by coin: a linear programme (scipy, HiGHS).
Usage: one_run_programme.py"""
import random
from math import exp

import numpy as np
from scipy.optimize import linprog

import reference_table


def optimum(m, c, v, epsilon, delta):
    """max sum_{i>=v} p_i with R_k <= T(H_{k-1}): R_k = sum_{i>=k} i p_i/m, H_k = sum_{i>=k} (c-i) p_i/m."""
    i = np.arange(c + 1)
    rows, right = [], []
    for k in range(1, c + 1):
        r, h = np.where(i >= k, i, 0), np.where(i >= k - 1, c - i, 0)
        rows += [r - exp(epsilon) * h, r - exp(-epsilon) * h]
        right += [m * delta, m * (1 - exp(-epsilon) * (1 - delta))]
    result = linprog(-np.where(i >= v, 1.0, 0.0), A_ub=np.array(rows, float), b_ub=right, A_eq=np.ones((1, c + 1)), b_eq=[1],
                     method="highs", options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
    assert result.status == 0
    return -result.fun


random.seed(3)
lines = ["canaries,guesses,correct,epsilon,delta,p_value"]
while len(lines) <= 200:
    m = random.randint(2, 30)
    c = random.randint(1, m)
    v = random.randint((c + 1) // 2, c)
    epsilon, delta = random.choice([0.0, 0.25, 0.5, 1.0, 2.0]), random.choice([0.0, 0.001, 0.01, 0.05, 0.2])
    lines.append(f"{m},{c},{v},{epsilon!r},{delta!r},{optimum(m, c, v, epsilon, delta):.12g}")
path = reference_table.ROOT / "inference" / "one_run_programme.csv"
path.write_text("\n".join(lines) + "\n")
reference_table.describe(path, __file__, 9, "max sum_{i>=correct} p_i over p with R_k <= T(H_{k-1}) for all k")
