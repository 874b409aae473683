# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the reference tables of deep networks: tangent kernels, binomial and Gaussian norm tails, integer orders."""
from mpmath import acos, binomial, exp, log, log1p, loggamma, mp, mpf, pi, sqrt

from reference_table import write

mp.dps = 60


def tangent_limit(rho, depth):
    r, total = mpf(rho), mpf(0)
    for _ in range(1, depth):
        k0 = (pi - acos(r)) / pi
        total = k0 * (total + r)
        r = (sqrt(1 - r * r) + r * (pi - acos(r))) / pi
    return r + total / 2, r, 1 - r


def log_binomial_tail(n, q, k):
    """log P(Bin(n, q) <= k) by the terms below k <= n q, or by the complement above."""
    q = mpf(q)
    def one_side(start, ratio):
        term, total, j = mpf(1), mpf(0), start
        while term > mpf(10) ** -35 and 0 <= j <= n:
            total += term
            term, j = term * ratio(j), j + (1 if ratio is up else -1)
        return loggamma(n + 1) - loggamma(start + 1) - loggamma(n - start + 1) + start * log(q) + (n - start) * log(1 - q) + log(total)
    down = lambda j: mpf(j) / (n - j + 1) * (1 - q) / q
    up = lambda j: mpf(n - j) / (j + 1) * q / (1 - q)
    return one_side(k, down) if k <= n * q else log1p(-exp(one_side(k + 1, up)))


def log_norm_tail(dim, x):
    """log Q(dim/2, x) for x given exactly."""
    a, x = mpf(dim) / 2, mpf(x)
    front = a * log(x) - x - loggamma(a)
    if x > a + 1:
        b, c = x + 1 - a, mpf(10) ** 300
        d = h = 1 / b
        for i in range(1, 400000):
            an, b = -i * (i - a), b + 2
            d = 1 / (an * d + b)
            c = b + an / c
            h *= c * d
            if abs(c * d - 1) < mpf(10) ** -30:
                return front + log(h)
        raise ArithmeticError("no convergence")
    term = total = 1 / a
    i = 1
    while term > total * mpf(10) ** -40:
        term *= x / (a + i)
        total += term
        i += 1
    return log1p(-exp(front) * total)


def integer_order(q, z, order):
    q, z = mpf(q), mpf(z)
    total = sum(binomial(order, k) * (1 - q) ** (order - k) * q ** k * exp(mpf(k * k - k) / (2 * z * z)) for k in range(order + 1))
    return log(total) / (order - 1)


rows = []
for rho in (-1.0, -0.9999999999999999, -0.99, -0.5, -1e-17, 0.0, 1e-9, 0.4, 0.7, 0.999999, 0.9999999999999999):
    for depth in (2, 3, 5, 40, 1000):
        rows.append((rho, float(depth), *tangent_limit(rho, depth)))
write("models/tangent_limit.csv", __file__, "r_l = k1(r_(l-1)); r_(L-1) + (1/2) sum_l r_(l-1) prod_(j>=l) k0(r_(j-1))",
      ["correlation", "depth", "per_width", "last_hidden", "last_complement"], rows, 2)

rows = []
for n, q, counts in ((2, 0.5, (0, 1)), (50, 0.5, (0, 10, 24, 25, 40)), (1000, 0.05, (0, 25, 49, 50, 60)),
                     (1000, 0.999, (500, 998)), (60000, 0.0042666666666666667, (1, 128, 230, 256, 300)),
                     (10**9, 0.01, (5000000, 9900000, 9999000, 10000100)), (10**12, 1e-9, (0, 700, 999)),
                     (10**12, 0.01, (9999000000, 9999990000))):
    for k in counts:
        rows.append((float(n), q, float(k), log_binomial_tail(n, q, k)))
write("bounds/binomial_lower_tail.csv", __file__, "log P(Bin(trials, rate) <= count)", ["trials", "rate", "count", "log"], rows, 3)

rows = []
for dim, deviation, thresholds in ((1, 0.1, (0.1, 5.0)), (2, 1.0, (1e-5, 1.0, 60.0)), (3, 0.001, (1000.0,)),
                                   (100, 1.0, (9.0, 12.0, 45.0)), (10**4, 1.0, (99.0, 103.0, 150.0)),
                                   (266496, 0.01, (5.16, 5.3, 8.3)), (10**9, 1.0, (31623.0, 31630.0, 31640.0))):
    for t in thresholds:
        rows.append((float(dim), deviation, t, log_norm_tail(dim, (mpf(t) / mpf(deviation)) ** 2 / 2)))
write("bounds/norm_tail.csv", __file__, "log Q(dimension/2, threshold^2/(2 deviation^2))", ["dimension", "deviation", "threshold", "log"], rows, 3)

rows = []
for q, z, order in ((0.01, 1.0, 8), (0.001, 0.6, 32), (1e-9, 1.0, 2), (1e-9, 10.0, 511), (0.5, 0.1, 100), (0.3, 0.01, 20),
                    (0.9, 1000.0, 400), (1e-4, 0.5, 3), (0.02, 1.0, 5000), (1e-12, 100.0, 2)):
    rows.append((q, z, float(order), integer_order(q, z, order)))
write("accounting/integer_order_renyi.csv", __file__, "log(sum_k C(order, k) (1-q)^(order-k) q^k exp((k^2-k)/(2 z^2)))/(order - 1)",
      ["sampling_rate", "noise_multiplier", "order", "renyi"], rows, 3)
