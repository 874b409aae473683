# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the coefficients of the polynomials in lib/dpcurves/random/detail/box_muller_kernel.hpp.

Each polynomial interpolates its function at Chebyshev nodes (near-minimax), with 60 digits, and is then rounded to
double. The printed error is that of the exact polynomial on a fine grid.
"""
from mpmath import mp, mpf, atanh, cos, lu_solve, matrix, pi, sin, sqrt

mp.dps = 60


def interpolate(function, low, high, degree):
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * k + 1) / (2 * degree + 2)) for k in range(degree + 1)]
    system = matrix(degree + 1, degree + 1)
    right = matrix(degree + 1, 1)
    for i, x in enumerate(nodes):
        for j in range(degree + 1):
            system[i, j] = x**j
        right[i] = function(x)
    return list(lu_solve(system, right))


def show(name, function, low, high, degree, weight):
    coefficients = interpolate(function, low, high, degree)
    worst = mpf(0)
    for k in range(1, 2000):
        x = low + (high - low) * k / 2000
        worst = max(worst, abs(weight(x) * (sum(c * x**j for j, c in enumerate(coefficients)) - function(x))))
    print(name, "weighted error", mp.nstr(worst, 3))
    print("  ", ", ".join(float(c).hex() for c in coefficients))


if __name__ == "__main__":
    # log((1 + s) / (1 - s)) = 2 s + s z P(z), z = s^2, m in [sqrt(1/2), sqrt(2))
    edge = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2
    tiny = mpf(10) ** -20
    show("logarithm", lambda z: 2 * (atanh(sqrt(z)) - sqrt(z)) / (sqrt(z) * z), tiny, edge, 6, lambda z: sqrt(z) * z)
    # sin(pi y / 2) = y S(y^2), cos(pi y / 2) = 1 + y^2 C(y^2), |y| <= 1/2
    quarter = mpf(1) / 4
    show("sine", lambda z: sin(pi * sqrt(z) / 2) / sqrt(z), tiny, quarter, 6, sqrt)
    show("cosine", lambda z: (cos(pi * sqrt(z) / 2) - 1) / z, tiny, quarter, 6, lambda z: z)
    ln2 = mp.log(2)
    high = mpf(int(ln2 * 2**41)) / 2**41
    print("ln2", float(high).hex(), float(ln2 - high).hex())
